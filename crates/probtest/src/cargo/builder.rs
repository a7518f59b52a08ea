//! A test without the attribute, and what the attribute expands to.

use std::marker::PhantomData;
use std::panic::Location;

use super::place::TestPlace;
use super::test::{Body, CargoTest};
use crate::claim::{Error, IntoProbability, Outcomes, Pairs, Terms, Violations};
use crate::report::Report;
use crate::run::{Conclusion, both};
use crate::seed::TestRng;
use crate::settings::{GivenBy, IntoDuration, OnBudget, OptionValue};

/// A test of random behaviour inside any `#[test]` function.
///
/// For the claim, options you set here win over the environment: `PROBTEST_P`, `PROBTEST_EPSILON`
/// and `PROBTEST_MAX_TIME` are only defaults. For how the test runs, the environment wins:
/// `PROBTEST_SEED`, `PROBTEST_JOBS`, `PROBTEST_REPLAY`. Of two `max_executions`, the smaller one
/// counts.
///
/// ```
/// use probtest::Probtest;
/// use rand::RngExt;
///
/// Probtest::new("a die shows no seven").p("1/100").epsilon(0.02).check(|rng| {
///     let eyes = rng.random_range(1..=6);
///     assert_ne!(eyes, 7);
/// });
///
/// let claim = probtest::mean().between(1, 6).within(3.5, 3.5).margin(0.5);
/// Probtest::new("a die shows 3.5 on average").claim(claim).check(|rng| rng.random_range(1..=6));
///
/// let coin = probtest::fit().label("heads", "1/2").label("tails", "1/2").distance(0.1);
/// Probtest::new("a fair coin")
///     .claim(coin)
///     .check(|rng| if rng.random::<bool>() { "heads" } else { "tails" });
/// ```
#[derive(Debug)]
#[must_use = "a test does nothing until `check` or `report` is called"]
pub struct Probtest<R = Violations> {
    test: CargoTest,
    returns: PhantomData<fn() -> R>,
}

impl Probtest {
    /// Starts a test with its own id. Its random streams are derived from that id.
    #[track_caller]
    pub fn new(id: impl Into<String>) -> Self {
        Probtest {
            test: CargoTest::new(id.into(), Location::caller().file()),
            returns: PhantomData,
        }
    }

    /// Sets the claim as a whole: see [`fn@crate::mean`], [`fn@crate::fit`],
    /// [`fn@crate::compare`] and [`fn@crate::detect`].
    pub fn claim<R>(mut self, claim: impl Into<Terms<R>>) -> Probtest<R> {
        self.test.given.set_claim(claim);
        Probtest { test: self.test, returns: PhantomData }
    }

    /// Sets the violation probability you must catch.
    pub fn p(self, p: impl IntoProbability) -> Self {
        self.probability("p", p)
    }

    /// Sets the chance of missing it; 0.05 by default.
    pub fn epsilon(self, epsilon: impl IntoProbability) -> Self {
        self.probability("epsilon", epsilon)
    }

    /// Sets the violation rate you accept: a program within it passes, except with the chance of a
    /// false alarm. If you don't set `p`, it is ten times as much.
    ///
    /// ```
    /// use probtest::Probtest;
    ///
    /// let report = Probtest::new("rarely late")
    ///     .tolerate(0.01)
    ///     .p(0.1)
    ///     .report(|rng| rng.draw_u64() % 1000 != 0)?;
    /// assert!(report.passed());
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn tolerate(self, tolerate: impl IntoProbability) -> Self {
        self.probability("tolerate", tolerate)
    }

    /// Sets the chance of failing a program at the tolerated rate; 1e-6 by default.
    pub fn false_alarm(self, false_alarm: impl IntoProbability) -> Self {
        self.probability("false_alarm", false_alarm)
    }

    /// Requires that each of these outcomes is seen. The body returns the number of the outcome
    /// that occurred, from 0, and the test fails if one is never seen. A body that returns `()` or
    /// `bool` is refused.
    pub fn outcomes<I>(self, outcomes: I) -> Self
    where
        I: IntoIterator,
        I::Item: IntoProbability,
    {
        let outcomes = Outcomes::new(outcomes).map(OptionValue::Outcomes);
        self.with("outcomes", outcomes)
    }

