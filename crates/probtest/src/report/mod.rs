//! Report: tell what the answer is worth.
//!
//! The one place that has words. A [`Report`] holds the facts of a test; it is
//! printed as text for people, and written as JSON for programs, with the same
//! facts. Nothing here decides anything, and nothing here prints.

mod attained_text;
mod budget_text;
mod estimate;
mod json;
mod numeric;
mod plan_text;
mod rate_text;
mod replay_line;
mod sensitivity_text;
mod suite_text;
mod text;

use std::time::Duration;

use crate::budget::{Suite, TimeLimit};
use crate::judge::{Counts, Finding, Reason, Verdict};
use crate::plan::Plan;
use crate::run::Violation;
use crate::seed::{Replay, RunSeed};

pub use attained_text::{
    epsilon_facts, epsilon_text, smallest_p_facts, smallest_p_text, unseen_facts, unseen_text,
};
pub use estimate::Estimate;
pub use json::{FORMAT, claim_facts, plan_facts, verdict_name};
pub(crate) use numeric::legible;
pub use numeric::{NumericReport, numeric_claim_line, numeric_promise, refused_words};
pub use plan_text::{attained, claim_line, is_large, plan_text, promise};
pub use rate_text::{RATE_CONFIDENCE, Rate};
pub use replay_line::{Invocation, command_line, estimate_line, run_line, shell_word};
pub use sensitivity_text::{Believed, sensitivity_facts, sensitivity_text};
pub use suite_text::{SuiteEpsilon, SuiteFalseAlarm};
pub(crate) use text::reason_words;

/// The facts of one test.
///
/// Its `Display` form is the full report; [`Report::summary`] is the one line for
/// a pass; [`Report::to_json`] has the same facts for programs.
#[derive(Clone, Debug)]
pub struct Report {
    /// The id of the test.
    pub test: String,
    /// What was planned, and for which claim.
    pub plan: Plan,
    /// What the executions say.
    pub verdict: Verdict,
    /// How many did what.
    pub counts: Counts,
    /// The seed of the run.
    pub seed: RunSeed,
    /// The execution that decided, where there is one and it can be replayed.
    pub address: Option<Replay>,
    /// The line to copy that executes the deciding execution again; the whole
    /// test, where no single execution decided.
    pub replay: Option<String>,
    /// What became of counterexamples remembered from earlier runs.
    pub remembered: Remembered,
    /// What the test is part of.
    pub suite: Suite,
    /// What else the reader should know.
    pub notes: Vec<Note>,
    /// How long the executions took.
    pub elapsed: Duration,
}

/// What became of counterexamples remembered from earlier runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Remembered {
    /// There were none.
    #[default]
    None,
    /// One of them violated the assertion again; nothing else was executed.
    Again(Replay),
    /// None of these violated the assertion any more.
    Mended(Vec<Replay>),
}

/// Something the reader should know besides the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The program brings its own randomness: no execution can be replayed.
    OwnRandomness,
    /// The body has a source and never drew from it: the executions may be copies.
    NeverDrew,
    /// A plan for p above one half also waits for an execution that passes.
    LargeP,
    /// The program seeds itself: its executions draw the same numbers.
    Reseeds,
    /// The executions were seen to be copies of each other.
    Copies,
}

impl Report {
    /// Says whether the test passed: its whole plan was executed.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Passed
    }

    /// Says whether the test passed, or a budget ended first and it accepts that.
    pub fn accepted(&self) -> bool {
        self.passed() || self.is_within_budget()
    }

    /// Says whether a budget ended before the plan and the test accepts that.
    pub fn is_within_budget(&self) -> bool {
        matches!(self.verdict, Verdict::WithinBudget(_))
    }

    /// Returns what cut the test short, where that was a limit of time.
    pub fn time_limit(&self) -> Option<TimeLimit> {
        match &self.verdict {
            Verdict::Inconclusive(Reason::Time { limit })
            | Verdict::WithinBudget(Reason::Time { limit }) => Some(*limit),
            _ => None,
        }
    }

    /// Returns the line that executes the whole test again, if no single execution
    /// decided.
    pub fn rerun(&self) -> Option<&str> {
        self.replay.as_deref().filter(|_| self.address.is_none())
    }

    /// Returns what happened in the deciding execution, if it violated.
    pub fn violation(&self) -> Option<&Violation> {
        match &self.verdict {
            Verdict::Violated(
                Finding::Execution { violation, .. } | Finding::Rate { violation, .. },
            ) => Some(violation),
            _ => None,
        }
    }

    /// Returns the number of the deciding execution, if one violated.
    pub fn index(&self) -> Option<u64> {
        match &self.verdict {
            Verdict::Violated(Finding::Execution { index, .. } | Finding::Rate { index, .. }) => {
                Some(*index)
            }
            _ => None,
        }
    }
}
