//! The words for outcomes that must all be seen.

use super::Report;
use super::detect::{count_text, counterexample, no_violation};
use super::reasons::cut_plan;
use super::words::{Words, plural};
use crate::claim::{Outcomes, Probability};
use crate::judge::{Finding, Reason, Verdict};
use crate::plan::Plan;

pub(super) struct Cover<'a> {
    pub(super) outcomes: &'a Outcomes,
    pub(super) epsilon: &'a Probability,
}

impl Words for Cover<'_> {
    fn claim_line(&self) -> String {
        let outcomes = outcomes_line(self.outcomes);
        format!("outcomes = {outcomes}, epsilon = {}", self.epsilon)
    }

    fn promise(&self) -> String {
        format!(
            "{} ({}) are all seen with probability > {}",
            plural(self.outcomes.len() as u64, "outcome"),
            outcomes_line(self.outcomes),
            self.epsilon.complement()
        )
    }

    fn plan_text(&self, plan: &Plan) -> String {
        count_text(plan, self.epsilon, &self.promise()).text
    }

    fn head(&self, report: &Report) -> String {
        match &report.verdict {
            Verdict::Violated(Finding::Unseen { outcomes }) => {
                let was = if outcomes.len() == 1 { "was" } else { "were" };
                format!(
                    "{} {was} not seen in {}",
                    outcome_numbers(outcomes),
                    plural(report.counts.executed, "execution")
                )
            }
            _ => no_violation(report, &self.meaning(report).unwrap_or_default()),
        }
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        let miss = || report.plan.miss().display_against(self.epsilon);
        match &report.verdict {
            Verdict::Passed => Some(format!(
                "some of the {} outcomes would have been missed with probability {}",
                self.outcomes.len(),
                miss()
            )),
            Verdict::Violated(Finding::Unseen { .. }) => Some(format!(
                "if every outcome were as probable as claimed, one would have been missed with probability {}",
                miss()
            )),
            Verdict::Violated(_) => Some(counterexample()),
            _ => None,
        }
    }

    fn achieved(&self, report: &Report) -> Option<String> {
        let executed = report.counts.executed;
        if executed == 0 {
            return Some("nothing: no execution was counted".into());
        }
        let missed = report.plan.miss_within(executed);
        Some(format!(
            "some of the outcomes would have been missed with probability {}",
            missed.display_against(self.epsilon)
        ))
    }

    fn why(&self, reason: &Reason, asked: bool) -> Option<(String, String)> {
        cut_plan(reason, asked, "the probabilities", ", if every outcome was seen")
    }
}

/// Lists outcomes briefly: equal neighbours once, the rest of a long list by count.
pub(super) fn outcomes_line(outcomes: &Outcomes) -> String {
    const SHOWN: usize = 6;
    let groups = outcomes.runs();
    let mut words: Vec<String> = groups
        .iter()
        .take(SHOWN)
        .map(|(p, count)| match count {
            1 => p.to_string(),
            _ => format!("{count} x {p}"),
        })
        .collect();
    let listed: usize = groups.iter().take(SHOWN).map(|(_, count)| count).sum();
    if listed < outcomes.len() {
        words.push(format!("and {} more", outcomes.len() - listed));
    }
    words.join(", ")
}

/// Names outcomes by number, the first few of many.
fn outcome_numbers(outcomes: &[usize]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = outcomes.iter().take(SHOWN).map(ToString::to_string).collect();
    let rest = match outcomes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let noun = if outcomes.len() == 1 { "outcome" } else { "outcomes" };
    format!("{noun} {}{rest}", shown.join(", "))
}
