//! Which rates are accepted, and which tests may have a higher one.

use std::collections::BTreeSet;

use probtest_facts::{AuditCause, AuditFacts, AuditLimit, AuditOutcome, AuditedTest};

use super::NEARLY;
use crate::claim::Error;
use crate::report::{audit_name, audit_rank};

/// The highest rate that is accepted, and the tests that may have a higher one.
#[derive(Debug)]
pub(super) struct Accepted {
    max_rate: Option<f64>,
    /// The full names of known tests.
    known: BTreeSet<String>,
    /// Names of which there is no test.
    unknown: Vec<String>,
}

impl Accepted {
    /// Finds the tests that are known among all of them, which have a full name and an id.
    pub(super) fn find(
        max_rate: Option<f64>,
        known: &[String],
        tests: &[(String, &str)],
    ) -> Result<Accepted, Error> {
        check("highest rate", max_rate)?;
        let mut accepted = Accepted { max_rate, known: BTreeSet::new(), unknown: Vec::new() };
        for name in known {
            // A full name is that of one test, even if it is the id of another.
            let is_full = tests.iter().any(|(full, _)| full == name);
            let fits = |(full, test): &&(String, &str)| full == name || !is_full && test == name;
            let found: Vec<&String> = tests.iter().filter(fits).map(|(full, _)| full).collect();
            match found[..] {
                [] => accepted.unknown.push(name.clone()),
                [one] => drop(accepted.known.insert(one.clone())),
                [one, other, ..] => {
                    return Err(Error::new(
                        "several tests have the name of a known test",
                        name,
                        format!("say which one you mean: {one}, or {other}"),
                    ));
                }
            }
        }
        Ok(accepted)
    }

    /// Says how each test compares with what is accepted.
    pub(super) fn apply_to(self, facts: &mut AuditFacts) {
        for test in &mut facts.audited {
            test.known = self.known.contains(&audit_name(test));
            test.limit = self.max_rate.and_then(|most| limit(test, most));
        }
        let tests = &mut facts.audited;
        tests.sort_by(|one, other| audit_rank(one).total_cmp(&audit_rank(other)));
        (facts.max_rate, facts.unknown) = (self.max_rate, self.unknown);
    }
}

/// Compares what an audit found with another highest rate and other known tests, as far as
/// they are given.
///
/// # Errors
/// When the rate is not strictly between 0 and 1, or a name is that of several tests.
pub fn accept(
    facts: &mut AuditFacts,
    max_rate: Option<f64>,
    known: Option<Vec<String>>,
) -> Result<(), Error> {
    let known = known.unwrap_or_else(|| {
        let before = facts.audited.iter().filter(|test| test.known);
        let names = before.map(audit_name);
        names.chain(facts.unknown.iter().cloned()).collect()
    });
    let tests = facts.audited.iter();
    let tests: Vec<_> = tests.map(|test| (audit_name(test), &*test.test)).collect();
    let accepted = Accepted::find(max_rate.or(facts.max_rate), &known, &tests)?;
    accepted.apply_to(facts);
    Ok(())
}

/// Refuses a value that is not strictly between 0 and 1.
pub(super) fn check(name: &str, value: Option<f64>) -> Result<(), Error> {
    match value {
        Some(value) if !(value > 0.0 && value < 1.0) => Err(Error::new(
            format!("the {name} is not strictly between 0 and 1"),
            format!("{value:?}"),
            "write a probability such as 0.01",
        )),
        _ => Ok(()),
    }
}

fn limit(test: &AuditedTest, most: f64) -> Option<AuditLimit> {
    if test.depends_on == Some(AuditCause::ExpectedValues) {
        return None;
    }
    // All that was seen may depend on what one interpreter has drawn when it started.
    // An interpreter that has not collected it would have seen something else.
    let is_narrow = test.interpreters == 1 || test.uncollected > 0;
    let Some(rate) = &test.rate else {
        let is_undecided = match test.outcome {
            AuditOutcome::FailsAlways => return Some(AuditLimit::Above),
            AuditOutcome::NotReached | AuditOutcome::Unfinished | AuditOutcome::CouldNotRun => true,
            AuditOutcome::NeverFailed => is_narrow || test.not_run > 0,
            AuditOutcome::Skipped => test.uncollected > 0,
            // Copies have no rate, but they fail always or never.
            _ => test.failed > 0,
        };
        return is_undecided.then_some(AuditLimit::Undecided);
    };
    let is_other = matches!(
        test.depends_on,
        Some(AuditCause::EarlierExecutions | AuditCause::SomethingElse | AuditCause::Interpreter)
    );
    let seen = test.failed as f64 / test.executed.max(1) as f64;
    // It may turn out that it has expected values.
    let is_open = test.own_seeds == Some(true) && !is_other && seen >= (1.0 + NEARLY) / 2.0;
    // What went unnoticed may be a failure, and so may what could not run.
    let is_whole = test.unnoticed == 0 && test.not_run == 0 && !is_narrow;
    Some(if rate.low > most && !is_open {
        AuditLimit::Above
    } else if rate.high <= most && is_whole {
        AuditLimit::Below
    } else {
        AuditLimit::Undecided
    })
}
