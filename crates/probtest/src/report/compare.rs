//! The words for a new version that is compared with an old one.

use probtest_facts as form;

use super::facts::violation_facts;
use super::reasons::cut_decision;
use super::words::{Words, legible, plain, plural, round_down, round_up, short};
use super::{Report, Returned};
use crate::claim::{self, Chances, Worse};
use crate::judge::{Finding, Level, Observed, Reason, Verdict};
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

    /// A change with as many digits as the one to notice deserves, rounded by `round`.
    fn precise(&self, value: f64, round: fn(f64) -> f64) -> String {
        let digits = (2.0 - self.compare.change.log10()).ceil();
        if !(0.0..=15.0).contains(&digits) {
            return short(value);
        }
        let scale = 10f64.powi(digits as i32);
        // Adding 0 turns -0 into 0.
        format!("{:.*}", digits as usize, round(value * scale) / scale + 0.0)
    }

    /// By how much the new version was worse, or better, and what fits.
    fn by(&self, report: &Report) -> String {
        let Observed::Change {
            change,
            interval,
            confidence,
            ..
        } = &report.observed
        else {
            return String::new();
        };
        let (change, (low, high)) = match *change < 0.0 {
            false => (*change, *interval),
            true => (-change, (-interval.1, -interval.0)),
        };
        format!(
            "{} ({} to {} with confidence {})",
            self.precise(change, f64::round),
            self.precise(low, f64::floor),
            self.precise(high, f64::ceil),
            short(*confidence)
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
            None => format!(
                "{name} has a mean of {}",
                self.precise(level.mean, f64::round)
            ),
        }
    }
}

/// Whether a pass says more than that the new version is not worse.
fn is_better(report: &Report) -> bool {
    matches!(&report.observed, Observed::Change { interval, .. } if interval.1 < 0.0)
        && report.passed()
}

impl Words for Compare<'_> {
    fn claim_line(&self) -> String {
        let numbers = self
            .compare
            .numbers
            .map_or(String::new(), |((low, high), worse)| {
                let worse = match worse {
                    Worse::Higher => "higher",
                    Worse::Lower => "lower",
                };
                format!(
                    ", between {} and {}, worse = {worse}",
                    plain(low),
                    plain(high)
                )
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
            "a new version that does as the old one, or better, is called worse with probability at most {}; one that {} by {} or more passes with probability at most {}",
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
                "a version that does as the old one, or better, would have been called worse with probability at most {}",
                self.chances.false_alarm
            )),
            _ => None,
        }
    }

    fn observed(&self, report: &Report) -> Option<String> {
        let Observed::Change {
            old,
            new,
            worse,
            better,
            change,
            ..
        } = &report.observed
        else {
            return None;
        };
        if report.counts.executed == 0 {
            return None;
        }
        let by = match *change {
            0.0 => "it has not changed on average, worse",
            change if change < 0.0 => "on average it is better",
            _ => "on average it is worse",
        };
        Some(format!(
            "{} of {} differ: the new version is worse in {worse}, better in {better}\n{}\n{}\n{by} by {}",
            worse + better,
            plural(report.counts.executed, "pair"),
            self.level("old", old),
            self.level("new", new),
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
        let shown = match &report.observed {
            Observed::Change { shown, .. } => shown.as_ref(),
            _ => None,
        };
        let violation = shown.and_then(|(_, violation)| violation.as_deref());
        Some(form::Finding::Worse {
            message: self.missed(report),
            violation: violation.map(violation_facts),
        })
    }

    fn why(&self, reason: &Reason, _asked: bool) -> Option<(String, String)> {
        match reason {
            Reason::Outside { index, value } => {
                let ((low, high), _) = self.compare.numbers?;
                Some((
                    format!(
                        "in pair {index} a version returned {value}, outside of between = ({}, {})",
                        plain(low),
                        plain(high)
                    ),
                    "widen between to all that both versions can return".into(),
                ))
            }
            Reason::Nothing { index } => Some((
                format!("execution {index} was no pair of an old and a new version"),
                "execute both versions: probtest::run::both in Rust, probtest.compare in Python"
                    .into(),
            )),
            _ => cut_decision(reason, "the change"),
        }
    }

    fn address_words(&self, report: &Report) -> String {
        let Observed::Change {
            shown: Some((_, violation)),
            ..
        } = &report.observed
        else {
            return String::new();
        };
        match violation {
            Some(violation) => format!(
                ", where the new version alone violates: {}",
                legible(violation.message.lines().next().unwrap_or_default())
            ),
            None => ", where the new version is worse by most".into(),
        }
    }
}

/// What was observed, for programs.
pub(super) fn change_facts(report: &Report) -> Option<form::Change> {
    let Observed::Change {
        old,
        new,
        worse,
        better,
        change,
        interval,
        confidence,
        ..
    } = &report.observed
    else {
        return None;
    };
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
        old: level(old),
        new: level(new),
        worse: *worse,
        better: *better,
        by: *change,
        low: interval.0,
        high: interval.1,
        confidence: *confidence,
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
        Returned::Pair {
            old: words(&pair.old),
            new: words(&pair.new),
        }
    }
}
