//! What the tests of a run promise together.

use std::num::NonZeroU64;

use probtest::budget::{Share, Suite};
use probtest::report::{SuiteEpsilon, SuiteFalseAlarm};
use pyo3::prelude::*;

use crate::claims::{Claim, named};
use crate::errors::claim_error;
use crate::numeric::NumericClaim;

fn share(total: &Bound<'_, PyAny>, tests: u64) -> PyResult<Share> {
    let tests = NonZeroU64::new(tests)
        .ok_or_else(|| claim_error("a chance is divided over at least one test"))?;
    Ok(Share::new(named("the suite's chance", total)?, tests))
}

/// Reads a probability and returns its text, exactly as it was given.
#[pyfunction]
pub fn parse_probability(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(named("a probability", value)?.to_string())
}

/// Gives a claim its parts of what the suite may get wrong, unless its own chances
/// are smaller.
#[pyfunction]
#[pyo3(signature = (claim, tests, epsilon=None, false_alarm=None))]
pub fn limit_claim(
    claim: &Claim,
    tests: u64,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    let core = suite(tests, epsilon, false_alarm)?.limit(claim.core.clone());
    Ok(Claim { core })
}

/// Does the same for a claim on a mean or on labels.
#[pyfunction]
#[pyo3(signature = (claim, tests, epsilon=None, false_alarm=None))]
pub fn limit_numeric(
    claim: &NumericClaim,
    tests: u64,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<NumericClaim> {
    let core = suite(tests, epsilon, false_alarm)?.limit_numeric(claim.core.clone());
    Ok(NumericClaim { core })
}

/// Returns what a test is part of.
pub fn suite(
    tests: u64,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Suite> {
    let share = |total: Option<&Bound<'_, PyAny>>| total.map(|t| share(t, tests)).transpose();
    Ok(Suite {
        epsilon: share(epsilon)?,
        false_alarm: share(false_alarm)?,
    })
}

/// Says what tests that share an epsilon promise together: the facts as JSON text, and
/// the words. `within_budget` has the chances of missing of those that passed so.
#[pyfunction]
pub fn suite_epsilon(
    total: &Bound<'_, PyAny>,
    tests: u64,
    executed: u64,
    within_budget: Vec<f64>,
    repeated: u64,
) -> PyResult<(String, Vec<String>)> {
    let suite = SuiteEpsilon {
        share: share(total, tests)?,
        executed,
        within_budget,
        repeated,
    };
    Ok((
        serde_json::to_string(&suite.facts()).unwrap_or_default(),
        suite.lines(),
    ))
}

/// Says what tests that share a chance of false alarms promise together: the facts as
/// JSON text, and the words.
#[pyfunction]
pub fn suite_false_alarm(
    total: &Bound<'_, PyAny>,
    tests: u64,
    tolerating: u64,
    numeric: u64,
    strict: u64,
    undecided: u64,
) -> PyResult<(String, Vec<String>)> {
    let suite = SuiteFalseAlarm {
        share: share(total, tests)?,
        tolerating,
        numeric,
        strict,
        undecided,
    };
    Ok((
        serde_json::to_string(&suite.facts()).unwrap_or_default(),
        suite.lines(),
    ))
}
