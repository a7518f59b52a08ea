//! What a given number of executions is worth: in words, and the same for programs.

use probtest_facts::{Claim, PlanFacts};

use super::cover::outcomes_line;
use super::detect::ONE_IS_NOTHING;
use super::facts::log10;
use super::words::{Section, plural, round_up_exact};
use crate::claim::{Outcomes, Probability};
use crate::plan::Chance;

/// Tells the epsilon that some executions attain for a violation probability.
pub fn attained_epsilon(p: &Probability, executions: u64, miss: &Chance) -> (String, PlanFacts) {
    let words = match executions {
        1 => format!("1 execution catches nothing: {ONE_IS_NOTHING}"),
        _ => format!(
            "{executions} executions miss a violation probability of {p} with probability {miss}"
        ),
    };
    let claim = Claim {
        p: Some(p.as_f64()),
        p_exact: Some(p.to_string()),
        epsilon: Some(miss.value()),
        ..Claim::default()
    };
    answer(format!("epsilon {miss}"), &words, executions, claim, miss)
}

/// Tells the smallest violation probability that some executions catch; the words round it up.
pub fn attained_p(
    executions: u64,
    epsilon: &Probability,
    p: &Probability,
    miss: &Chance,
) -> (String, PlanFacts) {
    let (rounded, caught) = (round_up_exact(p), epsilon.complement());
    let executed = subject(executions, "catch");
    let words = format!(
        "{executed} a violation probability of {rounded} or more with probability > {caught}"
    );
    let claim = Claim {
        p: Some(p.as_f64()),
        p_exact: Some(p.to_string()),
        epsilon: Some(epsilon.as_f64()),
        epsilon_exact: Some(epsilon.to_string()),
        ..Claim::default()
    };
    answer(format!("p {rounded}"), &words, executions, claim, miss)
}

/// Tells the chance that some executions do not see all outcomes.
pub fn attained_cover(outcomes: &Outcomes, executions: u64, miss: &Chance) -> (String, PlanFacts) {
    let words = format!(
        "{} some of {} ({}) with probability {miss}",
        subject(executions, "miss"),
        plural(outcomes.len() as u64, "outcome"),
        outcomes_line(outcomes)
    );
    let claim = Claim {
        outcomes: Some(outcomes.iter().map(Probability::as_f64).collect()),
        outcomes_exact: Some(outcomes.iter().map(ToString::to_string).collect()),
        epsilon: Some(miss.value()),
        ..Claim::default()
    };
    answer(format!("epsilon {miss}"), &words, executions, claim, miss)
}

fn answer(
    head: String,
    words: &str,
    executions: u64,
    claim: Claim,
    miss: &Chance,
) -> (String, PlanFacts) {
    let mut section = Section::begin(&head);
    section.fact("claim", words);
    let facts = PlanFacts {
        executions,
        claim,
        miss: miss.value(),
        miss_log10: log10(miss),
        ..PlanFacts::default()
    };
    (section.text, facts)
}

fn subject(executions: u64, verb: &str) -> String {
    let ending = if executions == 1 { "es" } else { "" };
    format!("{} {verb}{ending}", plural(executions, "execution"))
}
