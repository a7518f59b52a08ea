//! The first violation decides.

use super::{Counts, Judge, Verdict, unknown_outcome, violated};
use crate::plan::Plan;
use crate::run::Observation;

#[derive(Clone, Debug)]
pub(super) struct Detect;

impl Judge for Detect {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        match seen {
            Observation::Violated(violation) => Some(violated(index, violation, counts)),
            Observation::Outcome(_) | Observation::Unlisted => {
                Some(unknown_outcome(index, &seen, 0))
            }
            _ => {
                counts.pass();
                None
            }
        }
    }

    fn end(&mut self, _counts: &Counts) -> Verdict {
        Verdict::Passed
    }

    fn accepts(&self, plan: &Plan, counts: &Counts) -> bool {
        plan.miss_within(counts.executed).value() < 1.0
    }

    fn passes_wait(&self) -> bool {
        true
    }

    fn copy(&self) -> Box<dyn Judge> {
        Box::new(Detect)
    }
}
