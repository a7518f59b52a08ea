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
/// Options given here win over the environment for the claim (`PROBTEST_P` and
/// `PROBTEST_EPSILON` are defaults, and so is `PROBTEST_MAX_TIME`), the environment
/// wins for how it runs (`PROBTEST_SEED`, `PROBTEST_JOBS`, `PROBTEST_REPLAY`); of two
/// `max_executions` the smaller one counts.
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
    /// Begins a test with an id of its own, from which its streams are derived.
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

    /// Sets the violation probability that must be caught.
    pub fn p(self, p: impl IntoProbability) -> Self {
        self.probability("p", p)
    }

    /// Sets the chance of missing it; 0.05 by default.
    pub fn epsilon(self, epsilon: impl IntoProbability) -> Self {
        self.probability("epsilon", epsilon)
    }

    /// Sets a violation rate that is acceptable: a program within it passes, but for the chance of
    /// a false alarm. `p` is ten times as much when it is not given.
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

    /// Asks that each of these outcomes is seen. A body that returns the number of the outcome it
    /// showed, from 0, fails when one is never seen; one that returns `()` or `bool` is refused.
    pub fn outcomes<I>(self, outcomes: I) -> Self
    where
        I: IntoIterator,
        I::Item: IntoProbability,
    {
        let outcomes = Outcomes::new(outcomes).map(OptionValue::Outcomes);
        self.with("outcomes", outcomes)
    }

    /// Draws this many inputs, which executions take turns with, and asks that `p` is caught
    /// for each of them: every input gets the plan for `p` at `epsilon`. The body draws it by
    /// `draw`, with the feature `proptest`, or by `arbitrary`.
    pub fn inputs(self, inputs: u64) -> Self {
        self.with("inputs", Ok(OptionValue::Count(inputs)))
    }

    /// Says what the test is when the most executions, or the time, end before the
    /// plan: a failure by default; with [`OnBudget::Pass`] it passes within budget,
    /// and says on standard error, in its report and in every file what was achieved.
    pub fn on_budget(self, on_budget: OnBudget) -> Self {
        self.with("on_budget", Ok(OptionValue::OnBudget(on_budget)))
    }

    /// Draws how the threads of the body take turns: see [`crate::run::schedules`]. The body uses
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

    /// Runs on this many threads; 1 by default. The verdict and all counts
    /// are the same for any number.
    pub fn jobs(self, jobs: usize) -> Self {
        self.with("jobs", Ok(OptionValue::Count(jobs as u64)))
    }

    /// Fixes the run seed of this test, so that it always does the same.
    pub fn seed(self, seed: u64) -> Self {
        self.with("seed", Ok(OptionValue::Text(format!("{seed:#x}"))))
    }

    /// Ends without a verdict, which is a failure, when the claim is not decided
    /// after this many executions.
    pub fn max_executions(self, most: u64) -> Self {
        self.with("max_executions", Ok(OptionValue::Count(most)))
    }

    /// Ends without a verdict, which is a failure, when this much time is over and
    /// the claim is not decided: a `Duration`, or text such as `"30s"`, `"500ms"`
    /// or `"1m30s"`. The report says what is known by then.
    ///
    /// The clock is looked at between executions. At least one counts, and one
    /// that hangs is not stopped.
    pub fn max_time(self, time: impl IntoDuration) -> Self {
        self.duration("max_time", time)
    }

    /// Allows this many rejections; by default ten for each planned execution, but at least 1000.
    pub fn max_rejections(self, most: u64) -> Self {
        self.with("max_rejections", Ok(OptionValue::Count(most)))
    }

    /// Lets this many executions of an async body wait at the same time, on one thread. The
    /// verdict and all counts are the same for any number.
    pub fn concurrency(self, concurrency: u64) -> Self {
        self.with("concurrency", Ok(OptionValue::Count(concurrency)))
    }

    /// Limits how often executions start: text such as `"20/s"` or `"100/min"`. Starts are
    /// spread evenly.
    pub fn rate(self, rate: &str) -> Self {
        let rate = rate.parse().map(OptionValue::StartRate);
        self.with("rate", rate.map_err(|error: Error| error.about("rate")))
    }

    /// Allows infrastructure to spoil this many attempts, see [`fn@crate::infrastructure`]; by
    /// default one for each planned execution, but at least 100.
    pub fn max_unavailable(self, most: u64) -> Self {
        self.with("max_unavailable", Ok(OptionValue::Count(most)))
    }

    /// Ends without a verdict, which is a failure, when the executions have cost this much
    /// and the claim is not decided. The body tells its cost by [`fn@crate::cost`].
    pub fn max_cost(self, most: f64) -> Self {
        self.with("max_cost", Ok(OptionValue::Cost(most)))
    }

    /// Says whether an execution that violates runs once more, alone, before it is reported;
    /// by default it does. Leave that out where an execution costs money.
    pub fn confirm(self, confirm: bool) -> Self {
        self.with("confirm", Ok(OptionValue::Flag(confirm)))
    }

    /// Says whether an execution that violates is made smaller before it is reported, while the
    /// same violation stays; by default it is.
    pub fn shrink(self, shrink: bool) -> Self {
        self.with("shrink", Ok(OptionValue::Flag(shrink)))
    }

    /// Takes at most this long for that; two seconds by default.
    pub fn shrink_time(self, time: impl IntoDuration) -> Self {
        self.duration("shrink_time", time)
    }

    /// Says that the program brings its own randomness and the body ignores its
    /// source. The report then says that executions cannot be replayed.
    pub fn own_randomness(mut self) -> Self {
        self.test.own_randomness = true;
        self
    }

    /// Says that the test has `#[should_panic]`: it asks for a violation.
    ///
    /// `check` then returns, which fails such a test, when the verdict is inconclusive or the test
    /// could not be started. Without this, `#[should_panic]` passes in those cases too. The
    /// attribute does the same by itself.
    pub fn should_panic(mut self) -> Self {
        self.test.should_panic = true;
        self
    }

    /// Runs the test, says how much it proves, and panics unless it passed.
    ///
    /// # Panics
    /// When there is evidence against the claim, when it could not be decided, and when
    /// the claim or the environment makes no sense.
    pub fn check<C: Conclusion<R>>(self, body: impl Fn(&mut TestRng) -> C + Sync) {
        self.test.check(Body::called(C::SILENT, &|rng| body(rng).conclude()));
    }

    /// Runs the test and returns the report instead of panicking.
    ///
    /// The environment counts and counterexamples are remembered as in [`Probtest::check`];
    /// [`fn@crate::check`] is the function without either. An execution that `PROBTEST_REPLAY`
    /// selects runs alone, and the verdict is then never a pass.
    ///
    /// # Errors
    /// When the claim or the environment makes no sense.
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
    /// Runs both versions on the same numbers until the claim is decided, and panics unless the
    /// new one is known not to be worse.
    ///
    /// # Panics
    /// As [`Probtest::check`].
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

    /// Does the same and returns the report instead of panicking, as [`Probtest::report`].
    ///
    /// # Errors
    /// As [`Probtest::report`].
    pub fn report_both<A: Conclusion<R>, B: Conclusion<R>>(
        self,
        old: impl Fn(&mut TestRng) -> A + Sync,
        new: impl Fn(&mut TestRng) -> B + Sync,
    ) -> Result<Report, Error> {
        self.test.report(Body::called(false, &|rng| both(rng, &old, &new).conclude()))
    }
}

