//! How many violations and how many executions to allow at most.

use super::calibrate::{Calibrated, Places, SMALL, Slope};
use super::walk::Shape;
use crate::math::binomial::{Rate, at_most, more_than};
use crate::math::search::first;

/// Says how many executions a test needs that looks only once, at the end, and
/// with how many violations it still passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedPlan {
    /// The executions.
    pub executions: u64,
    /// The most violations with which it passes.
    pub allowed: u64,
}

/// The two rates and the two errors of a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Errors {
    pub(super) tolerate: Rate,
    pub(super) p: Rate,
    pub(super) epsilon: f64,
    pub(super) false_alarm: f64,
}

/// Why there is no fixed plan within what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beyond {
    Executions,
    Violations,
}

/// What is not below its bound by this part is a tie, which floats cannot
/// settle: it does not count as below.
const TIE: f64 = 1e-10;

impl Errors {
    /// The smallest fixed plan that allows at most `most_allowed` violations and
    /// has fewer than `most` executions.
    pub(super) fn fixed(&self, most_allowed: u64, most: u64) -> Result<FixedPlan, Beyond> {
        // One that takes too many executions ends the search as one that is enough.
        let enough = |allowed| {
            self.least_executions(allowed, most).is_none_or(|executions| {
                let alarm = more_than(allowed, executions, self.tolerate);
                alarm <= self.false_alarm * (1.0 - TIE)
            })
        };
        // One by one where it is cheap, then by doubling.
        let allowed = match (0..64).find(|allowed| enough(*allowed)) {
            Some(allowed) => allowed,
            None => first(64, (64, most_allowed + 1), enough),
        };
        if allowed > most_allowed {
            return Err(Beyond::Violations);
        }
        let executions = self.least_executions(allowed, most);
        Ok(FixedPlan { executions: executions.ok_or(Beyond::Executions)?, allowed })
    }

    /// The fewest executions of which at most `allowed` violate at the rate `p`
    /// with probability `epsilon` or less.
    fn least_executions(&self, allowed: u64, most: u64) -> Option<u64> {
        let caught =
            |executions| at_most(allowed, executions, self.p) <= self.epsilon * (1.0 - TIE);
        let found = first(allowed + 1, (allowed + 1, most), caught);
        (found < most).then_some(found)
    }
}

/// With more violations than this in a plan, several share a look: the
/// computation stays short and the plan grows by less than one part in a
/// hundred.
const LOOKS: u64 = 128;
/// With this many violations there are half of those looks, with twice as many a
/// quarter, which costs two executions in a hundred.
const VERY_MANY: u64 = 4096;
/// With more violations than this a smaller claim is planned first.
const MANY: u64 = 256;
/// With more violations than this a search by estimates comes first.
const EXACTLY: u64 = 24;
/// The most products for one step of a calibration, of which there are about a
/// hundred: a second or so. Beyond it the fixed plan is taken.
const MOST_WORK: u64 = 12_000_000;
/// The products for one step with which a whole calibration stays below 50 ms.
const MUCH_WORK: u64 = 600_000;
/// One execution moves an error by less than this part.
const FINE: f64 = 0.003;
/// How many times rarer one error must be for a longer plan.
const MUCH_RARER: f64 = 10.0;

impl Errors {
    /// The cheapest plan of at most 3/2 the fixed one.
    pub(super) fn cheapest(&self, fixed: &FixedPlan) -> Option<Calibrated> {
        let n = fixed.executions;
        // For errors of one size, 5/4 leaves room enough to stop early. Where one
        // is much rarer, the fixed plan is long for its sake alone, and the early
        // stops for the other one need more.
        let apart = (self.epsilon / self.false_alarm).ln().abs();
        let most = if apart > MUCH_RARER.ln() { n + n / 2 } else { n + n / 4 };
        // The fixed plan, which always holds, is the last resort.
        let found = self.climb(most, fixed);
        found
            .or_else(|| self.climb(n + n / 2, fixed))
            .or_else(|| self.climb(n, fixed))
            .or_else(|| self.at_the_end(fixed))
    }

    /// The fixed plan itself, but that it fails as soon as it must.
    fn at_the_end(&self, fixed: &FixedPlan) -> Option<Calibrated> {
        let shape = Shape {
            spacing: self.spacing(),
            group: fixed.allowed + 1,
            most: fixed.executions,
            allowed: fixed.allowed,
        };
        let places = Places { fewest: fixed.executions as i64, delay: shape.longest_delay() };
        self.kept(self.found(&shape, places))
    }

