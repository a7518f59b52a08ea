//! How many executions decide a claim about numbers or labels?
//!
//! Everything is mapped to the scale from 0 to 1. Each bound of the claim is a [`ScaledBound`]:
//! means up to `good` must pass, means from `bad` on must fail. Both are tested by betting while
//! executions come in. A part of each stake is on the rate `split` between the two. By concavity of
//! the logarithm that bet wins at least as much as the same observed mean of zeros and ones, so one
//! of the two has won after `executions`, whatever the data.

use crate::claim::{Claim, ClaimKind, Error, Fit, Mean};
use crate::math::confidence::Division;
use crate::math::search::first_where;
use crate::math::special::deviance;

/// The most executions that can be planned: a double can count them all.
const MOST: f64 = 9_007_199_254_740_992.0;
/// A sum of floats this close to 1 counts as 1.
const NEARLY: f64 = 1e-9;
/// There is no bet against a label that never occurs, only against one that occurs at this fraction
/// of its probability. Catching that one catches both.
const ALL_BUT: f64 = 1e-3;

/// Half of a stake is on the split.
const ON_THE_SPLIT: Division = Division { favourite: 0.5, largest: 0.0 };
/// Most pairs of two versions don't differ, or all differ in the same direction: then the largest
/// bets win soonest. The split is for pairs that all differ, which is rare.
const ON_PAIRS: Division = Division { favourite: 0.125, largest: 0.375 };

/// One bound of a claim, on the scale from 0 to 1, written as an upper bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledBound {
    /// Which mean is bounded: 0 for a number, the position of the label for labels.
    pub of: usize,
    /// Whether 0 and 1 are swapped, because the bound is a lower one.
    pub mirrored: bool,
    /// The highest mean that must pass.
    pub good: f64,
    /// The lowest mean that must fail.
    pub bad: f64,
    /// The mean between the two at which both bets win equally fast.
    pub split: f64,
    /// The most executions it takes to decide between the two.
    pub executions: u64,
}

/// The bets that decide a claim about what executions return.
#[derive(Clone, Debug, PartialEq)]
pub struct Betting {
    sides: Vec<ScaledBound>,
    division: Division,
    /// The logarithm of what a bet against the claim must win for it to fail.
    fail_log: f64,
    /// The logarithm of what a bet against each side must win for it to pass.
    pass_log: f64,
    executions: u64,
}

impl Betting {
    /// Finds the number of executions after which the claim is decided.
    pub(super) fn new(claim: &Claim) -> Result<Betting, Error> {
        let (mut sides, chances, division) = match &claim.0 {
            ClaimKind::Mean { mean, chances } => (of_mean(mean), chances, ON_THE_SPLIT),
            ClaimKind::Fit { fit, chances } => (of_fit(fit), chances, ON_THE_SPLIT),
            ClaimKind::Compare { compare, chances } => {
                let side = ScaledBound::new(0, false, 0.5, compare.scaled(compare.change));
                (vec![side], chances, ON_PAIRS)
            }
            _ => unreachable!("nothing is returned that could be bet on"),
        };
        // A false alarm on any side counts as one; a pass needs all sides.
        let fail_log = (sides.len() as f64).ln() - chances.false_alarm.ln();
        let pass_log = -chances.epsilon.ln();
        let staked = -division.favourite.ln();
        for side in &mut sides {
            let apart = side.bad - side.good;
            side.settle(fail_log + staked, pass_log + staked).map_err(|needed| {
                let needs = match needed.is_finite() {
                    true => format!("about {needed:.3e} executions"),
                    false => "more executions than can be counted".into(),
                };
                let (epsilon, false_alarm) = (&chances.epsilon, &chances.false_alarm);
                Error::new(
                    format!("the claim needs {needs}, but a plan for a mean, for labels or for two versions holds at most 2^53"),
                    format!("a margin of {apart:.3e} of the whole range, epsilon = {epsilon}, false_alarm = {false_alarm}"),
                    "raise the margin, distance or change, epsilon or false_alarm",
                )
            })?;
        }
        let executions = sides.iter().map(|side| side.executions).max().unwrap_or(1);
        Ok(Betting { sides, division, fail_log, pass_log, executions })
    }

    /// The bounds of the claim.
    pub fn sides(&self) -> &[ScaledBound] {
        &self.sides
    }

    /// How each stake is divided among the sizes of its bets.
    pub(crate) fn division(&self) -> Division {
        self.division
    }

    /// How many executions are enough, whatever they return.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// The logarithm of what a bet against `good` must win for a failure.
    pub fn fail_log(&self) -> f64 {
        self.fail_log
    }

    /// The logarithm of what a bet against `bad` must win for a pass.
    pub fn pass_log(&self) -> f64 {
        self.pass_log
    }
}

impl ScaledBound {
    /// A side before it is settled.
    fn new(of: usize, mirrored: bool, good: f64, bad: f64) -> ScaledBound {
        ScaledBound { of, mirrored, good, bad, split: good, executions: 0 }
    }

    /// Finds what decides this side, given what the bets on the split must win. The error is the
    /// number of executions, if that is too large.
    fn settle(&mut self, fail_log: f64, pass_log: f64) -> Result<(), f64> {
        let until_fail = |split: f64| fail_log / deviance(split, 1.0, self.good);
        let until_pass = |split: f64| pass_log / deviance(split, 1.0, self.bad);
        let split =
            first_where(self.good, self.bad, |split| until_fail(split) <= until_pass(split));
        let executions = until_fail(split).max(until_pass(split)) * (1.0 + 1e-9);
        if executions.is_nan() || executions > MOST {
            return Err(executions);
        }
        (self.split, self.executions) = (split, executions.ceil() as u64);
        Ok(())
    }
}

fn of_mean(claim: &Mean) -> Vec<ScaledBound> {
    let scaled = |mean| claim.scaled(mean);
    let high = claim.wanted.high().map(|high| (false, scaled(high), scaled(high + claim.margin)));
    let low =
        (claim.wanted.low()).map(|low| (true, 1.0 - scaled(low), 1.0 - scaled(low - claim.margin)));
    let bounds = high.into_iter().chain(low);
    bounds.map(|(mirrored, good, bad)| ScaledBound::new(0, mirrored, good, bad)).collect()
}

fn of_fit(claim: &Fit) -> Vec<ScaledBound> {
    let mut sides = Vec::new();
    for (of, share) in claim.shares().enumerate() {
        for (mirrored, good) in [(false, share), (true, 1.0 - share)] {
            let bad = good + claim.distance();
            // Past 1, a label can't be off by this much in this direction. It can be off by exactly
            // what is left: a label that never occurs, or always.
            if bad <= 1.0 + NEARLY {
                sides.push(ScaledBound::new(
                    of,
                    mirrored,
                    good,
                    bad.min(1.0 - (1.0 - good) * ALL_BUT),
                ));
            }
        }
    }
    sides
}
