//! The words for a budget that ended before the plan.

use probtest_facts::Attained;

use super::Report;
use super::plan_text::{attained, claim_line, round_up};
use super::text::{Section, counts, plural};
use crate::budget::{TimeLimit, time_text};
use crate::claim::{Claim, Probability};
use crate::judge::{Reason, Verdict};
use crate::plan::smallest_p;

/// What to do besides raising a limit.
const ACCEPT: &str = "or accept what was attained with on_budget = \"pass\"";

impl Report {
    /// Says in one line that a budget ended first, and what was attained.
    pub(super) fn within_budget_line(&self) -> String {
        let violations = match self.counts.violated {
            0 => "no violation".into(),
            n => plural(n, "violation"),
        };
        format!(
            "probtest: passed within budget after {} of {} executions, {violations}; {}",
            self.counts.executed,
            self.counts.planned,
            self.attained_in_short()
        )
    }

    pub(super) fn within_budget(&self, reason: &Reason, section: &mut Section) {
        section.head(&self.within_budget_line());
        let (why, _) = super::reason_words(reason, self.counts.rejected);
        section.fact("reason", &why);
        section.fact("executed", &counts(&self.counts, "not executed"));
        section.fact("claim", &claim_line(self.plan.claim()));
        self.attained_facts(section);
        section.fact(
            "accepted",
            "by on_budget = \"pass\"; this is less than the claim promises",
        );
        self.suite_facts(section);
    }

    /// Says why there is no verdict, and what to do about this claim.
    pub(super) fn why(&self, reason: &Reason) -> (String, String) {
        let (why, mut help) = super::reason_words(reason, self.counts.rejected);
        if let Reason::Budget { .. } | Reason::Time { .. } = reason {
            help += match self.plan.claim() {
                Claim::Detect { .. } => "",
                Claim::Cover { .. } => ", if every outcome was seen",
                Claim::Tolerate { .. } => ", if rates below p still fit",
            };
        }
        (why, help)
    }

    /// What the executions so far are worth, in half a line.
    fn attained_in_short(&self) -> String {
        if let Some((p, epsilon)) = self.smallest_seen() {
            return format!(
                "a violation probability of {} or more would have been seen with probability {}",
                round_up(&p),
                epsilon.complement()
            );
        }
        let all = self.attained_words();
        all.lines().next().unwrap_or_default().to_owned()
    }

    /// The least violation probability that the executions so far would have shown.
    fn smallest_seen(&self) -> Option<(Probability, &Probability)> {
        match self.plan.claim() {
            Claim::Detect { epsilon, .. } => {
                let p = smallest_p(self.counts.executed, epsilon).ok()?;
                Some((p, epsilon))
            }
            Claim::Cover { .. } | Claim::Tolerate { .. } => None,
        }
    }

    /// Says what a test that was cut short is worth.
    pub(super) fn attained_facts(&self, section: &mut Section) {
        section.fact("attained", &self.attained_words());
        if let Some(rate) = self.rate() {
            section.fact("rate", &rate.to_string());
        }
    }

    fn attained_words(&self) -> String {
        let (claim, executed) = (self.plan.claim(), self.counts.executed);
        let Claim::Tolerate { p, epsilon, .. } = claim else {
            return attained(claim, executed);
        };
        let missed = self.plan.miss_within(executed);
        if missed.value() >= 1.0 {
            return "nothing: so few executions could not have failed".into();
        }
        format!(
            "a violation rate of {p} or more would have come this far without failing with probability {}",
            missed.display_against(epsilon)
        )
    }

    /// Writes what was attained by a test that did not come to the end of its plan.
    pub(super) fn attained_by_cut(&self) -> Option<Attained> {
        let (Verdict::Inconclusive(_) | Verdict::WithinBudget(_)) = &self.verdict else {
            return None;
        };
        let executed = self.counts.executed;
        let (p, epsilon) = self.smallest_seen().unzip();
        Some(Attained {
            executions: executed,
            miss: Some(self.plan.miss_within(executed).value()),
            p: p.map(|p| p.as_f64()),
            epsilon: epsilon.map(Probability::as_f64),
            words: self.attained_words().replace('\n', "; "),
        })
    }
}

/// Says that the most executions are below the plan, and what to do.
pub(super) fn executions_words(max_executions: u64) -> (String, String) {
    (
        format!("max_executions = {max_executions} is below the plan"),
        format!("raise max_executions, p or epsilon, {ACCEPT}"),
    )
}

/// Says that the time was over, and what to do.
pub(super) fn time_words(limit: &TimeLimit) -> (String, String) {
    let name = time_name(limit);
    (
        time_over(limit, "the plan"),
        format!("raise {name}, p or epsilon, {ACCEPT}"),
    )
}

/// Says that the time was over before something else.
pub(super) fn time_over(limit: &TimeLimit, before: &str) -> String {
    let (name, span) = (time_name(limit), time_text(limit.span));
    format!("{name} = {span} was over before {before}")
}

/// How a limit of time is called.
pub(super) fn time_name(limit: &TimeLimit) -> &'static str {
    match limit.of_suite {
        true => "the suite's max_time",
        false => "max_time",
    }
}
