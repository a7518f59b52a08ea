//! The larger parts of a result: the claim, labels, two versions, the smallest execution.

use crate::form::{forms, words};
use crate::json::Fields;
use crate::test::Direction;

forms! {
    /// The numbers of a claim, as floats and as exact text.
    ///
    /// Which of them are present depends on the kind of the claim.
    #[derive(Default)]
    #[serde(default)]
    pub struct Claim {
        /// The violation probability to catch.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub p: Option<f64>,
        /// The same number as exact text, such as `0.01` or `1/3`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub p_exact: Option<String>,
        /// How many inputs were drawn; `p` and `epsilon` then hold for each of them.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub inputs: Option<u64>,
        /// The probabilities of the outcomes that must each be seen.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub outcomes: Option<Vec<f64>>,
        /// The same numbers as exact text.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub outcomes_exact: Option<Vec<String>>,
        /// The chance of missing what the test looks for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub epsilon: Option<f64>,
        /// The same number as exact text.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub epsilon_exact: Option<String>,
        /// The violation rate you accept.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub tolerate: Option<f64>,
        /// The same number as exact text.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub tolerate_exact: Option<String>,
        /// The chance of failing a program that keeps the claim.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub false_alarm: Option<f64>,
        /// The same number as exact text.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub false_alarm_exact: Option<String>,
        /// For a mean: the smallest and the largest number that an execution may return.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub between: Option<[f64; 2]>,
        /// For a mean: the lowest acceptable mean.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub low: Option<f64>,
        /// For a mean: the highest acceptable mean.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub high: Option<f64>,
        /// For a mean: how far outside these bounds it must be to be caught.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub margin: Option<f64>,
        /// For a fit: the labels and their probabilities.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub labels: Option<Vec<LabelClaim>>,
        /// For a fit: the total probability of all labels that aren't listed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub others: Option<f64>,
        /// For a fit: how far off the probability of a label must be to be caught.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub distance: Option<f64>,
        /// For two versions: the change for the worse that must be caught.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub change: Option<f64>,
        /// For two versions that return numbers: which numbers are worse.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub worse: Option<Direction>,
        /// For an estimate: how wide the interval may be.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub width: Option<f64>,
        /// For an estimate: the probability, at least, that the interval contains the true rate.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub confidence: Option<f64>,
        /// Fields from a later version. They may change what the others mean.
        #[serde(flatten)]
        pub unknown: Fields,
    }

    /// A label and its claimed probability.
    #[derive(Default)]
    #[serde(default)]
    pub struct LabelClaim {
        /// The label.
        pub label: String,
        /// Its probability.
        pub p: f64,
        /// The same number as exact text.
        pub p_exact: String,
    }

    /// One label, over the executions that count.
    #[derive(Default)]
    pub struct LabelFacts {
        /// Its name.
        pub name: String,
        /// Its values: numbers in increasing order, anything else most frequent first.
        #[serde(default)]
        pub shares: Vec<LabelShare>,
        /// Executions with a value that isn't listed, because there are too many.
        #[serde(default)]
        pub others: u64,
        /// Whether nearby numbers are counted together, under the largest of them.
        #[serde(default)]
        pub grouped: bool,
        /// The share of executions that you asked for.
        pub at_least: Option<f64>,
        /// Its value in the execution that violated.
        pub of_violation: Option<String>,
        /// A summary of the label, on one line.
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
        /// The lowest share of executions that fits the data, with confidence 0.95.
        pub low: f64,
        /// The highest share that fits.
        pub high: f64,
    }

    /// How an old and a new version compare on the same seeds.
    #[derive(Default)]
    #[serde(default)]
    pub struct Change {
        /// The answer so far.
        pub answer: Answer,
        /// The old version.
        pub old: Level,
        /// The new version.
        pub new: Level,
        /// The pairs in which the new version was worse.
        pub worse: u64,
        /// The pairs in which the new version was better.
        pub better: u64,
        /// How much worse the new version was, on average; negative if it was better.
        pub by: f64,
        /// The lowest change that fits the data.
        pub low: f64,
        /// The highest change that fits the data.
        pub high: f64,
        /// The probability, at least, that this interval contains the true change.
        pub confidence: f64,
    }

    /// The violation rate of one version, or the mean of its numbers.
    #[derive(Copy, Default)]
    #[serde(default)]
    pub struct Level {
        /// The observed rate or mean.
        pub mean: f64,
        /// The lowest rate that fits the data, with confidence 0.95; absent for numbers.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub low: Option<f64>,
        /// The highest rate that fits the data, with confidence 0.95; absent for numbers.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub high: Option<f64>,
    }

    /// The smallest execution that was found to show the same violation. Finding it changes neither
    /// the verdict nor the counts.
    #[derive(Default)]
    pub struct Story {
        /// How many numbers the original execution drew.
        pub draws: u64,
        /// How many numbers the small execution draws.
        pub small: u64,
        /// How many of those aren't zero.
        pub matter: u64,
        /// The draws of the small execution, as text that can be replayed.
        pub tape: String,
        /// Whether replaying the recorded draws shows the violation.
        pub holds: bool,
        /// Why the draws weren't recorded, if that is known.
        #[serde(default)]
        pub unseen: Option<String>,
        /// Whether shrinking finished: nothing more can be removed. If false, time ran out.
        pub complete: bool,
        /// How many executions shrinking took.
        pub executions: u64,
        /// A sentence that sums up the result.
        pub words: String,
        /// The draws that matter, one line each.
        #[serde(default)]
        pub lines: Vec<String>,
        /// The same draws for programs; equal draws share a row.
        #[serde(default)]
        pub rows: Vec<StoryRow>,
        /// The inputs of the small execution.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub inputs: Vec<Input>,
        /// Whether they are smaller than those of the original execution.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub smaller_inputs: bool,
        /// How often the original execution passes when some of its draws are replaced by new ones.
        #[serde(default)]
        pub deciders: Vec<Decider>,
        /// A line you can copy to run the small execution.
        pub replay: Option<String>,
    }

    /// An input that an execution drew.
    #[derive(Default, Eq)]
    pub struct Input {
        /// Its name: the parameter, or the number of the draw.
        pub name: String,
        /// Its value in readable form; cut off if it is very long.
        pub text: String,
    }

    /// A group of equal draws of the small execution.
    #[derive(Default, Eq)]
    pub struct StoryRow {
        /// The number of the first draw, from 1.
        pub first: u64,
        /// How many draws there are.
        pub times: u64,
        /// The call that made them.
        pub call: String,
        /// What the call returned, if that is known.
        pub gave: Option<String>,
        /// The number that was drawn, as a share of the largest possible one.
        pub share: String,
        /// The file and line in the program.
        pub place: Option<String>,
    }

    /// Draws that were replaced by new ones while all others were kept.
    #[derive(Default)]
    pub struct Decider {
        /// The first of these draws, from 1.
        pub first: u64,
        /// The last of these draws.
        pub last: u64,
        /// How often they were replaced.
        pub redrawn: u64,
        /// How often the execution then passed.
        pub passed: u64,
        /// The lowest share of passes that fits the data, with confidence 0.95.
        pub low: f64,
        /// The highest share that fits.
        pub high: f64,
        /// The same as a sentence.
        pub words: String,
    }
}

words! {
    /// What the comparison shows about the new version.
    #[derive(Default)]
    pub enum Answer {
        /// It is worse.
        Worse = "worse",
        /// It isn't worse by as much as the claim's `change`.
        NotWorse = "not_worse",
        /// It is better.
        Better = "better",
        /// Nothing is known yet.
        #[default]
        Undecided = "undecided",
    }
}

impl Story {
    /// The draws that matter most, at most five: those with the largest share of passes, leaving
    /// out shares of zero.
    pub fn deciding(&self) -> Vec<&Decider> {
        let share = |part: &Decider| part.passed as f64 / part.redrawn as f64;
        let mut parts: Vec<&Decider> =
            self.deciders.iter().filter(|part| part.passed > 0).collect();
        parts.sort_by(|one, other| share(other).total_cmp(&share(one)));
        parts.truncate(5);
        parts
    }
}
