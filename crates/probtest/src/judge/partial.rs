//! A part of the executions: only what no other part can change is decided.

use super::{Counts, Finding, Judge, Reason, Verdict};
use crate::run::Observation;

/// Asks a judge of the claim about each execution, and believes it only where it speaks of
/// that execution alone: an earlier one of another part may decide before, nothing else.
#[derive(Debug)]
pub(super) struct Partial {
    judge: Box<dyn Judge>,
    first_violation_decides: bool,
    /// What that judge has counted.
    counts: Counts,
}

impl Partial {
    pub(super) fn new(judge: Box<dyn Judge>, first_violation_decides: bool) -> Self {
        Partial { judge, first_violation_decides, counts: Counts::default() }
    }
}

impl Judge for Partial {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        match seen {
            Observation::Violated(violation) if self.first_violation_decides => {
                return Some(super::violated(index, violation, counts));
            }
            Observation::Violated(_) => {
                counts.violate();
                return None;
            }
            _ => {}
        }
        let violated = self.counts.violated;
        match self.judge.observe(index, seen, &mut self.counts) {
            Some(verdict @ Verdict::Violated(Finding::Impossible { .. })) => {
                counts.pass();
                Some(verdict)
            }
            // What speaks of all executions is for all parts together to say.
            Some(Verdict::Inconclusive(reason))
                if !matches!(reason, Reason::NoOutcome | Reason::NoRoom { .. }) =>
            {
                Some(Verdict::Inconclusive(reason))
            }
            _ => {
                match self.counts.violated > violated {
                    true => counts.violate(),
                    false => counts.pass(),
                }
                None
            }
        }
    }

    fn end(&mut self, _counts: &Counts) -> Verdict {
        Verdict::Partial
    }

    /// The first ones of all parts are among the first ones of each.
    fn again(&self) -> Vec<u64> {
        self.judge.again()
    }

    fn does_again(&self, index: u64, seen: &Observation) -> Option<bool> {
        self.judge.does_again(index, seen)
    }

    fn passes_wait(&self) -> bool {
        true
    }

    fn copy(&self) -> Box<dyn Judge> {
        Box::new(Partial {
            judge: self.judge.copy(),
            first_violation_decides: self.first_violation_decides,
            counts: self.counts,
        })
    }
}
