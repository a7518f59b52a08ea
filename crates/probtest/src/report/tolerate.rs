//! The words for a violation rate that is tolerated.

use super::Report;
use super::reasons::cut_plan;
use super::words::{Section, Words, plural, rejected, round_up, violations};
use crate::claim::{Chances, Probability, Rate};
use crate::judge::{Finding, Reason, Verdict};
use crate::plan::Plan;

pub(super) struct Tolerate<'a> {
    pub(super) tolerate: &'a Probability,
    pub(super) p: &'a Rate,
    pub(super) chances: &'a Chances,
}

impl Tolerate<'_> {
    /// Writes `p`, and where it comes from when nobody gave it.
    fn p_with_origin(&self) -> String {
        match self.p.derived {
            true => format!("{} (ten times tolerate)", self.p.p),
            false => self.p.p.to_string(),
        }
    }

    /// What some executions are worth where the plan is cut short after them.
    pub(super) fn worth(&self, plan: &Plan, executions: u64) -> String {
        let caught = plan.rate_caught_within(executions);
        let Some(caught) = caught else {
            return "nothing: with so few executions, no violation rate would fail".into();
        };
        let missed = plan.miss_within(executions);
        format!(
            "a violation rate of {} or more would have failed with probability {}\none of {} would have passed with probability {}",
            round_up(caught),
            self.chances.epsilon.complement(),
            self.p.p,
            missed.display_against(&self.chances.epsilon)
        )
    }

    fn both(&self) -> String {
        let (tolerate, p) = (one_in(self.tolerate), one_in(&self.p.p));
        format!("tolerates {tolerate}, catches {p}")
    }
}

impl Words for Tolerate<'_> {
    fn claim_line(&self) -> String {
        let (epsilon, false_alarm) = (&self.chances.epsilon, &self.chances.false_alarm);
        let (tolerate, p) = (self.tolerate, self.p_with_origin());
        format!("tolerate = {tolerate}, p = {p}, epsilon = {epsilon}, false_alarm = {false_alarm}")
    }

    fn promise(&self) -> String {
        format!(
            "a rate of {} or less passes with probability >= {}\na rate of {} or more fails with probability >= {}",
            self.tolerate,
            self.chances.false_alarm.complement(),
            self.p_with_origin(),
            self.chances.epsilon.complement()
        )
    }

    fn plan_text(&self, plan: &Plan) -> String {
        let Some(test) = plan.sequential() else {
            return String::new();
        };
        let (fewest, most) = (test.fewest(), plural(test.most(), "execution"));
        let mut section = Section::begin(&format!("{fewest} to {most}"));
        section.fact("claim", &self.promise());
        let expected = |rate: &Probability| {
            let executions = plan.expected_executions(rate.as_f64()).unwrap_or(0.0);
            format!("{executions:.0} at {rate}")
        };
        section.fact(
            "expected",
            &format!(
                "{fewest} without a violation, {}, {}",
                expected(self.tolerate),
                expected(&self.p.p)
            ),
        );
        let allowed = plural(test.allowed(), "violation");
        section.fact("most", &format!("{most}; at most {allowed} may pass"));
        let fixed = test.fixed();
        section.fact(
            "compare",
            &format!(
                "{} for a test that looks only at the end and allows {}",
                plural(fixed.executions, "execution"),
                plural(fixed.allowed, "violation")
            ),
        );
        section.fact("miss", &plan.miss().display_against(&self.chances.epsilon));
        if let Some(alarm) = plan.false_alarm() {
            section.fact("alarm", &alarm.display_against(&self.chances.false_alarm));
        }
        section.text
    }

    fn head(&self, report: &Report) -> String {
        let counts = &report.counts;
        if !report.passed() {
            return format!(
                "violated too often: {} of {}",
                counts.violated,
                plural(counts.executed, "execution")
            );
        }
        format!(
            "{}; passed after {} of at most {} executions, {}{}; {}",
            self.both(),
            counts.executed,
            counts.planned,
            violations(counts.violated),
            rejected(counts.rejected),
            self.meaning(report).unwrap_or_default()
        )
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        let (epsilon, false_alarm) = (&self.chances.epsilon, &self.chances.false_alarm);
        match &report.verdict {
            Verdict::Passed => Some(format!(
                "a program that fails {} would pass {}",
                one_in(&self.p.p),
                at_most(epsilon)
            )),
            Verdict::Violated(Finding::Execution { .. }) => Some(
                "this execution violates when it runs alone; a single violation does not break a claim that tolerates a rate"
                    .into(),
            ),
            Verdict::Violated(_) => Some(format!(
                "{}; a program that fails {} or less would be stopped like this {}",
                self.both(),
                one_in(self.tolerate),
                at_most(false_alarm)
            )),
            _ => None,
        }
    }

    fn achieved(&self, report: &Report) -> Option<String> {
        Some(self.worth(&report.plan, report.counts.executed))
    }

    fn why(&self, reason: &Reason, asked: bool) -> Option<(String, String)> {
        cut_plan(reason, asked, "p", ", if a rate below 1 would fail and rates below p still fit")
    }
}

/// Writes a rate as "1 in 1000", where that is short.
fn one_in(rate: &Probability) -> String {
    let (num, den) = rate.parts();
    let (num, den) = (num.to_string(), den.to_string());
    if den.len() <= 12 { format!("{num} in {den}") } else { format!("with probability {rate}") }
}

/// Writes how often something may happen: in percent, where that reads well.
fn at_most(chance: &Probability) -> String {
    let text = chance.to_string();
    let percent = chance.as_f64() * 100.0;
    let rounded = (percent * 1e6).round() / 1e6;
    if percent >= 0.1 && (rounded - percent).abs() < 1e-9 && !text.contains('/') {
        format!("at most {rounded} % of the time")
    } else {
        format!("with probability at most {text}")
    }
}
