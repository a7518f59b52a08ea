//! Which boundaries keep both errors at the least cost, and how many violations and executions to
//! allow at most?
//!
//! # A large plan from a small one
//!
//! If the two rates are close, a plan allows thousands of violations, and computing its errors once
//! takes milliseconds. Measured in the logarithm of the likelihood ratio, the best boundaries
//! hardly depend on how close the rates are. So they are searched for with rates further apart,
//! where that is cheap, and only the last moves are made for the claim itself, with its own exact
//! errors.

use super::walk::{Boundaries, Shape, WalkState, walk};
use crate::math::binomial::{PreciseRate, at_most, more_than};
use crate::math::search::first;

/// How many executions a test needs if it looks only once, at the end, and the most violations with
/// which it still passes.
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
    pub(super) tolerate: PreciseRate,
    pub(super) p: PreciseRate,
    pub(super) epsilon: f64,
    pub(super) false_alarm: f64,
}

/// Why there is no fixed plan within what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoFixedPlan {
    Executions,
    Violations,
}

/// Errors within this fraction of their bound are ties, which floats can't settle: they don't count
/// as below.
const TIE: f64 = 1e-10;

impl Errors {
    /// The smallest fixed plan that allows at most `most_allowed` violations and
    /// has fewer than `most` executions.
    pub(super) fn fixed(&self, most_allowed: u64, most: u64) -> Result<FixedPlan, NoFixedPlan> {
        // Too many executions also end the search.
        let enough = |allowed| {
            self.least_executions(allowed, most).is_none_or(|executions| {
                let alarm = more_than(allowed, executions, self.tolerate);
                alarm <= self.false_alarm * (1.0 - TIE)
            })
        };
        // One by one while that is cheap, then by doubling.
        let allowed = match (0..64).find(|allowed| enough(*allowed)) {
            Some(allowed) => allowed,
            None => first(64, (64, most_allowed + 1), enough),
        };
        if allowed > most_allowed {
            return Err(NoFixedPlan::Violations);
        }
        let executions = self.least_executions(allowed, most);
        Ok(FixedPlan { executions: executions.ok_or(NoFixedPlan::Executions)?, allowed })
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

/// In plans with more violations than this, several share a look: this keeps the computation short,
/// and the plan grows by less than one percent.
const LOOKS: u64 = 128;
/// From this many violations on there are half as many looks, from twice as many a quarter, which
/// costs two percent more executions.
const VERY_MANY: u64 = 4096;
/// With more violations than this, a smaller claim is planned first.
const MANY: u64 = 256;
/// With more violations than this, a search with estimates comes first.
const EXACTLY: u64 = 24;
/// The most products for one step of a calibration, which has about a hundred steps: roughly a
/// second. Beyond that, the fixed plan is used.
const MOST_WORK: u64 = 12_000_000;
/// With this many products per step, a whole calibration takes less than 50 ms.
const MUCH_WORK: u64 = 600_000;
/// One execution moves an error by less than this fraction.
const FINE: f64 = 0.003;
/// How many times rarer one error must be for a longer plan.
const MUCH_RARER: f64 = 10.0;

impl Errors {
    /// The cheapest plan with at most 3/2 of the fixed plan's executions.
    pub(super) fn cheapest(&self, fixed: &FixedPlan) -> Option<Calibrated> {
        let n = fixed.executions;
        // For errors of similar size, 5/4 leaves enough room to stop early. If one is much rarer,
        // the fixed plan is long for its sake alone, and early stops for the other one need more.
        let apart = (self.epsilon / self.false_alarm).ln().abs();
        let most = if apart > MUCH_RARER.ln() { n + n / 2 } else { n + n / 4 };
        // The fixed plan, which is always valid, is the last resort.
        self.climb(most, fixed)
            .or_else(|| self.climb(n + n / 2, fixed))
            .or_else(|| self.climb(n, fixed))
            .or_else(|| self.at_the_end(fixed))
    }

    /// The fixed plan itself, except that it fails as soon as it must.
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

    /// The cheapest plan with at most `most` executions: tries one number of allowed violations
    /// after the other, downhill.
    fn climb(&self, most: u64, fixed: &FixedPlan) -> Option<Calibrated> {
        let (low, high) = self.range(most, fixed.allowed)?;
        let begin = (fixed.allowed as f64 * most as f64 / fixed.executions as f64) as u64;
        let begin = begin.clamp(low, high);
        // Close to a rate of 1, the executions that pass are the rare ones.
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
        // If a single execution moves an error by much, only a search among the plans of the claim
        // itself finds the cheapest.
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
        let calibrate = |allowed| self.calibrate(&Shape { allowed, ..shape }, &mut last);
        downhill(begin, (low, high), calibrate).map(|(_, found)| found)
    }

    /// A plan with many violations, derived from the cheapest one for a similar smaller claim.
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
            // As many looks as the large plan has.
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

    /// The numbers of violations for which a test of `most` executions that looks only at the end
    /// keeps both errors; early stops only add to the errors.
    fn range(&self, most: u64, near: u64) -> Option<(u64, u64)> {
        let quiet = |allowed| more_than(allowed, most, self.tolerate) <= self.false_alarm;
        let caught = |allowed| at_most(allowed, most, self.p) <= self.epsilon;
        let top = most - 1;
        let low = first(near, (0, top), quiet);
        // The highest number that is caught: one before the first that isn't.
        let high = first(low, (0, most), |allowed| !caught(allowed)).checked_sub(1)?;
        (low <= high && quiet(low)).then_some((low, high))
    }
}

/// Moves from `here` to the cheaper neighbour, in steps that get smaller.
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

/// Boundaries that keep both errors, and their cost.
#[derive(Clone, Debug)]
pub(super) struct Calibrated {
    pub(super) boundaries: Boundaries,
    pub(super) false_alarm: f64,
    pub(super) miss: f64,
    /// The weighted executions that count.
    cost: f64,
}

/// Where the two boundaries are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Places {
    /// The executions after which a program without a violation passes.
    fewest: i64,
    /// By how many executions failing is delayed.
    delay: i64,
}

impl Places {
    /// Moves both by the logarithms of the excesses, where one execution is worth `scale`.
    fn moved(self, [fewest, delay]: [f64; 2], scale: f64, shape: &Shape) -> Places {
        let most = shape.most as i64;
        let step = |log: f64| (log / scale).clamp(-9e15, 9e15).round() as i64;
        Places {
            fewest: (self.fewest + step(fewest)).clamp(1, most),
            delay: (self.delay + step(delay)).clamp(-most, shape.longest_delay()),
        }
    }
}

/// A calibration may end this close below the allowed error.
const CLOSE: f64 = 1e-4;
/// Moving one boundary slightly moves the other's error; this many rounds are enough.
const ROUNDS: usize = 12;

impl Errors {
    /// How far below the largest chance another one still counts.
    pub(super) fn cut(&self) -> f64 {
        self.epsilon.min(self.false_alarm) * 1e-16
    }