    /// The cheapest plan of at most `most` executions: one number of allowed
    /// violations after the other, downhill.
    fn climb(&self, most: u64, fixed: &FixedPlan) -> Option<Calibrated> {
        let (low, high) = self.range(most, fixed.allowed)?;
        let begin = (fixed.allowed as f64 * most as f64 / fixed.executions as f64) as u64;
        let begin = begin.clamp(low, high);
        // Next to a rate of 1 the executions that pass are the few.
        let many = fixed.allowed as f64 * self.p.rest;
        let looks = match many as u64 / VERY_MANY {
            0 => LOOKS,
            1 => LOOKS / 2,
            _ => LOOKS / 4,
        };
        let shape = Shape {
            spacing: self.spacing(),
            group: (fixed.allowed / looks + 1).min(most),
            most,
            allowed: begin,
        };
        let work = self.work(&shape);
        // Where one execution more or less moves an error by much, only a search
        // among the plans of the claim itself finds the cheapest.
        let fine = self.weight() / shape.spacing < FINE;
        if begin > MANY
            && (fine || work > MUCH_WORK)
            && let Some(found) = self.enlarged(&shape, (low, high), fixed)
        {
            return Some(found);
        }
        if work > MOST_WORK {
            return None;
        }
        let mut last = self.without_a_cap(most);
        if begin > EXACTLY {
            let mut near = last;
            let estimated = downhill(begin, (low, high), |allowed| {
                self.estimate(&Shape { allowed, ..shape }, &mut near)
            });
            if let Some((allowed, _)) = estimated
                && let Some(found) = self.calibrate(&Shape { allowed, ..shape }, &mut near)
            {
                return Some(found);
            }
        }
        let found = downhill(begin, (low, high), |allowed| {
            self.calibrate(&Shape { allowed, ..shape }, &mut last)
        });
        found.map(|(_, found)| found)
    }

    /// A plan of many violations, from the cheapest one for a smaller claim alike.
    fn enlarged(
        &self,
        shape: &Shape,
        (low, high): (u64, u64),
        fixed: &FixedPlan,
    ) -> Option<Calibrated> {
        let (small, small_fixed) = self.alike(fixed)?;
        let mut slope = Slope::new();
        let longer = shape.most as f64 / fixed.executions as f64;
        let most = (small_fixed.executions as f64 * longer) as u64;
        let range = small.range(most, small_fixed.allowed)?;
        let begin = (small_fixed.allowed as f64 * longer) as u64;
        let small_shape = Shape {
            spacing: small.spacing(),
            // As many looks as the large one has.
            group: ((SMALL * shape.group + fixed.allowed / 2) / fixed.allowed).max(1),
            most,
            allowed: begin.clamp(range.0, range.1),
        };
        let mut near = small.without_a_cap(most);
        let (allowed, _) = downhill(small_shape.allowed, range, |allowed| {
            small.estimate(&Shape { allowed, ..small_shape }, &mut near)
        })?;
        let small_shape = Shape { allowed, ..small_shape };
        small.settle(&small_shape, &mut near, &mut slope)?;
        let (allowed, mut places) = self.translate((&small, &small_shape, near), shape);
        let shape = Shape { allowed: allowed.clamp(low, high), ..*shape };
        self.settle(&shape, &mut places, &mut slope).or_else(|| self.calibrate(&shape, &mut places))
    }

    /// The numbers of violations with which a test of `most` executions that
    /// looks only at the end keeps both errors; early stops only add to them.
    fn range(&self, most: u64, near: u64) -> Option<(u64, u64)> {
        let quiet = |allowed| more_than(allowed, most, self.tolerate) <= self.false_alarm;
        let caught = |allowed| at_most(allowed, most, self.p) <= self.epsilon;
        let top = most - 1;
        let low = first(near, (0, top), quiet);
        // The highest that is caught: one before the first that is not.
        let high = first(low, (0, most), |allowed| !caught(allowed)).checked_sub(1)?;
        (low <= high && quiet(low)).then_some((low, high))
    }
}

/// Goes from `here` to the cheaper neighbour, in steps that get smaller.
fn downhill(
    mut here: u64,
    (low, high): (u64, u64),
    mut find: impl FnMut(u64) -> Option<Calibrated>,
) -> Option<(u64, Calibrated)> {
    let cost = |found: &Option<Calibrated>| found.as_ref().map_or(f64::INFINITY, |f| f.cost);
    let mut tried = vec![here];
    let mut best = find(here);
    let mut step = (here / 8).max(1);
    let finest = (here / 64).max(1);
    loop {
        let mut moved = false;
        for next in [here.saturating_sub(step).max(low), (here + step).min(high)] {
            if tried.contains(&next) {
                continue;
            }
            tried.push(next);
            let found = find(next);
            if cost(&found) < cost(&best) {
                (here, best, moved) = (next, found, true);
                break;
            }
        }
        if !moved && step == finest {
            return best.map(|best| (here, best));
        }
        if !moved {
            step = (step / 2).max(finest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_plans_are_the_known_ones() {
        for (tolerate, p, false_alarm, epsilon, executions, allowed) in [
            (0.005, 0.01, 0.05, 0.05, 3137, 22),
            (0.001, 0.01, 0.05, 0.05, 628, 2),
            (0.05, 0.1, 0.01, 0.01, 589, 42),
            (1e-4, 1e-3, 0.05, 0.05, 6294, 2),
        ] {
            let errors =
                Errors { tolerate: Rate::new(tolerate), p: Rate::new(p), epsilon, false_alarm };
            let plan = FixedPlan { executions, allowed };
            assert_eq!(errors.fixed(10_000, 1 << 53), Ok(plan));
        }
    }
}
