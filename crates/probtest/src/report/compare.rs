//! The words for a new version that is compared with an old one.

use probtest_facts as form;

use super::facts::violation_facts;
use super::reasons::cut_decision;
use super::words::{Words, legible, plain, plural, round_down, round_up, short};
use super::{Report, Returned};
use crate::claim::{self, Chances, Worse};
use crate::judge::{Change, Finding, Level, Observed, Reason, Verdict};
use crate::run::{Did, Pair};

pub(super) struct Compare<'a> {
    pub(super) compare: &'a claim::Compare,
    pub(super) chances: &'a Chances,
}

impl Compare<'_> {
    /// What a version that is worse does.
    fn worsens(&self) -> &'static str {
        match self.compare.numbers {
            None => "violates more often",
            Some((_, Worse::Higher)) => "has a higher mean",
            Some((_, Worse::Lower)) => "has a lower mean",
        }
    }

    /// What a version that is better does.
    fn improves(&self) -> &'static str {
        match self.compare.numbers {
            None => "violates less often",
            Some((_, Worse::Higher)) => "has a lower mean",
            Some((_, Worse::Lower)) => "has a higher mean",
        }
    }

    fn change(&self) -> String {
        plain(self.compare.change)
    }

    /// A change with as many digits as the one to notice deserves.
    fn precise(&self, value: f64) -> String {
        self.rounded(value, f64::round, |_| true)
    }

    /// An end of an interval, rounded by `round` with more digits where fewer would put it onto
    /// the other side of what decides: no change, and the change to notice.
    fn end(&self, value: f64, round: fn(f64) -> f64) -> String {
        let change = self.compare.change;
        self.rounded(value, round, |rounded| {
            let side = |edge: f64| value.total_cmp(&edge) == rounded.total_cmp(&edge);
            [-change, 0.0, change].into_iter().all(side)
        })
    }

    fn rounded(&self, value: f64, round: fn(f64) -> f64, fits: impl Fn(f64) -> bool) -> String {
        let digits = (2.0 - self.compare.change.log10()).ceil();
        if !(0.0..=15.0).contains(&digits) {
            return short(value);
        }
        let rounded = |digits: usize| {
            let scale = 10f64.powi(digits as i32);
            // Adding 0 turns -0 into 0.
            (digits, round(value * scale) / scale + 0.0)
        };
        let mut tried = (digits as usize..=15).map(rounded);
        let fitting = tried.find(|(_, rounded)| fits(*rounded));
        let (digits, rounded) = fitting.unwrap_or_else(|| rounded(digits as usize));
        format!("{rounded:.digits$}")
    }

    /// By how much the new version was worse, or better, and what fits.
    fn by(&self, report: &Report) -> String {
        let Some(seen) = seen(report) else {
            return String::new();
        };
        let (low, high) = seen.interval;
        let (change, low, high) = match seen.change < 0.0 {
            false => (seen.change, low, high),
            true => (-seen.change, -high, -low),
        };
        format!(
            "{} ({} to {} with confidence {})",
            self.precise(change),
            self.end(low, f64::floor),
            self.end(high, f64::ceil),
            short(seen.confidence)
        )
    }

    /// What was found against the claim.
    pub(super) fn missed(&self, report: &Report) -> String {
        format!("the new version {}, by {}", self.worsens(), self.by(report))
    }

    fn level(&self, name: &str, level: &Level) -> String {
        match level.interval {
            Some((low, high)) => format!(
                "{name} violates with a rate of {:.4} ({} to {} with confidence 0.95)",
                level.mean,
                round_down(low),
                round_up(high)
            ),
            None => format!("{name} has a mean of {}", self.precise(level.mean)),
        }
    }
}

/// What was seen of the pairs.
fn seen(report: &Report) -> Option<&Change> {
    match &report.observed {
        Observed::Change(change) => Some(change),
        _ => None,
    }
}

/// Whether a pass says more than that the new version is not worse.
fn is_better(report: &Report) -> bool {
    seen(report).is_some_and(|seen| seen.interval.1 < 0.0) && report.passed()
}

