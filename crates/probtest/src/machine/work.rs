//! What was done with a range of executions, to be sent and kept.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Range;
use crate::run::{Observation, Record};
use crate::seed::RunSeed;

/// What was done with consecutive executions. Those that are not in `records` passed in their
/// first attempt, so that it stays small where nothing happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The seed of the run that the executions belong to.
    pub seed: RunSeed,
    /// The first execution.
    pub first: u64,
    /// The last one that was made; the one before the first where none was.
    pub last: u64,
    /// How many of those that passed drew from their source.
    pub drew: u64,
    /// What the others did, in the order of their executions.
    pub records: Vec<Record>,
    /// The time that they took.
    pub took: Duration,
}

impl Work {
    /// Begins with nothing done of a range.
    pub fn new(range: &Range) -> Self {
        Work {
            seed: range.stream.seed(),
            first: range.first,
            last: range.first - 1,
            drew: 0,
            records: Vec::new(),
            took: Duration::ZERO,
        }
    }

    /// Adds what the next execution did.
    #[inline]
    pub fn add(&mut self, record: Record) {
        self.last = record.index;
        if matches!(record.observation, Observation::Passed) && record.attempt == 0 {
            self.drew += u64::from(record.has_drawn);
        } else {
            self.records.push(record);
        }
    }

    /// How many executions were made.
    pub fn made(&self) -> u64 {
        (self.last + 1).saturating_sub(self.first)
    }

    /// Whether it was one execution, which is to be drawn again.
    pub(super) fn is_rejected(&self) -> bool {
        let rejected = |record: &Record| record.observation.is_rejected();
        self.first == self.last && self.records.iter().any(rejected)
    }
}
