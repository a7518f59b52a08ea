//! Watching a violation rate until it is known well enough.

use std::ops::ControlFlow;

use super::confidence::AimedSequence;
use super::tally::Tally;
use super::{Counts, Limits, Reason};
use crate::budget::TimeLimit;
use crate::run::{Observation, Record, Violation};

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
    tally: Tally,
    interval: (f64, f64),
    next_look: u64,
    first: Option<(u64, Box<Violation>)>,
    ended: Option<Result<(), Reason>>,
}

impl Estimator {
    /// Prepares to watch the rate.
    pub fn new(sequence: AimedSequence, limits: Limits) -> Self {
        Estimator {
            sequence,
            tally: Tally::new(sequence.most_executions(), limits),
            interval: (0.0, 1.0),
            next_look: sequence.least_executions(),
            first: None,
            ended: None,
        }
    }

    /// Returns the most executions that there will be.
    pub fn max_executions(&self) -> u64 {
        self.tally.max_executions
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> Counts {
        self.tally.counts
    }

    /// Returns the interval so far: the rates that were in it at every look.
    pub fn interval(&self) -> (f64, f64) {
        self.interval
    }

    /// Says whether any execution took something from its random source.
    pub fn drew(&self) -> bool {
        self.tally.drew
    }

    /// Looks at the next record and says whether to go on. Records come in index
    /// order; after the end, more are ignored.
    pub fn observe(&mut self, record: Record) -> ControlFlow<()> {
        if self.ended.is_some() {
            return ControlFlow::Break(());
        }
        if let Err(reason) = self.tally.admit(&record) {
            return self.end(Err(reason));
        }
        if let Observation::Violated(violation) = record.observation {
            self.tally.violated();
            self.first.get_or_insert((record.index, violation));
        } else {
            // Which outcome it was does not matter for the rate of violations.
            self.tally.passed();
        }
        let executed = self.tally.counts.executed;
        if executed >= self.next_look || executed >= self.tally.max_executions {
            self.end_if_narrow()?;
        }
        match self.tally.used_up() {
            Some(reason) => self.end(Err(reason)),
            None => ControlFlow::Continue(()),
        }
    }

    /// Ends because the time is over, and says whether to go on. At least one
    /// execution counts in any case: before that, the answer is to go on.
    pub fn time_is_over(&mut self, limit: TimeLimit) -> ControlFlow<()> {
        if self.ended.is_some() {
            return ControlFlow::Break(());
        }
        if self.tally.counts.executed == 0 {
            return ControlFlow::Continue(());
        }
        // Looks as a limit of as many executions does, so that the two agree.
        self.end_if_narrow()?;
        self.end(Err(Reason::Time { limit }))
    }

    /// Looks, and ends where that is enough.
    fn end_if_narrow(&mut self) -> ControlFlow<()> {
        let executed = self.tally.counts.executed;
        self.look();
        if executed >= self.tally.counts.planned {
            // Narrow enough by its own, whatever earlier looks have said.
            self.interval = self.sequence.interval(self.tally.counts.violated, executed);
        }
        if self.is_narrow() || executed >= self.tally.counts.planned {
            return self.end(Ok(()));
        }
        ControlFlow::Continue(())
    }

    /// Intersects the interval with that of now. A sequence holds at all times
    /// at once, so what was outside once stays outside.
    fn look(&mut self) {
        let executed = self.tally.counts.executed;
        let (low, high) = self.sequence.interval(self.tally.counts.violated, executed);
        let (low, high) = (self.interval.0.max(low), self.interval.1.min(high));
        // With the chance that the confidence leaves, two looks contradict each
        // other; the later one then counts.
        self.interval = if low <= high {
            (low, high)
        } else {
            self.sequence.interval(self.tally.counts.violated, executed)
        };
        self.next_look = executed + (executed / LOOK_AT_EACH).max(1);
    }

    /// Says whether the interval is narrow enough. One that has lost the observed
    /// rate is narrow because its looks almost contradict each other; it waits.
    fn is_narrow(&self) -> bool {
        let (low, high) = self.interval;
        let rate = self.tally.counts.violated as f64 / self.tally.counts.executed as f64;
        high - low <= self.sequence.width() && low <= rate && rate <= high
    }

    fn end(&mut self, end: Result<(), Reason>) -> ControlFlow<()> {
        self.ended = Some(end);
        ControlFlow::Break(())
    }

    /// Gives the interval, the counts, the first violation, and why the interval
    /// is wider than wanted, if it is.
    pub fn conclude(mut self) -> Estimated {
        // Whatever ended it early, what was seen so far says something.
        if self.ended != Some(Ok(())) && self.tally.counts.executed > 0 {
            self.look();
        }
        let ended = self.ended.unwrap_or(Err(Reason::Cancelled));
        Estimated {
            interval: self.interval,
            counts: self.tally.counts,
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
