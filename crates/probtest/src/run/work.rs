//! What is to be executed, and who is told.

use std::ops::{ControlFlow, RangeInclusive};

use super::{Observation, Record};
use crate::seed::Stream;

/// How often one execution may be rejected and drawn again.
///
/// A test that accepts one execution in 100 gets there by chance with
/// probability 0.99^1000 = 4e-5, one that accepts one in 10 with 2e-46.
pub const REJECTIONS_IN_A_ROW: u64 = 1000;

/// A range of executions of one test.
#[derive(Clone, Debug)]
pub struct Work {
    /// The streams that the executions draw from.
    pub stream: Stream,
    /// The executions, from 1.
    pub indices: RangeInclusive<u64>,
    /// Whether the first violation ends the work. Threads use it to stop early;
    /// records are delivered in order in any case.
    pub stop_at_violation: bool,
}

impl Work {
    /// Says whether no execution after this one can be needed.
    pub(super) fn ends_with(&self, observation: &Observation) -> bool {
        match observation {
            Observation::Violated(_) => self.stop_at_violation,
            Observation::Rejected | Observation::Broken(_) => true,
            Observation::Passed
            | Observation::Outcome(_)
            | Observation::Unlisted
            | Observation::Number(_) => false,
        }
    }
}

/// Receives records in index order and says when to stop.
pub trait Sink {
    /// Takes the next record.
    fn record(&mut self, record: Record) -> ControlFlow<()>;

    /// Is called from time to time between executions: the moment to show
    /// progress, look at the clock, or stop.
    fn tick(&mut self) -> ControlFlow<()>;
}
