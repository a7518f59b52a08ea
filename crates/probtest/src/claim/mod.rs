//! Claim: what is promised?
//!
//! A [`Claim`] says what passes, what fails, and how often that may be wrong. You build it part by
//! part as [`Terms`], and it is checked in one place. Every probability is kept as the exact
//! rational you wrote, so `0.3` is three tenths and `1/6` is one sixth. Nothing here computes a
//! count.
//!
//! Next stage: [`crate::plan`].

mod returned;
mod terms;
mod written;

use std::num::NonZeroU64;

pub use probtest_syntax::{Error, IntoProbability, Outcomes, Probability};
pub use returned::{Pairs, Worse, compare, compare_means};
pub use terms::{Labels, Numbers, Terms, Violations, cover, detect, estimate, fit, mean, tolerate};

pub(crate) use returned::{Compare, Fit, Mean, WantedMean};
pub(crate) use terms::ClaimParts;
pub(crate) use written::WrittenClaim;

/// What a test promises: what passes, what fails, and how often that may be wrong.
///
/// ```
/// use probtest::Claim;
///
/// let claim = Claim::detect(0.01, 0.02)?;
/// assert_eq!(claim.p().unwrap().to_string(), "0.01");
/// assert_eq!(claim.epsilon().unwrap().to_string(), "0.02");
/// assert_eq!(claim, probtest::detect("1/100").epsilon("2e-2").claim()?);
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Claim(pub(crate) ClaimKind);

/// The kinds of claim, with what each is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ClaimKind {
    /// A violation probability of `p` or more is caught with probability above `1 - epsilon`; with
    /// inputs, for each of that many.
    Detect { p: Probability, epsilon: Probability, inputs: Option<NonZeroU64> },
    /// Every listed outcome is seen with probability above `1 - epsilon`.
    Cover { outcomes: Outcomes, epsilon: Probability },
    /// A violation rate of `tolerate` or less passes with probability at least `1 - false_alarm`;
    /// one of `p` or more fails with probability at least `1 - epsilon`.
    Tolerate { tolerate: Probability, p: RateToCatch, chances: Chances },
    /// The mean of a number that each execution returns is within bounds.
    Mean { mean: Mean, chances: Chances },
    /// Each execution returns one of these labels, each with its probability.
    Fit { fit: Fit, chances: Chances },
    /// A new version is not worse than an old one by `change` or more.
    Compare { compare: Compare, chances: Chances },
    /// The violation rate is known to within `width`.
    Estimate { width: f64, confidence: f64 },
}

/// The rate that a claim with a tolerated one must catch.
#[derive(Clone, Debug)]
pub(crate) struct RateToCatch {
    pub(crate) p: Probability,
    /// Whether it wasn't given: then it is ten times the tolerated one.
    pub(crate) derived: bool,
}

// Where it came from matters only for the wording; the claim is the same.
impl PartialEq for RateToCatch {
    fn eq(&self, other: &Self) -> bool {
        self.p == other.p
    }
}

/// The two ways of being wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chances {
    /// The chance of passing a program that must fail.
    pub(crate) epsilon: Probability,
    /// The chance of failing a program that must pass.
    pub(crate) false_alarm: Probability,
}

impl Claim {
    /// Claims that a violation probability of `p` is missed with probability below `epsilon`.
    ///
    /// # Errors
    /// When `p` or `epsilon` isn't strictly between 0 and 1.
    pub fn detect(p: impl IntoProbability, epsilon: impl IntoProbability) -> Result<Claim, Error> {
        detect(p).epsilon(epsilon).claim()
    }

    /// Claims that each of the outcomes is seen, except with a chance below `epsilon`.
    ///
    /// # Errors
    /// When `epsilon` isn't strictly between 0 and 1.
    pub fn cover(outcomes: Outcomes, epsilon: impl IntoProbability) -> Result<Claim, Error> {
        terms::covering(Ok(outcomes)).epsilon(epsilon).claim()
    }

    /// Claims that a violation rate of `tolerate` passes, except with a chance of `false_alarm`, and
    /// that a rate of `p` fails, except with a chance of `epsilon`.
    ///
    /// # Errors
    /// When one of them isn't strictly between 0 and 1, or `tolerate` isn't below `p`.
    pub fn tolerate(
        rate: impl IntoProbability,
        p: impl IntoProbability,
        epsilon: impl IntoProbability,
        false_alarm: impl IntoProbability,
    ) -> Result<Claim, Error> {
        let terms = tolerate(rate).p(p).epsilon(epsilon);
        terms.false_alarm(false_alarm).claim()
    }

