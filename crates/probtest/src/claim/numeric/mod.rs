//! Claims on what the executions return: a number, or a label.
//!
//! A [`MeanClaim`] is about the mean of a bounded number, a [`FitClaim`] about
//! how often each label is returned. Both say what passes, what fails, how far
//! apart the two are, and how often each may be mistaken for the other. Tests say them
//! part by part, as [`MeanTerms`] and [`FitTerms`].

mod chances;
mod error;
mod fit;
mod fit_terms;
mod mean;
mod mean_terms;

use super::Probability;
use chances::{Chances, read};

pub use error::NumericError;
pub use fit::FitClaim;
pub use fit_terms::{FitTerms, fit};
pub use mean::{MeanClaim, Wanted};
pub use mean_terms::{MeanTerms, mean};

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
