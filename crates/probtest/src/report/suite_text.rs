//! The words for what all tests of a suite promise together.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use probtest_facts::{
    Kind, Share as ShareFacts, Shares, SuiteEpsilon as EpsilonFacts, SuiteFacts,
    SuiteFalseAlarm as FalseAlarmFacts, TestFacts, Verdict as VerdictFacts,
};

use super::Report;
use super::words::{Section, plural, round_up_exact};
use crate::claim::{Error, Probability};
use crate::judge::Verdict;
use crate::settings::{Share, Suite};

const MISSED: &str = "pass although their claim is violated";

/// What became of the tests that share an epsilon.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteEpsilon {
    /// The part of each.
    pub share: Share,
    /// How many of them were executed.
    pub executed: u64,
    /// What those that passed within budget would have missed their claims with.
    pub within_budget: Vec<f64>,
    /// How many were executed more than once.
    pub repeated: u64,
}

impl SuiteEpsilon {
    fn of(share: &ShareFacts, tests: &[&TestFacts]) -> Result<Self, Error> {
        let mut times = BTreeMap::<&str, u64>::new();
        for test in tests {
            *times.entry(test.name()).or_default() += 1;
        }
        let within = tests.iter().filter(|test| test.verdict == VerdictFacts::PassedWithinBudget);
        let missed = within.map(|test| test.attained.as_ref().and_then(|attained| attained.miss));
        Ok(SuiteEpsilon {
            share: read_share(share)?,
            executed: times.len() as u64,
            // What is not known may have been missed for sure.
            within_budget: missed.map(|miss| miss.unwrap_or(1.0)).collect(),
            repeated: times.values().filter(|times| **times > 1).count() as u64,
        })
    }

    /// The chance that one or more tests pass although their claim is violated, with
    /// what was attained within budget; none when nothing is bounded.
    pub fn bound(&self) -> Option<Probability> {
        if self.repeated > 0 {
            return None;
        }
        if self.within_budget.is_empty() {
            return Some(self.share.total.clone());
        }
        let all = self.share.tests.get() as f64;
        let kept = self.share.total.as_f64() * (all - self.within_budget.len() as f64) / all;
        let sum = kept + self.within_budget.iter().sum::<f64>();
        // Upwards by more than the sum can have rounded.
        Probability::from_f64(sum * (1.0 + 1e-12)).ok()
    }

    /// Says what the suite promises, one sentence a line.
    pub fn lines(&self) -> Vec<String> {
        let share = &self.share;
        let shared = shared("epsilon", share);
        let within = self.within_budget.len() as u64;
        let mut lines = Vec::new();
        if within == 0 && self.repeated == 0 {
            lines.push(format!("suite: {shared}: {}", missed(share)));
        } else {
            lines.push(format!("suite: {shared}"));
        }
        if within > 0 {
            lines.push(format!("suite: {within} of them passed within budget and achieved less"));
        }
        if self.repeated > 0 {
            lines.push(format!(
                "suite: {} of them ran more than once; a test that is retried until it passes promises nothing",
                self.repeated
            ));
        }
        if within > 0 || self.repeated > 0 {
            lines.push(match self.bound() {
                Some(bound) => format!(
                    "suite: the probability that one or more of them {MISSED} is at most {}, not {}",
                    round_up_exact(&bound),
                    share.total
                ),
                None => "suite: there is no bound on the probability that one of them passes although its claim is violated".to_owned(),
            });
        }
        if let Some(missing @ 1..) = share.tests.get().checked_sub(self.executed) {
            lines.push(format!("suite: {missing} of them did not run"));
        }
        lines
    }

    /// Writes the same for programs.
    pub fn facts(&self) -> EpsilonFacts {
        EpsilonFacts {
            share: share_facts(&self.share),
            executed: self.executed,
            within_budget: self.within_budget.len() as u64,
            repeated: self.repeated,
            bound: self.bound().map(|bound| bound.as_f64()),
            words: self.lines(),
        }
    }
}

/// What became of the tests that share a chance of false alarms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteFalseAlarm {
    /// The part of each.
    pub share: Share,
    /// How many of them tolerate a rate and were executed.
    pub tolerating: u64,
    /// How many of them claim a mean or labels and were executed.
    pub numeric: u64,
    /// How many of them fail at their first violation and were executed.
    pub strict: u64,
    /// How many that promise something about false alarms ended without a verdict.
    pub undecided: u64,
}

impl SuiteFalseAlarm {
    fn of(share: &ShareFacts, tests: &[&TestFacts]) -> Result<Self, Error> {
        // Executed again, a test is one test.
        let kinds: BTreeMap<&str, Option<&Kind>> =
            tests.iter().map(|test| (test.name(), test.kind.as_ref())).collect();
        let count = |of: fn(&Kind) -> bool| {
            let such = kinds.values().filter(|kind| kind.is_some_and(of));
            such.count() as u64
        };
        let undecided = tests.iter().filter(|test| {
            let bounded = test.kind.as_ref().is_some_and(Kind::bounds_false_alarms);
            bounded && test.verdict == VerdictFacts::Inconclusive
        });
        Ok(SuiteFalseAlarm {
            share: read_share(share)?,
            tolerating: count(|kind| kind.bounds_false_alarms() && !kind.is_about_returned()),
            numeric: count(Kind::is_about_returned),
            strict: count(Kind::has_counterexamples),
            undecided: undecided.count() as u64,
        })
    }

