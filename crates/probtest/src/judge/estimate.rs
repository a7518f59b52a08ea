//! An interval for the violation rate narrows until it is as narrow as asked for.

use super::confidence::AimedSequence;
use super::{Counts, Judge, Observed, Verdict};
use crate::plan::Plan;
use crate::run::{Observation, Violation};

/// Looks after every execution up to this many, later after one in this many.
const LOOK_AT_EACH: u64 = 1024;

#[derive(Clone, Debug)]
pub(super) struct Estimate {
    sequence: AimedSequence,
    interval: (f64, f64),
    next_look: u64,
    first: Option<(u64, Box<Violation>)>,
    finished: bool,
}

impl Estimate {
    pub(super) fn new(plan: &Plan) -> Self {
        let sequence = plan.aimed().expect("the plan of an estimate has intervals");
        Estimate {
            sequence,
            interval: (0.0, 1.0),
            next_look: sequence.least_executions(),
            first: None,
            finished: false,
        }
    }

    /// Intersects the interval with that of now. A sequence holds at all times
    /// at once, so what was outside once stays outside.
    fn look(&mut self, counts: &Counts) {
        let now = self.sequence.interval(counts.violated, counts.executed);
        let both = (self.interval.0.max(now.0), self.interval.1.min(now.1));
        // With the chance that the confidence leaves, two looks contradict each
        // other; the later one then counts.
        self.interval = if both.0 <= both.1 { both } else { now };
        self.next_look = counts.executed + (counts.executed / LOOK_AT_EACH).max(1);
    }

    /// Says whether the interval is narrow enough. One that has lost the observed
    /// rate is narrow because its looks almost contradict each other; it waits.
    fn is_narrow(&self, counts: &Counts) -> bool {
        let (low, high) = self.interval;
        let rate = counts.violated as f64 / counts.executed as f64;
        high - low <= self.sequence.width() && low <= rate && rate <= high
    }

    fn finish(&mut self) -> Verdict {
        self.finished = true;
        Verdict::Estimated
    }
}

impl Judge for Estimate {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        if let Observation::Violated(violation) = seen {
            counts.violate();
            self.first.get_or_insert((index, violation));
        } else {
            // Which outcome it was does not matter for the rate of violations.
            counts.pass();
        }
        match counts.executed >= self.next_look && counts.executed < counts.planned {
            true => self.cut(counts),
            false => None,
        }
    }

    fn end(&mut self, counts: &Counts) -> Verdict {
        // Narrow enough by its own, whatever earlier looks have said.
        self.interval = self.sequence.interval(counts.violated, counts.executed);
        self.finish()
    }

    fn cut(&mut self, counts: &Counts) -> Option<Verdict> {
        self.look(counts);
        self.is_narrow(counts).then(|| self.finish())
    }

    fn observed(&mut self, counts: &Counts) -> Observed {
        // Whatever ended it early, what was seen so far says something.
        if !self.finished && counts.executed > 0 {
            self.look(counts);
        }
        Observed::Rate { interval: self.interval, first: self.first.clone() }
    }

    fn copy(&self) -> Box<dyn Judge> {
        Box::new(self.clone())
    }
}
