//! Many outcomes: where does the tail pass epsilon, as far as floats can tell?
//!
//! Below one half the tail is compared with epsilon; above, what is seen with
//! what is left to 1, because the tail itself would hide both behind a 1.

use super::circle::{Circle, Read, Reading};
use super::spread::Spread;
use crate::claim::Probability;
use crate::math::real::Scaled;
use crate::math::search::first;
use crate::math::special::UNIT;
use crate::plan::detect::Side;

/// Epsilon as a float, and what is left to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) epsilon: f64,
    pub(super) rest: f64,
}

impl Goal {
    pub(super) fn new(epsilon: &Probability) -> Self {
        let (top, bottom) = epsilon.parts();
        Self { epsilon: epsilon.as_f64(), rest: Scaled::ratio(&(bottom - top), bottom).float() }
    }

    /// What is compared, and with how much.
    fn read(self) -> (Read, f64) {
        if self.epsilon <= 0.5 { (Read::Missed, self.epsilon) } else { (Read::Seen, self.rest) }
    }

    /// About where the product bound passes epsilon.
    pub(super) fn product_root(self, spread: &Spread, fewest: u64, upper: u64) -> u64 {
        // The logarithm of what is seen is concave in k: from the left Newton's method
        // never passes the root. For small tails the right end is almost there.
        let (read, goal) = self.read();
        let mut k = match read {
            Read::Missed => upper,
            Read::Seen => fewest,
        } as f64;
        for _ in 0..60 {
            let step = match read {
                Read::Missed => {
                    let bound = spread.product(k);
                    (bound.value.max(1e-300) / goal).ln() / bound.slope
                }
                Read::Seen => {
                    let (seen, rise) = spread.log_seen(k);
                    (goal.ln() - seen) / rise
                }
            };
            k = (k + step).clamp(fewest as f64, upper as f64);
            if step.is_nan() || step.abs() < 0.01 * k.sqrt() {
                break;
            }
        }
        (k as u64).clamp(fewest, upper)
    }
}

/// Looks for the count with the tail itself.
pub(super) struct Search<'a> {
    spread: &'a Spread,
    goal: Goal,
    circle: Option<Circle>,
}

impl<'a> Search<'a> {
    pub(super) fn new(spread: &'a Spread, goal: Goal) -> Self {
        Self { spread, goal, circle: None }
    }

    fn reading(&mut self, k: u64) -> Reading {
        match &self.circle {
            Some(circle) if circle.reaches(k) => circle.at(k),
            _ => {
                let (read, goal) = self.goal.read();
                let size = match read {
                    Read::Missed => self.spread.union(k as f64).value.clamp(1e-300, 1.0),
                    Read::Seen => goal,
                };
                let circle = Circle::new(self.spread, k, read, size);
                self.circle.insert(circle).at(k)
            }
        }
    }

    /// On which side of epsilon the tail at `k` lies.
    pub(super) fn side(&mut self, k: u64) -> Side {
        let reading = self.reading(k);
        let (read, goal) = self.goal.read();
        // Infinite where nothing can be seen, zero where all is: both compare rightly.
        let level = (goal.ln() - reading.log_unit).exp();
        let doubt = UNIT * (32.0 - 8.0 * goal.ln() + 8.0 * reading.log_unit.abs());
        let under = reading.value + reading.error < level * (1.0 - doubt);
        let over = reading.value - reading.error > level * (1.0 + doubt);
        match (read, under, over) {
            (Read::Missed, true, _) | (Read::Seen, _, true) => Side::Below,
            (Read::Missed, _, true) | (Read::Seen, true, _) => Side::NotBelow,
            _ => Side::Unknown,
        }
    }

    /// How far the count is from the goal, as a logarithm that is almost straight
    /// in k and positive where more executions are needed; and its error.
    fn apart(&mut self, k: u64) -> (f64, f64) {
        let reading = self.reading(k);
        let (read, goal) = self.goal.read();
        let value = reading.value.max(reading.error / 8.0).max(1e-300);
        let above = value.ln() + reading.log_unit - goal.ln();
        let here = match read {
            Read::Missed => above,
            Read::Seen => -above,
        };
        (here, reading.error / value)
    }

