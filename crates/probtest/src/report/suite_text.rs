//! Texts about what all tests of a suite promise together.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use probtest_facts::{
    Kind, Share as ShareFacts, Shares, SuiteEpsilon, SuiteFacts, SuiteFalseAlarm, TestFacts,
    Verdict as VerdictFacts,
};

use super::Report;
use super::words::{Section, plural, round_up_exact};
use crate::claim::{Error, Probability};
use crate::judge::Verdict;
use crate::settings::{Share, Suite};

const MISSED: &str = "passes even though its claim does not hold";

/// Says what the tests of one run promise together, from their facts alone.
///
/// # Errors
/// When a share isn't a probability.
pub fn suite_promises(tests: &[TestFacts]) -> Result<SuiteFacts, Error> {
    let sharing: Vec<&TestFacts> = tests.iter().filter(|test| test.suite.is_some()).collect();
    let shares = sharing.first().and_then(|test| test.suite.clone()).unwrap_or_default();
    let epsilon = shares.epsilon.map(|share| epsilon_promise(&share, &sharing));
    let false_alarm = shares.false_alarm.map(|share| alarm_promise(&share, &sharing));
    Ok(SuiteFacts {
        package: None,
        epsilon: epsilon.transpose()?,
        false_alarm: false_alarm.transpose()?,
    })
}

fn epsilon_promise(share: &ShareFacts, tests: &[&TestFacts]) -> Result<SuiteEpsilon, Error> {
    let share = read_share(share)?;
    let mut times = BTreeMap::<&str, u64>::new();
    for test in tests {
        *times.entry(test.name()).or_default() += 1;
    }
    let repeated = times.values().filter(|times| **times > 1).count() as u64;
    let within = tests.iter().filter(|test| test.verdict == VerdictFacts::PassedWithinBudget);
    let missed_by = |test: &&TestFacts| test.attained.as_ref().and_then(|attained| attained.miss);
    // What is not known may have been missed for sure.
    let within: Vec<f64> = within.map(|test| missed_by(test).unwrap_or(1.0)).collect();
    let bound = match within.len() {
        _ if repeated > 0 => None,
        0 => Some(share.total.clone()),
        count => {
            let all = share.tests.get() as f64;
            let kept = share.total.as_f64() * (all - count as f64) / all;
            // Upwards by more than the sum can have rounded.
            Probability::from_f64((kept + within.iter().sum::<f64>()) * (1.0 + 1e-12)).ok()
        }
    };

    let shared = shared("epsilon", &share);
    let mut words = Vec::new();
    if within.is_empty() && repeated == 0 {
        words.push(format!("suite: {shared}: {}", missed(&share)));
    } else {
        words.push(format!("suite: {shared}"));
        if !within.is_empty() {
            let count = within.len();
            words.push(format!("suite: {count} of them passed within budget and achieved less"));
        }
        if repeated > 0 {
            words.push(format!(
                "suite: {repeated} of them ran more than once; a test that is retried until it passes promises nothing"
            ));
        }
        words.push(match &bound {
            Some(bound) => format!(
                "suite: the probability that any of them {MISSED} is at most {}, not {}",
                round_up_exact(bound),
                share.total
            ),
            None => "suite: there is no bound on the probability that any of them passes even though its claim does not hold".to_owned(),
        });
    }
    let executed = times.len() as u64;
    if let Some(missing @ 1..) = share.tests.get().checked_sub(executed) {
        words.push(format!("suite: {missing} of them did not run"));
    }
    Ok(SuiteEpsilon {
        share: share_facts(&share),
        executed,
        within_budget: within.len() as u64,
        repeated,
        bound: bound.map(|bound| bound.as_f64()),
        words,
    })
}

fn alarm_promise(share: &ShareFacts, tests: &[&TestFacts]) -> Result<SuiteFalseAlarm, Error> {
    let share = read_share(share)?;
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
    let undecided = undecided.count() as u64;
    let tolerating = count(|kind| kind.bounds_false_alarms() && !kind.is_about_returned());
    let (numeric, strict) = (count(Kind::is_about_returned), count(Kind::has_counterexamples));

    let shared = shared("false_alarm", &share);
    let mut words = Vec::new();
    if tolerating == 0 && numeric == 0 {
        words.push(format!(
            "suite: {shared}, but none of those that ran tolerates a rate, and a test that fails at its first violation promises nothing about false alarms"
        ));
    } else {
        words.push(format!("suite: {shared}: {}", alarmed(&share, tolerating, numeric)));
        if strict > 0 {
            let (tolerate, their, promise) = match strict {
                1 => ("tolerates nothing and fails", "its", "it promises"),
                _ => ("tolerate nothing and fail", "their", "they promise"),
            };
            words.push(format!(
                "suite: the other {strict} {tolerate} at {their} first violation, so {promise} nothing about false alarms"
            ));
        }
        if undecided > 0 {
            words.push(format!(
                "suite: {undecided} ended without a verdict, which does not count as an alarm"
            ));
        }
    }
    Ok(SuiteFalseAlarm {
        share: share_facts(&share),
        tolerating,
        numeric,
        strict,
        undecided,
        words,
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
        let bounded = |who| format!("the probability that any {who} is at most {}", share.total);
        let promise = match report.claim() {
            claim if claim.is_about_returned() => bounded(
                "test that tolerates a rate, or claims a mean or labels, fails even though its program keeps to it",
            ),
            claim if claim.false_alarm().is_some() => bounded(
                "test that tolerates a rate fails even though its program stays within it",
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
    format!("the probability that any of them {MISSED} is at most {}", share.total)
}

fn alarmed(share: &Share, tolerating: u64, numeric: u64) -> String {
    let who = match (tolerating, numeric) {
        (1, 0) => {
            "the one that tolerates a rate fails even though its program stays within it".into()
        }
        (n, 0) => format!(
            "any of the {n} that tolerate a rate fails even though its program stays within it"
        ),
        (0, 1) => {
            "the one that claims a mean or labels fails even though its program keeps to it".into()
        }
        (0, n) => format!(
            "any of the {n} that claim a mean or labels fails even though its program keeps to it"
        ),
        (n, m) => format!(
            "any of the {n} with a tolerated rate or the {m} with a claim on a mean or labels fails even though its program keeps to it"
        ),
    };
    format!("the probability that {who} is at most {}", share.total)
}
