//! A test without the attribute, and what the attribute expands to.

use std::panic::Location;
use std::sync::OnceLock;

use super::budget::Budget;
use super::environment::Environment;
use super::error::SetupError;
use super::memory::Notebook;
use super::place::{Origin, Place};
use super::{records, registry, replay, terminal};
use crate::budget::{IntoTime, OnBudget};
use crate::check::{self, Options};
use crate::claim::{ClaimError, IntoProbability, Outcomes, Probability};
use crate::judge::{Finding, Reason, Verdict};
use crate::report::{Note, Report};
use crate::run::{Conclusion, ExitGuard, Guarded};
use crate::seed::{RunSeed, Selection, TestRng};

/// A test of random behaviour inside any `#[test]` function.
///
/// Options given here win over the environment for the claim (`PROBTEST_P` and
/// `PROBTEST_EPSILON` are defaults, and so is `PROBTEST_MAX_TIME`), the environment
/// wins for the way of execution (`PROBTEST_SEED`, `PROBTEST_JOBS`,
/// `PROBTEST_REPLAY`); of two `max_executions` the smaller one counts.
///
/// ```
/// use probtest::Probtest;
/// use rand::RngExt;
///
/// Probtest::new("a die shows no seven").p("1/100").epsilon(0.02).check(|rng| {
///     let eyes = rng.random_range(1..=6);
///     assert_ne!(eyes, 7);
/// });
/// ```
#[derive(Debug)]
#[must_use = "a test does nothing until `check` or `report` is called"]
pub struct Probtest {
    id: String,
    origin: Origin,
    pub(super) p: Option<Result<Probability, ClaimError>>,
    pub(super) epsilon: Option<Result<Probability, ClaimError>>,
    pub(super) tolerate: Option<Result<Probability, ClaimError>>,
    pub(super) false_alarm: Option<Result<Probability, ClaimError>>,
    pub(super) outcomes: Option<Result<Outcomes, ClaimError>>,
    jobs: Option<usize>,
    seed: Option<RunSeed>,
    budget: Budget,
    max_rejections: Option<u64>,
    own_randomness: bool,
    should_panic: bool,
}

impl Probtest {
    /// Begins a test with an id of its own, from which its streams are derived.
    #[track_caller]
    pub fn new(id: impl Into<String>) -> Self {
        Probtest {
            id: id.into(),
            origin: Origin {
                place: None,
                file: Location::caller().file(),
            },
            p: None,
            epsilon: None,
            tolerate: None,
            false_alarm: None,
            outcomes: None,
            jobs: None,
            seed: None,
            budget: Budget::default(),
            max_rejections: None,
            own_randomness: false,
            should_panic: false,
        }
    }

    /// Sets the violation probability that must not go unnoticed.
    pub fn p(mut self, p: impl IntoProbability) -> Self {
        self.p = Some(p.into_probability());
        self
    }

    /// Sets the chance of missing it; 0.05 by default.
    pub fn epsilon(mut self, epsilon: impl IntoProbability) -> Self {
        self.epsilon = Some(epsilon.into_probability());
        self
    }

    /// Sets a violation rate that is acceptable: a program within it passes, but
    /// for the chance of a false alarm. `p` is ten times as much when it is not
    /// given.
    ///
    /// ```
    /// use probtest::Probtest;
    ///
    /// let report = Probtest::new("rarely late")
    ///     .tolerate(0.01)
    ///     .p(0.1)
    ///     .report(|rng| rng.draw_u64() % 1000 != 0)?;
    /// assert!(report.passed());
    /// # Ok::<(), probtest::SetupError>(())
    /// ```
    pub fn tolerate(mut self, tolerate: impl IntoProbability) -> Self {
        self.tolerate = Some(tolerate.into_probability());
        self
    }

    /// Sets the chance of failing a program at the tolerated rate; 1e-6 by
    /// default.
    pub fn false_alarm(mut self, false_alarm: impl IntoProbability) -> Self {
        self.false_alarm = Some(false_alarm.into_probability());
        self
    }

    /// Asks that each of these outcomes is seen. A body that returns the number
    /// of the outcome it showed, from 0, fails when one is never seen.
    pub fn outcomes<I>(mut self, outcomes: I) -> Self
    where
        I: IntoIterator,
        I::Item: IntoProbability,
    {
        self.outcomes = Some(Outcomes::new(outcomes));
        self
    }

