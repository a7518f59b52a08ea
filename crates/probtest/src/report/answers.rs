//! Answers of the command that need no executions: as text, and as facts for programs.

use probtest_facts::{BelievedFacts, BelievedNote, Claim, PlanFacts, SensitivityFacts};

use super::facts::{claim_facts, log10};
use super::violations::{ONE_IS_NOTHING, TolerateWords, outcomes_line};
use super::words::{ClaimWords, Section, plural, round_up, round_up_exact};
use crate::claim::{self, ClaimKind, Outcomes, Probability};
use crate::plan::{self, Chance, Plan, Sensitivity};

/// The epsilon that this many executions achieve for a violation probability.
pub fn attained_epsilon(p: &Probability, executions: u64, miss: &Chance) -> (String, PlanFacts) {
    let words = match executions {
        1 => format!("1 execution catches nothing: {ONE_IS_NOTHING}"),
        _ => {
            let missed = plan::violation_missed(p, executions).to_string();
            let both = match missed == miss.to_string() {
                true => String::new(),
                false => {
                    format!("\nand one of the two outcomes, a pass or a violation, with {miss}")
                }
            };
            format!(
                "{executions} executions miss a violation probability of {p} with probability {missed}{both}"
            )
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

/// The smallest violation probability that this many executions catch; the text rounds it up.
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

/// The chance that this many executions don't see all outcomes.
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

/// The violation rate that a plan with a tolerated rate still catches when it is cut short after
/// this many executions.
pub fn attained_rate(plan: &Plan, executions: u64) -> Option<(String, PlanFacts)> {
    let ClaimKind::Tolerate { tolerate, p, chances } = &plan.claim().0 else {
        return None;
    };
    let words = TolerateWords { tolerate, p, chances };
    let caught = plan.rate_caught_within(executions);
    let head = caught.map_or("nothing".into(), |caught| format!("rate {}", round_up(caught)));
    let (claim, miss) = (claim_facts(plan.claim()), plan.miss_within(executions));
    let (text, mut facts) = answer(head, &words.claim_line(), executions, claim, &miss);
    facts.rate_caught = caught;
    let most = plan.executions();
    let needed = match executions < most {
        true => format!("{} of at most {most}", plural(executions, "execution")),
        false => format!("at most {most} executions, so {executions} are never needed"),
    };
    let mut section = Section { text };
    section.fact("plan", &needed);
    section.fact("achieved", &words.worth(plan, executions));
    Some((section.text, facts))
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

/// What it costs to plan for p + p * factor; `None` if that is 1 or more.
pub type Believed = Option<Sensitivity>;

/// What wrong beliefs cost: the answer for the true p first, then one line for each factor, with
/// the field names of the facts as headings.
pub fn sensitivity_answer(
    p: &Probability,
    epsilon: &Probability,
    rows: &[(f64, Believed)],
) -> (String, SensitivityFacts) {
    let heads =
        ["factor", "believed", "executions_believed", "executions", "short", "miss", "added_miss"];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    let mut facts = SensitivityFacts {
        p: p.as_f64(),
        p_exact: p.to_string(),
        epsilon: epsilon.as_f64(),
        epsilon_exact: epsilon.to_string(),
        ..SensitivityFacts::default()
    };
    for (factor, believed) in rows {
        let (line, row) = match believed {
            Some(row) => belief(*factor, row),
            None => (
                vec![short(*factor), "1 or more".into(), "not a probability".into()],
                BelievedFacts {
                    factor: *factor,
                    note: Some(BelievedNote::NotAProbability),
                    ..BelievedFacts::default()
                },
            ),
        };
        lines.push(line);
        facts.rows.push(row);
    }
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let claim = claim::Claim::detect(p, epsilon).ok();
    let mut text = match claim.and_then(|claim| Plan::new(&claim).ok()) {
        Some(plan) => format!(
            "{} for the real p = {p}, epsilon = {epsilon}\n",
            plural(plan.executions(), "execution")
        ),
        None => format!("the real p = {p}, epsilon = {epsilon}\n"),
    };
    for line in &lines {
        let pad = |(column, cell)| format!("  {cell:<0$}", width(column));
        let cells: String = line.iter().enumerate().map(pad).collect();
        text.push_str(cells.trim_end());
        text.push('\n');
    }
    (text, facts)
}

fn belief(factor: f64, row: &Sensitivity) -> (Vec<String>, BelievedFacts) {
    let mirror = row.believed.complement();
    let is_symmetric = row.believed > mirror;
    let mut cells = vec![
        short(factor),
        short(row.believed.as_f64()),
        row.executions_believed.to_string(),
        row.executions.to_string(),
        row.short.to_string(),
        row.miss.to_string(),
        short(row.added_miss),
    ];
    if is_symmetric {
        cells.push(format!("symmetric to {}", short(mirror.as_f64())));
    }
    let facts = BelievedFacts {
        factor,
        believed: Some(row.believed.as_f64()),
        believed_exact: Some(row.believed.to_string()),
        executions: Some(row.executions),
        executions_believed: Some(row.executions_believed),
        short: i64::try_from(row.short).ok(),
        miss: Some(row.miss.value()),
        miss_log10: log10(&row.miss),
        added_miss: Some(row.added_miss),
        note: is_symmetric.then_some(BelievedNote::Symmetric),
    };
    (cells, facts)
}

/// Rounds to four digits for reading, without trailing zeros.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let text = format!("{value:.3e}");
    // Parsed back from the rounded text, to drop trailing zeros.
    match text.parse::<f64>() {
        Ok(rounded) if (1e-4..1e6).contains(&rounded.abs()) => format!("{rounded}"),
        Ok(rounded) => format!("{rounded:e}"),
        Err(_) => text,
    }
}