    /// How much one violation adds to the logarithm of the likelihood ratio.
    fn weight(&self) -> f64 {
        (self.p.of / self.tolerate.of).ln() + (self.tolerate.rest / self.p.rest).ln()
    }

    /// Executions per violation for which the likelihood ratio stays constant.
    fn spacing(&self) -> f64 {
        let between = (self.p.of - self.tolerate.of) / self.p.rest;
        self.weight() / between.ln_1p()
    }

    /// Approximately the boundaries of a test without a cap: Wald's formulas.
    fn without_a_cap(&self, most: u64) -> Places {
        let each = self.spacing() / self.weight();
        let place = |log: f64| ((log * each) as i64).clamp(1, most as i64);
        Places {
            fewest: place(((1.0 - self.false_alarm) / self.epsilon).ln()),
            delay: place(((1.0 - self.epsilon) / self.false_alarm).ln()),
        }
    }

    /// How many products one step of a calibration takes.
    fn work(&self, shape: &Shape) -> u64 {
        let places = self.without_a_cap(shape.most);
        let at = |rate| self.walked(shape, places, rate).work;
        at(self.tolerate) + at(self.p)
    }

    /// Moves both boundaries as close together as the errors allow, or finds that this shape can't
    /// keep them. `last` is where they were for a neighbouring shape.
    fn calibrate(&self, shape: &Shape, last: &mut Places) -> Option<Calibrated> {
        let most = shape.most as i64;
        let scale = self.weight() / shape.spacing;
        let mut here = *last;
        for _ in 0..ROUNDS {
            let before = here;
            here.fewest = least((0, most), here.fewest, scale, |fewest| {
                self.missed(shape, Places { fewest, ..here })
            })?;
            here.delay = least((-most, shape.longest_delay()), here.delay, scale, |delay| {
                self.alarmed(shape, Places { delay, ..here })
            })?;
            if here == before {
                break;
            }
        }
        // The last move of one boundary may have spoiled the other slightly.
        if self.missed(shape, here) > 1.0 {
            here.fewest = least((here.fewest, most), here.fewest + 1, scale, |fewest| {
                self.missed(shape, Places { fewest, ..here })
            })?;
        }
        *last = here;
        self.kept(self.found(shape, here))
    }

