//! What two versions of a program did.

use serde::Serialize;

use crate::word::words;

/// What an old and a new version did on the same seeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Change {
    /// What is known.
    pub answer: Answer,
    /// The old version.
    pub old: Level,
    /// The new version.
    pub new: Level,
    /// The pairs in which the new version was worse.
    pub worse: u64,
    /// The pairs in which the new version was better.
    pub better: u64,
    /// By how much the new version was worse, on average; below 0 where it was better.
    pub by: f64,
    /// The lowest such change that fits.
    pub low: f64,
    /// The highest such change that fits.
    pub high: f64,
    /// How often such an interval holds the true change, at least.
    pub confidence: f64,
}

words! {
    /// What is known about a new version.
    #[derive(Default)]
    pub enum Answer {
        /// It is worse.
        Worse = "worse",
        /// It is not worse by the change of the claim.
        NotWorse = "not_worse",
        /// It is better.
        Better = "better",
        /// Nothing yet.
        #[default]
        Undecided = "undecided",
    }
}

/// The violation rate of a version, or the mean of its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Level {
    /// What was seen.
    pub mean: f64,
    /// The lowest rate that fits with confidence 0.95; none for numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The highest rate that fits with confidence 0.95; none for numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}
