//! Bets on the mean of the numbers that executions return.

use super::bets::{Bets, Decided};
use super::{Counts, Direction, Extreme, Finding, Judge, Observed, Reason, Verdict, violated};
use crate::claim;
use crate::plan::Plan;
use crate::run::{Number, Observation};

/// The logarithm of what is left of each side of an interval of 0.95.
const ONE_SIDE: f64 = 3.688_879_454_113_936;

#[derive(Clone, Debug)]
pub(super) struct Mean {
    claim: claim::Mean,
    bets: Bets,
    /// The sum of the numbers, on the scale from 0 to 1.
    sum: f64,
    extremes: Option<(Extreme, Extreme)>,
}

impl Mean {
    pub(super) fn new(plan: &Plan, claim: claim::Mean) -> Self {
        Mean { claim, bets: Bets::new(plan), sum: 0.0, extremes: None }
    }

    fn take(&mut self, index: u64, value: f64) {
        let share = self.claim.scaled(value);
        self.sum += share;
        if let Some(table) = self.bets.tables.first_mut() {
            table.up.add(share);
            table.down.add(1.0 - share);
        }
        let here = Extreme { index, value };
        let (least, largest) = self.extremes.get_or_insert((here, here));
        if value < least.value {
            *least = here;
        }
        if value > largest.value {
            *largest = here;
        }
    }

    fn verdict(decided: Decided) -> Verdict {
        match decided {
            Decided::Passed => Verdict::Passed,
            Decided::Missed(side) => {
                Verdict::Violated(Finding::Mean { direction: Direction::of(&side) })
            }
        }
    }
}

/// The observed mean. An execution that violated returned nothing.
fn share(sum: f64, counts: &Counts) -> f64 {
    sum / counts.passed.max(1) as f64
}

impl Judge for Mean {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        match seen {
            Observation::Number(Number(value)) => {
                let (low, high) = self.claim.between;
                if !(low..=high).contains(&value) {
                    return Some(Verdict::Inconclusive(Reason::Outside { index, value }));
                }
                self.take(index, value);
            }
            Observation::Violated(violation) => return Some(violated(index, violation, counts)),
            _ => return Some(Verdict::Inconclusive(Reason::Nothing { index })),
        }
        counts.pass();
        match self.bets.is_due(counts) {
            true => self.cut(counts),
            false => None,
        }
    }

    fn end(&mut self, counts: &Counts) -> Verdict {
        let mean = share(self.sum, counts);
        Mean::verdict(self.bets.end(counts, |_| mean))
    }

    fn cut(&mut self, counts: &Counts) -> Option<Verdict> {
        self.bets.look(counts).map(Mean::verdict)
    }

    fn observed(&mut self, counts: &Counts) -> Observed {
        let (low, high) = self.bets.tables.first().map_or((0.0, 1.0), |table| {
            (table.up.lowest(ONE_SIDE), 1.0 - table.down.lowest(ONE_SIDE))
        });
        Observed::Numbers {
            mean: self.claim.unscaled(share(self.sum, counts)),
            interval: (self.claim.unscaled(low), self.claim.unscaled(high)),
            extremes: self.extremes,
        }
    }

    fn copy(&self) -> Box<dyn Judge> {
        Box::new(self.clone())
    }
}
