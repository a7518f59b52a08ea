//! Which rates and means fit the data, when checked after any execution?
//!
//! A confidence sequence is an interval for each number of executions such that all of them
//! together contain the true value with the requested confidence. So you may stop when the interval
//! is narrow enough, or when it decides a claim, and quote it; a plain interval, quoted after such
//! a stop, covers too little. Everything here rests on Ville's inequality: a martingale that starts
//! at 1 ever reaches `c` with probability at most `1 / c`.
//!
//! # A rate
//!
//! If `p` is the true rate, the probability of the data under a beta(1/2, 1/2) mixture of rates,
//! divided by their probability under `p`, is such a martingale. The interval contains the rates
//! for which it hasn't reached `1 / (1 - confidence)`.
//!
//! # A rate, best near a given width
//!
//! Each rate `p` is tested against `p - w/2` and `p + w/2`, where `w` is the wanted width: the
//! interval contains the rates for which neither likelihood ratio has reached
//! `2 / (1 - confidence)`. When the interval is narrow enough, the observed rate is about w/2 away
//! from its ends, and there this ratio is the largest of all. By Pinsker's inequality its logarithm
//! is then at least `n w^2 / 2`, so the width is reached after at most as many executions as
//! Hoeffding's inequality requires.
//!
//! Far from that width the ratio says little. So one fiftieth of the error probability goes to a
//! [`ConfidenceSequence`], and the interval is the intersection of both. It costs half a percent
//! more executions at 95 %.
//!
//! # A mean
//!
//! A bet of size `s` multiplies its capital by `(1 + s x) / (1 + s m)` when the number `x` is seen.
//! If the mean is `m` or lower, the capital doesn't grow on average, and neither does any average
//! of such bets. The numerators don't depend on `m`, so one sum for each size is all that is kept.

use std::f64::consts::{LN_2, PI};

use super::interval::log_left;
use super::search::{first, first_where};
use super::special::{deviance, half_stirling, stirling};
use probtest_syntax::Error;

/// Intervals for a violation rate that hold at all numbers of executions at once.
///
/// You may quote it after any stop, whatever the stop depended on. One end alone is also valid, as
/// a lower or an upper bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceSequence {
    /// The logarithm of `1 / (1 - confidence)`.
    threshold: f64,
}

impl ConfidenceSequence {
    /// Prepares intervals with this confidence, taken as the decimal that it prints as.
    ///
    /// # Errors
    /// When the confidence isn't strictly between 0 and 1.
    pub fn new(confidence: f64) -> Result<Self, Error> {
        let threshold = -log_left(confidence)?;
        Ok(ConfidenceSequence { threshold })
    }

    /// Finds the lowest and the highest rate that fit `violations` in `executions`.
    ///
    /// Takes a few microseconds, for 10^18 executions as well as for 10. Without executions, every
    /// rate fits. If there are more violations than executions, all executions count as violations.
    pub fn interval(&self, violations: u64, executions: u64) -> (f64, f64) {
        if executions == 0 {
            return (0.0, 1.0);
        }
        let (x, n) = (violations.min(executions) as f64, executions as f64);
        let enough = self.threshold - log_mixture(x, n);
        let lowest = |x: f64| match x {
            0.0 => 0.0,
            _ => first_where(x / n, 0.0, |p| deviance(x, n, p) >= enough),
        };
        // The upper end is found as a rate of passing, to keep the digits close to 1.
        (lowest(x), 1.0 - lowest(n - x))
    }
}

/// The logarithm of the probability of `x` of `n` under the mixture, relative to the likelihood of
/// the observed rate.
fn log_mixture(x: f64, n: f64) -> f64 {
    half_stirling(x) + half_stirling(n - x) - stirling(n) - 0.5 * (PI * n / 2.0).ln()
}

/// How much better two rates explain the data than one, as a logarithm: the mixture's probability
/// of `(violations, executions)` for each, against the largest that one rate gives to both. If
/// there is one rate, this is at most a martingale that starts at 1, so by Ville's inequality it
/// ever reaches `c` with probability at most `1 / c`, no matter when and why you stop.
#[cfg(feature = "tools")]
pub(crate) fn log_two_rates(first: (u64, u64), second: (u64, u64)) -> f64 {
    let [(x, n), (y, m)] = [first, second].map(|(x, n)| (x.min(n) as f64, n as f64));
    let rate = (x + y) / (n + m);
    deviance(x, n, rate) + log_mixture(x, n) + deviance(y, m, rate) + log_mixture(y, m)
}

/// Intervals for a violation rate that hold at all numbers of executions at once, and are narrowest
/// around the width you want.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AimedSequence {
    width: f64,
    /// The logarithm of `2 / (1 - confidence)`.
    asked: f64,
    /// The same, for the share of the error probability that is spent here.
    threshold: f64,
    general: ConfidenceSequence,
}

