//! What may stand where a probability is expected.

use super::{ClaimError, Probability};

/// Turns what a user writes into a [`Probability`].
///
/// ```
/// use probtest::claim::IntoProbability;
///
/// assert_eq!(0.25.into_probability()?, "1/4".into_probability()?);
/// assert_eq!(0.1f32.into_probability()?.to_string(), "0.1");
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
pub trait IntoProbability {
    /// Reads the value exactly.
    ///
    /// # Errors
    /// When it is no probability strictly between 0 and 1.
    fn into_probability(self) -> Result<Probability, ClaimError>;
}

impl IntoProbability for f64 {
    fn into_probability(self) -> Result<Probability, ClaimError> {
        Probability::from_f64(self)
    }
}

impl IntoProbability for f32 {
    fn into_probability(self) -> Result<Probability, ClaimError> {
        // An f32 too means the decimal it prints as; widening it would print another.
        match Probability::from_f64(f64::from(self)) {
            Ok(_) => Probability::parse(&format!("{self:?}")),
            Err(error) => Err(error),
        }
    }
}

impl IntoProbability for &str {
    fn into_probability(self) -> Result<Probability, ClaimError> {
        Probability::parse(self)
    }
}

impl IntoProbability for String {
    fn into_probability(self) -> Result<Probability, ClaimError> {
        Probability::parse(&self)
    }
}

impl IntoProbability for Probability {
    fn into_probability(self) -> Result<Probability, ClaimError> {
        Ok(self)
    }
}

impl IntoProbability for &Probability {
    fn into_probability(self) -> Result<Probability, ClaimError> {
        Ok(self.clone())
    }
}
