//! Claims on what the executions return: a number, or a label.
//!
//! A [`MeanClaim`] is about the mean of a bounded number, a [`FitClaim`] about
//! how often each label is returned. Both say what passes, what fails, how far
//! apart the two are, and how often each may be mistaken for the other.

mod error;
mod fit;
mod mean;

use super::{IntoProbability, Probability};

pub use error::NumericError;
pub use fit::FitClaim;
pub use mean::{MeanClaim, Wanted};

/// The chance of missing when nobody says another.
const EPSILON: &str = "0.05";
/// The chance of a false alarm when nobody says another: it costs little.
const FALSE_ALARM: &str = "1e-6";

/// A claim on numbers or on labels.
#[derive(Clone, Debug, PartialEq)]
pub enum NumericClaim {
    /// On the mean of a number.
    Mean(MeanClaim),
    /// On how often each label is seen.
    Fit(FitClaim),
}

impl NumericClaim {
    /// The chance of passing a program that misses the claim by the margin.
    pub fn epsilon(&self) -> &Probability {
        &self.chances().epsilon
    }

    /// The chance of failing a program that keeps the claim.
    pub fn false_alarm(&self) -> &Probability {
        &self.chances().false_alarm
    }

    /// Both chances, to be made smaller: the one of missing, then the false alarm.
    pub(crate) fn both_chances(&mut self) -> (&mut Probability, &mut Probability) {
        let chances = match self {
            NumericClaim::Mean(claim) => &mut claim.chances,
            NumericClaim::Fit(claim) => &mut claim.chances,
        };
        (&mut chances.epsilon, &mut chances.false_alarm)
    }

    fn chances(&self) -> &Chances {
        match self {
            NumericClaim::Mean(claim) => &claim.chances,
            NumericClaim::Fit(claim) => &claim.chances,
        }
    }
}

impl From<MeanClaim> for NumericClaim {
    fn from(claim: MeanClaim) -> Self {
        NumericClaim::Mean(claim)
    }
}

impl From<FitClaim> for NumericClaim {
    fn from(claim: FitClaim) -> Self {
        NumericClaim::Fit(claim)
    }
}

/// The two ways of being wrong.
#[derive(Clone, Debug, PartialEq)]
struct Chances {
    epsilon: Probability,
    false_alarm: Probability,
}

impl Chances {
    fn usual() -> Result<Self, NumericError> {
        Ok(Chances {
            epsilon: read("epsilon", EPSILON)?,
            false_alarm: read("false_alarm", FALSE_ALARM)?,
        })
    }
}

fn read(name: &'static str, given: impl IntoProbability) -> Result<Probability, NumericError> {
    Ok(given
        .into_probability()
        .map_err(|error| error.about(name))?)
}

/// Refuses infinities and NaN.
fn finite(name: &'static str, value: f64) -> Result<f64, NumericError> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(NumericError::NotFinite {
        name,
        given: value.to_string(),
    })
}
