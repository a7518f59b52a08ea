//! A confidence sequence for the mean of a bounded number.

use super::bank::Bank;
use super::rate::log_left;
use crate::judge::interval::IntervalError;

/// Intervals for a mean that hold at all numbers of executions at once.
///
/// By betting against each possible mean, see `docs/explanation/estimates.md`.
/// Numbers that vary little give narrow intervals; nothing needs to be known
/// about how much they vary. A number costs the same wherever it comes.
///
/// ```
/// use probtest::judge::confidence::MeanSequence;
///
/// let mut sequence = MeanSequence::new(0.0, 10.0, 0.95)?;
/// for index in 0..1000 {
///     sequence.add(5.0 + f64::from(index % 3) / 10.0);
/// }
/// let (low, high) = sequence.interval();
/// assert!(4.9 < low && low < 5.1 && 5.1 < high && high < 5.3);
/// # Ok::<(), probtest::judge::interval::IntervalError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeanSequence {
    between: (f64, f64),
    up: Bank,
    down: Bank,
    /// The logarithm of `1 / (1 - confidence)`.
    threshold: f64,
}

/// The sizes of the bets: powers of two, from what wins after some 10^9
/// executions to what wins after a handful.
const SIZES: std::ops::RangeInclusive<i32> = -16..=6;

impl MeanSequence {
    /// Prepares intervals for numbers from `low` to `high`.
    ///
    /// # Errors
    /// When `low` is not below `high`, one of them is not finite, or the
    /// confidence is not strictly between 0 and 1.
    pub fn new(low: f64, high: f64, confidence: f64) -> Result<Self, IntervalError> {
        if !(low < high && (high - low).is_finite()) {
            return Err(IntervalError::Between {
                given: format!("{low:?}, {high:?}"),
            });
        }
        let sizes: Vec<f64> = SIZES.map(|power| 2f64.powi(power)).collect();
        Ok(MeanSequence {
            between: (low, high),
            up: Bank::new(sizes.clone()),
            down: Bank::new(sizes),
            threshold: -log_left(confidence)?,
        })
    }

    /// Takes the next number. One outside of the range counts as its end, NaN as
    /// the lower one.
    pub fn add(&mut self, value: f64) {
        let (low, high) = self.between;
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        let share = if share.is_nan() { 0.0 } else { share };
        self.up.add(share);
        self.down.add(1.0 - share);
    }

    /// Finds the means that do not speak against the numbers so far, from the
    /// lowest to the highest.
    pub fn interval(&self) -> (f64, f64) {
        let threshold = self.threshold + std::f64::consts::LN_2;
        let low = self.up.lowest(threshold);
        let high = 1.0 - self.down.lowest(threshold);
        (self.unscaled(low), self.unscaled(high))
    }

    /// Finds the lowest mean that does not speak against the numbers so far, for
    /// a bound from below alone.
    pub fn at_least(&self) -> f64 {
        self.unscaled(self.up.lowest(self.threshold))
    }

    /// Finds the highest mean that does not speak against the numbers so far, for
    /// a bound from above alone.
    pub fn at_most(&self) -> f64 {
        self.unscaled(1.0 - self.down.lowest(self.threshold))
    }

    fn unscaled(&self, share: f64) -> f64 {
        let (low, high) = self.between;
        (low + share * (high - low)).clamp(low, high)
    }
}
