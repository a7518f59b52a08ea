//! A claim on how often each label is seen.

use super::mean::positive;
use super::{Error, Probability};

/// Sums of floats that are as near to 1 as this are taken for 1.
const NEARLY: f64 = 1e-9;

/// Labels with their probabilities, and how far off one must be to fail. Where they sum
/// to less than 1, the rest belongs to all other labels together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    labels: Vec<(String, Probability)>,
    rest: f64,
    distance: f64,
}

impl Fit {
    /// Lets only labels pass that some program can show and some other one can miss.
    pub(super) fn new(labels: Vec<(String, Probability)>, distance: f64) -> Result<Self, Error> {
        let given = shown(&labels);
        for (place, (label, _)) in labels.iter().enumerate() {
            if labels[..place].iter().any(|(other, _)| other == label) {
                return Err(Error::new(
                    format!("the label {label:?} is listed twice"),
                    given,
                    "list each label once",
                ));
            }
        }
        let sum: f64 = labels.iter().map(|(_, p)| p.as_f64()).sum();
        if sum > 1.0 + NEARLY {
            return Err(Error::new(
                format!(
                    "the probabilities of the labels sum to {sum}, but those of one program sum to at most 1"
                ),
                given,
                "lower a probability or remove a label",
            ));
        }
        let rest = if sum >= 1.0 - NEARLY { 0.0 } else { 1.0 - sum };
        if labels.is_empty() {
            return Err(Error::new(
                "a fit lists no label",
                "no label",
                "list the labels with their probabilities",
            ));
        }
        if labels.len() == 1 && rest == 0.0 {
            return Err(Error::new(
                "labels that sum to 1 must be at least two",
                given,
                "list every label with its probability, or leave room for others",
            ));
        }
        let distance = positive("distance", distance)?;
        let fit = Fit { labels, rest, distance };
        let most = |p: f64| p.max(1.0 - p);
        let room = fit.shares().map(most).fold(0.0, f64::max);
        if distance >= room {
            return Err(Error::new(
                "the distance is larger than any label can be off by",
                format!("distance = {distance}, {given}"),
                format!("lower the distance below {room}"),
            ));
        }
        Ok(fit)
    }

    /// The labels with their probabilities, as they were listed.
    pub(crate) fn labels(&self) -> &[(String, Probability)] {
        &self.labels
    }

    /// The probability of all labels that are not listed.
    pub(crate) fn rest(&self) -> f64 {
        self.rest
    }

    /// How far off a label may be before the program must fail.
    pub(crate) fn distance(&self) -> f64 {
        self.distance
    }

    /// The probabilities of all labels, and of the rest if there is one.
    pub(crate) fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        let rest = (self.rest > 0.0).then_some(self.rest);
        self.labels.iter().map(|(_, p)| p.as_f64()).chain(rest)
    }
}

/// The first labels, for an error.
fn shown(labels: &[(String, Probability)]) -> String {
    let mut words: Vec<String> =
        labels.iter().take(6).map(|(label, p)| format!("{label}: {p}")).collect();
    if labels.len() > 6 {
        words.push("..".into());
    }
    words.join(", ")
}
