//! The report as JUnit XML, for CI servers.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use crate::failure::Failure;

use super::status::Status;
use super::suite::{Suite, Test};
use super::text::facts_text;
use super::view::observed;
use super::words::{DETAILS, NAME, one_line};

/// Writes the suite as JUnit XML: what was violated is a failure, what has no
/// verdict or is in doubt an error. Estimates and passes within budget are successes,
/// which their verdict tells apart.
pub fn junit(suite: &Suite) -> Result<String, Failure> {
    let mut own = TestSuite::new("probtest");
    own.set_time(duration(suite.seconds()));
    for test in &suite.tests {
        own.add_test_case(case(test));
    }
    let mut report = Report::new("probtest");
    report.set_time(duration(suite.seconds()));
    report.add_test_suite(own);
    report
        .to_string()
        .map_err(|error| Failure::unfinished(format!("the JUnit XML cannot be made: {error}")))
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// The path before the last part of a name, if any, and that part. What stands in brackets
/// is the argument of a test, and belongs to its name as it is.
fn split(full: &str) -> (Option<&str>, &str) {
    let path = full.find('[').map_or(full, |end| &full[..end]);
    match path.rfind("::") {
        // Servers need both.
        Some(at) if at > 0 && at + 2 < full.len() => (Some(&full[..at]), &full[at + 2..]),
        _ => (None, full),
    }
}

fn case(test: &Test) -> TestCase {
    let (result, facts) = (&test.result, &test.result.facts);
    let status = match result.status {
        status if !status.fails() => TestCaseStatus::success(),
        status => {
            let kind = match status {
                Status::Violated => NonSuccessKind::Failure,
                _ => NonSuccessKind::Error,
            };
            let mut wrong = TestCaseStatus::non_success(kind);
            wrong.set_type(format!("probtest.{}", status.name()));
            let message = result
                .doubts
                .first()
                .map_or(result.summary(), String::as_str);
            wrong.set_message(one_line(message, DETAILS));
            wrong.set_description(facts_text(test));
            wrong
        }
    };
    // Whole: servers take two tests of one name for one test.
    let full = one_line(&test.identity().name, DETAILS);
    // The dotted or coloned path before the last part is what servers group by.
    let (class, short) = split(&full);
    let mut case = TestCase::new(short, status);
    let mut path: Vec<&str> = test.place.iter().map(String::as_str).collect();
    path.extend(class);
    case.set_classname(match path.as_slice() {
        [] => "probtest".to_owned(),
        path => path.join("::"),
    });
    case.set_time(duration(test.seconds()));
    let mut property = |key: &str, value: String| {
        case.add_property(Property::new(key, value));
    };
    let identity = test.identity();
    for (key, known) in [
        ("probtest_package", &identity.package),
        ("probtest_target", &identity.target),
    ] {
        if let Some(words) = known {
            property(key, one_line(words, NAME));
        }
    }
    property("probtest_verdict", one_line(facts.verdict.as_str(), NAME));
    property("probtest_claim", result.claim.line.clone());
    property("probtest_executions", facts.executed.to_string());
    if let Some(planned) = facts.planned {
        property("probtest_planned", planned.to_string());
    }
    if let Some(range) = result.rate.as_ref().and_then(|rate| rate.range()) {
        property("probtest_rate", range);
    }
    if let Some(observed) = observed(test) {
        property("probtest_observed", one_line(observed, DETAILS));
    }
    if let Some(attained) = &facts.attained {
        property("probtest_attained", one_line(&attained.words, DETAILS));
    }
    if let Some(seed) = &facts.seed {
        property("probtest_seed", one_line(seed, NAME));
    }
    if !result.status.fails() {
        case.set_system_out(facts_text(test));
    }
    case
}
