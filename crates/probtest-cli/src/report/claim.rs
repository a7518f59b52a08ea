//! Which claim was tested?
//!
//! Claims that the core knows are read exactly. Of others their words are shown, and
//! nothing is computed from what is not understood.

use probtest::claim::{Claim, Outcomes, Probability};
use probtest::plan::Plan;
use probtest::report::claim_line;
use probtest_facts::{Kind, TestFacts};

use super::words::{DETAILS, one_line};

/// A claim of a file.
#[derive(Clone, Debug)]
pub struct TestedClaim {
    /// The claim as the options that make it.
    pub line: String,
    /// The claim, where a test for it ends at the first violation.
    pub exact: Option<Claim>,
    /// The violation probability that must not go unnoticed.
    pub p: Option<Probability>,
    /// The chance of missing it.
    pub epsilon: Option<Probability>,
    /// The chance of failing a program that keeps the claim.
    pub false_alarm: Option<f64>,
    /// Whether a pass bounds the chance of a miss by `epsilon`.
    pub bounds_misses: bool,
}

/// A field that is wrong: its name, what it holds, and what it should.
pub type WrongField = (&'static str, String, &'static str);

impl TestedClaim {
    /// Reads the claim of a result.
    ///
    /// # Errors
    ///
    /// When a number is no probability.
    pub fn read(facts: &TestFacts) -> Result<TestedClaim, WrongField> {
        let claim = &facts.claim;
        // A field that is not known could change what the others mean.
        let kind = facts.kind.as_ref().filter(|_| claim.unknown.is_empty());
        let p = probability("claim.p", claim.p_exact.as_ref(), claim.p)?;
        let epsilon = probability("claim.epsilon", claim.epsilon_exact.as_ref(), claim.epsilon)?;
        let false_alarm = probability(
            "claim.false_alarm",
            claim.false_alarm_exact.as_ref(),
            claim.false_alarm,
        )?;
        let exact = match (kind, &p, &epsilon) {
            (Some(Kind::Detect), Some(p), Some(epsilon)) => Claim::detect(p, epsilon).ok(),
            (Some(Kind::Cover), _, Some(epsilon)) => {
                outcomes(facts)?.and_then(|outcomes| Claim::cover(outcomes, epsilon).ok())
            }
            _ => None,
        };
        let line = match &exact {
            Some(claim) => claim_line(claim),
            None if facts.claim_words.is_empty() => "none that is written".into(),
            None => one_line(&facts.claim_words, DETAILS),
        };
        let bounds_misses = match kind {
            Some(Kind::Detect | Kind::Cover) => exact.is_some(),
            Some(Kind::Tolerate) => p.is_some() && epsilon.is_some(),
            Some(Kind::Mean | Kind::Fit) => epsilon.is_some(),
            _ => false,
        };
        Ok(TestedClaim {
            line,
            exact,
            p,
            epsilon,
            false_alarm: false_alarm.map(|chance| chance.as_f64()),
            bounds_misses,
        })
    }

    /// The executions that it needs, where one violation probability decides.
    pub fn needs(&self) -> Option<u64> {
        let claim = self.exact.as_ref().filter(|_| self.p.is_some())?;
        Plan::new(claim).ok().map(|plan| plan.executions())
    }
}

/// Reads the exact text of a probability, or its number where that is not there.
fn probability(
    field: &'static str,
    exact: Option<&String>,
    number: Option<f64>,
) -> Result<Option<Probability>, WrongField> {
    let Some(text) = exact.cloned().or(number.map(|number| number.to_string())) else {
        return Ok(None);
    };
    let expected = "a probability strictly between 0 and 1";
    let read = Probability::parse(&text);
    read.map(Some).map_err(|_| (field, text, expected))
}

fn outcomes(facts: &TestFacts) -> Result<Option<Outcomes>, WrongField> {
    let claim = &facts.claim;
    let numbers = claim.outcomes.as_ref();
    let numbers = numbers.map(|all| all.iter().map(ToString::to_string).collect());
    let Some(texts) = claim.outcomes_exact.clone().or(numbers) else {
        return Ok(None);
    };
    let all: Result<Vec<Probability>, _> = texts.iter().map(|p| Probability::parse(p)).collect();
    let expected = "a list of probabilities that sum to at most 1";
    all.and_then(Outcomes::new)
        .map(Some)
        .map_err(|_| ("claim.outcomes", texts.join(", "), expected))
}