/// The share of the error probability for intervals far from the width.
const ELSEWHERE: f64 = 0.02;

impl AimedSequence {
    /// Prepares intervals with this confidence that are best near this width.
    ///
    /// # Errors
    /// When the width or the confidence isn't strictly between 0 and 1.
    pub fn new(width: f64, confidence: f64) -> Result<Self, Error> {
        if !(width > 0.0 && width < 1.0) {
            return Err(Error::new(
                "the width of an interval is not strictly between 0 and 1",
                format!("{width:?}"),
                "write the distance from its lower to its upper end, such as 0.01",
            ));
        }
        let left = log_left(confidence)?;
        let asked = LN_2 - left;
        Ok(AimedSequence {
            width,
            asked,
            threshold: asked - (-ELSEWHERE).ln_1p(),
            general: ConfidenceSequence { threshold: -left - ELSEWHERE.ln() },
        })
    }

    /// Returns the width you want.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Returns the number of executions after which the interval is at most as wide as you want,
    /// whatever the data.
    pub fn most_executions(&self) -> u64 {
        self.fixed(self.threshold)
    }

    /// Returns the fewest executions after which the interval can be as narrow as you want: it is
    /// narrowest without a violation.
    pub fn least_executions(&self) -> u64 {
        let most = self.most_executions();
        first(1, (1, most), |executions| {
            let (low, high) = self.interval(0, executions);
            high - low <= self.width
        })
    }

    /// Returns the number of executions that Hoeffding's inequality requires if it is fixed in
    /// advance: `2 ln(2 / (1 - confidence)) / w^2`, rounded up.
    pub fn hoeffding(&self) -> u64 {
        self.fixed(self.asked)
    }

    fn fixed(&self, threshold: f64) -> u64 {
        let exact = 2.0 * threshold / self.width / self.width;
        // A quotient rounded to just below a whole number must still count as it.
        (exact * (1.0 + 1e-14)).ceil() as u64
    }

    /// Finds the lowest and the highest rate that fit `violations` in `executions`, counted as in
    /// [`ConfidenceSequence::interval`].
    pub fn interval(&self, violations: u64, executions: u64) -> (f64, f64) {
        let (x, n) = (violations.min(executions) as f64, executions as f64);
        let (low, high) = self.general.interval(violations, executions);
        // Both contain the observed rate, so their intersection does too.
        (low.max(self.lowest(x, n)), high.min(1.0 - self.lowest(n - x, n)))
    }

    /// The lowest rate that isn't rejected in favour of a higher one.
    fn lowest(&self, x: f64, n: f64) -> f64 {
        if x == 0.0 || n == 0.0 {
            return 0.0;
        }
        let half = self.width / 2.0;
        // The ratio falls as p rises to the observed rate, so there is a single end.
        let rejected = |p: f64| {
            let other = (p + half).min(1.0);
            deviance(x, n, p) - deviance(x, n, other) >= self.threshold
        };
        first_where(x / n, 0.0, rejected)
    }
}

/// What each size of bet has won, up to a factor that depends on the mean it bets against.
#[derive(Clone, Debug)]
pub(crate) struct Bank {
    sizes: Vec<f64>,
    /// The logarithm of the product of `1 + s x`.
    gains: Vec<f64>,
    executions: u64,
}

impl Bank {
    /// Starts with these sizes of bets, all above 0.
    pub(crate) fn new(sizes: Vec<f64>) -> Self {
        Bank { gains: vec![0.0; sizes.len()], sizes, executions: 0 }
    }

    /// Plays a number from 0 to 1.
    pub(crate) fn add(&mut self, x: f64) {
        self.executions += 1;
        if x == 0.0 {
            return;
        }
        for (gain, size) in self.gains.iter_mut().zip(&self.sizes) {
            *gain += (size * x).ln_1p();
        }
    }

    /// Replaces what was played by this many ones among zeros and ones.
    pub(crate) fn set(&mut self, ones: u64, executions: u64) {
        self.executions = executions;
        for (gain, size) in self.gains.iter_mut().zip(&self.sizes) {
            *gain = ones as f64 * size.ln_1p();
        }
    }

    /// The logarithm of the capital of a bet.
    pub(crate) fn log_capital(&self, bet: &Bet) -> f64 {
        let n = self.executions as f64;
        let bets = bet.parts.iter().zip(&self.gains);
        log_sum(bets.map(|((weight, fair), gain)| weight + gain - n * fair))
    }

    /// Finds the lowest mean against which the bets, equally weighted, haven't won `threshold` (a
    /// logarithm).
    pub(crate) fn lowest(&self, threshold: f64) -> f64 {
        let weight = -(self.sizes.len() as f64).ln();
        self.lowest_where(threshold, |_| weight)
    }

