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
    /// A violation rate of `tolerate` or less passes with probability at least
    /// `1 - false_alarm`; one of `p` or more fails with probability at least
    /// `1 - epsilon`.
    Tolerate {
        /// The violation rate that is acceptable.
        tolerate: Probability,
        /// The violation rate that must not go unnoticed.
        p: Probability,
        /// The chance of passing a program whose rate is `p`.
        epsilon: Probability,
        /// The chance of failing a program whose rate is `tolerate`.
        false_alarm: Probability,
    },
}

/// The chance of a false alarm when none is given: it costs a good program
/// almost nothing.
pub const FALSE_ALARM: &str = "1e-6";

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
        Ok(Claim::Detect {
            p: read("p", p)?,
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

    /// Claims that a violation rate of `tolerate` passes, but for a chance of
    /// `false_alarm`, and that a rate of `p` fails, but for a chance of `epsilon`.
    ///
    /// # Errors
    /// When one of them is no probability strictly between 0 and 1, or `tolerate`
    /// is not below `p`.
    ///
    /// ```
    /// use probtest::claim::Claim;
    ///
    /// let claim = Claim::tolerate(0.001, 0.01, 0.05, 1e-6)?;
    /// assert_eq!(claim.p().unwrap().to_string(), "0.01");
    /// assert!(Claim::tolerate(0.01, 0.01, 0.05, 1e-6).is_err());
    /// # Ok::<(), probtest::claim::ClaimError>(())
    /// ```
    pub fn tolerate(
        tolerate: impl IntoProbability,
        p: impl IntoProbability,
        epsilon: impl IntoProbability,
        false_alarm: impl IntoProbability,
    ) -> Result<Claim, ClaimError> {
        let tolerate = read("tolerate", tolerate)?;
        let p = read("p", p)?;
        if tolerate >= p {
            return Err(ClaimError::NotBelowP {
                tolerate: tolerate.to_string(),
                p: p.to_string(),
            });
        }
        Ok(Claim::Tolerate {
            tolerate,
            p,
            epsilon: read_epsilon(epsilon)?,
            false_alarm: read("false_alarm", false_alarm)?,
        })
    }

    /// The violation rate that `tolerate` stands against when none is given: ten
    /// times as much.
    ///
    /// # Errors
    /// When `tolerate` is no probability, or is 1/10 or more.
    ///
    /// ```
    /// use probtest::claim::Claim;
    ///
    /// assert_eq!(Claim::p_beside(0.001)?.to_string(), "0.01");
    /// assert_eq!(Claim::p_beside("1/30")?.to_string(), "1/3");
    /// assert!(Claim::p_beside(0.1).is_err());
    /// # Ok::<(), probtest::claim::ClaimError>(())
    /// ```
    pub fn p_beside(tolerate: impl IntoProbability) -> Result<Probability, ClaimError> {
        let tolerate = read("tolerate", tolerate)?;
        // p = tolerate + 9 tolerate, exactly.
        tolerate.enlarged("9").map_err(|_| ClaimError::NoRoomForP {
            tolerate: tolerate.to_string(),
        })
    }

    /// The chance of missing what is claimed.
    pub fn epsilon(&self) -> &Probability {
        match self {
            Claim::Detect { epsilon, .. }
            | Claim::Cover { epsilon, .. }
            | Claim::Tolerate { epsilon, .. } => epsilon,
        }
    }

    /// The violation probability, for a claim of the kind [`Claim::Detect`] or
    /// [`Claim::Tolerate`].
    pub fn p(&self) -> Option<&Probability> {
        match self {
            Claim::Detect { p, .. } | Claim::Tolerate { p, .. } => Some(p),
            Claim::Cover { .. } => None,
        }
    }

    /// The outcomes, for a claim of the kind [`Claim::Cover`].
    pub fn outcomes(&self) -> Option<&Outcomes> {
        match self {
            Claim::Cover { outcomes, .. } => Some(outcomes),
            Claim::Detect { .. } | Claim::Tolerate { .. } => None,
        }
    }

    /// The tolerated rate and the chance of a false alarm, for a claim of the
    /// kind [`Claim::Tolerate`].
    pub fn tolerated(&self) -> Option<(&Probability, &Probability)> {
        match self {
            Claim::Tolerate {
                tolerate,
                false_alarm,
                ..
            } => Some((tolerate, false_alarm)),
            Claim::Detect { .. } | Claim::Cover { .. } => None,
        }
    }
}

fn read(name: &'static str, given: impl IntoProbability) -> Result<Probability, ClaimError> {
    given.into_probability().map_err(|error| error.about(name))
}

fn read_epsilon(epsilon: impl IntoProbability) -> Result<Probability, ClaimError> {
    read("epsilon", epsilon)
}
