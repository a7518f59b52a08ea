//! A confidence sequence for a rate that is best where its width is reached.
//!
//! Each rate `p` is tested against `p - w/2` and `p + w/2`, where `w` is the
//! width that is wanted: the likelihood ratio of the two is a martingale were
//! `p` the true rate, and Ville's inequality bounds the chance that it ever
//! reaches `2 / (1 - confidence)`. When the interval is narrow enough the
//! observed rate is about w/2 away from its ends, and there this ratio is the
//! largest of all. By Pinsker's inequality its logarithm is then at least
//! `n w^2 / 2`, so the width is reached after at most as many executions as
//! Hoeffding's inequality asks for.

use super::deviance::{deviance, first_where};
use super::rate::log_left;
use crate::judge::interval::IntervalError;

/// Intervals for a violation rate that hold at all numbers of executions at
/// once, and are narrowest around a width that is wanted.
///
/// ```
/// use probtest::judge::confidence::AimedSequence;
///
/// let sequence = AimedSequence::new(0.02, 0.95)?;
/// assert_eq!(sequence.most_executions(), 18_445);
/// let (low, high) = sequence.interval(5, 900);
/// assert!(high - low < 0.02);
/// # Ok::<(), probtest::judge::interval::IntervalError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AimedSequence {
    width: f64,
    /// The logarithm of `2 / (1 - confidence)`.
    threshold: f64,
}

impl AimedSequence {
    /// Prepares intervals of a confidence that are best at a width.
    ///
    /// # Errors
    /// When the width or the confidence is not strictly between 0 and 1.
    pub fn new(width: f64, confidence: f64) -> Result<Self, IntervalError> {
        if !(width > 0.0 && width < 1.0) {
            return Err(IntervalError::Width {
                given: format!("{width:?}"),
            });
        }
        let threshold = std::f64::consts::LN_2 - log_left(confidence)?;
        Ok(AimedSequence { width, threshold })
    }

    /// Returns the number of executions after which the interval is at most as
    /// wide as wanted, whatever was seen: the fixed number of Hoeffding's
    /// inequality, `2 ln(2 / (1 - confidence)) / w^2`, rounded up.
    pub fn most_executions(&self) -> u64 {
        let exact = 2.0 * self.threshold / self.width / self.width;
        // A quotient that rounding put below a whole number must not lose one.
        (exact * (1.0 + 1e-14)).ceil() as u64
    }

    /// Finds the rates that do not speak against `violations` in `executions`,
    /// from the lowest to the highest.
    ///
    /// No execution leaves every rate possible. More violations than executions
    /// count as all of them.
    pub fn interval(&self, violations: u64, executions: u64) -> (f64, f64) {
        let n = executions as f64;
        let x = violations.min(executions) as f64;
        (self.lowest(x, n), 1.0 - self.lowest(n - x, n))
    }

    /// The lowest rate that is not rejected in favour of a higher one.
    fn lowest(&self, x: f64, n: f64) -> f64 {
        if x == 0.0 || n == 0.0 {
            return 0.0;
        }
        let half = self.width / 2.0;
        // The ratio falls as p rises to the observed rate, so there is one end.
        let rejected = |p: f64| {
            let other = (p + half).min(1.0);
            deviance(x, n, p) - deviance(x, n, other) >= self.threshold
        };
        first_where(x / n, 0.0, rejected)
    }
}
