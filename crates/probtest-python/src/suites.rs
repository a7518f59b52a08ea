//! What the tests of a run promise together.

use std::num::NonZeroU64;

use probtest::Probability;
use probtest::report::{SuiteEpsilon, SuiteFalseAlarm};
use probtest::settings::Share;
use pyo3::prelude::*;

use crate::refused;

fn share(total: &str, tests: u64) -> PyResult<Share> {
    let tests = NonZeroU64::new(tests)
        .ok_or_else(|| refused("a chance is divided over at least one test"))?;
    Ok(Share::new(
        Probability::parse(total).map_err(refused)?,
        tests,
    ))
}

/// Says what tests that share an epsilon promise together, as JSON text. `within_budget`
/// has the chances of missing of those that passed so.
#[pyfunction]
pub fn suite_epsilon(
    total: &str,
    tests: u64,
    executed: u64,
    within_budget: Vec<f64>,
    repeated: u64,
) -> PyResult<String> {
    let suite = SuiteEpsilon {
        share: share(total, tests)?,
        executed,
        within_budget,
        repeated,
    };
    serde_json::to_string(&suite.facts()).map_err(refused)
}

/// Says what tests that share a chance of false alarms promise together, as JSON text.
#[pyfunction]
pub fn suite_false_alarm(
    total: &str,
    tests: u64,
    tolerating: u64,
    numeric: u64,
    strict: u64,
    undecided: u64,
) -> PyResult<String> {
    let suite = SuiteFalseAlarm {
        share: share(total, tests)?,
        tolerating,
        numeric,
        strict,
        undecided,
    };
    serde_json::to_string(&suite.facts()).map_err(refused)
}
