//! The bets that decide a claim on what executions return, whatever that is.
//!
//! Each bound of the claim is bet against from both sides; the first bet that has won
//! enough decides.

use super::Counts;
use super::stakes::{Stake, Table, lay};
use crate::plan::{Betting, Plan, Side};

/// Looks after every execution up to this many, later after one in this many.
const LOOK_AT_EACH: u64 = 256;

/// What a look at all bets has shown.
pub(super) enum Decided {
    /// Every bad mean is ruled out.
    Passed,
    /// Every good mean on this side is ruled out.
    Missed(Side),
}

#[derive(Clone, Debug)]
pub(super) struct Bets {
    plan: Betting,
    pub(super) tables: Vec<Table>,
    stakes: Vec<Stake>,
    next_look: u64,
}

impl Bets {
    pub(super) fn new(plan: &Plan) -> Self {
        let plan = plan.betting().expect("such a claim is planned by bets");
        let (tables, stakes) = lay(plan);
        Bets { plan: plan.clone(), tables, stakes, next_look: 1 }
    }

    pub(super) fn is_due(&self, counts: &Counts) -> bool {
        counts.executed >= self.next_look && counts.executed < counts.planned
    }

    /// The means that fit, from the lowest to the highest, where the claim has one upper bound: each
    /// end is wrong as often as the verdict on its side.
    pub(super) fn interval(&self) -> (f64, f64) {
        let logs = (self.plan.fail_log(), self.plan.pass_log());
        let stake = self.stakes.first();
        stake.map_or((0.0, 1.0), |stake| stake.interval(&self.tables[0], logs))
    }

    /// Looks at all bets.
    pub(super) fn look(&mut self, counts: &Counts) -> Option<Decided> {
        self.next_look = counts.executed + (counts.executed / LOOK_AT_EACH).max(1);
        // The bet that has won most names the side.
        let mut missed: Option<(f64, Side)> = None;
        for stake in &mut self.stakes {
            let table = &self.tables[stake.side.of];
            let won = stake.won_for_failing(table);
            if won >= self.plan.fail_log() && missed.is_none_or(|(most, _)| won > most) {
                missed = Some((won, stake.side));
            }
            stake.ruled_out |= stake.won_for_passing(table) >= self.plan.pass_log();
        }
        match missed {
            Some((_, side)) => Some(Decided::Missed(side)),
            None if self.stakes.iter().all(|stake| stake.ruled_out) => Some(Decided::Passed),
            None => None,
        }
    }

    /// Decides after the last planned execution: one bet of each side has won by then, but
    /// for rounding. `mean` tells an observed mean, on the scale from 0 to 1.
    pub(super) fn end(&mut self, counts: &Counts, mean: impl Fn(usize) -> f64) -> Decided {
        if let Some(decided) = self.look(counts) {
            return decided;
        }
        let mut sides = self.stakes.iter().map(|stake| stake.side);
        let above = sides.find(|side| {
            let mean = mean(side.of);
            let mean = if side.mirrored { 1.0 - mean } else { mean };
            mean >= side.split
        });
        above.map_or(Decided::Passed, Decided::Missed)
    }
}
