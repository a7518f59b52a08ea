//! The words for what a given number of executions is worth.

use probtest_facts::{Claim, PlanFacts};

use super::cover::outcomes_line;
use super::detect::ONE_IS_NOTHING;
use super::facts::log10;
use super::words::{Section, plural, round_up};
use crate::claim::{Outcomes, Probability};
use crate::plan::Chance;

/// Writes the epsilon that some executions attain for a violation probability.
pub fn epsilon_text(p: &Probability, executions: u64, miss: &Chance) -> String {
    let mut section = Section::begin(&format!("epsilon {miss}"));
    if executions == 1 {
        section.fact(
            "claim",
            &format!("1 execution catches nothing: {ONE_IS_NOTHING}"),
        );
        return section.text;
    }
    section.fact(
        "claim",
        &format!(
            "{} a violation probability of {p} with probability {miss}",
            subject(executions, "miss")
        ),
    );
    section.text
}

/// Writes the same for programs.
pub fn epsilon_facts(p: &Probability, executions: u64, miss: &Chance) -> PlanFacts {
    let claim = Claim {
        p: Some(p.as_f64()),
        p_exact: Some(p.to_string()),
        epsilon: Some(miss.value()),
        ..Claim::default()
    };
    facts(executions, claim, miss)
}

/// Writes the smallest violation probability that some executions catch, rounded
/// up.
pub fn smallest_p_text(executions: u64, epsilon: &Probability, p: &Probability) -> String {
    let p = round_up(p);
    let mut section = Section::begin(&format!("p {p}"));
    section.fact(
        "claim",
        &format!(
            "{} a violation probability of {p} or more with probability > {}",
            subject(executions, "catch"),
            epsilon.complement()
        ),
    );
    section.text
}

/// Writes the same for programs.
pub fn smallest_p_facts(
    executions: u64,
    epsilon: &Probability,
    p: &Probability,
    miss: &Chance,
) -> PlanFacts {
    let claim = Claim {
        p: Some(p.as_f64()),
        p_exact: Some(p.to_string()),
        epsilon: Some(epsilon.as_f64()),
        epsilon_exact: Some(epsilon.to_string()),
        ..Claim::default()
    };
    facts(executions, claim, miss)
}

/// Writes the chance that some executions do not see all outcomes.
pub fn unseen_text(outcomes: &Outcomes, executions: u64, miss: &Chance) -> String {
    let mut section = Section::begin(&format!("epsilon {miss}"));
    section.fact(
        "claim",
        &format!(
            "{} some of {} ({}) with probability {miss}",
            subject(executions, "miss"),
            plural(outcomes.len() as u64, "outcome"),
            outcomes_line(outcomes)
        ),
    );
    section.text
}

/// Writes the same for programs.
pub fn unseen_facts(outcomes: &Outcomes, executions: u64, miss: &Chance) -> PlanFacts {
    let claim = Claim {
        outcomes: Some(outcomes.iter().map(Probability::as_f64).collect()),
        outcomes_exact: Some(outcomes.iter().map(ToString::to_string).collect()),
        epsilon: Some(miss.value()),
        ..Claim::default()
    };
    facts(executions, claim, miss)
}

fn facts(executions: u64, claim: Claim, miss: &Chance) -> PlanFacts {
    PlanFacts {
        executions,
        claim,
        miss: miss.value(),
        miss_log10: log10(miss),
        ..PlanFacts::default()
    }
}

fn subject(executions: u64, verb: &str) -> String {
    let ending = match (executions, verb) {
        (1, "miss" | "catch") => "es",
        _ => "",
    };
    format!("{} {verb}{ending}", plural(executions, "execution"))
}