    /// The result, if it keeps both errors.
    fn kept(&self, found: Calibrated) -> Option<Calibrated> {
        (found.false_alarm <= self.false_alarm && found.miss <= self.epsilon).then_some(found)
    }

    /// An approximate version: both errors may be off by one percent. Both boundaries move at once,
    /// which takes a third of the walks.
    fn estimate(&self, shape: &Shape, last: &mut Places) -> Option<Calibrated> {
        let scale = self.weight() / shape.spacing;
        let near = 0.01f64.max(scale);
        let mut here = *last;
        for _ in 0..ROUNDS {
            let missed = self.missed(shape, here).max(f64::MIN_POSITIVE).ln();
            let alarmed = self.alarmed(shape, here).max(f64::MIN_POSITIVE).ln();
            if missed.abs() < near && alarmed.abs() < near {
                *last = here;
                return Some(self.found(shape, here));
            }
            here = here.moved([missed, alarmed], scale, shape);
        }
        None
    }

    /// By what factor a program at the rate `p` passes too often.
    fn missed(&self, shape: &Shape, places: Places) -> f64 {
        self.walked(shape, places, self.p).passed_at_most() / self.epsilon
    }

    /// By what factor a program at the tolerated rate fails too often.
    fn alarmed(&self, shape: &Shape, places: Places) -> f64 {
        self.walked(shape, places, self.tolerate).failed_at_most() / self.false_alarm
    }

    fn walked(&self, shape: &Shape, places: Places, rate: PreciseRate) -> WalkState {
        let boundaries = shape.boundaries(places.fewest as u64, places.delay);
        walk(&boundaries, rate, shape.most, self.cut())
    }

