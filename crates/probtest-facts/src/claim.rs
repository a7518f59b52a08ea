//! What a test claims.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Direction;

/// The numbers of a claim: to compute with, and as exact text.
///
/// Which of them are there depends on the kind of the claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Claim {
    /// The violation probability to catch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The same as exact text, such as `0.01` or `1/3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_exact: Option<String>,
    /// How many inputs were drawn, where `p` and `epsilon` are about each of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<u64>,
    /// The probabilities of the outcomes that must each be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<f64>>,
    /// The same as exact texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes_exact: Option<Vec<String>>,
    /// The chance of missing what the test looks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// The same as exact text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_exact: Option<String>,
    /// The violation rate that is acceptable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerate: Option<f64>,
    /// The same as exact text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerate_exact: Option<String>,
    /// The chance of failing a program that keeps the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_alarm: Option<f64>,
    /// The same as exact text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_alarm_exact: Option<String>,
    /// Of a mean: the least and the largest number that an execution may return.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<[f64; 2]>,
    /// Of a mean: the lowest mean that is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Of a mean: the highest mean that is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Of a mean: how far off it must be to be noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Of a fit: the labels and their probabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<LabelClaim>>,
    /// Of a fit: the probability of all labels that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<f64>,
    /// Of a fit: how far off a probability must be to be noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Of two versions: by how much the new one may be worse before that is noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// Of two versions that return numbers: which numbers are worse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worse: Option<Direction>,
    /// Of an estimate: how wide the interval may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// Of an estimate: how often such an interval holds the true rate, at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// What a later version says beyond that. It may change what the rest means.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// A label and the probability that is claimed for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LabelClaim {
    /// The label.
    pub label: String,
    /// Its probability.
    pub p: f64,
    /// The same as exact text.
    pub p_exact: String,
}
