//! A claim on labels, said part by part.

use super::chances::{SaidChances, named};
use super::{FitClaim, NumericError};
use crate::claim::{ClaimError, IntoProbability, Probability};

/// Begins a claim on how often each label is returned.
///
/// The value of `claim = ..` in the attribute, and what [`fn@crate::numeric::fit`] is
/// given. Nothing is checked before the claim is used, or [`FitTerms::claim`] asks.
///
/// ```
/// let coin = probtest::fit().label("heads", "1/2").label("tails", "1/2").distance(0.1);
/// assert_eq!(coin.claim()?.labels().len(), 2);
/// // The same from a list.
/// let faces = (1..=6).map(|face| (face.to_string(), "1/6"));
/// let die = probtest::fit().labels(faces).distance(0.05).claim()?;
/// assert_eq!(die.position("6"), Some(5));
/// # Ok::<(), probtest::claim::numeric::NumericError>(())
/// ```
pub fn fit() -> FitTerms {
    FitTerms::default()
}

/// The terms of a claim on labels: [`fn@fit`] begins them.
///
/// Labels and `distance` must be said.
///
/// ```
/// let error = probtest::fit().label("heads", "1/2").claim().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the test does not say distance\n  given  1 label\n  help   a fit needs labels and distance"
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "terms claim nothing until a test is given them"]
pub struct FitTerms {
    labels: Vec<(String, Result<Probability, ClaimError>)>,
    distance: Option<f64>,
    chances: SaidChances,
}

impl FitTerms {
    /// Lists a label with its probability. Where all of them sum to less than 1,
    /// the rest belongs to all other labels together.
    pub fn label(mut self, label: impl Into<String>, p: impl IntoProbability) -> Self {
        self.labels.push((label.into(), p.into_probability()));
        self
    }

    /// Lists several labels with their probabilities.
    pub fn labels<L, P>(self, labels: impl IntoIterator<Item = (L, P)>) -> Self
    where
        L: Into<String>,
        P: IntoProbability,
    {
        let listed = labels.into_iter();
        listed.fold(self, |terms, (label, p)| terms.label(label, p))
    }

    /// Says how far off the probability of a label may be before it must fail.
    pub fn distance(mut self, distance: impl Into<f64>) -> Self {
        self.distance = Some(distance.into());
        self
    }

    /// Sets the chance of passing a program with a label that is off by the distance;
    /// 0.05 by default.
    pub fn epsilon(mut self, epsilon: impl IntoProbability) -> Self {
        self.chances.epsilon = Some(epsilon.into_probability());
        self
    }

    /// Sets the chance of failing a program with exactly these probabilities; 1e-6 by
    /// default.
    pub fn false_alarm(mut self, false_alarm: impl IntoProbability) -> Self {
        self.chances.false_alarm = Some(false_alarm.into_probability());
        self
    }

    /// Checks the terms.
    ///
    /// # Errors
    /// When a part is missing, and as [`FitClaim::new`].
    pub fn claim(self) -> Result<FitClaim, NumericError> {
        let distance = self.distance.ok_or_else(|| NumericError::Incomplete {
            what: "distance",
            given: match self.labels.len() {
                1 => "1 label".into(),
                count => format!("{count} labels"),
            },
            help: "a fit needs labels and distance",
        })?;
        let mut labels = Vec::with_capacity(self.labels.len());
        for (label, p) in self.labels {
            labels.push((label, named("the probability of a label", p)?));
        }
        let mut claim = FitClaim::new(labels, distance)?;
        claim.chances = self.chances.read()?;
        Ok(claim)
    }

    /// Takes these chances where the terms say none.
    pub(crate) fn or_chances(
        mut self,
        epsilon: Option<&Probability>,
        false_alarm: Option<&Probability>,
    ) -> Self {
        self.chances.or(epsilon, false_alarm);
        self
    }
}

impl From<FitClaim> for FitTerms {
    fn from(claim: FitClaim) -> Self {
        let listed = claim.labels().iter().cloned();
        FitTerms {
            labels: listed.map(|(label, p)| (label, Ok(p))).collect(),
            distance: Some(claim.distance()),
            chances: claim.chances.into(),
        }
    }
}

impl From<&FitClaim> for FitTerms {
    fn from(claim: &FitClaim) -> Self {
        claim.clone().into()
    }
}
