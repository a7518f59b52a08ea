//! Where the boundaries lie that keep both errors, and no further out.

use super::boundaries::{Boundaries, Shape};
use super::fixed::Errors;
use super::walk::walk;

/// Boundaries that keep both errors, with what they cost.
#[derive(Clone, Debug)]
pub(super) struct Calibrated {
    pub(super) boundaries: Boundaries,
    pub(super) false_alarm: f64,
    pub(super) miss: f64,
    /// The executions that count, weighted.
    pub(super) cost: f64,
}

/// Where the two boundaries lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// The executions after which a program without a violation passes.
    pub(super) fewest: i64,
    /// By how many executions failing is late.
    pub(super) delay: i64,
}

/// A calibration may end this close below what is allowed.
const CLOSE: f64 = 1e-4;
/// Moving one boundary moves the other's error a little; so often is enough.
const ROUNDS: usize = 12;

impl Errors {
    /// How far below the largest chance another one still counts.
    pub(super) fn cut(&self) -> f64 {
        self.epsilon.min(self.false_alarm) * 1e-16
    }

    /// How much of the logarithm of the likelihood ratio one violation is worth.
    pub(super) fn weight(&self) -> f64 {
        (self.p.of / self.tolerate.of).ln() + (self.tolerate.rest / self.p.rest).ln()
    }

    /// Executions for each violation along which the likelihood ratio stays.
    pub(super) fn spacing(&self) -> f64 {
        let between = (self.p.of - self.tolerate.of) / self.p.rest;
        self.weight() / between.ln_1p()
    }

    /// Where the boundaries of a test without a cap lie, nearly: Wald's formulas.
    pub(super) fn without_a_cap(&self, most: u64) -> Places {
        let each = self.spacing() / self.weight();
        let place = |log: f64| ((log * each) as i64).clamp(1, most as i64);
        Places {
            fewest: place(((1.0 - self.false_alarm) / self.epsilon).ln()),
            delay: place(((1.0 - self.epsilon) / self.false_alarm).ln()),
        }
    }

    /// How many products one step of a calibration takes.
    pub(super) fn work(&self, shape: &Shape) -> u64 {
        let places = self.without_a_cap(shape.most);
        let boundaries = shape.boundaries(places.fewest as u64, places.delay);
        let at = |rate| walk(&boundaries, rate, shape.most, self.cut()).work;
        at(self.tolerate) + at(self.p)
    }

    /// Moves both boundaries as close as the errors allow, or finds that they
    /// cannot be kept with this shape. `last` are the places found for a
    /// neighbouring shape.
    pub(super) fn calibrate(&self, shape: &Shape, last: &mut Places) -> Option<Calibrated> {
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
        // The last move of one may have spoiled the other by a little.
        if self.missed(shape, here) > 1.0 {
            here.fewest = least((here.fewest, most), here.fewest + 1, scale, |fewest| {
                self.missed(shape, Places { fewest, ..here })
            })?;
        }
        *last = here;
        self.kept(self.found(shape, here))
    }

    /// What was found, if it keeps both errors.
    pub(super) fn kept(&self, found: Calibrated) -> Option<Calibrated> {
        (found.false_alarm <= self.false_alarm && found.miss <= self.epsilon).then_some(found)
    }

    /// Does the same nearly: both errors may be off by a hundredth. Both
    /// boundaries move at once, which takes a third of the walks.
    pub(super) fn estimate(&self, shape: &Shape, last: &mut Places) -> Option<Calibrated> {
        let most = shape.most as i64;
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
            let step = |log: f64| (log / scale).clamp(-9e15, 9e15).round() as i64;
            here = Places {
                fewest: (here.fewest + step(missed)).clamp(1, most),
                delay: (here.delay + step(alarmed)).clamp(-most, shape.longest_delay()),
            };
        }
        None
    }

    /// How many times too often a program at the rate `p` passes.
    fn missed(&self, shape: &Shape, places: Places) -> f64 {
        let boundaries = shape.boundaries(places.fewest as u64, places.delay);
        walk(&boundaries, self.p, shape.most, self.cut()).passed_at_most() / self.epsilon
    }

    /// How many times too often a program at the tolerated rate fails.
    fn alarmed(&self, shape: &Shape, places: Places) -> f64 {
        let boundaries = shape.boundaries(places.fewest as u64, places.delay);
        let walked = walk(&boundaries, self.tolerate, shape.most, self.cut());
        walked.failed_at_most() / self.false_alarm
    }

    pub(super) fn found(&self, shape: &Shape, places: Places) -> Calibrated {
        let boundaries = shape.boundaries(places.fewest as u64, places.delay);
        let at = |rate| walk(&boundaries, rate, shape.most, self.cut());
        let (at_tolerate, at_p) = (at(self.tolerate), at(self.p));
        // Good programs are tested every day and bad ones now and then, so their
        // executions count in full: of a perfect one, and of one at `tolerate`.
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

/// The least number above `bad`, at most `high`, at which `excess` is at most 1.
/// It falls about by the factor `e` for each `1 / scale`.
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
        // Where chance is coarse the rule is a poor guide: halve instead.
        here = if round < 5 {
            (here + step.ceil() as i64).clamp(bad + 1, good - 1)
        } else {
            bad + (good - bad) / 2
        };
    }
    (good <= high).then_some(good)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