    /// The same with the weights of a bet.
    pub(crate) fn lowest_by(&self, bet: &Bet, threshold: f64) -> f64 {
        self.lowest_where(threshold, |size| bet.parts[size].0)
    }

    fn lowest_where(&self, threshold: f64, weight: impl Fn(usize) -> f64) -> f64 {
        let n = self.executions as f64;
        let won = |mean: f64| {
            let bets = self.sizes.iter().zip(&self.gains).enumerate();
            let log = |(place, (size, gain)): (usize, (&f64, &f64))| {
                weight(place) + gain - n * (size * mean).ln_1p()
            };
            log_sum(bets.map(log)) >= threshold
        };
        if !won(0.0) {
            return 0.0;
        }
        // The capital falls as the mean rises; at 1 nothing can be won.
        first_where(1.0, 0.0, won)
    }
}

/// Weights on the sizes of a bank, against one mean.
#[derive(Clone, Debug)]
pub(crate) struct Bet {
    /// The logarithms of the weight, and of `1 + s m`.
    parts: Vec<(f64, f64)>,
}

/// How much of a stake is on the favourite and how much on the largest size. The rest is spread
/// over the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Division {
    pub(crate) favourite: f64,
    pub(crate) largest: f64,
}

impl Bet {
    /// Bets against a mean; the largest size is the last one.
    pub(crate) fn new(bank: &Bank, against: f64, favourite: usize, parts: Division) -> Self {
        let last = bank.sizes.len().saturating_sub(1);
        let largest = (parts.largest > 0.0 && last != favourite).then_some(last);
        let named = 1 + usize::from(largest.is_some());
        let others = bank.sizes.len().saturating_sub(named).max(1) as f64;
        let part = |(index, size): (usize, &f64)| {
            let weight = match index {
                _ if index == favourite => parts.favourite,
                _ if Some(index) == largest => parts.largest,
                _ => (1.0 - parts.favourite - parts.largest) / others,
            };
            (weight.ln(), (size * against).ln_1p())
        };
        Bet { parts: bank.sizes.iter().enumerate().map(part).collect() }
    }
}

/// The logarithm of the sum of numbers given as logarithms.
fn log_sum(logarithms: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logarithms.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    let sum: f64 = logarithms.map(|log| (log - largest).exp()).sum();
    largest + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If one rate explains everything, two rates don't explain it better on average: over all
    /// possible results of 6 and 9 executions, for rates from 0.01 to 0.99.
    #[test]
    fn two_rates_explain_no_more_than_one_where_there_is_one() {
        let ways = |n: u64, x: u64| (0..x).fold(1.0, |w, k| w * (n - k) as f64 / (k + 1) as f64);
        for rate in (1..100).map(|percent| f64::from(percent) / 100.0) {
            let chance = |n: u64, x: u64| {
                ways(n, x) * rate.powi(x as i32) * (1.0 - rate).powi((n - x) as i32)
            };
            let mut mean = 0.0;
            for x in 0..=6 {
                for y in 0..=9 {
                    mean += chance(6, x) * chance(9, y) * log_two_rates((x, 6), (y, 9)).exp();
                }
            }
            assert!(mean <= 1.0, "{mean} at {rate}");
        }
        // 0 of 14 352 and 4 of 375 are from different rates: by chance, this happens once in 400.
        assert!(log_two_rates((0, 14_352), (4, 375)) > 400.0_f64.ln());
        assert!(log_two_rates((4, 300), (4, 375)) < 0.0);
    }

    /// The mixture's probability of one order of `x` violations in `n`, by the rule of succession
    /// for a beta(1/2, 1/2) prior.
    fn by_succession(x: u32, n: u32) -> f64 {
        let mut log = 0.0;
        for seen in 0..n {
            let count = if seen < x { seen } else { seen - x };
            log += ((f64::from(count) + 0.5) / (f64::from(seen) + 1.0)).ln();
        }
        log
    }

    #[test]
    fn the_mixture_is_the_product_of_its_predictions() {
        for (x, n) in [(0, 1), (1, 1), (0, 40), (3, 7), (20, 40), (399, 400), (17, 3000)] {
            let (xf, nf) = (f64::from(x), f64::from(n));
            let rate: f64 = xf / nf;
            let likelihood =
                |count: f64, rate: f64| if count == 0.0 { 0.0 } else { count * rate.ln() };
            let observed = likelihood(xf, rate) + likelihood(nf - xf, 1.0 - rate);
            let expected = by_succession(x, n) - observed;
            let found = log_mixture(xf, nf);
            assert!((found - expected).abs() < 1e-9, "{x} of {n}: {found} {expected}");
        }
    }
}
