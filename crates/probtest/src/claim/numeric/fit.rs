//! Claims on how often each label is seen.

use super::{Chances, NumericError, finite, read};
use crate::claim::{IntoProbability, Probability};

/// Sums of floats that are as near to 1 as this are taken for 1.
const NEARLY: f64 = 1e-9;

/// Claims that each execution returns one of these labels, each with its
/// probability.
///
/// A program with exactly these probabilities fails with probability at most
/// `false_alarm`, 1e-6 unless given. One where the probability of some label is
/// off by `distance` or more passes with probability at most `epsilon`, 0.05
/// unless given. Where the probabilities sum to less than 1, the rest belongs to
/// all other labels together.
///
/// ```
/// use probtest::claim::numeric::FitClaim;
///
/// let claim = FitClaim::new([("heads", "1/2"), ("tails", "1/2")], 0.05)?;
/// assert_eq!(claim.labels().len(), 2);
/// assert_eq!(claim.rest(), 0.0);
/// # Ok::<(), probtest::claim::numeric::NumericError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FitClaim {
    labels: Vec<(String, Probability)>,
    rest: f64,
    distance: f64,
    pub(super) chances: Chances,
}

impl FitClaim {
    /// Lists the labels with their probabilities, and how far off one may be.
    ///
    /// # Errors
    /// When a probability is none, they sum to more than 1, a label stands there
    /// twice, or no label can be off by the distance.
    pub fn new<L, P>(
        labels: impl IntoIterator<Item = (L, P)>,
        distance: f64,
    ) -> Result<Self, NumericError>
    where
        L: Into<String>,
        P: IntoProbability,
    {
        let mut list: Vec<(String, Probability)> = Vec::new();
        for (label, p) in labels {
            let label = label.into();
            if list.iter().any(|(other, _)| *other == label) {
                let given = shown(&list);
                return Err(NumericError::Twice { label, given });
            }
            list.push((label, read("the probability of a label", p)?));
        }
        let sum: f64 = list.iter().map(|(_, p)| p.as_f64()).sum();
        let given = shown(&list);
        if sum > 1.0 + NEARLY {
            return Err(NumericError::Sum { sum, given });
        }
        let rest = if sum >= 1.0 - NEARLY { 0.0 } else { 1.0 - sum };
        if list.is_empty() {
            return Err(NumericError::NoLabel);
        }
        if list.len() == 1 && rest == 0.0 {
            return Err(NumericError::OneLabel { given });
        }
        let distance = finite("distance", distance)?;
        if distance <= 0.0 {
            return Err(NumericError::NotPositive {
                name: "distance",
                given: distance,
            });
        }
        let claim = FitClaim {
            labels: list,
            rest,
            distance,
            chances: Chances::usual()?,
        };
        let most = |p: f64| p.max(1.0 - p);
        let room = claim.shares().map(most).fold(0.0, f64::max);
        if distance >= room {
            return Err(NumericError::Distance {
                distance,
                given,
                room,
            });
        }
        Ok(claim)
    }

    /// Sets the chance of passing a program with a label that is off by the
    /// distance.
    ///
    /// # Errors
    /// When it is no probability strictly between 0 and 1.
    pub fn epsilon(mut self, epsilon: impl IntoProbability) -> Result<Self, NumericError> {
        self.chances.epsilon = read("epsilon", epsilon)?;
        Ok(self)
    }

    /// Sets the chance of failing a program with exactly these probabilities.
    ///
    /// # Errors
    /// When it is no probability strictly between 0 and 1.
    pub fn false_alarm(mut self, false_alarm: impl IntoProbability) -> Result<Self, NumericError> {
        self.chances.false_alarm = read("false_alarm", false_alarm)?;
        Ok(self)
    }

    /// The labels with their probabilities, as they were listed.
    pub fn labels(&self) -> &[(String, Probability)] {
        &self.labels
    }

    /// The probability of all labels that are not listed.
    pub fn rest(&self) -> f64 {
        self.rest
    }

    /// How far off a label may be before the program must fail.
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// Returns the number of a label, from 0.
    pub fn position(&self, label: &str) -> Option<usize> {
        self.labels.iter().position(|(listed, _)| listed == label)
    }

    /// The probabilities of all labels, and of the rest if there is one.
    pub(crate) fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        let rest = (self.rest > 0.0).then_some(self.rest);
        self.labels.iter().map(|(_, p)| p.as_f64()).chain(rest)
    }
}

/// The first labels, for an error.
fn shown(labels: &[(String, Probability)]) -> String {
    let mut words: Vec<String> = labels
        .iter()
        .take(6)
        .map(|(label, p)| format!("{label}: {p}"))
        .collect();
    if labels.len() > 6 {
        words.push("..".into());
    }
    words.join(", ")
}
