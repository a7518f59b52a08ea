//! The words for claims and plans.

use super::text::{Section, plural};
use crate::claim::{Claim, Outcomes, Probability};
use crate::plan::{Certainty, Plan, miss, smallest_p};

/// Writes a claim as the options that make it.
///
/// ```
/// use probtest::claim::Claim;
/// use probtest::report::claim_line;
///
/// assert_eq!(claim_line(&Claim::detect("1/1024", 0.02)?), "p = 1/1024, epsilon = 0.02");
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
pub fn claim_line(claim: &Claim) -> String {
    match claim {
        Claim::Detect { p, epsilon } => format!("p = {p}, epsilon = {epsilon}"),
        Claim::Cover { outcomes, epsilon } => {
            format!(
                "outcomes = {}, epsilon = {epsilon}",
                outcomes_line(outcomes)
            )
        }
    }
}

/// Says what the claim promises.
///
/// ```
/// use probtest::claim::Claim;
/// use probtest::report::promise;
///
/// assert_eq!(
///     promise(&Claim::detect(0.01, 0.02)?),
///     "a violation probability of 0.01 or more is caught with probability > 0.98"
/// );
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
pub fn promise(claim: &Claim) -> String {
    let caught = claim.epsilon().complement();
    match claim {
        Claim::Detect { p, .. } => {
            format!("a violation probability of {p} or more is caught with probability > {caught}")
        }
        Claim::Cover { outcomes, .. } => format!(
            "{} ({}) are all seen with probability > {caught}",
            plural(outcomes.len() as u64, "outcome"),
            outcomes_line(outcomes)
        ),
    }
}

/// Writes a plan: the answer first, then the facts.
pub fn plan_text(plan: &Plan) -> String {
    let k = plan.executions();
    let epsilon = plan.claim().epsilon();
    let mut section = Section::begin(&plural(k, "execution"));
    section.fact("claim", &promise(plan.claim()));
    section.fact(
        "miss",
        &format!(
            "{} at {k}, {} at {}",
            plan.miss().display_against(epsilon),
            plan.miss_before().display_against(epsilon),
            k - 1
        ),
    );
    if let Certainty::Between { lowest } = plan.certainty() {
        section.fact(
            "certain",
            &format!("enough for sure; the least number lies between {lowest} and {k}"),
        );
    }
    if is_large(plan.claim()) {
        section.fact("note", super::Note::LargeP.words());
    }
    section.text
}

/// Says whether the claim has a p above one half.
pub fn is_large(claim: &Claim) -> bool {
    claim.p().is_some_and(|p| p > &p.complement())
}

/// What one execution is worth for a violation probability.
pub(super) const ONE_IS_NOTHING: &str =
    "a plan shows passes as well as violations, and one execution shows one of them";

/// Says what `executions` without a violation are worth for a claim.
///
/// ```
/// use probtest::claim::Claim;
/// use probtest::report::attained;
///
/// let worth = attained(&Claim::detect(0.01, 0.05)?, 100);
/// assert!(worth.starts_with("a violation probability >= 0.01 would have been missed with probability 0.3660"));
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
pub fn attained(claim: &Claim, executions: u64) -> String {
    if executions == 0 {
        return "nothing: no execution counted".into();
    }
    if executions == 1 && claim.p().is_some() {
        return format!("nothing: {ONE_IS_NOTHING}");
    }
    let missed = miss(claim, executions).display_against(claim.epsilon());
    match claim {
        Claim::Cover { .. } => {
            format!("some of the outcomes would have been missed with probability {missed}")
        }
        Claim::Detect { p, epsilon } => {
            let mut words = format!(
                "a violation probability >= {p} would have been missed with probability {missed}"
            );
            if let Ok(caught) = smallest_p(executions, epsilon) {
                words.push_str(&format!(
                    "\none of {} or more would have been seen with probability {}",
                    round_up(&caught),
                    epsilon.complement()
                ));
            }
            words
        }
    }
}

/// Rounds up to three digits: what is said must not promise more than holds.
pub(super) fn round_up(p: &Probability) -> String {
    let value = p.as_f64();
    let digits = (2 - value.log10().floor() as i32).max(0);
    let scale = 10_f64.powi(digits);
    let rounded = (value * scale).ceil() / scale;
    if digits <= 12 && rounded >= value {
        format!("{rounded:.*}", digits as usize)
    } else {
        p.to_string()
    }
}

/// Lists outcomes briefly: equal neighbours once, the rest of a long list by count.
pub(super) fn outcomes_line(outcomes: &Outcomes) -> String {
    const SHOWN: usize = 6;
    let mut groups: Vec<(&Probability, usize)> = Vec::new();
    let mut listed = 0;
    for p in outcomes.iter() {
        let full = groups.len() == SHOWN;
        match groups.last_mut() {
            Some((last, count)) if *last == p => *count += 1,
            _ if full => break,
            _ => groups.push((p, 1)),
        }
        listed += 1;
    }
    let mut words: Vec<String> = groups
        .iter()
        .map(|(p, count)| match count {
            1 => p.to_string(),
            _ => format!("{count} x {p}"),
        })
        .collect();
    if listed < outcomes.len() {
        words.push(format!("and {} more", outcomes.len() - listed));
    }
    words.join(", ")
}

/// Names outcomes by number, the first few of many.
pub(super) fn outcome_numbers(outcomes: &[usize]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = outcomes
        .iter()
        .take(SHOWN)
        .map(ToString::to_string)
        .collect();
    let rest = match outcomes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let noun = if outcomes.len() == 1 {
        "outcome"
    } else {
        "outcomes"
    };
    format!("{noun} {}{rest}", shown.join(", "))
}
