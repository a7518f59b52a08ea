//! A sequential test decides whether the violation rate is too high.

use super::{Counts, Finding, Judge, Verdict, stopped, unknown_outcome};
use crate::plan::{Plan, SequentialTest};
use crate::run::Observation;

/// The confidence of the interval that an accepted budget is held against; the report
/// shows it.
const CONFIDENCE: f64 = 0.95;

#[derive(Clone, Debug)]
pub(super) struct Tolerate {
    test: SequentialTest,
    /// The first execution that violated.
    first: Option<u64>,
}

impl Tolerate {
    pub(super) fn new(plan: &Plan) -> Self {
        Tolerate {
            test: plan
                .sequential()
                .expect("a plan with a tolerated rate has a test")
                .clone(),
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
                    return Some(Verdict::Violated(Finding::Rate {
                        index,
                        violation,
                        first,
                    }));
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
        let (executed, violated) = (counts.executed, counts.violated);
        let too_high = |lowest: f64| plan.claim().p().is_some_and(|p| lowest > p.as_f64());
        plan.miss_within(executed).value() < 1.0
            && !stopped::interval(&self.test, executed, violated, CONFIDENCE)
                .is_ok_and(|(lowest, _)| too_high(lowest))
    }

    fn copy(&self) -> Box<dyn Judge> {
        Box::new(self.clone())
    }
}