    fn found(&self, shape: &Shape, places: Places) -> Calibrated {
        let boundaries = shape.boundaries(places.fewest as u64, places.delay);
        let [at_tolerate, at_p] =
            [self.tolerate, self.p].map(|rate| walk(&boundaries, rate, shape.most, self.cut()));
        // Good programs are tested every day and bad ones only now and then, so executions of good
        // ones count in full: of a perfect program, and of one at `tolerate`.
        let good = boundaries.pass[0] as f64 + at_tolerate.expected_executions(self.tolerate);
        let bad = at_p.expected_executions(self.p);
        Calibrated {
            boundaries,
            false_alarm: at_tolerate.failed_at_most(),
            miss: at_p.passed_at_most(),
            cost: good + bad / 4.0,
        }
    }
}

/// The smallest number above `bad`, at most `high`, at which `excess` is at most 1. The excess
/// falls roughly by the factor `e` for each `1 / scale`.
fn least(
    (mut bad, high): (i64, i64),
    start: i64,
    scale: f64,
    mut excess: impl FnMut(i64) -> f64,
) -> Option<i64> {
    let mut good = high + 1;
    let mut here = start.clamp(bad + 1, high.max(bad + 1));
    for round in 0.. {
        if here > high {
            return None;
        }
        let found = excess(here);
        if found <= 1.0 {
            good = here;
        } else {
            bad = here;
        }
        let near = found <= 1.0 && found > 1.0 - CLOSE;
        if near || good - bad <= 1 {
            break;
        }
        let step = (found.max(f64::MIN_POSITIVE).ln() / scale).clamp(-9e15, 9e15);
        // If chances are coarse, the rule is a poor guide: halve instead.
        here = if round < 5 {
            (here + step.ceil() as i64).clamp(bad + 1, good - 1)
        } else {
            bad + (good - bad) / 2
        };
    }
    (good <= high).then_some(good)
}

/// The fixed plan of the small claim allows about this many violations.
const SMALL: u64 = 128;
/// Rare enough for violations to occur one at a time.
const RARE: f64 = 1e-6;
/// How far below its limit the logarithm of an error may end; the aim is a quarter of that. This
/// costs less than one execution in a thousand.
const SETTLED: f64 = 6e-3;
/// The most moves; two or three are usual.
const MOVES: usize = 8;

impl Errors {
    /// A claim with the same errors about rates that are further apart.
    fn alike(&self, fixed: &FixedPlan) -> Option<(Errors, FixedPlan)> {
        let weight = self.weight() * (fixed.allowed as f64 / SMALL as f64).sqrt();
        let small = Errors {
            tolerate: PreciseRate::new(RARE * (-weight).exp()),
            p: PreciseRate::new(RARE),
            ..*self
        };
        let fixed = small.fixed(4 * SMALL, 1 << 53).ok()?;
        Some((small, fixed))
    }

    /// Translates a shape and places to another claim: the same in units of the logarithm of the
    /// likelihood ratio.
    fn translate(
        &self,
        (other, shape, places): (&Errors, &Shape, Places),
        own: &Shape,
    ) -> (u64, Places) {
        let over = shape.allowed as f64 - shape.most as f64 / shape.spacing;
        let allowed = own.most as f64 / own.spacing + over * other.weight() / self.weight();
        let longer = (other.weight() / shape.spacing) / (self.weight() / own.spacing);
        let place = |executions: i64| (executions as f64 * longer) as i64;
        let places = Places {
            fewest: place(places.fewest).clamp(1, own.most as i64),
            delay: place(places.delay),
        };
        (allowed.round().max(0.0) as u64, places)
    }

    /// Moves both boundaries at once until both errors are kept, and closely.
    fn settle(&self, shape: &Shape, last: &mut Places, slope: &mut Slope) -> Option<Calibrated> {
        let scale = self.weight() / shape.spacing;
        let close = SETTLED.max(1.5 * scale);
        let over = |found: f64, promised: f64| (found / promised).max(f64::MIN_POSITIVE).ln();
        let mut before: Option<([f64; 2], [f64; 2])> = None;
        for _ in 0..MOVES {
            let found = self.found(shape, *last);
            let excess =
                [over(found.miss, self.epsilon), over(found.false_alarm, self.false_alarm)];
            if excess.iter().all(|log| -close < *log && *log <= 0.0) {
                return self.kept(found);
            }
            if let Some((step, old)) = before {
                slope.learn(step, [excess[0] - old[0], excess[1] - old[1]]);
            }
            let step = slope.step(excess.map(|log| log + close / 4.0));
            let next = last.moved(step, scale, shape);
            let step = [
                (next.fewest - last.fewest) as f64 * scale,
                (next.delay - last.delay) as f64 * scale,
            ];
            before = Some((step, excess));
            *last = next;
        }
        None
    }
}

/// How far to move the two boundaries for given excesses of the two errors, all in logarithms.
/// Learned from move to move by Broyden's rule, and the same for similar claims.
#[derive(Clone, Copy, Debug)]
struct Slope([[f64; 2]; 2]);

impl Slope {
    /// Each boundary controls its own error, as without a cap.
    fn new() -> Self {
        Slope([[1.0, 0.0], [0.0, 1.0]])
    }

