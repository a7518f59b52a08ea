//! The bets on both sides of each bound.

use crate::judge::confidence::{Bank, Bet};
use crate::plan::{Betting, Side};

/// The most sizes of bets on one mean.
const MOST_SIZES: usize = 24;

/// The bets on one mean: that it is higher, and that it is lower.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) up: Bank,
    pub(super) down: Bank,
}

/// The two bets on one side, and whether its bad means are ruled out.
#[derive(Clone, Debug)]
pub(super) struct Stake {
    pub(super) side: Side,
    against_good: Bet,
    against_bad: Bet,
    pub(super) ruled_out: bool,
}

/// What a bet is against, and the mean that it hopes for.
#[derive(Clone, Copy)]
struct Hope {
    against: f64,
    mean: f64,
}

impl Hope {
    /// The size of the bet that wins most where the mean is the hoped one.
    fn size(self) -> f64 {
        (self.mean - self.against) / (self.against * (1.0 - self.mean))
    }
}

/// On the scale of the side's direction: that good means are too low.
fn for_failing(side: &Side) -> Hope {
    Hope { against: side.good, mean: side.split }
}

/// On the opposite scale: that bad means are too high.
fn for_passing(side: &Side) -> Hope {
    Hope { against: 1.0 - side.bad, mean: 1.0 - side.split }
}

/// Lays the tables for all means of a plan, and the stakes of its sides.
pub(super) fn lay(plan: &Betting) -> (Vec<Table>, Vec<Stake>) {
    let last = plan.sides().iter().map(|side| side.of).max().unwrap_or(0);
    let mut tables = Vec::new();
    let mut stakes = Vec::new();
    for of in 0..=last {
        let sides: Vec<&Side> = plan.sides().iter().filter(|side| side.of == of).collect();
        let hopes = |upward: bool| -> Vec<Hope> {
            let on = |side: &&Side| match side.mirrored != upward {
                true => for_failing(side),
                false => for_passing(side),
            };
            sides.iter().map(on).collect()
        };
        let (up, down) = (hopes(true), hopes(false));
        let table = Table { up: Bank::new(sizes(&up)), down: Bank::new(sizes(&down)) };
        for (place, side) in sides.iter().enumerate() {
            let (own, other) = match side.mirrored {
                false => (&table.up, &table.down),
                true => (&table.down, &table.up),
            };
            stakes.push(Stake {
                side: **side,
                // The sizes begin with the favourites, in the order of the sides.
                against_good: Bet::new(own, for_failing(side).against, place, plan.division()),
                against_bad: Bet::new(other, for_passing(side).against, place, plan.division()),
                ruled_out: false,
            });
        }
        tables.push(table);
    }
    (tables, stakes)
}

/// The favourite of each hope, then larger ones, which win where numbers vary
/// little.
fn sizes(hopes: &[Hope]) -> Vec<f64> {
    let mut sizes: Vec<f64> = hopes.iter().map(|hope| hope.size()).collect();
    let least = sizes.iter().copied().fold(f64::INFINITY, f64::min);
    // Here all but 1/33 of the capital is at stake.
    let most = hopes.iter().map(|hope| 32.0 / hope.against);
    let most = most.fold(least, f64::max);
    let doublings = (most / least).log2();
    if sizes.is_empty() || !doublings.is_finite() {
        return sizes;
    }
    let steps = (doublings.ceil() as usize).clamp(1, MOST_SIZES - 1);
    let ratio = (doublings / steps as f64).exp2();
    sizes.extend((1..=steps).map(|step| least * ratio.powi(step as i32)));
    sizes
}

impl Stake {
    /// The lowest and the highest mean that the two bets have not won these logarithms against, on
    /// the scale of the side's direction.
    pub(super) fn interval(&self, table: &Table, (low, high): (f64, f64)) -> (f64, f64) {
        (
            table.up.lowest_by(&self.against_good, low),
            1.0 - table.down.lowest_by(&self.against_bad, high),
        )
    }

    /// The logarithm of what is won against the means that must pass.
    pub(super) fn won_for_failing(&self, table: &Table) -> f64 {
        let bank = match self.side.mirrored {
            false => &table.up,
            true => &table.down,
        };
        bank.log_capital(&self.against_good)
    }

    /// The logarithm of what is won against the means that must fail.
    pub(super) fn won_for_passing(&self, table: &Table) -> f64 {
        let bank = match self.side.mirrored {
            false => &table.down,
            true => &table.up,
        };
        bank.log_capital(&self.against_bad)
    }
}