    /// Executes on this many threads; 1 by default. The verdict and all counts
    /// are the same for any number.
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// Fixes the run seed of this test, so that it always does the same.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(RunSeed(seed));
        self
    }

    /// Ends without a verdict, which is a failure, when the plan needs more
    /// executions than this.
    pub fn max_executions(mut self, most: u64) -> Self {
        self.budget.max_executions = Some(most);
        self
    }

    /// Ends without a verdict, which is a failure, when this much time is over and the
    /// plan is not: a `Duration`, or text such as `"30s"`, `"500ms"` or `"1m30s"`.
    ///
    /// The clock is looked at after each execution. At least one counts, and one
    /// that hangs is not stopped.
    ///
    /// ```
    /// use probtest::Probtest;
    ///
    /// let test = Probtest::new("a die").p(0.01).max_time("2min");
    /// test.check(|rng| assert!(rng.draw_u64() != 4));
    /// ```
    pub fn max_time(mut self, span: impl IntoTime) -> Self {
        self.budget.max_time = Some(span.into_time());
        self
    }

    /// Says what the test is when the most executions, or the time, end before the
    /// plan: a failure by default; with [`OnBudget::Pass`] it passes within budget,
    /// and says on standard error, in its report and in every file what was attained.
    pub fn on_budget(mut self, on_budget: OnBudget) -> Self {
        self.budget.on_budget = Some(on_budget);
        self
    }

    /// Allows this many rejections; by default ten for each planned execution,
    /// but at least 1000.
    pub fn max_rejections(mut self, most: u64) -> Self {
        self.max_rejections = Some(most);
        self
    }

    /// Says that the program brings its own randomness and the body ignores its
    /// source. The report then says that executions cannot be replayed.
    pub fn own_randomness(mut self) -> Self {
        self.own_randomness = true;
        self
    }

    /// Says that `#[should_panic]` stands on the test: it asks for a violation.
    ///
    /// `check` then returns, which fails such a test, when the verdict is
    /// inconclusive or the test could not be started. Without this, `#[should_panic]`
    /// passes in those cases too. The attribute does the same by itself.
    pub fn should_panic(mut self) -> Self {
        self.should_panic = true;
        self
    }

    /// Executes the test, says what it is worth, and panics unless it passed.
    ///
    /// # Panics
    ///
    /// When an execution violates the assertion, when the plan was not executed
    /// to its end, and when the claim or the environment makes no sense.
    pub fn check<C: Conclusion>(self, body: impl Fn(&mut TestRng) -> C + Sync) {
        let should_panic = self.should_panic;
        let guard = self.guard();
        let result = match self.selected() {
            Err(error) => Err(error),
            Ok(Some(selection)) => {
                let listed = match &self.outcomes {
                    Some(Ok(outcomes)) => outcomes.len(),
                    _ => 0,
                };
                let replayed = replay::alone(&self.id, selection, listed, body);
                drop(guard);
                if let Err(text) = replayed {
                    fail(&text, should_panic);
                }
                return;
            }
            Ok(None) => self.planned(body),
        };
        drop(guard);
        match result {
            Ok(report) if report.accepted() => {
                if report.is_within_budget() {
                    // Less than the claim, and libtest would hide that.
                    terminal::shout(&format!(
                        "probtest: warning: {}: {}",
                        report.test,
                        report.summary().trim_start_matches("probtest: ")
                    ));
                }
                if report.notes.contains(&Note::NeverDrew) {
                    // The pass may be worth nothing, and libtest hides what it says.
                    terminal::shout(&format!(
                        "probtest: warning: {}: {}",
                        report.test,
                        Note::NeverDrew.words()
                    ));
                }
                terminal::say(&report.to_string());
            }
            Ok(report) => {
                let inconclusive = matches!(report.verdict, Verdict::Inconclusive(_));
                fail(&report.to_string(), should_panic && inconclusive);
            }
            Err(error) => fail(&format!("probtest: error: {error}"), should_panic),
        }
    }

    /// Executes the test and returns the report instead of panicking.
    ///
    /// The environment counts and counterexamples are remembered as in
    /// [`Probtest::check`]; [`fn@crate::run`] is the function without either. An
    /// execution that `PROBTEST_REPLAY` selects is executed alone, and the verdict is
    /// then never a pass.
    ///
    /// # Errors
    ///
    /// When the claim or the environment makes no sense.
    ///
    /// ```
    /// use probtest::Probtest;
    ///
    /// let report = Probtest::new("heads").p(0.1).report(|rng| rng.draw_u64() % 2 == 0)?;
    /// assert!(!report.passed());
    /// # Ok::<(), probtest::SetupError>(())
    /// ```
    pub fn report<C: Conclusion>(
        self,
        body: impl Fn(&mut TestRng) -> C + Sync,
    ) -> Result<Report, SetupError> {
        let _guard = self.guard();
        let Some(selection) = self.selected()? else {
            return self.planned(body);
        };
        let environment = environment()?;
        let claim = self.claim(environment)?;
        let (claim, _) = registry::part(environment, claim, &self.id, &self.origin)?;
        let options = Options::new(self.id.clone()).replay(selection.address);
        let mut report = check::run(&claim, options, body)?;
        report.replay = self.line(&report);
        Ok(report)
    }

    /// Executes the plan.
    fn planned<C: Conclusion>(
        self,
        body: impl Fn(&mut TestRng) -> C + Sync,
    ) -> Result<Report, SetupError> {
        let environment = environment()?;
        let claim = self.claim(environment)?;
        let (claim, suite) = registry::part(environment, claim, &self.id, &self.origin)?;
        // A tolerated rate is not broken by one execution: none is remembered.
        let notebook = match self.own_randomness || self.tolerate.is_some() {
            true => None,
            false => Notebook::open(&environment.memory, &self.origin.key(), &self.id),
        };
        let fixed = environment.seed.or(self.seed);
        let options = self
            .options(environment, fixed, notebook.as_ref())?
            .suite(suite);
        let mut report = check::run(&claim, options, body)?;
        report.replay = self.line(&report);
        records::remember(&report, notebook.as_ref());
        if let Some(folder) = &environment.report {
            let (accepted, json) = (report.accepted(), report.to_json());
            records::write_report(folder, &self.origin, &self.id, accepted, json);
        }
        Ok(report)
    }

    /// Makes leaving the process a failure from now on.
    fn guard(&self) -> ExitGuard {
        ExitGuard::new(Guarded {
            test: self.id.clone(),
            command: (!self.own_randomness).then(|| self.origin.invocation().command()),
        })
    }

    /// Writes the line to copy, where there is something to look at again.
    fn line(&self, report: &Report) -> Option<String> {
        let again = match &report.verdict {
            Verdict::Passed => false,
            Verdict::Violated(Finding::Unseen { .. })
            | Verdict::Inconclusive(Reason::Rejections { .. }) => !self.own_randomness,
            _ if report.time_limit().is_some() => !self.own_randomness,
            _ => report.address.is_some(),
        };
        let invocation = again.then(|| self.origin.invocation())?;
        Some(match report.address {
            Some(address) => invocation.replay(address, &self.id),
            None if report.time_limit().is_some() => {
                let claimed = environment().map(Environment::claimed).unwrap_or_default();
                invocation.rerun_cut(report.seed, report.counts.executed, &claimed)
            }
            None => invocation.rerun(report.seed),
        })
    }

    fn options(
        &self,
        environment: &Environment,
        fixed: Option<RunSeed>,
        notebook: Option<&Notebook>,
    ) -> Result<Options<'static>, SetupError> {
        // Beside a replayed test the others have its seed: one of them may be part
        // of it.
        let replayed = environment.replay.map(|replay| replay.address.seed);
        let seed = fixed.or(replayed).unwrap_or_else(seed_of_process);
        let mut options = Options::new(self.id.clone()).seed(seed.0);
        if let Some(jobs) = environment.jobs.or(self.jobs) {
            options = options.jobs(jobs);
        }
        options = self.budget.limit(environment, options)?;
        if let Some(most) = self.max_rejections {
            options = options.max_rejections(most);
        }
        if self.own_randomness {
            options = options.own_randomness();
        }
        let mut remembered = notebook.map(Notebook::read).unwrap_or_default();
        // Under a fixed seed only what belongs to it is executed first: whether the
        // test passes then depends on the seed alone, not on what lies on the disk.
        remembered.retain(|replay| fixed.is_none_or(|seed| seed == replay.seed));
        Ok(options.remembered(remembered))
    }

    /// Returns the execution of this test that is to be executed alone, if any.
    fn selected(&self) -> Result<Option<Selection>, SetupError> {
        match environment()?.replay {
            Some(selection) if !selection.covers(&self.id) => {
                terminal::shout_once(&format!(
                    "probtest: PROBTEST_REPLAY={selection} is about another test; {} executes its plan",
                    self.id
                ));
                Ok(None)
            }
            Some(selection) if self.own_randomness => Err(SetupError::NoReplay(selection.address)),
            selection => Ok(selection),
        }
    }
}

