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
    /// Given names that match no test.
    unknown: Vec<String>,
}

impl Accepted {
    /// Finds the known tests among all tests, each given as its full name and its id.
    pub(super) fn find(
        max_rate: Option<f64>,
        known: &[String],
        tests: &[(String, &str)],
    ) -> Result<Accepted, Error> {
        check("highest rate", max_rate)?;
        let mut accepted = Accepted { max_rate, known: BTreeSet::new(), unknown: Vec::new() };
        for name in known {
            // A full name wins, even if it is also the id of another test.
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

    /// Records how each test compares with what is accepted.
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

/// Compares the results of an audit with another highest rate and other known tests, if given.
///
/// # Errors
/// When the rate is not strictly between 0 and 1, or a name matches several tests.
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
    // Every result may depend on what this one interpreter drew at startup. An interpreter that
    // didn't collect the test would have seen something else.
    let is_narrow = test.interpreters == 1 || test.uncollected > 0;
    let Some(rate) = &test.rate else {
        let is_undecided = match test.outcome {
            AuditOutcome::FailsAlways => return Some(AuditLimit::Above),
            AuditOutcome::NotReached | AuditOutcome::Unfinished | AuditOutcome::CouldNotRun => true,
            AuditOutcome::NeverFailed => is_narrow || test.not_run > 0,
            AuditOutcome::Skipped => test.uncollected > 0,
            // Copies have no rate, but they always fail or never fail.
            _ => test.failed > 0,
        };
        return is_undecided.then_some(AuditLimit::Undecided);
    };
    let is_other = matches!(
        test.depends_on,
        Some(AuditCause::EarlierExecutions | AuditCause::SomethingElse | AuditCause::Interpreter)
    );
    let seen = test.failed as f64 / test.executed.max(1) as f64;
    // The test may still turn out to have expected values.
    let is_open = test.own_seeds == Some(true) && !is_other && seen >= (1.0 + NEARLY) / 2.0;
    // An unnoticed problem may be a failure, and so may an execution that couldn't run.
    let is_whole = test.unnoticed == 0 && test.not_run == 0 && !is_narrow;
    Some(if rate.low > most && !is_open {
        AuditLimit::Above
    } else if rate.high <= most && is_whole {
        AuditLimit::Below
    } else {
        AuditLimit::Undecided
    })
}
