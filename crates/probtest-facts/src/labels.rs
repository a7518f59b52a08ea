//! What executions say about themselves.

use serde::Serialize;

/// One label, over the executions that count.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelFacts {
    /// Its name.
    pub name: String,
    /// Its values: numbers in their order, others the most frequent first.
    #[serde(default)]
    pub shares: Vec<LabelShare>,
    /// Executions whose value is one of too many to list.
    #[serde(default)]
    pub others: u64,
    /// Whether close numbers are counted together, under the largest of them.
    #[serde(default)]
    pub grouped: bool,
    /// The share that is asked for.
    pub at_least: Option<f64>,
    /// Its value in the execution that violated.
    pub of_violation: Option<String>,
    /// The label in one line.
    #[serde(default)]
    pub words: String,
}

/// How often a label had one value.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelShare {
    /// The value.
    pub value: String,
    /// The executions that passed with it.
    pub passed: u64,
    /// The executions that violated with it.
    pub violated: u64,
    /// The lowest share of executions that fits, with confidence 0.95.
    pub low: f64,
    /// The highest.
    pub high: f64,
}
