//! The answer, with its counts.

use crate::run::Violation;

/// How many executions did what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The executions that the plan asks for; the most, where it may stop sooner.
    pub planned: u64,
    /// The executions that count: passed and violated.
    pub executed: u64,
    /// The executions whose assertion held.
    pub passed: u64,
    /// The executions whose assertion was violated.
    pub violated: u64,
    /// The attempts that were rejected and drawn again. They do not count.
    pub rejected: u64,
}

impl Counts {
    /// Returns the planned executions that were not executed.
    pub fn not_executed(&self) -> u64 {
        self.planned.saturating_sub(self.executed)
    }
}

/// What the executions say about the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The plan was executed to its end and nothing spoke against the claim.
    /// With a tolerated rate: the test decided that the rate is not too high.
    Passed,
    /// The claim does not hold, or an outcome was not seen.
    Violated(Finding),
    /// The plan was not executed to its end. This is never a pass.
    Inconclusive(Reason),
}

/// What speaks against the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// An execution violated the assertion.
    Execution {
        /// The execution, from 1.
        index: u64,
        /// What happened.
        violation: Box<Violation>,
    },
    /// More executions violated the assertion than the claim tolerates.
    Rate {
        /// The first execution that violated, from 1.
        index: u64,
        /// What happened there.
        violation: Box<Violation>,
        /// The execution at which the test decided, from 1.
        decided: u64,
    },
    /// The plan was executed to its end and listed outcomes were never seen.
    Unseen {
        /// The numbers of those outcomes, from 0.
        outcomes: Vec<usize>,
    },
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// `max_executions` is below the plan.
    Budget {
        /// The most executions that were allowed.
        max_executions: u64,
    },
    /// Somebody stopped the run.
    Cancelled,
    /// More executions were rejected than allowed.
    Rejections {
        /// The most rejections that were allowed.
        allowed: u64,
        /// Whether they all belong to one execution.
        in_a_row: bool,
    },
    /// One execution was asked for and did nothing wrong. It is not the plan.
    Replayed {
        /// The execution, from 1.
        index: u64,
    },
    /// An execution could not be carried out.
    Broken {
        /// The execution, from 1.
        index: u64,
        /// What went wrong.
        message: String,
    },
    /// The body reported an outcome that the claim does not list.
    UnknownOutcome {
        /// The execution, from 1.
        index: u64,
        /// The number that the body returned, if it returned one.
        outcome: Option<usize>,
        /// How many outcomes the claim lists; 0 when it has none.
        listed: usize,
    },
}