    /// Says what the suite promises, one sentence a line.
    pub fn lines(&self) -> Vec<String> {
        let shared = shared("false_alarm", &self.share);
        if self.tolerating == 0 && self.numeric == 0 {
            return vec![format!(
                "suite: {shared}, but none of those that ran tolerates a rate, and a test that fails at its first violation promises nothing about false alarms"
            )];
        }
        let mut lines = vec![format!(
            "suite: {shared}: {}",
            alarmed(&self.share, self.tolerating, self.numeric)
        )];
        if self.strict > 0 {
            let (tolerate, their, promise) = match self.strict {
                1 => ("tolerates nothing and fails", "its", "it promises"),
                _ => ("tolerate nothing and fail", "their", "they promise"),
            };
            lines.push(format!(
                "suite: the other {} {tolerate} at {their} first violation, so {promise} nothing about false alarms",
                self.strict
            ));
        }
        if self.undecided > 0 {
            lines.push(format!(
                "suite: {} ended without a verdict, which does not count as an alarm",
                self.undecided
            ));
        }
        lines
    }

    /// Writes the same for programs.
    pub fn facts(&self) -> FalseAlarmFacts {
        FalseAlarmFacts {
            share: share_facts(&self.share),
            tolerating: self.tolerating,
            numeric: self.numeric,
            strict: self.strict,
            undecided: self.undecided,
            words: self.lines(),
        }
    }
}

/// Says what the tests of one run promise together, from their facts alone.
///
/// # Errors
/// When a share is none.
pub fn suite_promises(tests: &[TestFacts]) -> Result<SuiteFacts, Error> {
    let sharing: Vec<&TestFacts> = tests.iter().filter(|test| test.suite.is_some()).collect();
    let shares = sharing.first().and_then(|test| test.suite.clone());
    let shares = shares.unwrap_or_default();
    let epsilon = shares.epsilon.map(|share| SuiteEpsilon::of(&share, &sharing));
    let false_alarm = shares.false_alarm.map(|share| SuiteFalseAlarm::of(&share, &sharing));
    Ok(SuiteFacts {
        package: None,
        epsilon: epsilon.transpose()?.map(|suite| suite.facts()),
        false_alarm: false_alarm.transpose()?.map(|suite| suite.facts()),
    })
}

fn read_share(share: &ShareFacts) -> Result<Share, Error> {
    let total = Probability::parse(&share.total_exact)?;
    Ok(Share::new(total, NonZeroU64::new(share.tests).unwrap_or(NonZeroU64::MIN)))
}

/// Says what a verdict means for the suite that the test is part of.
pub(super) fn suite_facts(report: &Report, section: &mut Section) {
    if matches!(report.verdict, Verdict::Inconclusive(_)) {
        // A failure, and no alarm.
        return;
    }
    if let Some(share) = &report.suite.epsilon {
        let shared = shared("epsilon", share);
        if report.passed() {
            section.fact("suite", &format!("{shared}\n{}", missed(share)));
        } else if report.is_within_budget() {
            section.fact("suite", &format!("{shared}; this one achieved less"));
        }
    }
    if let Some(share) = &report.suite.false_alarm {
        let shared = shared("false_alarm", share);
        let bounded =
            |who| format!("the probability that one or more {who} is at most {}", share.total);
        let promise = match report.claim() {
            claim if claim.is_about_returned() => bounded(
                "that claim a mean or labels, or tolerate a rate, fail although their programs keep to it",
            ),
            claim if claim.false_alarm().is_some() => bounded(
                "that tolerate a rate fail although their programs stay within it",
            ),
            _ => "this one tolerates nothing and fails at its first violation, so it promises nothing about false alarms".to_owned(),
        };
        section.fact("suite", &format!("{shared}\n{promise}"));
    }
}

/// Writes what a test is part of; null when it is part of nothing.
pub(super) fn shares_facts(suite: &Suite) -> Option<Shares> {
    let shares = Shares {
        epsilon: suite.epsilon.as_ref().map(share_facts),
        false_alarm: suite.false_alarm.as_ref().map(share_facts),
    };
    (shares != Shares::default()).then_some(shares)
}

fn share_facts(share: &Share) -> ShareFacts {
    ShareFacts {
        total: share.total.as_f64(),
        total_exact: share.total.to_string(),
        tests: share.tests.get(),
        each: share.each.as_f64(),
        each_exact: share.each.to_string(),
    }
}

fn shared(name: &str, share: &Share) -> String {
    let tests = share.tests.get();
    let (verb, part) = match tests {
        1 => ("has", String::new()),
        _ => ("share", format!(", {} or less for each", share.each)),
    };
    format!("{} {verb} {name} = {}{part}", plural(tests, "test"), share.total)
}

fn missed(share: &Share) -> String {
    format!("the probability that one or more of them {MISSED} is at most {}", share.total)
}

fn alarmed(share: &Share, tolerating: u64, numeric: u64) -> String {
    let who = match (tolerating, numeric) {
        (1, 0) => "the one that tolerates a rate fails although its program stays within it".into(),
        (n, 0) => format!(
            "one or more of the {n} that tolerate a rate fail although their programs stay within it"
        ),
        (0, 1) => {
            "the one that claims a mean or labels fails although its program keeps to it".into()
        }
        (0, n) => format!(
            "one or more of the {n} that claim a mean or labels fail although their programs keep to it"
        ),
        (n, m) => format!(
            "one or more of the {n} with a tolerated rate and the {m} with a claim on a mean or labels fail although their programs keep to it"
        ),
    };
    format!("the probability that {who} is at most {}", share.total)
}
