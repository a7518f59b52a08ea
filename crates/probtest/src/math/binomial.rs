//! How probable is a number of violations, at a given rate?

use super::special::{from_mean, logistic, stirling};
use probtest_syntax::Probability;

/// A violation probability, with its complement to full precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PreciseRate {
    pub(crate) of: f64,
    pub(crate) rest: f64,
}

impl PreciseRate {
    pub(crate) fn new(of: f64) -> Self {
        PreciseRate { of, rest: 1.0 - of }
    }

    pub(crate) fn exact(p: &Probability) -> Self {
        PreciseRate { of: p.as_f64(), rest: p.complement().as_f64() }
    }

    pub(crate) fn from_logit(logit: f64) -> Self {
        PreciseRate { of: logistic(logit), rest: logistic(-logit) }
    }
}

/// The chance of at most `violations` in `executions`.
pub(crate) fn at_most(violations: u64, executions: u64, rate: PreciseRate) -> f64 {
    tails(violations, executions, rate).0
}

/// The chance of more than `violations` in `executions`.
pub(crate) fn more_than(violations: u64, executions: u64, rate: PreciseRate) -> f64 {
    tails(violations, executions, rate).1
}

/// The chances of at most `violations`, and of more.
fn tails(violations: u64, executions: u64, rate: PreciseRate) -> (f64, f64) {
    if violations >= executions {
        return (1.0, 0.0);
    }
    // The terms fall from the first one on, so they are summed; the rest is the complement.
    if violations as f64 <= executions as f64 * rate.of {
        let turned = rate.rest / rate.of;
        let lower = sum(log_chance(violations, executions, rate), violations, |done| {
            let k = violations - done;
            k as f64 / (executions - k + 1) as f64 * turned
        });
        (lower, 1.0 - lower)
    } else {
        let (first, odds) = (violations + 1, rate.of / rate.rest);
        let upper = sum(log_chance(first, executions, rate), executions - first, |done| {
            let k = first + done;
            (executions - k) as f64 / (k + 1) as f64 * odds
        });
        (1.0 - upper, upper)
    }
}

/// Sums a term and the ones after it, each a falling `ratio` of the previous one.
fn sum(log_first: f64, more: u64, ratio: impl Fn(u64) -> f64) -> f64 {
    let (mut sum, mut term) = (1.0f64, 1.0);
    for done in 0..more {
        term *= ratio(done);
        sum += term;
        if term < sum * 1e-18 {
            break;
        }
    }
    (log_first.exp() * sum).min(1.0)
}

/// The logarithm of the chance of exactly `violations`.
fn log_chance(violations: u64, executions: u64, rate: PreciseRate) -> f64 {
    let (x, n) = (violations as f64, executions as f64);
    let rest = n - x;
    if violations == 0 {
        return n * log(rate.rest, rate.of);
    }
    if violations == executions {
        return n * log(rate.of, rate.rest);
    }
    // The large terms that would cancel are combined into how far the count is from its mean.
    let apart = from_mean(x, n * rate.of) + from_mean(rest, n * rate.rest);
    let tau = std::f64::consts::TAU;
    stirling(n) - stirling(x) - stirling(rest) - apart - 0.5 * (tau * x * (rest / n)).ln()
}

/// The logarithm of `part`, computed from the smaller of the two.
fn log(part: f64, other: f64) -> f64 {
    if other < 0.5 { (-other).ln_1p() } else { part.ln() }
}

/// The violations in a fixed number of executions, without a logarithm or a factorial: weights
/// relative to the most probable count, from ratios of neighbours, divided by their sum. Every term
/// is positive, so the relative error of each stays below a few units in the last place.
#[derive(Debug, Default)]
pub(crate) struct Jump {
    /// The smallest count that is kept.
    first: usize,
    chances: Vec<f64>,
    /// The sum of the chances from here on.
    from_here: Vec<f64>,
    /// Bounds the probability of the counts that weren't kept.
    pub(crate) neglected: f64,
}

impl Jump {
    /// Keeps the counts whose chance is above `cut` times the largest. Counts above `most` aren't
    /// needed individually.
    pub(crate) fn new(executions: u64, rate: PreciseRate, most: usize, cut: f64) -> Self {
        let mean = executions as f64 * rate.of;
        // Forty deviations below the mean nothing is left, so nothing is kept.
        if mean - 40.0 * mean.sqrt() - 800.0 > most as f64 {
            let neglected = f64::MIN_POSITIVE;
            return Jump { first: usize::MAX, neglected, ..Jump::default() };
        }
        let odds = rate.of / rate.rest;
        let mode = (((executions as f64 + 1.0) * rate.of) as u64).min(executions);
        let (below, lost_below) = fall(cut, mode, |done| {
            let k = (mode - done) as f64;
            k / ((executions - mode + done + 1) as f64 * odds)
        });
        let (above, lost_above) = fall(cut, executions - mode, |done| {
            let k = mode + done;
            (executions - k) as f64 / (k + 1) as f64 * odds
        });
        let weights = || below.iter().rev().chain([&1.0]).chain(&above);
        let all: f64 = weights().sum();
        let chances: Vec<f64> = weights().map(|weight| weight / all).collect();
        let mut from_here = chances.clone();
        for place in (1..from_here.len()).rev() {
            from_here[place - 1] += from_here[place];
        }
        Jump {
            first: mode as usize - below.len(),
            chances,
            from_here,
            neglected: lost_below + lost_above,
        }
    }

