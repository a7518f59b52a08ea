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
//!
//! Far from that width the ratio says little. So one fiftieth of the chance that
//! the confidence leaves goes to a [`ConfidenceSequence`], and the interval is
//! the intersection of both. It costs half a percent more executions at 95 %.

use super::rate::{ConfidenceSequence, log_left};
use crate::judge::interval::IntervalError;
use crate::plan::deviance::{deviance, first_where};

/// Intervals for a violation rate that hold at all numbers of executions at
/// once, and are narrowest around a width that is wanted.
///
/// ```
/// use probtest::judge::confidence::AimedSequence;
///
/// let sequence = AimedSequence::new(0.02, 0.95)?;
/// assert_eq!(sequence.hoeffding(), 18_445);
/// assert_eq!(sequence.most_executions(), 18_546);
/// let (low, high) = sequence.interval(5, 900);
/// assert!(high - low < 0.02);
/// # Ok::<(), probtest::judge::interval::IntervalError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AimedSequence {
    width: f64,
    /// The logarithm of `2 / (1 - confidence)`.
    asked: f64,
    /// The same for the share of the chance that is spent here.
    threshold: f64,
    general: ConfidenceSequence,
}

/// The share of the chance that goes to intervals far from the width.
const ELSEWHERE: f64 = 0.02;

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
        let left = log_left(confidence)?;
        let asked = std::f64::consts::LN_2 - left;
        Ok(AimedSequence {
            width,
            asked,
            threshold: asked - (-ELSEWHERE).ln_1p(),
            general: ConfidenceSequence::with_threshold(-left - ELSEWHERE.ln()),
        })
    }

    /// Returns the width that is wanted.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Returns the number of executions after which the interval is at most as
    /// wide as wanted, whatever was seen.
    pub fn most_executions(&self) -> u64 {
        self.fixed(self.threshold)
    }

    /// Returns the number of executions before which the interval cannot be as
    /// narrow as wanted: it is narrowest when nothing was violated.
    pub fn least_executions(&self) -> u64 {
        let (mut wide, mut narrow) = (0, self.most_executions());
        while narrow - wide > 1 {
            let middle = wide + (narrow - wide) / 2;
            let (low, high) = self.interval(0, middle);
            if high - low <= self.width {
                narrow = middle;
            } else {
                wide = middle;
            }
        }
        narrow
    }

    /// Returns the number that Hoeffding's inequality asks for when it is fixed
    /// beforehand: `2 ln(2 / (1 - confidence)) / w^2`, rounded up.
    pub fn hoeffding(&self) -> u64 {
        self.fixed(self.asked)
    }

    fn fixed(&self, threshold: f64) -> u64 {
        let exact = 2.0 * threshold / self.width / self.width;
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
        let (low, high) = self.general.interval(violations, executions);
        // Both hold the observed rate, so the intersection does.
        (
            low.max(self.lowest(x, n)),
            high.min(1.0 - self.lowest(n - x, n)),
        )
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
