//! Tell what the answer to a claim on numbers or labels is worth.

mod claim_text;
mod json;
mod text;

use std::time::Duration;

use super::Note;
use crate::budget::{Suite, TimeLimit};
use crate::judge::numeric::{NumericReason, NumericVerdict, Seen};
use crate::judge::{Counts, Reason};
use crate::plan::numeric::NumericPlan;
use crate::run::Violation;
use crate::seed::{Replay, RunSeed};

pub(crate) use claim_text::legible;
pub use claim_text::{numeric_claim_line, numeric_promise};
pub use text::refused_words;

/// The facts of one test of a claim on numbers or labels.
///
/// Its `Display` form is the full report; [`NumericReport::summary`] is one line;
/// [`NumericReport::to_json`] has the same facts for programs.
#[derive(Clone, Debug)]
pub struct NumericReport {
    /// The id of the test.
    pub test: String,
    /// What was planned, and for which claim.
    pub plan: NumericPlan,
    /// What the executions say.
    pub verdict: NumericVerdict,
    /// What they returned.
    pub seen: Seen,
    /// How many did what.
    pub counts: Counts,
    /// The seed of the run.
    pub seed: RunSeed,
    /// The execution to look at: the one that decided, or the most extreme one.
    pub address: Option<Replay>,
    /// The line to copy that executes it again.
    pub replay: Option<String>,
    /// What the test is part of.
    pub suite: Suite,
    /// What else the reader should know.
    pub notes: Vec<Note>,
    /// How long the executions took.
    pub elapsed: Duration,
}

impl NumericReport {
    /// Says whether the test passed.
    pub fn passed(&self) -> bool {
        self.verdict == NumericVerdict::Passed
    }

    /// Returns what cut the test short, where that was a limit of time.
    pub fn time_limit(&self) -> Option<TimeLimit> {
        match &self.verdict {
            NumericVerdict::Inconclusive(NumericReason::Ended(Reason::Time { limit })) => {
                Some(*limit)
            }
            _ => None,
        }
    }

    /// Returns what happened in an execution that violated an assertion.
    pub fn violation(&self) -> Option<&Violation> {
        match &self.verdict {
            NumericVerdict::Violated { violation, .. } => Some(violation),
            _ => None,
        }
    }

    /// Returns the verdict in the words of every test.
    pub fn verdict_name(&self) -> &'static str {
        match self.verdict {
            NumericVerdict::Passed => "passed",
            NumericVerdict::Inconclusive(_) => "inconclusive",
            _ => "violated",
        }
    }
}
