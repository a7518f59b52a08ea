//! What a given number of executions is worth: in words, and the same for programs.

use probtest_facts::{Claim, PlanFacts};

use super::facts::{claim_facts, log10};
use super::violations::{ONE_IS_NOTHING, Tolerate, outcomes_line};
use super::words::{Section, Words, plural, round_up, round_up_exact};
use crate::claim::{Kind, Outcomes, Probability};
use crate::plan::{self, Chance, Plan};

/// Tells the epsilon that some executions attain for a violation probability.
pub fn attained_epsilon(p: &Probability, executions: u64, miss: &Chance) -> (String, PlanFacts) {
    let words = match executions {
        1 => format!("1 execution catches nothing: {ONE_IS_NOTHING}"),
        _ => {
            let missed = plan::violation_missed(p, executions).to_string();
            let mut words = format!(
                "{executions} executions miss a violation probability of {p} with probability {missed}"
            );
            if missed != miss.to_string() {
                words.push_str(&format!(
                    "\nand one of the two outcomes, a pass or a violation, with {miss}"
                ));
            }
            words
        }
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

/// Tells the violation rate that a plan with a tolerated rate would not accept when it is
/// cut short after some executions.
pub fn attained_rate(plan: &Plan, executions: u64) -> Option<(String, PlanFacts)> {
    let Kind::Tolerate { tolerate, p, chances } = &plan.claim().0 else {
        return None;
    };
    let caught = plan.rate_caught_within(executions);
    let words = Tolerate { tolerate, p, chances };
    let head = match caught {
        Some(caught) => format!("rate {}", round_up(caught)),
        None => "nothing".into(),
    };
    let mut section = Section::begin(&head);
    section.fact("claim", &words.claim_line());
    let most = plan.executions();
    let needed = match executions < most {
        true => format!("{} of at most {most}", plural(executions, "execution")),
        false => format!("at most {most} executions, so {executions} are never needed"),
    };
    section.fact("plan", &needed);
    section.fact("achieved", &words.worth(plan, executions));
    let miss = plan.miss_within(executions);
    let facts = PlanFacts {
        executions,
        claim: claim_facts(plan.claim()),
        miss: miss.value(),
        miss_log10: log10(&miss),
        rate_caught: caught,
        ..PlanFacts::default()
    };
    Some((section.text, facts))
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
