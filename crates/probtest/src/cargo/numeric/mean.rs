//! A test of the mean of a number.

use std::panic::Location;

use super::carry::show;
use crate::cargo::error::SetupError;
use crate::cargo::process;
use crate::cargo::way::{Way, ways_of_execution};
use crate::check::numeric::Measure;
use crate::claim::IntoProbability;
use crate::claim::numeric::{MeanClaim, MeanTerms};
use crate::report::NumericReport;
use crate::run::{Number, Observation};
use crate::seed::TestRng;

/// How such a test is written to be counted.
const ATTRIBUTE: &str = "#[probtest(claim = probtest::mean()..)]";

/// A test of the mean of a number, inside any `#[test]` function.
///
/// As a test of its own, write `#[probtest(claim = ..)]` with the same words after
/// [`fn@crate::mean`].
///
/// A program whose mean is as wanted fails with probability at most
/// `false_alarm`; one whose mean misses that by `margin` passes with probability
/// at most `epsilon`. The environment counts as for [`crate::Probtest`]:
/// `PROBTEST_EPSILON`, `PROBTEST_SEED`, `PROBTEST_JOBS`, `PROBTEST_REPLAY`,
/// `PROBTEST_FALSE_ALARM`, `PROBTEST_MAX_EXECUTIONS`, `PROBTEST_MAX_TIME`,
/// `PROBTEST_SUITE_MAX_TIME`, `PROBTEST_REPORT`. `PROBTEST_ON_BUDGET` does not: a mean is
/// decided as a whole. `PROBTEST_SUITE_EPSILON` and `PROBTEST_SUITE_FALSE_ALARM` are divided
/// over the tests of the attribute; under them a test of the builder is an error.
///
/// ```
/// use probtest::Mean;
/// use rand::RngExt;
///
/// Mean::new("a die shows 3.5 on average")
///     .between(1, 6)
///     .within(3.5, 3.5)
///     .margin(0.5)
///     .check(|rng| rng.random_range(1..=6));
/// ```
#[derive(Debug)]
#[must_use = "a test does nothing until `check` or `report` is called"]
pub struct Mean {
    pub(super) way: Way,
    pub(super) terms: MeanTerms,
}

impl Mean {
    /// Begins a test with an id of its own, from which its streams are derived.
    #[track_caller]
    pub fn new(id: impl Into<String>) -> Self {
        Mean {
            way: Way::new(id.into(), None, Location::caller().file()),
            terms: MeanTerms::default(),
        }
    }

    /// Says the least and the largest number that an execution can return.
    pub fn between(self, low: impl Into<f64>, high: impl Into<f64>) -> Self {
        self.said(|terms| terms.between(low, high))
    }

    /// Wants a mean from `low` to `high`, which may be equal.
    pub fn within(self, low: impl Into<f64>, high: impl Into<f64>) -> Self {
        self.said(|terms| terms.within(low, high))
    }

    /// Wants this mean or a higher one.
    pub fn above(self, low: impl Into<f64>) -> Self {
        self.said(|terms| terms.above(low))
    }

    /// Wants this mean or a lower one.
    pub fn below(self, high: impl Into<f64>) -> Self {
        self.said(|terms| terms.below(high))
    }

    /// Says by how much a mean may miss the claim before it must fail.
    pub fn margin(self, margin: impl Into<f64>) -> Self {
        self.said(|terms| terms.margin(margin))
    }

    /// Sets the chance of passing a program that misses the claim by the margin; 0.05
    /// by default.
    pub fn epsilon(self, epsilon: impl IntoProbability) -> Self {
        self.said(|terms| terms.epsilon(epsilon))
    }

    /// Sets the chance of failing a program that keeps the claim; 1e-6 by default.
    pub fn false_alarm(self, false_alarm: impl IntoProbability) -> Self {
        self.said(|terms| terms.false_alarm(false_alarm))
    }

    ways_of_execution!();

    /// Executes the test, says what it is worth, and panics unless it passed.
    ///
    /// # Panics
    ///
    /// When the mean misses the claim, an execution panics, the claim could not
    /// be decided, or the claim or the environment makes no sense.
    pub fn check<M: Measure>(self, body: impl Fn(&mut TestRng) -> M + Sync) {
        let Mean { way, terms } = self;
        let alone = |_: &MeanClaim, rng: &mut TestRng| {
            let observation = body(rng).measure();
            if let Observation::Number(Number(number)) = &observation {
                show(number);
            }
            observation
        };
        let decide = |claim| decide(&way, claim, &body);
        way.check(claim(terms), alone, decide);
    }

    /// Executes the test and returns the report instead of panicking.
    ///
    /// # Errors
    ///
    /// When the claim or the environment makes no sense.
    pub fn report<M: Measure>(
        self,
        body: impl Fn(&mut TestRng) -> M + Sync,
    ) -> Result<NumericReport, SetupError> {
        let _guard = self.way.guard();
        decide(&self.way, claim(self.terms)?, body)
    }

    fn said(mut self, say: impl FnOnce(MeanTerms) -> MeanTerms) -> Self {
        self.terms = say(self.terms);
        self
    }
}

/// Reads the claim, with the environment's chances where it has none.
fn claim(terms: MeanTerms) -> Result<MeanClaim, SetupError> {
    let environment = process::environment()?;
    let (epsilon, false_alarm) = (&environment.epsilon, &environment.false_alarm);
    Ok(terms
        .or_chances(epsilon.as_ref(), false_alarm.as_ref())
        .claim()?)
}

fn decide<M: Measure>(
    way: &Way,
    claim: MeanClaim,
    body: impl Fn(&mut TestRng) -> M + Sync,
) -> Result<NumericReport, SetupError> {
    way.decide(claim.into(), ATTRIBUTE, |rng: &mut TestRng| {
        body(rng).measure()
    })
}
