//! What the tests of a run promise together.

use std::num::NonZeroU64;

use probtest::budget::{Share, Suite};
use probtest::report::SuiteEpsilon;
use pyo3::prelude::*;

use crate::claims::{Claim, probability};
use crate::errors::claim_error;

fn share(total: &Bound<'_, PyAny>, tests: u64) -> PyResult<Share> {
    let tests = NonZeroU64::new(tests)
        .ok_or_else(|| claim_error("a chance is divided over at least one test"))?;
    Ok(Share::new(probability(total)?, tests))
}

/// Reads a probability and returns its text, exactly as it was given.
#[pyfunction]
pub fn parse_probability(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(probability(value)?.to_string())
}

/// Gives a claim its part of the suite's epsilon, unless its own is smaller.
#[pyfunction]
pub fn limit_epsilon(claim: &Claim, total: &Bound<'_, PyAny>, tests: u64) -> PyResult<Claim> {
    let core = share(total, tests)?.limit_epsilon(claim.core.clone());
    Ok(Claim { core })
}

/// Returns what a test is part of.
pub fn suite(epsilon: Option<(&Bound<'_, PyAny>, u64)>) -> PyResult<Suite> {
    let Some((total, tests)) = epsilon else {
        return Ok(Suite::default());
    };
    Ok(Suite::default().sharing_epsilon(share(total, tests)?))
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
    Ok((suite.to_json().to_string(), suite.lines()))
}