    fn step(&self, excess: [f64; 2]) -> [f64; 2] {
        self.0.map(|row| (row[0] * excess[0] + row[1] * excess[1]).clamp(-4.0, 4.0))
    }

    /// Learns that a step changed the excesses by this much.
    fn learn(&mut self, step: [f64; 2], change: [f64; 2]) {
        // The rule requires the excess to fall by what the step was made for.
        let made_for = self.step(change.map(|change| -change));
        let along = step[0] * made_for[0] + step[1] * made_for[1];
        let long = step[0] * step[0] + step[1] * step[1];
        // A step that changed nothing, or in the wrong direction, teaches nothing.
        if along.is_nan() || along < 0.1 * long || long == 0.0 {
            return;
        }
        let turned = [0, 1].map(|column| step[0] * self.0[0][column] + step[1] * self.0[1][column]);
        for row in 0..2 {
            for (entry, turned) in self.0[row].iter_mut().zip(turned) {
                *entry += (step[row] - made_for[row]) * turned / along;
            }
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
            let errors = Errors {
                tolerate: PreciseRate::new(tolerate),
                p: PreciseRate::new(p),
                epsilon,
                false_alarm,
            };
            let plan = FixedPlan { executions, allowed };
            assert_eq!(errors.fixed(10_000, 1 << 53), Ok(plan));
        }
    }

    #[test]
    fn the_least_number_is_found_in_few_looks() {
        let mut looks = 0;
        let found = least((0, 1_000_000), 10, 0.001, |x| {
            looks += 1;
            (-0.001 * (x as f64 - 4321.5)).exp()
        });
        assert_eq!(found, Some(4322));
        assert!(looks <= 6, "{looks}");
    }

    #[test]
    fn a_rule_that_does_not_hold_still_ends_at_the_least_number() {
        for wanted in [1, 2, 17, 999, 1000] {
            let found = least((0, 1000), 500, 3.0, |x| if x >= wanted { 0.5 } else { 2.0 });
            assert_eq!(found, Some(wanted));
        }
        assert_eq!(least((0, 1000), 500, 3.0, |_| 2.0), None);
        assert_eq!(least((5, 5), 6, 3.0, |_| 0.0), None);
    }

    #[test]
    fn a_slope_learns_how_two_errors_hang_together() {
        // Errors that fall by [[1, 0.3], [0.2, 0.8]] per unit step.
        let excess = |at: [f64; 2]| [0.7 - at[0] - 0.3 * at[1], -0.4 - 0.2 * at[0] - 0.8 * at[1]];
        let mut slope = Slope::new();
        let mut at = [0.0, 0.0];
        for _ in 0..5 {
            let before = excess(at);
            let step = slope.step(before);
            at = [at[0] + step[0], at[1] + step[1]];
            let after = excess(at);
            slope.learn(step, [after[0] - before[0], after[1] - before[1]]);
        }
        let left = excess(at);
        assert!(left.iter().all(|left| left.abs() < 1e-6), "{left:?}");
    }

    #[test]
    fn a_step_that_changed_nothing_teaches_nothing() {
        for (step, change) in [
            ([0.0, 0.0], [0.0, 0.0]),
            ([1.0, 0.0], [0.0, 0.0]),
            ([1.0, 0.0], [5.0, 0.0]),
            ([1.0, 0.0], [f64::NAN, 0.0]),
        ] {
            let mut slope = Slope::new();
            slope.learn(step, change);
            assert_eq!(slope.0, Slope::new().0);
        }
    }

    #[test]
    fn a_claim_alike_has_the_same_errors_and_few_violations() {
        let claim = Errors {
            tolerate: PreciseRate::new(0.00095),
            p: PreciseRate::new(0.001),
            epsilon: 0.05,
            false_alarm: 1e-6,
        };
        let fixed = claim.fixed(20_000, 1 << 53).unwrap();
        let (small, small_fixed) = claim.alike(&fixed).unwrap();
        assert_eq!((small.epsilon, small.false_alarm), (0.05, 1e-6));
        assert!(small_fixed.allowed.abs_diff(SMALL) < SMALL / 3, "{small_fixed:?}");
    }
}
