//! Counting what any judge counts, up to its limits.

use super::{Counts, Limits, Reason};
use crate::run::{Observation, REJECTIONS_IN_A_ROW, Record};

/// The counts of a test that decides while its executions come in.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub(super) counts: Counts,
    pub(super) max_executions: u64,
    max_rejections: u64,
    pub(super) drew: bool,
}

impl Tally {
    pub(super) fn new(planned: u64, limits: Limits) -> Self {
        Tally {
            counts: Counts {
                planned,
                ..Counts::default()
            },
            max_executions: limits.executions_of(planned),
            max_rejections: limits.rejections_of(planned),
            drew: false,
        }
    }

    /// Counts the rejected attempts of a record, and says why the test ends with
    /// it, where it does so whatever is claimed.
    pub(super) fn admit(&mut self, record: &Record) -> Result<(), Reason> {
        self.drew |= record.drew;
        self.counts.rejected += record.rejected;
        if self.counts.rejected > self.max_rejections {
            return Err(Reason::Rejections {
                allowed: self.max_rejections,
                in_a_row: false,
            });
        }
        match &record.observation {
            Observation::Rejected => Err(Reason::Rejections {
                allowed: REJECTIONS_IN_A_ROW,
                in_a_row: true,
            }),
            Observation::Broken(message) => Err(Reason::Broken {
                index: record.index,
                message: message.clone(),
            }),
            _ => Ok(()),
        }
    }

    pub(super) fn passed(&mut self) {
        self.counts.executed += 1;
        self.counts.passed += 1;
    }

    pub(super) fn violated(&mut self) {
        self.counts.executed += 1;
        self.counts.violated += 1;
    }

    /// Says why the test ends undecided, if there may be no more executions.
    pub(super) fn used_up(&self) -> Option<Reason> {
        (self.counts.executed >= self.max_executions).then_some(Reason::Budget {
            max_executions: self.max_executions,
        })
    }
}
