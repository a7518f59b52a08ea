//! A sequential test decides whether the violation rate is too high.

use super::{Counts, Finding, Judge, Verdict, unknown_outcome};
use crate::plan::{Plan, SequentialTest};
use crate::run::Observation;

#[derive(Clone, Debug)]
pub(super) struct Tolerate {
    test: SequentialTest,
    /// The first execution that violated.
    first: Option<u64>,
}

impl Tolerate {
    pub(super) fn new(plan: &Plan) -> Self {
        Tolerate {
            test: plan.sequential().expect("a plan with a tolerated rate has a test").clone(),
            first: None,
        }
    }
}

impl Judge for Tolerate {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        match seen {
            Observation::Violated(violation) => {
                counts.violate();
                let first = *self.first.get_or_insert(index);
                if self.test.fails(counts.executed, counts.violated) {
                    return Some(Verdict::Violated(Finding::Rate { index, violation, first }));
                }
            }
            Observation::Outcome(_) | Observation::Unlisted => {
                return Some(unknown_outcome(index, &seen, 0));
            }
            _ => counts.pass(),
        }
        let passes = self.test.passes(counts.executed, counts.violated);
        passes.then_some(Verdict::Passed)
    }

    fn end(&mut self, _counts: &Counts) -> Verdict {
        Verdict::Passed
    }

    fn accepts(&self, plan: &Plan, counts: &Counts) -> bool {
        // What is accepted says which rate would not have been.
        counts.violated < self.test.unacceptable(counts.executed)
            && plan.rate_caught_within(counts.executed).is_some()
    }

    fn copy(&self) -> Box<dyn Judge> {
        Box::new(self.clone())
    }
}
