//! A claim on a mean, said part by part.

use super::chances::SaidChances;
use super::{MeanClaim, NumericError, Wanted};
use crate::claim::{IntoProbability, Probability};

/// Begins a claim on the mean of the number that each execution returns.
///
/// The value of `claim = ..` in the attribute, and what [`fn@crate::numeric::mean`] is
/// given. Nothing is checked before the claim is used, or [`MeanTerms::claim`] asks.
///
/// ```
/// let claim = probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.05).claim()?;
/// assert_eq!(claim.between(), (0.0, 1.0));
/// # Ok::<(), probtest::claim::numeric::NumericError>(())
/// ```
pub fn mean() -> MeanTerms {
    MeanTerms::default()
}

/// The terms of a claim on a mean: [`fn@mean`] begins them.
///
/// `between`, `margin` and exactly one of `within`, `above` and `below` must be said.
///
/// ```
/// let error = probtest::mean().between(0, 1).margin(0.1).claim().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the test does not say exactly one of within, above and below\n  given  between = (0, 1), margin = 0.1\n  help   a mean needs between, margin and one of within, above and below"
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "terms claim nothing until a test is given them"]
pub struct MeanTerms {
    between: Option<(f64, f64)>,
    wanted: Vec<Wanted>,
    margin: Option<f64>,
    chances: SaidChances,
}

impl MeanTerms {
    /// Says the least and the largest number that an execution can return.
    pub fn between(mut self, low: impl Into<f64>, high: impl Into<f64>) -> Self {
        self.between = Some((low.into(), high.into()));
        self
    }

    /// Wants a mean from `low` to `high`, which may be equal.
    pub fn within(mut self, low: impl Into<f64>, high: impl Into<f64>) -> Self {
        self.wanted.push(Wanted::Within(low.into(), high.into()));
        self
    }

    /// Wants this mean or a higher one.
    pub fn above(mut self, low: impl Into<f64>) -> Self {
        self.wanted.push(Wanted::Above(low.into()));
        self
    }

    /// Wants this mean or a lower one.
    pub fn below(mut self, high: impl Into<f64>) -> Self {
        self.wanted.push(Wanted::Below(high.into()));
        self
    }

    /// Says by how much a mean may miss the claim before it must fail.
    pub fn margin(mut self, margin: impl Into<f64>) -> Self {
        self.margin = Some(margin.into());
        self
    }

    /// Sets the chance of passing a program that misses the claim by the margin; 0.05
    /// by default.
    pub fn epsilon(mut self, epsilon: impl IntoProbability) -> Self {
        self.chances.epsilon = Some(epsilon.into_probability());
        self
    }

    /// Sets the chance of failing a program that keeps the claim; 1e-6 by default.
    pub fn false_alarm(mut self, false_alarm: impl IntoProbability) -> Self {
        self.chances.false_alarm = Some(false_alarm.into_probability());
        self
    }

    /// Checks the terms.
    ///
    /// # Errors
    /// When a part is missing or said twice, and as [`MeanClaim::within`].
    pub fn claim(self) -> Result<MeanClaim, NumericError> {
        let lacks = |what| NumericError::Incomplete {
            what,
            given: self.given(),
            help: "a mean needs between, margin and one of within, above and below",
        };
        let between = self.between.ok_or_else(|| lacks("between"))?;
        let margin = self.margin.ok_or_else(|| lacks("margin"))?;
        let mut claim = match *self.wanted.as_slice() {
            [Wanted::Within(low, high)] => MeanClaim::within(between, (low, high), margin),
            [Wanted::Above(low)] => MeanClaim::above(between, low, margin),
            [Wanted::Below(high)] => MeanClaim::below(between, high, margin),
            _ => return Err(lacks("exactly one of within, above and below")),
        }?;
        claim.chances = self.chances.read()?;
        Ok(claim)
    }

    /// Takes these chances where the terms say none.
    pub(crate) fn or_chances(
        mut self,
        epsilon: Option<&Probability>,
        false_alarm: Option<&Probability>,
    ) -> Self {
        self.chances.or(epsilon, false_alarm);
        self
    }

    /// What is said so far, for an error.
    fn given(&self) -> String {
        let between = self.between.map(|(a, b)| format!("between = ({a}, {b})"));
        let wanted = self.wanted.iter().map(|wanted| wanted.given());
        let margin = self.margin.map(|margin| format!("margin = {margin}"));
        let said: Vec<String> = between.into_iter().chain(wanted).chain(margin).collect();
        match said.len() {
            0 => "none of them".into(),
            _ => said.join(", "),
        }
    }
}

impl From<MeanClaim> for MeanTerms {
    fn from(claim: MeanClaim) -> Self {
        MeanTerms {
            between: Some(claim.between()),
            wanted: vec![claim.wanted()],
            margin: Some(claim.margin()),
            chances: claim.chances.into(),
        }
    }
}

impl From<&MeanClaim> for MeanTerms {
    fn from(claim: &MeanClaim) -> Self {
        claim.clone().into()
    }
}