    /// Draws this many inputs, which executions take in turn, and catches `p` for each of them:
    /// every input gets the plan for `p` at `epsilon`. The body draws its input with `draw`
    /// (feature `proptest`) or with `arbitrary`.
    pub fn inputs(self, inputs: u64) -> Self {
        self.with("inputs", Ok(OptionValue::Count(inputs)))
    }

    /// Sets what happens if `max_executions` or `max_time` ends the test before its plan is
    /// finished. By default it fails. With [`OnBudget::Pass`] it passes within budget, and reports
    /// what was achieved on standard error, in its report and in every file.
    pub fn on_budget(self, on_budget: OnBudget) -> Self {
        self.with("on_budget", Ok(OptionValue::OnBudget(on_budget)))
    }

    /// Draws the schedule of the body's threads: see [`crate::run::schedules`]. The body must use
    /// shuttle's threads, locks and atomics.
    #[cfg(feature = "shuttle")]
    pub fn schedules(self, schedules: crate::run::schedules::Schedules) -> ScheduledTest {
        ScheduledTest { test: self.test, schedules }
    }

    fn probability(self, name: &str, p: impl IntoProbability) -> Self {
        self.with(name, p.into_probability().map(OptionValue::Probability))
    }
}

impl<R> Probtest<R> {
    fn with(mut self, name: &str, value: Result<OptionValue, Error>) -> Self {
        self.test.given.set(name, GivenBy::Test, value);
        self
    }

    fn duration(self, name: &'static str, time: impl IntoDuration) -> Self {
        let time = time.into_duration().map(OptionValue::Duration);
        self.with(name, time.map_err(|error| error.about(name)))
    }

    /// Runs on this many threads; 1 by default. The verdict and all counts are the same for any
    /// number of threads.
    pub fn jobs(self, jobs: usize) -> Self {
        self.with("jobs", Ok(OptionValue::Count(jobs as u64)))
    }

    /// Fixes the run seed of this test, so that every run does the same.
    pub fn seed(self, seed: u64) -> Self {
        self.with("seed", Ok(OptionValue::Text(format!("{seed:#x}"))))
    }

    /// Stops after this many executions. If the claim isn't decided by then, the test fails as
    /// inconclusive.
    pub fn max_executions(self, most: u64) -> Self {
        self.with("max_executions", Ok(OptionValue::Count(most)))
    }

    /// Stops after this much time: a `Duration`, or a string such as `"30s"`, `"500ms"` or
    /// `"1m30s"`. If the claim isn't decided by then, the test fails as inconclusive, and its
    /// report says what is known so far.
    ///
    /// The clock is checked between executions. At least one execution counts, and one that hangs
    /// isn't stopped.
    pub fn max_time(self, time: impl IntoDuration) -> Self {
        self.duration("max_time", time)
    }

    /// Allows this many rejections; by default ten for each planned execution, but at least 1000.
    pub fn max_rejections(self, most: u64) -> Self {
        self.with("max_rejections", Ok(OptionValue::Count(most)))
    }

    /// Lets this many executions of an async body wait at the same time, on one thread. The verdict
    /// and all counts are the same for any number.
    pub fn concurrency(self, concurrency: u64) -> Self {
        self.with("concurrency", Ok(OptionValue::Count(concurrency)))
    }

    /// Limits how often executions start: a string such as `"20/s"` or `"100/min"`. Starts are
    /// spread evenly.
    pub fn rate(self, rate: &str) -> Self {
        let rate = rate.parse().map(OptionValue::StartRate);
        self.with("rate", rate.map_err(|error: Error| error.about("rate")))
    }

    /// Allows this many attempts to fail because of their infrastructure, see
    /// [`fn@crate::infrastructure`]; by default one for each planned execution, but at least 100.
    pub fn max_unavailable(self, most: u64) -> Self {
        self.with("max_unavailable", Ok(OptionValue::Count(most)))
    }

