//! Bets on how often each label is returned.

use super::bets::{Bets, Decided};
use super::{Counts, Direction, Finding, Judge, Observed, Reason, Verdict, violated};
use crate::claim;
use crate::plan::Plan;
use crate::run::Observation;

#[derive(Clone, Debug)]
pub(super) struct Fit {
    claim: claim::Fit,
    bets: Bets,
    /// How often each label was seen; all others last, where there is room for them.
    seen: Vec<u64>,
}

impl Fit {
    pub(super) fn new(plan: &Plan, claim: claim::Fit) -> Self {
        Fit { bets: Bets::new(plan), seen: vec![0; claim.shares().count()], claim }
    }

    /// Brings the tables up to what was seen.
    fn settle(&mut self, executed: u64) {
        for (table, ones) in self.bets.tables.iter_mut().zip(&self.seen) {
            table.up.set(*ones, executed);
            table.down.set(executed - ones, executed);
        }
    }

    fn verdict(decided: Decided) -> Verdict {
        match decided {
            Decided::Passed => Verdict::Passed,
            Decided::Missed(side) => Verdict::Violated(Finding::Label {
                label: side.of,
                direction: Direction::of(&side),
            }),
        }
    }
}

impl Judge for Fit {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        let listed = self.claim.labels();
        let (position, label) = match seen {
            Observation::Label(label) => {
                let position = listed.iter().position(|(listed, _)| **listed == *label);
                (position, Some(label))
            }
            Observation::Outcome(number) => (Some(number).filter(|n| *n < listed.len()), None),
            Observation::Unlisted => (None, None),
            Observation::Violated(violation) => return Some(violated(index, violation, counts)),
            _ => return Some(Verdict::Inconclusive(Reason::Nothing { index })),
        };
        counts.pass();
        match position {
            Some(position) => self.seen[position] += 1,
            None if self.claim.rest() > 0.0 => self.seen[listed.len()] += 1,
            None => {
                let label = label.map(String::from);
                return Some(Verdict::Violated(Finding::Impossible { index, label }));
            }
        }
        match self.bets.is_due(counts) {
            true => self.cut(counts),
            false => None,
        }
    }

    fn end(&mut self, counts: &Counts) -> Verdict {
        self.settle(counts.executed);
        let returned = counts.passed.max(1) as f64;
        let seen = &self.seen;
        Fit::verdict(self.bets.end(counts, |of| seen[of] as f64 / returned))
    }

    fn cut(&mut self, counts: &Counts) -> Option<Verdict> {
        self.settle(counts.executed);
        self.bets.look(counts).map(Fit::verdict)
    }

    fn observed(&mut self, _counts: &Counts) -> Observed {
        Observed::Labels(self.seen.clone())
    }

    fn copy(&self) -> Box<dyn Judge> {
        Box::new(self.clone())
    }
}
