//! Claims on what executions return: the mean of numbers, and how often each label occurs.
//!
//! Bets are placed against each bound of the claim from both sides; the first bet that wins enough
//! decides.

use super::confidence::{Bank, Bet};
use super::{
    Counts, Direction, Extreme, Finding, Judge, Observed, Reason, Verdict, inconclusive, violated,
};
use crate::claim;
use crate::plan::{Betting, Plan, ScaledBound};
use crate::run::{Number, Observation};

/// Checks after every execution up to this many, then after one in this many.
const LOOK_AT_EACH: u64 = 256;
const MOST_SIZES: usize = 24;
/// The logarithm of the capital needed on each side of an interval with confidence 0.95.
const ONE_SIDE: f64 = 3.688_879_454_113_936;

#[derive(Clone, Debug)]
pub(super) struct Bets {
    plan: Betting,
    /// For each mean, the bets that it is higher and those that it is lower.
    tables: Vec<[Bank; 2]>,
    stakes: Vec<Stake>,
    next_look: u64,
    /// The finding when a side is missed.
    finding: fn(&ScaledBound) -> Finding,
}

/// The two bets on one side, and whether its bad means are ruled out.
#[derive(Clone, Debug)]
struct Stake {
    side: ScaledBound,
    against_good: Bet,
    against_bad: Bet,
    ruled_out: bool,
}

impl Bets {
    pub(super) fn new(plan: &Plan, finding: fn(&ScaledBound) -> Finding) -> Self {
        let plan = plan.betting().expect("such a claim is planned by bets");
        let last = plan.sides().iter().map(|side| side.of).max().unwrap_or(0);
        let (mut tables, mut stakes) = (Vec::new(), Vec::new());
        for of in 0..=last {
            let sides: Vec<&ScaledBound> =
                plan.sides().iter().filter(|side| side.of == of).collect();
            let table = [false, true].map(|lower| {
                let hope = |side: &&ScaledBound| match side.mirrored == lower {
                    true => BetTarget::for_failing(side),
                    false => BetTarget::for_passing(side),
                };
                Bank::new(sizes(&sides.iter().map(hope).collect::<Vec<_>>()))
            });
            for (place, side) in sides.into_iter().enumerate() {
                // The sizes start with the favourites, in the order of the sides.
                let bet =
                    |hope: BetTarget, bank| Bet::new(bank, hope.against, place, plan.division());
                let (own, other) = banks(side, &table);
                stakes.push(Stake {
                    side: *side,
                    against_good: bet(BetTarget::for_failing(side), own),
                    against_bad: bet(BetTarget::for_passing(side), other),
                    ruled_out: false,
                });
            }
            tables.push(table);
        }
        Bets { plan: plan.clone(), tables, stakes, next_look: 1, finding }
    }

    /// Adds a number on the scale from 0 to 1, if the claim is about one mean.
    pub(super) fn add(&mut self, share: f64) {
        let [up, down] = &mut self.tables[0];
        up.add(share);
        down.add(1.0 - share);
    }

    pub(super) fn is_due(&self, counts: &Counts) -> bool {
        counts.executed >= self.next_look && counts.executed < counts.planned
    }

    /// The means that fit, from the lowest to the highest, if the claim has one upper bound: each
    /// end errs as often as the verdict on its side.
    pub(super) fn interval(&self) -> (f64, f64) {
        let ([up, down], stake) = (&self.tables[0], &self.stakes[0]);
        (
            up.lowest_by(&stake.against_good, self.plan.fail_log()),
            1.0 - down.lowest_by(&stake.against_bad, self.plan.pass_log()),
        )
    }

    /// Checks all bets: it is a pass if every bad mean is ruled out, and a violation if every good
    /// mean on one side is.
    pub(super) fn look(&mut self, counts: &Counts) -> Option<Verdict> {
        self.next_look = counts.executed + (counts.executed / LOOK_AT_EACH).max(1);
        // The bet that has won the most names the side.
        let mut missed: Option<(f64, ScaledBound)> = None;
        for stake in &mut self.stakes {
            let (own, other) = banks(&stake.side, &self.tables[stake.side.of]);
            let won = own.log_capital(&stake.against_good);
            if won >= self.plan.fail_log() && missed.is_none_or(|(most, _)| won > most) {
                missed = Some((won, stake.side));
            }
            stake.ruled_out |= other.log_capital(&stake.against_bad) >= self.plan.pass_log();
        }
        if let Some((_, side)) = missed {
            return Some(Verdict::Violated((self.finding)(&side)));
        }
        self.stakes.iter().all(|stake| stake.ruled_out).then_some(Verdict::Passed)
    }

    /// Decides after the last planned execution: by then, apart from rounding, one bet on each side
    /// has won. `mean` returns an observed mean, on the scale from 0 to 1.
    pub(super) fn end(&mut self, counts: &Counts, mean: impl Fn(usize) -> f64) -> Verdict {
        if let Some(decided) = self.look(counts) {
            return decided;
        }
        let mut sides = self.stakes.iter().map(|stake| stake.side);
        let above = sides.find(|side| {
            let mean = mean(side.of);
            let mean = if side.mirrored { 1.0 - mean } else { mean };
            mean >= side.split
        });
        above.map_or(Verdict::Passed, |side| Verdict::Violated((self.finding)(&side)))
    }
}

/// The banks for bets in the side's direction and in the opposite direction.
fn banks<'a>(side: &ScaledBound, [up, down]: &'a [Bank; 2]) -> (&'a Bank, &'a Bank) {
    if side.mirrored { (down, up) } else { (up, down) }
}

