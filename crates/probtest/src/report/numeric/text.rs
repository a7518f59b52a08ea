//! The words for people.

use std::fmt;

use super::NumericReport;
use super::claim_text::{
    bad, is_everyday, kept, label, legible, missed, numeric_claim_line, plain, short,
};
use crate::claim::numeric::{MeanClaim, NumericClaim};
use crate::judge::Reason;
use crate::judge::numeric::{NumericReason, NumericVerdict, Seen};
use crate::report::budget_text::{time_name, time_over};
use crate::report::reason_words;
use crate::report::suite_text::{Alarm, Standing, suite_facts};
use crate::report::text::{Section, plural};
use crate::run::{Number, Observation};

/// The most labels that are listed with their counts.
const SHOWN: usize = 12;

impl fmt::Display for NumericReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(violation) = self.violation() {
            writeln!(f, "{violation}")?;
        }
        f.write_str(&self.section())
    }
}

impl NumericReport {
    /// Says in one line what a pass is worth, or what else happened.
    pub fn summary(&self) -> String {
        let executed = self.counts.executed;
        let planned = self.counts.planned;
        let claim = self.plan.claim();
        match &self.verdict {
            NumericVerdict::Passed => format!(
                "probtest: {} of at most {planned}, {}; {}",
                plural(executed, "execution"),
                self.observed(),
                self.pass_meaning().unwrap_or_default()
            ),
            NumericVerdict::Missed(side) => format!(
                "probtest: missed: {}, after {executed} of at most {planned} executions",
                missed(claim, side)
            ),
            NumericVerdict::Impossible { index, label } => {
                format!("probtest: missed: {}", impossible(*index, label.as_deref()))
            }
            NumericVerdict::Violated { index, .. } => {
                format!("probtest: violated at execution {index} of at most {planned}")
            }
            NumericVerdict::Inconclusive(_) => {
                format!("probtest: inconclusive after {executed} of at most {planned} executions")
            }
        }
    }

    /// Writes the section that begins with `probtest:`, without a violation.
    pub fn section(&self) -> String {
        let mut section = Section::begin(&self.summary());
        let claim = self.plan.claim();
        if !self.passed() {
            if self.has_seen() {
                section.fact("observed", &self.observed());
            }
            section.fact("claim", &numeric_claim_line(claim));
            if let Some(meaning) = self.meaning() {
                section.fact("meaning", &meaning);
            }
            if let NumericVerdict::Inconclusive(reason) = &self.verdict {
                let (why, help) = self.why(reason);
                section.fact("reason", &why);
                section.fact("help", &help);
            }
        }
        suite_facts(&self.suite, self.standing(), &mut section);
        if self.counts.rejected > 0 {
            section.fact("rejected", &plural(self.counts.rejected, "attempt"));
        }
        for note in &self.notes {
            section.fact("note", note.words());
        }
        if self.passed() {
            return section.text;
        }
        match self.address {
            Some(address) => section.fact(
                "seed",
                &format!(
                    "{}, execution {}{}",
                    self.seed,
                    address.index,
                    self.extreme()
                ),
            ),
            None => section.fact("seed", &self.seed.to_string()),
        }
        if let Some(line) = &self.replay {
            let word = if self.address.is_some() {
                "replay"
            } else {
                "rerun"
            };
            section.line(word, line);
        }
        section.text
    }

    /// What the verdict means for the suite.
    fn standing(&self) -> Standing {
        match &self.verdict {
            NumericVerdict::Inconclusive(_) => Standing::Undecided,
            verdict => Standing::Decided {
                passed: *verdict == NumericVerdict::Passed,
                alarm: Alarm::Numeric,
            },
        }
    }

    pub(super) fn pass_meaning(&self) -> Option<String> {
        let claim = self.plan.claim();
        self.passed().then(|| {
            format!(
                "{} would have passed with probability at most {}",
                bad(claim),
                claim.epsilon()
            )
        })
    }

    /// What it says that the claim was not kept.
    pub(super) fn meaning(&self) -> Option<String> {
        let claim = self.plan.claim();
        match &self.verdict {
            NumericVerdict::Missed(_) => Some(format!(
                "a program with {} would have failed with probability at most {}",
                kept(claim),
                claim.false_alarm()
            )),
            NumericVerdict::Impossible { .. } => {
                Some("the listed labels sum to 1, so no other one can come".into())
            }
            NumericVerdict::Violated { .. } => Some(
                "an assertion failed before a number or label was returned; the claim was not decided"
                    .into(),
            ),
            _ => None,
        }
    }

    /// Says why there is no verdict, and what to do.
    pub(super) fn why(&self, reason: &NumericReason) -> (String, String) {
        match (reason, self.plan.claim()) {
            (NumericReason::Ended(Reason::Budget { max_executions }), claim) => (
                format!("max_executions = {max_executions} came before the decision"),
                raise("max_executions", claim),
            ),
            (NumericReason::Ended(Reason::Time { limit }), claim) => (
                time_over(limit, "the decision"),
                raise(time_name(limit), claim),
            ),
            (NumericReason::Ended(reason), _) => reason_words(reason, self.counts.rejected),
            (NumericReason::Outside { index, value }, NumericClaim::Mean(mean)) => {
                outside(mean, *index, *value)
            }
            (NumericReason::Nothing { index } | NumericReason::Outside { index, .. }, claim) => {
                nothing(claim, *index)
            }
        }
    }

