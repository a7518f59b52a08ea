//! Watching a violation rate until it is known well enough.

use std::ops::ControlFlow;

use super::confidence::AimedSequence;
use super::{Counts, Limits, Reason};
use crate::run::{Observation, REJECTIONS_IN_A_ROW, Record, Violation};

/// Looks after every execution up to this many, later after one in this many.
const LOOK_AT_EACH: u64 = 1024;

/// Narrows an interval for the violation rate while executions come in.
///
/// ```
/// use probtest::judge::{Estimator, Limits, confidence::AimedSequence};
/// use probtest::run::{Observation, Record};
///
/// let mut estimator = Estimator::new(AimedSequence::new(0.1, 0.95)?, Limits::default());
/// let mut index = 1;
/// let passed = |index| Record { index, rejected: 0, drew: true, observation: Observation::Passed };
/// while estimator.observe(passed(index)).is_continue() {
///     index += 1;
/// }
/// assert_eq!(estimator.counts().executed, 69);
/// assert!(estimator.interval().1 <= 0.1);
/// # Ok::<(), probtest::judge::interval::IntervalError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Estimator {
    sequence: AimedSequence,
    counts: Counts,
    max_executions: u64,
    max_rejections: u64,
    interval: (f64, f64),
    next_look: u64,
    drew: bool,
    first: Option<(u64, Box<Violation>)>,
    ended: Option<Result<(), Reason>>,
}

impl Estimator {
    /// Prepares to watch the rate.
    pub fn new(sequence: AimedSequence, limits: Limits) -> Self {
        let planned = sequence.most_executions();
        Estimator {
            sequence,
            counts: Counts {
                planned,
                ..Counts::default()
            },
            max_executions: limits.max_executions.unwrap_or(planned).min(planned),
            max_rejections: limits
                .max_rejections
                .unwrap_or_else(|| planned.saturating_mul(10).max(1000)),
            interval: (0.0, 1.0),
            next_look: sequence.least_executions(),
            drew: false,
            first: None,
            ended: None,
        }
    }

    /// Returns the most executions that there will be.
    pub fn max_executions(&self) -> u64 {
        self.max_executions
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the interval so far: the rates that were in it at every look.
    pub fn interval(&self) -> (f64, f64) {
        self.interval
    }

    /// Says whether any execution took something from its random source.
    pub fn drew(&self) -> bool {
        self.drew
    }

    /// Looks at the next record and says whether to go on. Records come in index
    /// order; after the end, more are ignored.
    pub fn observe(&mut self, record: Record) -> ControlFlow<()> {
        if self.ended.is_some() {
            return ControlFlow::Break(());
        }
        self.drew |= record.drew;
        self.counts.rejected += record.rejected;
        if self.counts.rejected > self.max_rejections {
            return self.end(Err(Reason::Rejections {
                allowed: self.max_rejections,
                in_a_row: false,
            }));
        }
        match record.observation {
            Observation::Violated(violation) => {
                self.counts.violated += 1;
                self.first.get_or_insert((record.index, violation));
            }
            Observation::Rejected => {
                return self.end(Err(Reason::Rejections {
                    allowed: REJECTIONS_IN_A_ROW,
                    in_a_row: true,
                }));
            }
            Observation::Broken(message) => {
                let index = record.index;
                return self.end(Err(Reason::Broken { index, message }));
            }
            // Which outcome it was does not matter for the rate of violations.
            _ => self.counts.passed += 1,
        }
        self.counts.executed += 1;
        let executed = self.counts.executed;
        if executed >= self.next_look || executed >= self.max_executions {
            self.look();
            if executed >= self.counts.planned {
                // Narrow enough by its own, whatever earlier looks have said.
                self.interval = self.sequence.interval(self.counts.violated, executed);
            }
            if self.is_narrow() || executed >= self.counts.planned {
                return self.end(Ok(()));
            }
        }
        if executed >= self.max_executions {
            return self.end(Err(Reason::Budget {
                max_executions: self.max_executions,
            }));
        }
        ControlFlow::Continue(())
    }

    /// Intersects the interval with that of now. A sequence holds at all times
    /// at once, so what was outside once stays outside.
    fn look(&mut self) {
        let executed = self.counts.executed;
        let (low, high) = self.sequence.interval(self.counts.violated, executed);
        let (low, high) = (self.interval.0.max(low), self.interval.1.min(high));
        // With the chance that the confidence leaves, two looks contradict each
        // other; the later one then counts.
        self.interval = if low <= high {
            (low, high)
        } else {
            self.sequence.interval(self.counts.violated, executed)
        };
        self.next_look = executed + (executed / LOOK_AT_EACH).max(1);
    }

    /// Says whether the interval is narrow enough. One that has lost the observed
    /// rate is narrow because its looks almost contradict each other; it waits.
    fn is_narrow(&self) -> bool {
        let (low, high) = self.interval;
        let rate = self.counts.violated as f64 / self.counts.executed as f64;
        high - low <= self.sequence.width() && low <= rate && rate <= high
    }

    fn end(&mut self, end: Result<(), Reason>) -> ControlFlow<()> {
        self.ended = Some(end);
        ControlFlow::Break(())
    }

    /// Gives the interval, the counts, the first violation, and why the interval
    /// is wider than wanted, if it is.
    pub fn conclude(mut self) -> Estimated {
        if self.ended.is_none() && self.counts.executed > 0 {
            self.look();
        }
        let ended = self.ended.unwrap_or(Err(Reason::Cancelled));
        Estimated {
            interval: self.interval,
            counts: self.counts,
            first: self.first,
            unfinished: ended.err(),
        }
    }
}

/// What is known about a violation rate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimated {
    /// The lowest and the highest rate that fit.
    pub interval: (f64, f64),
    /// How many executions did what; `planned` is the most that there could be.
    pub counts: Counts,
    /// The first execution that violated, and how.
    pub first: Option<(u64, Box<Violation>)>,
    /// Why the interval is wider than wanted, if it is.
    pub unfinished: Option<Reason>,
}