    /// The kind of claim, named as in the JSON form.
    ///
    /// ```
    /// assert_eq!(probtest::Claim::detect(0.01, 0.02)?.kind(), "detect");
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn kind(&self) -> &'static str {
        match self.0 {
            ClaimKind::Detect { .. } => "detect",
            ClaimKind::Cover { .. } => "cover",
            ClaimKind::Tolerate { .. } => "tolerate",
            ClaimKind::Mean { .. } => "mean",
            ClaimKind::Fit { .. } => "fit",
            ClaimKind::Compare { .. } => "compare",
            ClaimKind::Estimate { .. } => "estimate",
        }
    }

    /// The chance of missing what is claimed; `None` for an estimate.
    pub fn epsilon(&self) -> Option<&Probability> {
        match &self.0 {
            ClaimKind::Detect { epsilon, .. } | ClaimKind::Cover { epsilon, .. } => Some(epsilon),
            ClaimKind::Tolerate { chances, .. }
            | ClaimKind::Mean { chances, .. }
            | ClaimKind::Fit { chances, .. }
            | ClaimKind::Compare { chances, .. } => Some(&chances.epsilon),
            ClaimKind::Estimate { .. } => None,
        }
    }

    /// The chance of failing a program that keeps the claim, if the claim bounds it.
    pub fn false_alarm(&self) -> Option<&Probability> {
        match &self.0 {
            ClaimKind::Tolerate { chances, .. }
            | ClaimKind::Mean { chances, .. }
            | ClaimKind::Fit { chances, .. }
            | ClaimKind::Compare { chances, .. } => Some(&chances.false_alarm),
            _ => None,
        }
    }

    /// The violation probability you must catch, if the claim is about one.
    pub fn p(&self) -> Option<&Probability> {
        match &self.0 {
            ClaimKind::Detect { p, .. } => Some(p),
            ClaimKind::Tolerate { p, .. } => Some(&p.p),
            _ => None,
        }
    }

    /// How many inputs are drawn, if the claim is about each of them.
    ///
    /// ```
    /// let claim = probtest::detect(0.01).inputs(50).claim()?;
    /// assert_eq!(claim.inputs(), Some(50));
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn inputs(&self) -> Option<u64> {
        match &self.0 {
            ClaimKind::Detect { inputs, .. } => inputs.map(NonZeroU64::get),
            _ => None,
        }
    }

    /// The tolerated rate, if there is one.
    pub fn tolerated(&self) -> Option<&Probability> {
        let ClaimKind::Tolerate { tolerate, .. } = &self.0 else { return None };
        Some(tolerate)
    }

    /// The outcomes, if each of them must be seen.
    pub fn outcomes(&self) -> Option<&Outcomes> {
        let ClaimKind::Cover { outcomes, .. } = &self.0 else { return None };
        Some(outcomes)
    }

    /// The labels with their probabilities, if the claim is about labels.
    pub fn labels(&self) -> Option<&[(String, Probability)]> {
        let ClaimKind::Fit { fit, .. } = &self.0 else { return None };
        Some(fit.labels())
    }

    /// The position of a label, from 0; `None` if it isn't listed.
    pub fn position(&self, label: &str) -> Option<usize> {
        let listed = self.labels()?;
        listed.iter().position(|(listed, _)| listed == label)
    }

    /// Whether the first violation decides the claim. It doesn't if a rate is tolerated, measured
    /// or compared.
    pub fn first_violation_decides(&self) -> bool {
        !matches!(
            self.0,
            ClaimKind::Tolerate { .. } | ClaimKind::Compare { .. } | ClaimKind::Estimate { .. }
        )
    }

    /// Whether each execution runs an old and a new version.
    pub fn is_about_pairs(&self) -> bool {
        matches!(self.0, ClaimKind::Compare { .. })
    }

    /// Whether the claim compares the numbers of two versions, not their violations.
    pub fn compares_numbers(&self) -> bool {
        matches!(&self.0, ClaimKind::Compare { compare, .. } if compare.numbers.is_some())
    }

    /// Whether the claim is about what executions return.
    pub fn is_about_returned(&self) -> bool {
        matches!(self.0, ClaimKind::Mean { .. } | ClaimKind::Fit { .. })
    }

    /// Whether a single counterexample breaks the claim, so that it is worth remembering.
    pub fn has_counterexamples(&self) -> bool {
        matches!(self.0, ClaimKind::Detect { .. } | ClaimKind::Cover { .. })
    }

    /// Whether a test can achieve less than the claim and accept that.
    pub(crate) fn is_achieved_in_part(&self) -> bool {
        self.has_counterexamples() || self.tolerated().is_some()
    }

    /// Both chances, so that they can be lowered: epsilon, then the false alarm.
    pub(crate) fn chances_mut(&mut self) -> (Option<&mut Probability>, Option<&mut Probability>) {
        match &mut self.0 {
            ClaimKind::Detect { epsilon, .. } | ClaimKind::Cover { epsilon, .. } => {
                (Some(epsilon), None)
            }
            ClaimKind::Tolerate { chances, .. }
            | ClaimKind::Mean { chances, .. }
            | ClaimKind::Fit { chances, .. }
            | ClaimKind::Compare { chances, .. } => {
                (Some(&mut chances.epsilon), Some(&mut chances.false_alarm))
            }
            ClaimKind::Estimate { .. } => (None, None),
        }
    }
}