    /// What was seen, in short.
    pub(super) fn observed(&self) -> String {
        match (&self.seen, self.plan.claim()) {
            (Seen::Numbers { mean, interval, .. }, NumericClaim::Mean(claim)) => {
                let [mean, low, high] = [*mean, interval.0, interval.1].map(|x| precise(claim, x));
                format!("mean {mean} ({low} to {high} with confidence 0.95)")
            }
            (Seen::Labels(seen), NumericClaim::Fit(fit)) => {
                let mut words: Vec<String> = seen
                    .iter()
                    .enumerate()
                    .take(SHOWN)
                    .map(|(of, count)| match fit.labels().get(of) {
                        Some((label, _)) => format!("{} {count}", legible(label)),
                        None => format!("others {count}"),
                    })
                    .collect();
                if seen.len() > SHOWN {
                    words.push(format!("{} more labels", seen.len() - SHOWN));
                }
                words.join(", ")
            }
            (Seen::Labels(_), NumericClaim::Mean(_))
            | (Seen::Numbers { .. }, NumericClaim::Fit(_)) => String::new(),
        }
    }

    /// Whether any execution has returned something, or could have: an assertion that failed
    /// in the first one leaves no mean behind.
    pub(super) fn has_seen(&self) -> bool {
        self.counts.executed > self.counts.violated
    }

    /// What the shown execution returned, where it is shown for that.
    fn extreme(&self) -> String {
        let (NumericVerdict::Missed(side), Seen::Numbers { extremes, .. }) =
            (&self.verdict, &self.seen)
        else {
            return String::new();
        };
        extremes.map_or(String::new(), |(least, largest)| match side.mirrored {
            false => format!(
                ", which returned the largest number, {}",
                short(largest.value)
            ),
            true => format!(", which returned the least number, {}", short(least.value)),
        })
    }

    /// Returns the words for the side that was missed, if one was.
    pub fn missed_words(&self) -> Option<String> {
        match (&self.verdict, self.plan.claim()) {
            (NumericVerdict::Missed(side), claim) => Some(missed(claim, side)),
            (NumericVerdict::Impossible { label, .. }, _) => Some(shown(label.as_deref())),
            _ => None,
        }
    }

    /// The label that the missed side is about, if it is about one.
    pub(super) fn missed_label(&self) -> Option<String> {
        match (&self.verdict, self.plan.claim()) {
            (NumericVerdict::Missed(side), NumericClaim::Fit(fit)) => Some(label(fit, side.of).0),
            _ => None,
        }
    }
}

/// Says what is wrong with what one execution has returned, whatever the others do,
/// and what to do.
///
/// ```
/// use probtest::report::refused_words;
/// use probtest::run::{Number, Observation};
///
/// let claim = probtest::mean().between(0, 1).above(0.9).margin(0.1).claim()?.into();
/// let (why, help) = refused_words(&claim, 3, &Observation::Number(Number(1.5))).unwrap();
/// assert_eq!(why, "execution 3 returned 1.5, outside of between = (0, 1)");
/// assert!(help.starts_with("widen between"));
/// assert_eq!(refused_words(&claim, 3, &Observation::Number(Number(0.2))), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn refused_words(
    claim: &NumericClaim,
    index: u64,
    returned: &Observation,
) -> Option<(String, String)> {
    match (claim, returned) {
        (NumericClaim::Mean(mean), Observation::Number(Number(value))) => {
            let (low, high) = mean.between();
            (!(low..=high).contains(value)).then(|| outside(mean, index, *value))
        }
        (NumericClaim::Fit(fit), Observation::Unlisted) => (fit.rest() <= 0.0).then(|| {
            let help = "list the label, leave room for others, or mend the program";
            (impossible(index, None), help.into())
        }),
        (claim, Observation::Passed) => Some(nothing(claim, index)),
        _ => None,
    }
}

fn nothing(claim: &NumericClaim, index: u64) -> (String, String) {
    let what = match claim {
        NumericClaim::Mean(_) => "number",
        NumericClaim::Fit(_) => "label",
    };
    (
        format!("execution {index} returned no {what}"),
        format!("return the {what} that the claim is about from each execution"),
    )
}

fn outside(claim: &MeanClaim, index: u64, value: f64) -> (String, String) {
    let (low, high) = claim.between();
    (
        format!(
            "execution {index} returned {value}, outside of between = ({}, {})",
            plain(low),
            plain(high)
        ),
        "widen between to all that the program can return, or mend the program".into(),
    )
}

fn impossible(index: u64, label: Option<&str>) -> String {
    let label = shown(label);
    format!("execution {index} returned {label}, which has no probability")
}

/// A number with as many digits as the margin deserves.
fn precise(claim: &MeanClaim, value: f64) -> String {
    let margin = claim.margin();
    if is_everyday(margin) {
        let digits = (2.0 - margin.log10()).ceil().clamp(0.0, 15.0) as usize;
        return format!("{value:.digits$}");
    }
    let (low, high) = claim.between();
    let digits = (low.abs().max(high.abs()) / margin).log10() + 2.0;
    format!("{value:.*e}", digits.ceil().clamp(0.0, 15.0) as usize)
}

/// What to do where a limit came before the decision.
fn raise(limit: &str, claim: &NumericClaim) -> String {
    let apart = match claim {
        NumericClaim::Mean(_) => "margin",
        NumericClaim::Fit(_) => "distance",
    };
    format!(
        "raise {limit}, {apart}, epsilon or false_alarm; on_budget = \"pass\" is for claims on violations"
    )
}

fn shown(label: Option<&str>) -> String {
    match label {
        Some(label) => format!("the label {label:?}"),
        None => "a label that is not listed".into(),
    }
}
