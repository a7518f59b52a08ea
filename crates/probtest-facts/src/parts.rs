//! The larger parts of a result: the claim, labels, two versions, the smallest execution.

use crate::form::{forms, words};
use crate::json::Fields;
use crate::test::Direction;

forms! {
    /// The numbers of a claim: to compute with, and as exact text.
    ///
    /// Which of them are there depends on the kind of the claim.
    #[derive(Default)]
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
        pub unknown: Fields,
    }

    /// A label and the probability that is claimed for it.
    #[derive(Default)]
    #[serde(default)]
    pub struct LabelClaim {
        /// The label.
        pub label: String,
        /// Its probability.
        pub p: f64,
        /// The same as exact text.
        pub p_exact: String,
    }

    /// One label, over the executions that count.
    #[derive(Default)]
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
    #[derive(Default)]
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

    /// What an old and a new version did on the same seeds.
    #[derive(Default)]
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

    /// The violation rate of a version, or the mean of its numbers.
    #[derive(Copy, Default)]
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

    /// The smallest execution that was found to show the same violation. It changes neither the
    /// verdict nor the counts.
    #[derive(Default)]
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
    #[derive(Default, Eq)]
    pub struct Input {
        /// What it is called: the parameter, or the number of the draw.
        pub name: String,
        /// Its value, as people read it; cut where it is very long.
        pub text: String,
    }

    /// Draws of the small execution that are the same.
    #[derive(Default, Eq)]
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
    #[derive(Default)]
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