/// A test of a concurrent body under schedules that are drawn; [`Probtest::schedules`] makes it.
#[cfg(feature = "shuttle")]
#[derive(Debug)]
#[must_use = "a test does nothing until `check` or `report` is called"]
pub struct ScheduledTest {
    test: CargoTest,
    schedules: crate::run::schedules::Schedules,
}

#[cfg(feature = "shuttle")]
impl ScheduledTest {
    /// Says that the test has `#[should_panic]`, as [`Probtest::should_panic`].
    pub fn should_panic(mut self) -> Self {
        self.test.should_panic = true;
        self
    }

    /// Runs the test, as [`Probtest::check`].
    ///
    /// # Panics
    /// As [`Probtest::check`].
    pub fn check<C: Conclusion<Violations>>(
        self,
        body: impl Fn(&mut TestRng) -> C + Send + Sync + 'static,
    ) {
        self.with(body, |test, body| test.check(body));
    }

    /// Runs the test and returns the report, as [`Probtest::report`].
    ///
    /// # Errors
    /// As [`Probtest::report`].
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

/// Begins a test for the attribute.
#[doc(hidden)]
#[track_caller]
pub fn test(place: &'static TestPlace) -> Probtest {
    Probtest { test: CargoTest::at(place, Location::caller().file()), returns: PhantomData }
}

/// Takes the body of an attribute as a pointer: then what executes it is compiled once
/// for each type that bodies return, and not for each test.
#[doc(hidden)]
pub fn body<C>(body: fn(&mut TestRng) -> C) -> fn(&mut TestRng) -> C {
    body
}

/// Checks a test whose body is async: as many executions wait at the same time as it says.
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

/// Begins a test that expects a panic. A panic inside an option is not the one it
/// expects: then there is none to begin, and the test ends without a panic.
#[doc(hidden)]
pub fn begun<T>(begin: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(begin)).ok()
}
