//! The kinds of claim.

use super::{ClaimError, IntoProbability, Outcomes, Probability};

/// Says what must not go unnoticed, and how often it may.
///
/// ```
/// use probtest::claim::Claim;
///
/// let claim = Claim::detect(0.01, 0.02)?;
/// assert_eq!(claim.p().unwrap().to_string(), "0.01");
/// assert_eq!(claim.epsilon().to_string(), "0.02");
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Claim {
    /// A violation probability of `p` or more is caught with probability above
    /// `1 - epsilon`.
    Detect {
        /// The violation probability that must not go unnoticed.
        p: Probability,
        /// The chance of missing it.
        epsilon: Probability,
    },
    /// Every listed outcome is seen with probability above `1 - epsilon`.
    Cover {
        /// The outcomes that must all be seen.
        outcomes: Outcomes,
        /// The chance of not seeing one of them.
        epsilon: Probability,
    },
}

impl Claim {
    /// Claims that a violation probability of `p` is missed with probability
    /// below `epsilon`.
    ///
    /// # Errors
    /// When `p` or `epsilon` is no probability strictly between 0 and 1.
    ///
    /// ```
    /// use probtest::claim::Claim;
    ///
    /// assert_eq!(Claim::detect("1/1024", 0.02)?, Claim::detect(0.0009765625, "2e-2")?);
    /// assert!(Claim::detect(0.0, 0.02).is_err());
    /// # Ok::<(), probtest::claim::ClaimError>(())
    /// ```
    pub fn detect(
        p: impl IntoProbability,
        epsilon: impl IntoProbability,
    ) -> Result<Claim, ClaimError> {
        let p = p.into_probability().map_err(|error| error.about("p"))?;
        Ok(Claim::Detect {
            p,
            epsilon: read_epsilon(epsilon)?,
        })
    }

    /// Claims that each of the outcomes is seen, but for a chance below
    /// `epsilon`.
    ///
    /// # Errors
    /// When `epsilon` is no probability strictly between 0 and 1.
    ///
    /// ```
    /// use probtest::claim::{Claim, Outcomes};
    ///
    /// let claim = Claim::cover(Outcomes::equal(6)?, 0.05)?;
    /// assert_eq!(claim.outcomes().unwrap().len(), 6);
    /// # Ok::<(), probtest::claim::ClaimError>(())
    /// ```
    pub fn cover(outcomes: Outcomes, epsilon: impl IntoProbability) -> Result<Claim, ClaimError> {
        Ok(Claim::Cover {
            outcomes,
            epsilon: read_epsilon(epsilon)?,
        })
    }

    /// The chance of missing what is claimed.
    pub fn epsilon(&self) -> &Probability {
        match self {
            Claim::Detect { epsilon, .. } | Claim::Cover { epsilon, .. } => epsilon,
        }
    }

    /// The violation probability, for a claim of the kind [`Claim::Detect`].
    pub fn p(&self) -> Option<&Probability> {
        match self {
            Claim::Detect { p, .. } => Some(p),
            Claim::Cover { .. } => None,
        }
    }

    /// The outcomes, for a claim of the kind [`Claim::Cover`].
    pub fn outcomes(&self) -> Option<&Outcomes> {
        match self {
            Claim::Detect { .. } => None,
            Claim::Cover { outcomes, .. } => Some(outcomes),
        }
    }
}

fn read_epsilon(epsilon: impl IntoProbability) -> Result<Probability, ClaimError> {
    epsilon
        .into_probability()
        .map_err(|error| error.about("epsilon"))
}
