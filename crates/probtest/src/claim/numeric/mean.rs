//! Claims on a mean.

use super::{Chances, NumericError, finite, read};
use crate::claim::{IntoProbability, Probability};

/// Claims something about the mean of a number that each execution returns.
///
/// A program whose mean is as wanted fails with probability at most
/// `false_alarm`, 1e-6 unless given. One whose mean misses that by `margin` or
/// more passes with probability at most `epsilon`, 0.05 unless given. Between
/// the two either may happen.
///
/// ```
/// use probtest::claim::numeric::MeanClaim;
///
/// let claim = MeanClaim::within((0.0, 1.0), (0.45, 0.55), 0.05)?.false_alarm(1e-9)?;
/// assert_eq!(claim.false_alarm_chance().to_string(), "1e-9");
/// # Ok::<(), probtest::claim::numeric::NumericError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MeanClaim {
    between: (f64, f64),
    wanted: Wanted,
    margin: f64,
    pub(super) chances: Chances,
}

/// Which means are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// From the first to the second.
    Within(f64, f64),
    /// This one or a higher one.
    Above(f64),
    /// This one or a lower one.
    Below(f64),
}

impl Wanted {
    /// The lowest wanted mean, if there is one.
    pub fn low(self) -> Option<f64> {
        match self {
            Wanted::Within(low, _) | Wanted::Above(low) => Some(low),
            Wanted::Below(_) => None,
        }
    }

    /// The highest wanted mean, if there is one.
    pub fn high(self) -> Option<f64> {
        match self {
            Wanted::Within(_, high) | Wanted::Below(high) => Some(high),
            Wanted::Above(_) => None,
        }
    }

    pub(super) fn given(self) -> String {
        match self {
            Wanted::Within(low, high) => format!("within = ({low}, {high})"),
            Wanted::Above(low) => format!("above = {low}"),
            Wanted::Below(high) => format!("below = {high}"),
        }
    }
}

impl MeanClaim {
    /// Claims that the mean lies within two bounds, which may be equal.
    ///
    /// # Errors
    /// When the numbers are not in order, the bounds do not lie inside of
    /// `between`, or no mean can miss them by the margin.
    pub fn within(
        between: (f64, f64),
        within: (f64, f64),
        margin: f64,
    ) -> Result<Self, NumericError> {
        let (low, high) = within;
        if low > high {
            return Err(NumericError::Within { low, high });
        }
        Self::new(between, Wanted::Within(low, high), margin)
    }

    /// Claims that the mean is this or higher.
    ///
    /// # Errors
    /// As [`MeanClaim::within`].
    pub fn above(between: (f64, f64), above: f64, margin: f64) -> Result<Self, NumericError> {
        Self::new(between, Wanted::Above(above), margin)
    }

    /// Claims that the mean is this or lower.
    ///
    /// # Errors
    /// As [`MeanClaim::within`].
    pub fn below(between: (f64, f64), below: f64, margin: f64) -> Result<Self, NumericError> {
        Self::new(between, Wanted::Below(below), margin)
    }

    fn new((low, high): (f64, f64), wanted: Wanted, margin: f64) -> Result<Self, NumericError> {
        let (low, high) = (finite("between", low)?, finite("between", high)?);
        let wide = high - low;
        if low >= high {
            return Err(NumericError::Between { low, high });
        }
        if !wide.is_finite() {
            return Err(NumericError::Wide { low, high });
        }
        let margin = finite("margin", margin)?;
        if margin <= 0.0 {
            return Err(NumericError::NotPositive {
                name: "margin",
                given: margin,
            });
        }
        // How far a mean can miss each bound.
        let rooms = [
            wanted.low().map(|bound| (bound, bound - low)),
            wanted.high().map(|bound| (bound, high - bound)),
        ];
        for (bound, room) in rooms.into_iter().flatten() {
            if !(low < bound && bound < high) {
                finite("the wanted mean", bound)?;
                let wanted = wanted.given();
                return Err(NumericError::Outside { wanted, low, high });
            }
            if margin >= room {
                return Err(NumericError::Margin {
                    wanted: wanted.given(),
                    margin,
                    low,
                    high,
                    room,
                });
            }
        }
        Ok(MeanClaim {
            between: (low, high),
            wanted,
            margin,
            chances: Chances::usual()?,
        })
    }

    /// Sets the chance of passing a program that misses the claim by the margin.
    ///
    /// # Errors
    /// When it is no probability strictly between 0 and 1.
    pub fn epsilon(mut self, epsilon: impl IntoProbability) -> Result<Self, NumericError> {
        self.chances.epsilon = read("epsilon", epsilon)?;
        Ok(self)
    }

    /// Sets the chance of failing a program that keeps the claim.
    ///
    /// # Errors
    /// When it is no probability strictly between 0 and 1.
    pub fn false_alarm(mut self, false_alarm: impl IntoProbability) -> Result<Self, NumericError> {
        self.chances.false_alarm = read("false_alarm", false_alarm)?;
        Ok(self)
    }

    /// The least and the largest number that an execution can return.
    pub fn between(&self) -> (f64, f64) {
        self.between
    }

    /// The means that are wanted.
    pub fn wanted(&self) -> Wanted {
        self.wanted
    }

    /// How far a mean misses the claim before it must fail.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// The chance of failing a program that keeps the claim.
    pub fn false_alarm_chance(&self) -> &Probability {
        &self.chances.false_alarm
    }

    /// Puts a number onto the scale from 0 to 1.
    pub(crate) fn scaled(&self, value: f64) -> f64 {
        let (low, high) = self.between;
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Puts a number of the scale from 0 to 1 back onto that of the claim.
    pub(crate) fn unscaled(&self, share: f64) -> f64 {
        let (low, high) = self.between;
        (low + share * (high - low)).clamp(low, high)
    }
}