    /// The counts between which the smallest one lies: equal when it is known.
    pub(super) fn bracket(&mut self, fewest: u64, upper: u64) -> (u64, u64) {
        let start = self.goal.product_root(self.spread, fewest, upper);
        let k = self.approach(start, fewest, upper);
        // The union bound proves `upper`, and nothing below `fewest` is enough.
        let count = first(k, (fewest, upper), |k| self.side(k) == Side::Below);
        let lowest = first(count, (fewest, count), |k| self.side(k) != Side::NotBelow);
        (lowest, count)
    }

    /// A count next to the goal: the secant method between two bounds, begun with
    /// the slope of the product bound.
    fn approach(&mut self, start: u64, fewest: u64, upper: u64) -> u64 {
        let (mut low, mut high) = (fewest, upper);
        let mut k = start;
        let mut last: Option<(u64, f64)> = None;
        for _ in 0..40 {
            let (here, error) = self.apart(k);
            // Closer than this the sign of the distance is chance.
            if here.abs() <= error {
                break;
            }
            let slope = match (last, self.goal.read().0) {
                (Some((other, there)), _) if other != k && there != here => {
                    (there - here) / (k as f64 - other as f64)
                }
                (_, Read::Missed) => self.spread.product(k as f64).slope,
                (_, Read::Seen) => self.spread.log_seen(k as f64).1,
            };
            if here > 0.0 {
                low = k;
            } else {
                high = k;
            }
            let step = here / slope;
            if high - low <= 1 || step.abs() < 1.0 {
                break;
            }
            last = Some((k, here));
            let next = (k as f64 + step) as u64;
            let inside = !step.is_nan() && (low..=high).contains(&next) && next != k;
            k = if inside { next } else { low + (high - low) / 2 };
        }
        k
    }
}

#[cfg(test)]
mod tests {
    use super::super::subsets::{MOST_TERMS, Subsets};
    use super::*;
    use crate::claim::Outcomes;
    use dashu_int::UBig;

    /// Floats may leave open on which side an epsilon lies, but never say the
    /// wrong one, however close it is.
    #[test]
    fn floats_never_take_a_wrong_side_next_to_a_tie() {
        let mut decided = 0;
        for list in [
            "0.5, 1e-6",
            "33/500, 3e-9",
            "31/50, 9/50, 1/500000000",
            "0.09, 4e-7",
            "1e-3, 1e-7, 1e-11",
            "0.2, 0.3, 0.1",
            "1/6 x 6",
            "1e-9 x 2, 0.3",
            "0.01 x 20",
        ] {
            let outcomes = Outcomes::parse(list).unwrap();
            let spread = Spread::new(&outcomes);
            let subsets = Subsets::new(&outcomes, 1.0, 0.0, MOST_TERMS).unwrap();
            let fewest = outcomes.len() as u64;
            for k in (fewest..fewest + 8).chain([30, 100, 1000, 30_000]) {
                let (mantissa, exponent, _) = subsets.value(k, 400).unwrap();
                let whole = mantissa << 8usize;
                let size = 8 + exponent.unsigned_abs() as usize;
                for bits in [20, 30, 36, 40, 44, 48, 50, 52, 54, 60, 80] {
                    for up in [true, false] {
                        let part = &whole >> bits;
                        let near = if up { &whole + part } else { &whole - part };
                        let decimal = (near * UBig::from(10u8).pow(60)) >> size;
                        let Ok(epsilon) = Probability::parse(&format!("{decimal}e-60")) else {
                            continue;
                        };
                        let mut search = Search::new(&spread, Goal::new(&epsilon));
                        let side = search.side(k);
                        if side != Side::Unknown {
                            decided += 1;
                            let truth = subsets.side(&epsilon, k);
                            assert_eq!(side, truth, "{list} at {k}, epsilon {epsilon}");
                        }
                    }
                }
            }
        }
        assert!(decided > 800, "only {decided} were decided");
    }
}
