//! A test of how often each label comes.

use std::fmt::Display;
use std::panic::Location;

use super::carry::show;
use crate::cargo::error::SetupError;
use crate::cargo::process;
use crate::cargo::way::{Way, ways_of_execution};
use crate::check::numeric::observe_label;
use crate::claim::IntoProbability;
use crate::claim::numeric::{FitClaim, FitTerms};
use crate::report::{NumericReport, legible};
use crate::seed::TestRng;

/// How such a test is written to be counted.
const ATTRIBUTE: &str = "#[probtest(claim = probtest::fit()..)]";

/// A test of how often each label comes, inside any `#[test]` function.
///
/// As a test of its own, write `#[probtest(claim = ..)]` with the same words after
/// [`fn@crate::fit`].
///
/// A program with exactly these probabilities fails with probability at most
/// `false_alarm`; one with a label that is off by `distance` passes with
/// probability at most `epsilon`. The environment counts as for [`crate::Mean`].
///
/// ```
/// use probtest::Fit;
/// use rand::RngExt;
///
/// Fit::new("a fair coin")
///     .label("heads", "1/2")
///     .label("tails", "1/2")
///     .distance(0.1)
///     .check(|rng| if rng.random::<bool>() { "heads" } else { "tails" });
/// ```
#[derive(Debug)]
#[must_use = "a test does nothing until `check` or `report` is called"]
pub struct Fit {
    pub(super) way: Way,
    pub(super) terms: FitTerms,
}

impl Fit {
    /// Begins a test with an id of its own, from which its streams are derived.
    #[track_caller]
    pub fn new(id: impl Into<String>) -> Self {
        Fit {
            way: Way::new(id.into(), None, Location::caller().file()),
            terms: FitTerms::default(),
        }
    }

    /// Lists a label with its probability. Where all of them sum to less than 1,
    /// the rest belongs to all other labels together.
    pub fn label(self, label: impl Into<String>, p: impl IntoProbability) -> Self {
        self.said(|terms| terms.label(label, p))
    }

    /// Lists several labels with their probabilities.
    pub fn labels<L, P>(self, labels: impl IntoIterator<Item = (L, P)>) -> Self
    where
        L: Into<String>,
        P: IntoProbability,
    {
        self.said(|terms| terms.labels(labels))
    }

    /// Says how far off the probability of a label may be before it must fail.
    pub fn distance(self, distance: impl Into<f64>) -> Self {
        self.said(|terms| terms.distance(distance))
    }

    /// Sets the chance of passing a program with a label that is off by the distance;
    /// 0.05 by default.
    pub fn epsilon(self, epsilon: impl IntoProbability) -> Self {
        self.said(|terms| terms.epsilon(epsilon))
    }

    /// Sets the chance of failing a program with exactly these probabilities; 1e-6 by
    /// default.
    pub fn false_alarm(self, false_alarm: impl IntoProbability) -> Self {
        self.said(|terms| terms.false_alarm(false_alarm))
    }

    ways_of_execution!();

    /// Executes the test, says what it is worth, and panics unless it passed.
    ///
    /// # Panics
    ///
    /// When the labels do not fit, an execution panics, the claim could not be
    /// decided, or the claim or the environment makes no sense.
    pub fn check<L: Display>(self, body: impl Fn(&mut TestRng) -> L + Sync) {
        let Fit { way, terms } = self;
        let alone = |claim: &FitClaim, rng: &mut TestRng| {
            let label = body(rng).to_string();
            show(&legible(&label));
            observe_label(claim, &label)
        };
        let decide = |claim| decide(&way, claim, &body);
        way.check(claim(terms), alone, decide);
    }

    /// Executes the test and returns the report instead of panicking.
    ///
    /// # Errors
    ///
    /// When the claim or the environment makes no sense.
    pub fn report<L: Display>(
        self,
        body: impl Fn(&mut TestRng) -> L + Sync,
    ) -> Result<NumericReport, SetupError> {
        let _guard = self.way.guard();
        decide(&self.way, claim(self.terms)?, body)
    }

    fn said(mut self, say: impl FnOnce(FitTerms) -> FitTerms) -> Self {
        self.terms = say(self.terms);
        self
    }
}

/// Reads the claim, with the environment's chances where it has none.
fn claim(terms: FitTerms) -> Result<FitClaim, SetupError> {
    let environment = process::environment()?;
    let (epsilon, false_alarm) = (&environment.epsilon, &environment.false_alarm);
    Ok(terms
        .or_chances(epsilon.as_ref(), false_alarm.as_ref())
        .claim()?)
}

fn decide<L: Display>(
    way: &Way,
    claim: FitClaim,
    body: impl Fn(&mut TestRng) -> L + Sync,
) -> Result<NumericReport, SetupError> {
    way.decide(claim.clone().into(), ATTRIBUTE, |rng: &mut TestRng| {
        observe_label(&claim, &body(rng))
    })
}
