//! A confidence sequence for a rate: the likelihood, averaged over all rates,
//! against that of one rate.
//!
//! Were `p` the true rate, the probability that a beta(1/2, 1/2) mixture of
//! rates gives to what was seen, divided by the one that `p` gives to it, is a
//! martingale that starts at 1. By Ville's inequality it ever reaches
//! `1 / (1 - confidence)` with probability at most `1 - confidence`. The
//! interval holds the rates where it has not.

use std::f64::consts::{LN_2, PI};

use crate::claim::Probability;
use crate::judge::interval::IntervalError;
use crate::plan::deviance::{deviance, first_where};

/// Intervals for a violation rate that hold at all numbers of executions at once.
///
/// With the confidence asked for, the true rate lies in the interval after
/// every execution. So it may be quoted after any stop, whatever the stop
/// depended on. One end alone, as a bound from below or above, holds likewise.
///
/// ```
/// use probtest::judge::confidence::ConfidenceSequence;
/// use probtest::judge::interval::clopper_pearson;
///
/// let sequence = ConfidenceSequence::new(0.95)?;
/// let (low, high) = sequence.interval(3, 300);
/// assert_eq!((format!("{low:.5}"), format!("{high:.5}")), ("0.00051".into(), "0.04463".into()));
/// // The price of looking after every execution:
/// let (fixed_low, fixed_high) = clopper_pearson(3, 300, 0.95)?;
/// assert!(low < fixed_low && fixed_high < high);
/// # Ok::<(), probtest::judge::interval::IntervalError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceSequence {
    /// The logarithm of `1 / (1 - confidence)`.
    threshold: f64,
}

impl ConfidenceSequence {
    /// Prepares intervals of a confidence; it means the decimal it prints as.
    ///
    /// # Errors
    /// When the confidence is not strictly between 0 and 1.
    pub fn new(confidence: f64) -> Result<Self, IntervalError> {
        Ok(Self::with_threshold(-log_left(confidence)?))
    }

    /// Takes the logarithm of `1 / (1 - confidence)`.
    pub(super) fn with_threshold(threshold: f64) -> Self {
        ConfidenceSequence { threshold }
    }

    /// Finds the rates that do not speak against `violations` in `executions`,
    /// from the lowest to the highest.
    ///
    /// Takes a few microseconds, as much for 10^18 executions as for 10. No
    /// execution leaves every rate possible. More violations than executions
    /// count as all of them.
    ///
    /// ```
    /// use probtest::judge::confidence::ConfidenceSequence;
    ///
    /// let sequence = ConfidenceSequence::new(0.95)?;
    /// assert_eq!(sequence.interval(0, 0), (0.0, 1.0));
    /// let (low, high) = sequence.interval(0, 1000);
    /// assert!(low == 0.0 && high < 0.0072);
    /// # Ok::<(), probtest::judge::interval::IntervalError>(())
    /// ```
    pub fn interval(&self, violations: u64, executions: u64) -> (f64, f64) {
        if executions == 0 {
            return (0.0, 1.0);
        }
        let n = executions as f64;
        let x = (violations.min(executions)) as f64;
        let enough = self.threshold - log_mixture(x, n);
        let rate = x / n;
        let low = match violations {
            0 => 0.0,
            _ => first_where(rate, 0.0, |p| deviance(x, n, p) >= enough),
        };
        // Sought as the rate of passing, so that digits next to 1 are kept.
        let rest = n - x;
        let high = match violations {
            _ if violations >= executions => 1.0,
            _ => 1.0 - first_where(rest / n, 0.0, |p| deviance(rest, n, p) >= enough),
        };
        (low, high)
    }
}

/// The logarithm of what a confidence leaves.
pub(super) fn log_left(confidence: f64) -> Result<f64, IntervalError> {
    let left = Probability::from_f64(confidence)
        .map_err(|_| IntervalError::Confidence {
            given: format!("{confidence:?}"),
        })?
        .complement();
    Ok(left.as_f64().ln())
}

/// The logarithm of the probability of `x` of `n` under the mixture, relative to
/// the likelihood of the observed rate.
fn log_mixture(x: f64, n: f64) -> f64 {
    half(x) + half(n - x) - whole(n) - 0.5 * (PI * n / 2.0).ln()
}

/// `ln gamma(x + 1/2)` less `x ln x - x + ln(2 pi) / 2`.
fn half(x: f64) -> f64 {
    if x == 0.0 {
        return -0.5 * LN_2;
    }
    let (sum, x) = shifted(x, |x| {
        // gamma(x + 1/2) = gamma(x + 3/2) / (x + 1/2)
        (x + 1.0) * (x + 1.0).ln() - x * x.ln() - 1.0 - (x + 0.5).ln()
    });
    let square = 1.0 / (x * x);
    let series = 1.0 / 24.0
        - square * (7.0 / 2880.0 - square * (31.0 / 40320.0 - square * (127.0 / 215_040.0)));
    sum - series / x
}

/// `ln gamma(x + 1)` less `x ln x - x + ln(2 pi x) / 2`, for `x >= 1`.
fn whole(x: f64) -> f64 {
    let (sum, x) = shifted(x, |x| (x + 0.5) * (1.0 / x).ln_1p() - 1.0);
    let square = 1.0 / (x * x);
    let series = 1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0));
    sum + series / x
}

/// Steps up to where a series in 1/x is exact, adding what each step changes.
fn shifted(mut x: f64, step: impl Fn(f64) -> f64) -> (f64, f64) {
    let mut sum = 0.0;
    while x < 16.0 {
        sum += step(x);
        x += 1.0;
    }
    (sum, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mixture's probability of one order of `x` violations in `n`, by the
    /// rule of succession of a beta(1/2, 1/2) prior.
    fn by_succession(x: u32, n: u32) -> f64 {
        let mut log = 0.0;
        for seen in 0..n {
            let (count, of) = if seen < x {
                (seen, seen)
            } else {
                (seen - x, seen)
            };
            log += ((f64::from(count) + 0.5) / (f64::from(of) + 1.0)).ln();
        }
        log
    }

    #[test]
    fn the_mixture_is_the_product_of_its_predictions() {
        for (x, n) in [
            (0, 1),
            (1, 1),
            (0, 40),
            (3, 7),
            (20, 40),
            (399, 400),
            (17, 3000),
        ] {
            let (xf, nf) = (f64::from(x), f64::from(n));
            let rate: f64 = xf / nf;
            let likelihood =
                |count: f64, rate: f64| if count == 0.0 { 0.0 } else { count * rate.ln() };
            let observed = likelihood(xf, rate) + likelihood(nf - xf, 1.0 - rate);
            let expected = by_succession(x, n) - observed;
            let found = log_mixture(xf, nf);
            assert!(
                (found - expected).abs() < 1e-9,
                "{x} of {n}: {found} {expected}"
            );
        }
    }
}