    /// The chances of `first` violations, one more, and so on.
    pub(crate) fn chances(&self) -> (usize, &[f64]) {
        (self.first, &self.chances)
    }

    /// The chance of this many violations or more.
    pub(crate) fn at_least(&self, violations: usize) -> f64 {
        match violations.checked_sub(self.first) {
            None | Some(0) => 1.0,
            Some(place) => self.from_here.get(place).copied().unwrap_or(0.0),
        }
    }

    /// Bounds the relative error of a chance, in units of the last place.
    pub(crate) fn units(&self) -> f64 {
        // Seven for each neighbour passed, in the weight and in the sum, and one for each addition.
        15.0 * self.chances.len() as f64 + 8.0
    }
}

/// Weights that fall from one, at most `most` of them, until below `cut`; and a bound on the sum of
/// the rest.
fn fall(cut: f64, most: u64, ratio: impl Fn(u64) -> f64) -> (Vec<f64>, f64) {
    let mut weights = Vec::new();
    let mut weight = 1.0;
    for done in 0..most {
        let ratio = ratio(done);
        weight *= ratio;
        if weight < cut {
            // The ratios fall as well, so the rest is below a geometric sum.
            return (weights, weight / (1.0 - ratio).max(f64::EPSILON));
        }
        weights.push(weight);
    }
    (weights, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_violations_of_four_fair_coins_are_binomial() {
        let jump = Jump::new(4, PreciseRate::new(0.5), 10, 1e-40);
        let sixteenths: Vec<f64> = jump.chances().1.iter().map(|c| c * 16.0).collect();
        assert_eq!(sixteenths, [1.0, 4.0, 6.0, 4.0, 1.0]);
        assert_eq!(jump.at_least(3), 5.0 / 16.0);
        assert_eq!((jump.at_least(0), jump.at_least(5)), (1.0, 0.0));
    }

    #[test]
    fn a_jump_of_many_executions_has_the_chance_of_none() {
        let jump = Jump::new(1_000_000, PreciseRate::new(1e-6), 10, 1e-40);
        let none = (1e6 * (-1e-6f64).ln_1p()).exp();
        assert!((jump.chances().1[0] / none - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_jump_far_beyond_what_matters_costs_nothing() {
        let jump = Jump::new(1 << 50, PreciseRate::new(0.5), 20, 1e-40);
        assert_eq!((jump.at_least(20), jump.chances().1.len()), (1.0, 0));
    }

    #[test]
    fn what_is_cut_off_is_bounded() {
        let rough = Jump::new(1000, PreciseRate::new(0.01), 100, 1e-6);
        let fine = Jump::new(1000, PreciseRate::new(0.01), 100, 1e-60);
        let (first, kept) = rough.chances();
        let all = fine.chances().1;
        let lost: f64 =
            all[..first].iter().sum::<f64>() + all[first + kept.len()..].iter().sum::<f64>();
        assert!(lost > 0.0 && lost <= rough.neglected, "{lost}");
    }

    #[test]
    fn tails_are_the_sums_of_the_exact_chances() {
        for (n, r) in [(1, 0.3), (7, 0.3), (40, 0.5), (300, 0.01), (5000, 0.9), (90_000, 0.02)] {
            let rate = PreciseRate::new(r);
            let jump = Jump::new(n, rate, usize::MAX >> 1, 1e-80);
            for part in 0..=16 {
                let x = (n - 1) * part / 16;
                let above = jump.at_least(x as usize + 1);
                let ours = more_than(x, n, rate);
                assert!(
                    (ours - above).abs() <= 1e-11 * above + 1e-70,
                    "{n} {r} {x}: {ours} {above}"
                );
                let below = at_most(x, n, rate);
                assert!((below + above - 1.0).abs() < 1e-11, "{n} {r} {x}: {below} {above}");
            }
        }
    }

    #[test]
    fn a_million_times_rarer_is_the_same_tail() {
        // Both are Poisson with mean 5, up to a relative error of 1e-6.
        let (near, far) = (PreciseRate::new(5e-7), PreciseRate::new(5e-13));
        let (a, b) = (more_than(9, 10_000_000, near), more_than(9, 10_000_000_000_000, far));
        assert!((a / b - 1.0).abs() < 1e-5, "{a} {b}");
    }
}
