//! The first violation decides, and at the end every listed outcome must have been seen.

use super::{Counts, Finding, Judge, Verdict, unknown_outcome, violated};
use crate::plan::Plan;
use crate::run::Observation;

#[derive(Clone, Debug)]
pub(super) struct Cover {
    /// One entry for each listed outcome.
    seen: Vec<bool>,
    /// Whether the body reports outcomes at all. A body that only asserts is not asked
    /// for them.
    reported: bool,
}

impl Cover {
    pub(super) fn new(listed: usize) -> Self {
        Cover {
            seen: vec![false; listed],
            reported: false,
        }
    }

    fn unseen(&self) -> Vec<usize> {
        let missing = self.seen.iter().enumerate().filter(|(_, seen)| !**seen);
        let missing = missing.map(|(outcome, _)| outcome);
        missing.filter(|_| self.reported).collect()
    }
}

impl Judge for Cover {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        match seen {
            Observation::Violated(violation) => return Some(violated(index, violation, counts)),
            Observation::Outcome(outcome) => {
                self.reported = true;
                match self.seen.get_mut(outcome) {
                    Some(listed) => *listed = true,
                    None => return Some(unknown_outcome(index, &seen, self.seen.len())),
                }
            }
            Observation::Unlisted => self.reported = true,
            _ => {}
        }
        counts.pass();
        None
    }

    fn end(&mut self, _counts: &Counts) -> Verdict {
        match self.unseen() {
            unseen if unseen.is_empty() => Verdict::Passed,
            outcomes => Verdict::Violated(Finding::Unseen { outcomes }),
        }
    }

    fn accepts(&self, plan: &Plan, counts: &Counts) -> bool {
        plan.miss_within(counts.executed).value() < 1.0 && self.unseen().is_empty()
    }

    fn passes_wait(&self) -> bool {
        true
    }

    fn copy(&self) -> Box<dyn Judge> {
        Box::new(self.clone())
    }
}