/// The mean that a bet is against, and the mean it hopes for.
struct BetTarget {
    against: f64,
    mean: f64,
}

impl BetTarget {
    /// In the side's direction: bets that good means are too low.
    fn for_failing(side: &ScaledBound) -> Self {
        BetTarget { against: side.good, mean: side.split }
    }

    /// In the opposite direction: bets that bad means are too high.
    fn for_passing(side: &ScaledBound) -> Self {
        BetTarget { against: 1.0 - side.bad, mean: 1.0 - side.split }
    }

    /// The size of the bet that wins the most if the mean is the hoped-for one.
    fn size(&self) -> f64 {
        (self.mean - self.against) / (self.against * (1.0 - self.mean))
    }
}

/// The favourite for each hope, then larger sizes, which win if the numbers vary little.
fn sizes(hopes: &[BetTarget]) -> Vec<f64> {
    let mut sizes: Vec<f64> = hopes.iter().map(BetTarget::size).collect();
    let least = sizes.iter().copied().fold(f64::INFINITY, f64::min);
    // At this size, all but 1/33 of the capital is at stake.
    let most = hopes.iter().map(|hope| 32.0 / hope.against).fold(least, f64::max);
    let doublings = (most / least).log2();
    if sizes.is_empty() || !doublings.is_finite() {
        return sizes;
    }
    let steps = (doublings.ceil() as usize).clamp(1, MOST_SIZES - 1);
    let ratio = (doublings / steps as f64).exp2();
    sizes.extend((1..=steps).map(|step| least * ratio.powi(step as i32)));
    sizes
}

/// Bets on the mean of the numbers that executions return.
#[derive(Clone, Debug)]
pub(super) struct MeanJudge {
    claim: claim::Mean,
    bets: Bets,
    /// The sum of the numbers, on the scale from 0 to 1.
    sum: f64,
    extremes: Option<(Extreme, Extreme)>,
}

impl MeanJudge {
    pub(super) fn new(plan: &Plan, claim: claim::Mean) -> Self {
        let bets = Bets::new(plan, |side| Finding::Mean { direction: Direction::of(side) });
        MeanJudge { claim, bets, sum: 0.0, extremes: None }
    }

    /// The observed mean. An execution that violated returned nothing.
    fn share(&self, counts: &Counts) -> f64 {
        self.sum / counts.passed.max(1) as f64
    }
}

impl Judge for MeanJudge {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        let value = match seen {
            Observation::Number(Number(value)) => value,
            Observation::Violated(violation) => return Some(violated(index, violation, counts)),
            _ => return inconclusive(Reason::Nothing { index }),
        };
        let (low, high) = self.claim.between;
        if !(low..=high).contains(&value) {
            return inconclusive(Reason::Outside { index, value });
        }
        let share = self.claim.scaled(value);
        self.sum += share;
        self.bets.add(share);
        let here = Extreme { index, value };
        let (least, largest) = self.extremes.get_or_insert((here, here));
        if value < least.value {
            *least = here;
        }
        if value > largest.value {
            *largest = here;
        }
        counts.pass();
        self.bets.is_due(counts).then(|| self.cut(counts))?
    }

    fn end(&mut self, counts: &Counts) -> Verdict {
        let mean = self.share(counts);
        self.bets.end(counts, |_| mean)
    }

    fn cut(&mut self, counts: &Counts) -> Option<Verdict> {
        self.bets.look(counts)
    }

    fn observed(&mut self, counts: &Counts) -> Observed {
        let [up, down] = &self.bets.tables[0];
        let (low, high) = (up.lowest(ONE_SIDE), 1.0 - down.lowest(ONE_SIDE));
        Observed::Numbers {
            mean: self.claim.unscaled(self.share(counts)),
            interval: (self.claim.unscaled(low), self.claim.unscaled(high)),
            extremes: self.extremes,
        }
    }
}

/// Bets on how often each label is returned.
#[derive(Clone, Debug)]
pub(super) struct FitJudge {
    claim: claim::Fit,
    bets: Bets,
    /// How often each label was seen; all others last, if there is room for them.
    seen: Vec<u64>,
}

impl FitJudge {
    pub(super) fn new(plan: &Plan, claim: claim::Fit) -> Self {
        let finding = |side: &ScaledBound| {
            let (label, direction) = (side.of, Direction::of(side));
            Finding::Label { label, direction }
        };
        FitJudge { bets: Bets::new(plan, finding), seen: vec![0; claim.shares().count()], claim }
    }

    fn settle(&mut self, executed: u64) {
        for ([up, down], ones) in self.bets.tables.iter_mut().zip(&self.seen) {
            up.set(*ones, executed);
            down.set(executed - ones, executed);
        }
    }
}

impl Judge for FitJudge {
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
            _ => return inconclusive(Reason::Nothing { index }),
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
        self.bets.is_due(counts).then(|| self.cut(counts))?
    }

    fn end(&mut self, counts: &Counts) -> Verdict {
        self.settle(counts.executed);
        let returned = counts.passed.max(1) as f64;
        let seen = &self.seen;
        self.bets.end(counts, |of| seen[of] as f64 / returned)
    }

    fn cut(&mut self, counts: &Counts) -> Option<Verdict> {
        self.settle(counts.executed);
        self.bets.look(counts)
    }

    fn observed(&mut self, _counts: &Counts) -> Observed {
        Observed::Labels(self.seen.clone())
    }
}