impl Words for Compare<'_> {
    fn claim_line(&self) -> String {
        let numbers = self.compare.numbers.map_or(String::new(), |((low, high), worse)| {
            let worse = match worse {
                Worse::Higher => "higher",
                Worse::Lower => "lower",
            };
            format!(", between {} and {}, worse = {worse}", plain(low), plain(high))
        });
        let name = match numbers.is_empty() {
            true => "p_change",
            false => "change",
        };
        format!(
            "{name} = {}{numbers}, epsilon = {}, false_alarm = {}",
            self.change(),
            self.chances.epsilon,
            self.chances.false_alarm
        )
    }

    fn promise(&self) -> String {
        format!(
            "a new version that is as good as the old one is called worse with probability at most {}; one that {} by {} or more passes with probability at most {}",
            self.chances.false_alarm,
            self.worsens(),
            self.change(),
            self.chances.epsilon
        )
    }

    fn head(&self, report: &Report) -> String {
        let pairs = format!("after {}", plural(report.counts.executed, "pair"));
        if let Verdict::Violated(Finding::Worse) = &report.verdict {
            return format!("worse: {}, {pairs}", self.missed(report));
        }
        match is_better(report) {
            true => format!(
                "better: the new version {}, by {}, {pairs}",
                self.improves(),
                self.by(report)
            ),
            false => format!("not worse by {}, {pairs}", self.change()),
        }
    }

    fn undecided_head(&self, report: &Report) -> Option<String> {
        Some(format!(
            "undecided after {} of at most {}",
            plural(report.counts.executed, "pair"),
            report.counts.planned
        ))
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        match &report.verdict {
            Verdict::Passed => Some(format!(
                "a version that {} by {} or more would have passed with probability at most {}",
                self.worsens(),
                self.change(),
                self.chances.epsilon
            )),
            Verdict::Violated(Finding::Worse) => Some(format!(
                "a version as good as the old one would have been called worse with probability at most {}",
                self.chances.false_alarm
            )),
            _ => None,
        }
    }

    fn observed(&self, report: &Report) -> Option<String> {
        let seen = seen(report)?;
        if report.counts.executed == 0 {
            return None;
        }
        let by = match seen.change {
            0.0 => "on average it has not changed: worse",
            change if change < 0.0 => "on average it is better",
            _ => "on average it is worse",
        };
        Some(format!(
            "{} of {} differ: the new version is worse in {}, better in {}\n{}\n{}\n{by} by {}",
            seen.worse + seen.better,
            plural(report.counts.executed, "pair"),
            seen.worse,
            seen.better,
            self.level("old", &seen.old),
            self.level("new", &seen.new),
            self.by(report)
        ))
    }

    fn shows_observed(&self) -> bool {
        true
    }

    fn facts(&self, shared: form::Claim) -> form::Claim {
        form::Claim {
            change: Some(self.compare.change),
            between: self.compare.numbers.map(|((low, high), _)| [low, high]),
            worse: self.compare.numbers.map(|(_, worse)| match worse {
                Worse::Higher => form::Direction::High,
                Worse::Lower => form::Direction::Low,
            }),
            ..shared
        }
    }

    fn finding(&self, report: &Report, finding: &Finding) -> Option<form::Finding> {
        let Finding::Worse = finding else {
            return None;
        };
        let shown = seen(report).and_then(|seen| seen.shown.as_ref());
        let violation = shown.and_then(|(_, violation)| violation.as_deref());
        Some(form::Finding::Worse {
            message: self.missed(report),
            violation: violation.map(violation_facts),
        })
    }

    fn why(&self, reason: &Reason, _asked: bool) -> Option<(String, String)> {
        match reason {
            Reason::NoRoom { old } => Some((
                format!(
                    "the old version {} of {}: none can be worse by {}",
                    match self.compare.numbers {
                        None => "violates with a rate",
                        Some(_) => "has a mean",
                    },
                    self.precise(*old),
                    self.change()
                ),
                "check that both versions run as they should; compare with an old one that does better, or lower the change".into(),
            )),
            Reason::Outside { index, value } => {
                let ((low, high), _) = self.compare.numbers?;
                Some((
                    format!(
                        "in pair {index} a version returned {value}, outside between = ({}, {})",
                        plain(low),
                        plain(high)
                    ),
                    "widen between to everything that both versions can return".into(),
                ))
            }
            Reason::Nothing { index } => Some((
                format!("execution {index} did not return a pair of an old and a new version"),
                "run both versions: probtest::run::both in Rust, probtest.compare in Python".into(),
            )),
            _ => cut_decision(reason, "the change"),
        }
    }

    fn address_words(&self, report: &Report) -> String {
        let Some((index, violation)) = seen(report).and_then(|seen| seen.shown.as_ref()) else {
            return String::new();
        };
        if report.address.is_none_or(|address| address.index != *index) {
            return String::new();
        }
        match violation {
            Some(violation) => format!(
                ", where the new version alone violates: {}",
                legible(violation.message.lines().next().unwrap_or_default())
            ),
            None => ", where the new version is worst".into(),
        }
    }
}

/// What was observed, for programs.
pub(super) fn change_facts(report: &Report) -> Option<form::Change> {
    let seen = seen(report)?;
    let level = |level: &Level| form::Level {
        mean: level.mean,
        low: level.interval.map(|(low, _)| low),
        high: level.interval.map(|(_, high)| high),
    };
    Some(form::Change {
        answer: match &report.verdict {
            Verdict::Violated(Finding::Worse) => form::Answer::Worse,
            Verdict::Passed if is_better(report) => form::Answer::Better,
            Verdict::Passed => form::Answer::NotWorse,
            _ => form::Answer::Undecided,
        },
        old: level(&seen.old),
        new: level(&seen.new),
        worse: seen.worse,
        better: seen.better,
        by: seen.change,
        low: seen.interval.0,
        high: seen.interval.1,
        confidence: seen.confidence,
    })
}

impl Returned {
    /// What both versions did.
    pub(super) fn pair(pair: &Pair) -> Self {
        let words = |did: &Did| match did {
            Did::Held => "held".to_owned(),
            Did::Violated(violation) => format!("violated: {}", legible(&violation.message)),
            Did::Number(number) => number.0.to_string(),
        };
        Returned::Pair { old: words(&pair.old), new: words(&pair.new) }
    }
}