    /// Stops when the executions have cost this much. If the claim isn't decided by then, the test
    /// fails as inconclusive. The body reports what it costs with [`fn@crate::cost`].
    pub fn max_cost(self, most: f64) -> Self {
        self.with("max_cost", Ok(OptionValue::Cost(most)))
    }

    /// Sets whether an execution that violates runs a second time, alone, before it is reported; by
    /// default it does. Turn it off if an execution costs money.
    pub fn confirm(self, confirm: bool) -> Self {
        self.with("confirm", Ok(OptionValue::Flag(confirm)))
    }

    /// Sets whether probtest looks for a smaller execution with the same violation before it
    /// reports one; by default it does.
    pub fn shrink(self, shrink: bool) -> Self {
        self.with("shrink", Ok(OptionValue::Flag(shrink)))
    }

    /// Limits how long `shrink` may take; two seconds by default.
    pub fn shrink_time(self, time: impl IntoDuration) -> Self {
        self.duration("shrink_time", time)
    }

    /// Declares that the program brings its own randomness and the body ignores its `rng`. The
    /// report then says that executions can't be replayed.
    pub fn own_randomness(mut self) -> Self {
        self.test.own_randomness = true;
        self
    }

    /// Declares that the test has `#[should_panic]`: it expects a violation.
    ///
    /// If the verdict is inconclusive or the test couldn't be started, `check` then returns instead
    /// of panicking, which fails such a test. Without this, `#[should_panic]` would pass in those
    /// cases too. The attribute takes care of it by itself.
    pub fn should_panic(mut self) -> Self {
        self.test.should_panic = true;
        self
    }

    /// Runs the test, reports how much it proves, and panics unless it passed.
    ///
    /// # Panics
    /// When there is evidence against the claim, when the claim couldn't be decided, and when the
    /// claim or the environment is invalid.
    pub fn check<C: Conclusion<R>>(self, body: impl Fn(&mut TestRng) -> C + Sync) {
        self.test.check(Body::called(C::SILENT, &|rng| body(rng).conclude()));
    }

    /// Runs the test and returns the report instead of panicking.
    ///
    /// As with [`Probtest::check`], environment variables apply and counterexamples are remembered;
    /// [`fn@crate::check`] does neither. If `PROBTEST_REPLAY` selects an execution, only that one
    /// runs, and the verdict is never a pass.
    ///
    /// # Errors
    /// When the claim or the environment is invalid.
    ///
    /// ```
    /// use probtest::Probtest;
    ///
    /// let report = Probtest::new("heads").p(0.1).report(|rng| rng.draw_u64() % 2 == 0)?;
    /// assert!(!report.passed());
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn report<C: Conclusion<R>>(
        self,
        body: impl Fn(&mut TestRng) -> C + Sync,
    ) -> Result<Report, Error> {
        self.test.report(Body::called(C::SILENT, &|rng| body(rng).conclude()))
    }
}

impl<R> Probtest<Pairs<R>> {
    /// Runs both versions on the same random numbers until the claim is decided, and panics unless
    /// the new one is shown not to be worse.
    ///
    /// # Panics
    /// Like [`Probtest::check`].
    ///
    /// ```
    /// use probtest::Probtest;
    /// use rand::RngExt;
    ///
    /// Probtest::new("a die without a table shows no other numbers")
    ///     .claim(probtest::compare(0.05))
    ///     .check_both(
    ///         |rng| [1, 2, 3, 4, 5, 6][rng.random_range(0..6)] < 7,
    ///         |rng| rng.random_range(0..6) + 1 < 7,
    ///     );
    /// ```
    pub fn check_both<A: Conclusion<R>, B: Conclusion<R>>(
        self,
        old: impl Fn(&mut TestRng) -> A + Sync,
        new: impl Fn(&mut TestRng) -> B + Sync,
    ) {
        self.test.check(Body::called(false, &|rng| both(rng, &old, &new).conclude()));
    }

    /// Does the same as [`Probtest::check_both`], but returns the report instead of panicking.
    ///
    /// # Errors
    /// Like [`Probtest::report`].
    pub fn report_both<A: Conclusion<R>, B: Conclusion<R>>(
        self,
        old: impl Fn(&mut TestRng) -> A + Sync,
        new: impl Fn(&mut TestRng) -> B + Sync,
    ) -> Result<Report, Error> {
        self.test.report(Body::called(false, &|rng| both(rng, &old, &new).conclude()))
    }
}

