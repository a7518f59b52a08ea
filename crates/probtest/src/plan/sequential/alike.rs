//! A large plan from a small one.
//!
//! When two rates are close, a plan allows thousands of violations, and one
//! computation of its errors takes milliseconds. Measured in the logarithm of
//! the likelihood ratio, the best boundaries hardly depend on how close the rates
//! are. So they are sought for rates further apart, where that is cheap, and only
//! the last moves are made for the claim itself, by its own exact errors.

use super::boundaries::Shape;
use super::calibrate::{Calibrated, Places};
use super::fixed::{Errors, FixedPlan};
use super::jump::Rate;

/// About so many violations are allowed by the fixed plan of the small claim.
pub(super) const SMALL: u64 = 128;
/// Rare enough for violations to come one by one.
const RARE: f64 = 1e-6;
/// How far below what is allowed the logarithm of an error may end. A quarter of
/// that is aimed at. It costs less than one execution in a thousand.
const CLOSE: f64 = 6e-3;
/// Moves at most; two or three are usual.
const MOVES: usize = 8;

impl Errors {
    /// A claim with the same errors about rates that are further apart.
    pub(super) fn alike(&self, fixed: &FixedPlan) -> Option<(Errors, FixedPlan)> {
        let weight = self.weight() * (fixed.allowed as f64 / SMALL as f64).sqrt();
        let small = Errors {
            tolerate: Rate::new(RARE * (-weight).exp()),
            p: Rate::new(RARE),
            ..*self
        };
        let fixed = small.fixed(4 * SMALL, 1 << 53).ok()?;
        Some((small, fixed))
    }

    /// The shape and the places that are for this claim what others are for
    /// another one: the same in units of the logarithm of the likelihood ratio.
    pub(super) fn translate(
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
    pub(super) fn settle(
        &self,
        shape: &Shape,
        last: &mut Places,
        slope: &mut Slope,
    ) -> Option<Calibrated> {
        let most = shape.most as i64;
        let scale = self.weight() / shape.spacing;
        let close = CLOSE.max(1.5 * scale);
        let over = |found: f64, promised: f64| (found / promised).max(f64::MIN_POSITIVE).ln();
        let mut before: Option<([f64; 2], [f64; 2])> = None;
        for _ in 0..MOVES {
            let found = self.found(shape, *last);
            let excess = [
                over(found.miss, self.epsilon),
                over(found.false_alarm, self.false_alarm),
            ];
            if excess.iter().all(|log| -close < *log && *log <= 0.0) {
                return self.kept(found);
            }
            if let Some((step, old)) = before {
                slope.learn(step, [excess[0] - old[0], excess[1] - old[1]]);
            }
            let [fewest, delay] = slope.step(excess.map(|log| log + close / 4.0));
            let moved = |by: f64| (by / scale).clamp(-9e15, 9e15).round() as i64;
            let next = Places {
                fewest: (last.fewest + moved(fewest)).clamp(1, most),
                delay: (last.delay + moved(delay)).clamp(-most, shape.longest_delay()),
            };
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

/// How far to move the two boundaries for given excesses of the two errors, all
/// in logarithms. Learned from move to move by Broyden's rule; it is the same for
/// claims alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope([[f64; 2]; 2]);

impl Slope {
    /// Each boundary answers for its own error, as without a cap.
    pub(super) fn new() -> Self {
        Slope([[1.0, 0.0], [0.0, 1.0]])
    }

    fn step(&self, excess: [f64; 2]) -> [f64; 2] {
        self.0
            .map(|row| (row[0] * excess[0] + row[1] * excess[1]).clamp(-4.0, 4.0))
    }

    /// Takes into account that a step has changed the excesses by so much.
    fn learn(&mut self, step: [f64; 2], change: [f64; 2]) {
        // The rule wants the fall of the excess to be what the step was made for.
        let made_for = self.step(change.map(|change| -change));
        let along = step[0] * made_for[0] + step[1] * made_for[1];
        let long = step[0] * step[0] + step[1] * step[1];
        // A step that changed nothing, or the wrong way, teaches nothing.
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
    fn a_slope_learns_how_two_errors_hang_together() {
        // Errors that fall by [[1, 0.3], [0.2, 0.8]] for each unit of a step.
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
            tolerate: Rate::new(0.00095),
            p: Rate::new(0.001),
            epsilon: 0.05,
            false_alarm: 1e-6,
        };
        let fixed = claim.fixed(20_000, 1 << 53).unwrap();
        let (small, small_fixed) = claim.alike(&fixed).unwrap();
        assert_eq!((small.epsilon, small.false_alarm), (0.05, 1e-6));
        assert!(
            small_fixed.allowed.abs_diff(SMALL) < SMALL / 3,
            "{small_fixed:?}"
        );
    }
}
