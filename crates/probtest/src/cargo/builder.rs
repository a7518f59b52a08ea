//! A test without the attribute, and what the attribute expands to.

use std::panic::Location;

use super::environment::Environment;
use super::error::SetupError;
use super::memory::Notebook;
use super::place::Place;
use super::way::{Way, ways_of_execution};
use super::{process, records, registry, replay, terminal};
use crate::budget::{OnBudget, Suite};
use crate::check::{self, Options};
use crate::claim::{Claim, ClaimError, IntoProbability, Outcomes, Probability};
use crate::judge::{Finding, Reason, Verdict};
use crate::report::{Note, Report};
use crate::run::Conclusion;
use crate::seed::TestRng;

/// How a test is written to be counted.
const ATTRIBUTE: &str = "#[probtest]";

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
    way: Way,
    pub(super) p: Option<Result<Probability, ClaimError>>,
    pub(super) epsilon: Option<Result<Probability, ClaimError>>,
    pub(super) tolerate: Option<Result<Probability, ClaimError>>,
    pub(super) false_alarm: Option<Result<Probability, ClaimError>>,
    pub(super) outcomes: Option<Result<Outcomes, ClaimError>>,
}

impl Probtest {
    /// Begins a test with an id of its own, from which its streams are derived.
    #[track_caller]
    pub fn new(id: impl Into<String>) -> Self {
        Probtest {
            way: Way::new(id.into(), None, Location::caller().file()),
            p: None,
            epsilon: None,
            tolerate: None,
            false_alarm: None,
            outcomes: None,
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

    /// Says what the test is when the most executions, or the time, end before the
    /// plan: a failure by default; with [`OnBudget::Pass`] it passes within budget,
    /// and says on standard error, in its report and in every file what was attained.
    pub fn on_budget(mut self, on_budget: OnBudget) -> Self {
        self.way.budget.on_budget = Some(on_budget);
        self
    }

    ways_of_execution!();

    /// Executes the test, says what it is worth, and panics unless it passed.
    ///
    /// # Panics
    ///
    /// When an execution violates the assertion, when the plan was not executed
    /// to its end, and when the claim or the environment makes no sense.
    pub fn check<C: Conclusion>(self, body: impl Fn(&mut TestRng) -> C + Sync) {
        let should_panic = self.way.should_panic;
        let guard = self.way.guard();
        let result = match self.way.selected() {
            Err(error) => Err(error),
            Ok(Some(selection)) => {
                let listed = match &self.outcomes {
                    Some(Ok(outcomes)) => outcomes.len(),
                    _ => 0,
                };
                let refuse = replay::unknown_outcome(selection.address.index, listed);
                let replayed = replay::alone(&self.way.id, selection, refuse, body);
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
            Err(error) => self.way.refuse(&error),
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
        let _guard = self.way.guard();
        let Some(selection) = self.way.selected()? else {
            return self.planned(body);
        };
        let (claim, _) = self.part(process::environment()?)?;
        let options = Options::new(self.way.id.clone()).replay(selection.address);
        let mut report = check::run(&claim, options, body)?;
        report.replay = self.line(&report);
        Ok(report)
    }

    /// Executes the plan.
    fn planned<C: Conclusion>(
        &self,
        body: impl Fn(&mut TestRng) -> C + Sync,
    ) -> Result<Report, SetupError> {
        let environment = process::environment()?;
        let (claim, suite) = self.part(environment)?;
        // A tolerated rate is not broken by one execution: none is remembered.
        let notebook = match self.way.own_randomness || self.tolerate.is_some() {
            true => None,
            false => Notebook::open(&environment.memory, &self.way.origin.key(), &self.way.id),
        };
        let options = self.options(environment, notebook.as_ref())?.suite(suite);
        if let Some(folder) = &environment.report {
            records::begin_report(folder, &self.way.origin, &self.way.id);
        }
        let mut report = check::run(&claim, options, body)?;
        report.replay = self.line(&report);
        records::remember(&report, notebook.as_ref());
        if let Some(folder) = &environment.report {
            let (accepted, facts) = (report.accepted(), report.facts());
            records::write_report(folder, &self.way.origin, &self.way.id, accepted, facts);
        }
        Ok(report)
    }

    /// Returns the claim with its part of what the suite may get wrong.
    fn part(&self, environment: &Environment) -> Result<(Claim, Suite), SetupError> {
        let claim = self.claim(environment)?;
        let Way { id, origin, .. } = &self.way;
        let suite = registry::suite(environment, id, origin, ATTRIBUTE)?;
        Ok((suite.limit(claim), suite))
    }

    /// Writes the line to copy, where there is something to look at again.
    fn line(&self, report: &Report) -> Option<String> {
        let again = match &report.verdict {
            Verdict::Passed => false,
            Verdict::Violated(Finding::Unseen { .. })
            | Verdict::Inconclusive(Reason::Rejections { .. }) => !self.way.own_randomness,
            _ if report.time_limit().is_some() => !self.way.own_randomness,
            _ => report.address.is_some(),
        };
        let cut = report.time_limit().map(|_| report.counts.executed);
        again.then(|| self.way.line(report.address, report.seed, cut))
    }

    fn options(
        &self,
        environment: &Environment,
        notebook: Option<&Notebook>,
    ) -> Result<Options<'static>, SetupError> {
        let options = self.way.options(environment)?;
        let options = self.way.budget.accept(environment, options);
        let mut remembered = notebook.map(Notebook::read).unwrap_or_default();
        // Under a fixed seed only what belongs to it is executed first: whether the
        // test passes then depends on the seed alone, not on what lies on the disk.
        let fixed = self.way.fixed_seed(environment);
        remembered.retain(|replay| fixed.is_none_or(|seed| seed == replay.seed));
        Ok(options.remembered(remembered))
    }
}

/// Begins a test for the attribute.
#[doc(hidden)]
#[track_caller]
pub fn test(place: Place) -> Probtest {
    let mut test = Probtest::new(place.id);
    test.way.origin.place = Some(place);
    test
}

/// Begins a test that expects a panic. A panic inside an option is not the one it
/// expects: then there is none to begin, and the test ends without a panic.
#[doc(hidden)]
pub fn begun<T>(begin: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(begin)).ok()
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
