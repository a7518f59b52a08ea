//! The smallest execution that shows a violation.

use serde::Serialize;

/// The smallest execution that was found to show the same violation. It changes neither the
/// verdict nor the counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Story {
    /// How many numbers the execution that was found drew.
    pub draws: u64,
    /// How many the small one draws.
    pub small: u64,
    /// How many of them are not zero.
    pub matter: u64,
    /// The draws of the small one, as text that can be played again.
    pub tape: String,
    /// Whether what was drawn, played again, shows the violation.
    pub holds: bool,
    /// Why draws were not seen, where that is known.
    #[serde(default)]
    pub unseen: Option<String>,
    /// Whether nothing more can be taken away; otherwise time was over.
    pub complete: bool,
    /// The executions that it took.
    pub executions: u64,
    /// What was made of it, in a sentence.
    pub words: String,
    /// The draws that matter, a line each.
    #[serde(default)]
    pub lines: Vec<String>,
    /// The same for programs; equal draws are one row.
    #[serde(default)]
    pub rows: Vec<StoryRow>,
    /// The inputs of the small one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
    /// Whether they are smaller than those of the execution that was found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub smaller_inputs: bool,
    /// How often the execution that was found passes when a part of its draws is drawn again.
    #[serde(default)]
    pub deciders: Vec<Decider>,
    /// The line to copy that executes the small one.
    pub replay: Option<String>,
}

/// An input that an execution drew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Input {
    /// What it is called: the parameter, or the number of the draw.
    pub name: String,
    /// Its value, as people read it; cut where it is very long.
    pub text: String,
}

/// Draws of the small execution that are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoryRow {
    /// The number of the first of them, from 1.
    pub first: u64,
    /// How many they are.
    pub times: u64,
    /// The call that drew them.
    pub call: String,
    /// What came out of it, where that is known.
    pub gave: Option<String>,
    /// The number that was drawn, as a share of the largest.
    pub share: String,
    /// The file and the line in the program.
    pub place: Option<String>,
}

/// Draws that were drawn again with all others kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decider {
    /// The first of them, from 1.
    pub first: u64,
    /// The last of them.
    pub last: u64,
    /// How often they were drawn again.
    pub redrawn: u64,
    /// How often the execution passed then.
    pub passed: u64,
    /// The lowest share of passes that fits, with confidence 0.95.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// The same in words.
    pub words: String,
}

impl Story {
    /// The parts that decide most, at most five: those whose share of passes is largest, and
    /// not zero.
    pub fn deciding(&self) -> Vec<&Decider> {
        let share = |part: &Decider| part.passed as f64 / part.redrawn as f64;
        let mut parts: Vec<&Decider> =
            self.deciders.iter().filter(|part| part.passed > 0).collect();
        parts.sort_by(|one, other| share(other).total_cmp(&share(one)));
        parts.truncate(5);
        parts
    }
}
