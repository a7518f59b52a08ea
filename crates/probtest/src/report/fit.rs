//! The words for how often each label is returned, and what they share with a mean.

use probtest_facts as form;

use super::Report;
use super::facts::side;
use super::reasons::{cut_decision, returned_nothing};
use super::words::{Words, legible, plain, plural, short};
use crate::claim::{self, Chances};
use crate::judge::{Direction, Finding, Observed, Reason, Verdict};

/// The most labels that are listed with their counts.
const COUNTED: usize = 12;
/// The most labels that are listed with their probabilities.
const LISTED: usize = 8;
/// The programs that must pass.
const KEPT: &str = "exactly these probabilities";

pub(super) struct Fit<'a> {
    pub(super) fit: &'a claim::Fit,
    pub(super) chances: &'a Chances,
}

impl Fit<'_> {
    /// The first labels with their probabilities.
    fn listed(&self) -> String {
        let labels = self.fit.labels();
        let mut words: Vec<String> = labels
            .iter()
            .take(LISTED)
            .map(|(label, p)| format!("{} {p}", legible(label)))
            .collect();
        if labels.len() > LISTED {
            words.push(format!("{} more labels", labels.len() - LISTED));
        } else if self.fit.rest() > 0.0 {
            words.push(format!("others {}", short(self.fit.rest())));
        }
        words.join(", ")
    }

    fn bad(&self) -> String {
        let distance = plain(self.fit.distance());
        format!("a label that is off by {distance} or more")
    }

    /// A label as it is called; none for those that are not listed.
    pub(super) fn label(&self, of: usize) -> Option<&str> {
        self.fit.labels().get(of).map(|(label, _)| label.as_str())
    }

    /// On which side the claim was missed.
    pub(super) fn missed(&self, of: usize, direction: Direction) -> String {
        let word = match direction {
            Direction::Low => "less",
            Direction::High => "more",
        };
        let (label, p) = match self.fit.labels().get(of) {
            Some((label, p)) => (format!("label {label:?}"), p.to_string()),
            None => ("a label that is not listed".into(), short(self.fit.rest())),
        };
        format!("{label} occurs {word} often than with probability {p}")
    }
}

impl Words for Fit<'_> {
    fn claim_line(&self) -> String {
        format!(
            "{}, distance = {}, epsilon = {}, false_alarm = {}",
            self.listed(),
            plain(self.fit.distance()),
            self.chances.epsilon,
            self.chances.false_alarm
        )
    }

    fn promise(&self) -> String {
        promise(KEPT, &self.bad(), self.chances)
    }

    fn head(&self, report: &Report) -> String {
        match &report.verdict {
            Verdict::Violated(Finding::Label { label, direction }) => {
                decided_head(report, &self.missed(*label, *direction))
            }
            Verdict::Violated(Finding::Impossible { index, label }) => {
                let label = impossible(label.as_deref());
                format!("missed: execution {index} returned {label}, which has no probability")
            }
            _ => pass_head(report, self),
        }
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        decided_meaning(report, KEPT, &self.bad(), self.chances)
    }

    fn observed(&self, report: &Report) -> Option<String> {
        let Observed::Labels(seen) = &report.observed else {
            return None;
        };
        if report.counts.executed <= report.counts.violated {
            return None;
        }
        let mut words: Vec<String> = seen
            .iter()
            .enumerate()
            .take(COUNTED)
            .map(|(of, count)| match self.label(of) {
                Some(label) => format!("{} {count}", legible(label)),
                None => format!("others {count}"),
            })
            .collect();
        if seen.len() > COUNTED {
            words.push(format!("{} more labels", seen.len() - COUNTED));
        }
        Some(words.join(", "))
    }

    fn facts(&self, shared: form::Claim) -> form::Claim {
        let labels = self.fit.labels().iter().map(|(label, p)| form::LabelClaim {
            label: label.clone(),
            p: p.as_f64(),
            p_exact: p.to_string(),
        });
        form::Claim {
            labels: Some(labels.collect()),
            others: Some(self.fit.rest()),
            distance: Some(self.fit.distance()),
            ..shared
        }
    }

    fn finding(&self, _report: &Report, finding: &Finding) -> Option<form::Finding> {
        let Finding::Label { label, direction } = finding else {
            return None;
        };
        Some(form::Finding::Label {
            direction: side(*direction),
            message: self.missed(*label, *direction),
            label: self.label(*label).map(str::to_owned),
        })
    }

    fn why(&self, reason: &Reason, _asked: bool) -> Option<(String, String)> {
        returned_nothing(reason, "label").or_else(|| cut_decision(reason, "distance"))
    }
}

/// A label that cannot come, or that one came.
pub(super) fn impossible(label: Option<&str>) -> String {
    match label {
        Some(label) => format!("the label {label:?}"),
        None => "a label that is not listed".into(),
    }
}

/// What passes and what fails, and how often that is wrong.
pub(super) fn promise(kept: &str, bad: &str, chances: &Chances) -> String {
    let (epsilon, false_alarm) = (&chances.epsilon, &chances.false_alarm);
    format!(
        "a program with {kept} fails with probability at most {false_alarm}; one with {bad} passes with probability at most {epsilon}"
    )
}

/// The head line of a pass.
pub(super) fn pass_head(report: &Report, words: &dyn Words) -> String {
    let observed = words.observed(report).unwrap_or_default();
    let meaning = words.meaning(report).unwrap_or_default();
    format!(
        "{} of at most {}, {observed}; {meaning}",
        plural(report.counts.executed, "execution"),
        report.counts.planned
    )
}

/// The head line of a claim that was missed.
pub(super) fn decided_head(report: &Report, missed: &str) -> String {
    format!(
        "missed: {missed}, after {} of at most {} executions",
        report.counts.executed, report.counts.planned
    )
}

/// What the verdict on a claim about what is returned means.
pub(super) fn decided_meaning(
    report: &Report,
    kept: &str,
    bad: &str,
    chances: &Chances,
) -> Option<String> {
    let (epsilon, false_alarm) = (&chances.epsilon, &chances.false_alarm);
    match &report.verdict {
        Verdict::Passed => Some(format!(
            "{bad} would have passed with probability at most {epsilon}"
        )),
        Verdict::Violated(Finding::Mean { .. } | Finding::Label { .. }) => Some(format!(
            "a program with {kept} would have failed with probability at most {false_alarm}"
        )),
        Verdict::Violated(Finding::Impossible { .. }) => {
            Some("the listed labels sum to 1, so no other label can occur".into())
        }
        Verdict::Violated(Finding::Execution { .. }) => Some(
            "an execution failed before it returned a number or label, so the claim was not decided"
                .into(),
        ),
        _ => None,
    }
}
