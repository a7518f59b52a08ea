//! The answer to a claim on numbers or labels.

use crate::judge::Reason;
use crate::plan::numeric::Side;
use crate::run::Violation;

/// What the executions say about a claim on numbers or labels.
#[derive(Clone, Debug, PartialEq)]
pub enum NumericVerdict {
    /// Every mean that misses the claim by its margin is ruled out.
    Passed,
    /// Every mean that keeps this side of the claim is ruled out.
    Missed(Side),
    /// An execution returned a label that the claim gives no probability.
    Impossible {
        /// The execution, from 1.
        index: u64,
        /// The label, where it is known.
        label: Option<String>,
    },
    /// An execution violated an assertion instead of returning something.
    Violated {
        /// The execution, from 1.
        index: u64,
        /// What happened.
        violation: Box<Violation>,
    },
    /// The claim was not decided. This is never a pass.
    Inconclusive(NumericReason),
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NumericReason {
    /// What can end any test without a verdict.
    Ended(Reason),
    /// An execution returned a number outside of what the claim says.
    Outside {
        /// The execution, from 1.
        index: u64,
        /// The number.
        value: f64,
    },
    /// An execution returned nothing that the claim is about.
    Nothing {
        /// The execution, from 1.
        index: u64,
    },
}

/// The execution that returned the least or the largest number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The execution, from 1.
    pub index: u64,
    /// What it returned.
    pub value: f64,
}

/// What was seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// Numbers.
    Numbers {
        /// Their mean.
        mean: f64,
        /// The means that fit them, with confidence 0.95.
        interval: (f64, f64),
        /// The least and the largest number, if there were any.
        extremes: Option<(Extreme, Extreme)>,
    },
    /// Labels: how often each was seen, in the order of the claim; the last one
    /// is for all others, if the claim leaves room for them.
    Labels(Vec<u64>),
}