/// A test of a concurrent body under random schedules, made by [`Probtest::schedules`].
#[cfg(feature = "shuttle")]
#[derive(Debug)]
#[must_use = "a test does nothing until `check` or `report` is called"]
pub struct ScheduledTest {
    test: CargoTest,
    schedules: crate::run::schedules::Schedules,
}

#[cfg(feature = "shuttle")]
impl ScheduledTest {
    /// Declares that the test has `#[should_panic]`, like [`Probtest::should_panic`].
    pub fn should_panic(mut self) -> Self {
        self.test.should_panic = true;
        self
    }

    /// Runs the test, like [`Probtest::check`].
    ///
    /// # Panics
    /// Like [`Probtest::check`].
    pub fn check<C: Conclusion<Violations>>(
        self,
        body: impl Fn(&mut TestRng) -> C + Send + Sync + 'static,
    ) {
        self.with(body, |test, body| test.check(body));
    }

    /// Runs the test and returns the report, like [`Probtest::report`].
    ///
    /// # Errors
    /// Like [`Probtest::report`].
    pub fn report<C: Conclusion<Violations>>(
        self,
        body: impl Fn(&mut TestRng) -> C + Send + Sync + 'static,
    ) -> Result<Report, Error> {
        self.with(body, |test, body| test.report(body))
    }

    fn with<C: Conclusion<Violations>, T>(
        self,
        body: impl Fn(&mut TestRng) -> C + Send + Sync + 'static,
        run: impl FnOnce(&CargoTest, Body<'_>) -> T,
    ) -> T {
        let body = std::sync::Arc::new(move |rng: &mut TestRng| body(rng).conclude());
        let scheduled = crate::run::ScheduledBody::new(self.schedules, self.test.id.clone(), body);
        let called = |rng: &mut TestRng| scheduled.execute(rng);
        let body = Body { scheduled: Some(&scheduled), ..Body::called(C::SILENT, &called) };
        run(&self.test, body)
    }
}

/// Starts a test for the attribute.
#[doc(hidden)]
#[track_caller]
pub fn test(place: &'static TestPlace) -> Probtest {
    Probtest { test: CargoTest::at(place, Location::caller().file()), returns: PhantomData }
}

/// Evaluates the values of an attribute's options. In a function of their own: a `return` in a
/// value, also one that a macro expands to, would otherwise end the test before any execution.
#[doc(hidden)]
pub fn with_options<R>(test: fn() -> Probtest<R>) -> Probtest<R> {
    test()
}

/// Evaluates the value of `schedules`, like [`with_options`].
#[cfg(feature = "shuttle")]
#[doc(hidden)]
pub fn scheduled(
    schedules: fn() -> crate::run::schedules::Schedules,
) -> crate::run::schedules::Schedules {
    schedules()
}

/// Takes the body of an attribute as a pointer, so that the code that runs it is compiled once for
/// each return type, not for each test.
#[doc(hidden)]
pub fn body<C>(body: fn(&mut TestRng) -> C) -> fn(&mut TestRng) -> C {
    body
}

/// Checks a test with an async body, with as many executions waiting at the same time as it sets.
#[cfg(feature = "tokio")]
#[doc(hidden)]
pub fn waiting<R, C: Conclusion<R> + 'static>(
    test: Probtest<R>,
    body: for<'r> fn(&'r mut TestRng) -> std::pin::Pin<Box<dyn Future<Output = C> + 'r>>,
) {
    let called = |rng: &mut TestRng| crate::machine::on_a_runtime(body(rng)).conclude();
    test.test.check(Body {
        waiting: Some(&|rng| Box::pin(async move { body(rng).await.conclude() })),
        ..Body::called(C::SILENT, &called)
    });
}

/// Starts a test that expects a panic. A panic inside an option isn't the one it expects: then no
/// test starts, and the function ends without a panic.
#[doc(hidden)]
pub fn begun<T>(begin: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(begin)).ok()
}