/// Begins a test for the attribute.
#[doc(hidden)]
#[track_caller]
pub fn test(place: Place) -> Probtest {
    let mut test = Probtest::new(place.id);
    test.origin.place = Some(place);
    test
}

/// Tells a test that `#[should_panic]` stands on it.
#[doc(hidden)]
pub fn should_panic(test: Probtest) -> Probtest {
    test.should_panic()
}

/// Reads the environment, and warns once about names that mean nothing.
pub(super) fn environment() -> Result<&'static Environment, SetupError> {
    static WARNED: OnceLock<()> = OnceLock::new();
    let environment = Environment::of_process()?;
    WARNED.get_or_init(|| {
        if let Some(warning) = environment.warning() {
            terminal::shout(&warning);
        }
    });
    Ok(environment)
}

/// The seed that all tests of this process share when none is given.
pub(super) fn seed_of_process() -> RunSeed {
    static SEED: OnceLock<RunSeed> = OnceLock::new();
    *SEED.get_or_init(RunSeed::fresh)
}

/// Fails the test with a text, or returns when returning is the failure.
///
/// A test with `#[should_panic]` fails by not panicking: it asks for a violation,
/// and a test that could not be decided has shown none.
pub(super) fn fail(text: &str, by_returning: bool) {
    terminal::complain(text);
    if !by_returning {
        // The text is out; the hook would print it again. libtest looks for
        // `#[should_panic(expected = ..)]` in the payload.
        std::panic::resume_unwind(Box::new(text.to_owned()));
    }
}
