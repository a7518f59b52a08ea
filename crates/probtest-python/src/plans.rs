//! Plans and their inverses.

use probtest::plan as planning;
use probtest::report::{plan_facts, plan_text};
use probtest::seed::{Replay, RunSeed};
use pyo3::prelude::*;

use crate::claims::{Claim, named};
use crate::errors::claim_error;

/// Plans a claim: the facts as JSON text, and the words.
#[pyfunction]
pub fn plan(claim: &Claim) -> PyResult<(String, String)> {
    let plan = planning::Plan::new(&claim.core).map_err(claim_error)?;
    Ok((
        serde_json::to_string(&plan_facts(&plan)).unwrap_or_default(),
        plan_text(&plan),
    ))
}

/// Returns the chance of passing and the expected executions at a violation rate;
/// None for a claim on outcomes.
#[pyfunction]
pub fn at_rate(claim: &Claim, rate: f64) -> PyResult<Option<(f64, f64)>> {
    if !(0.0..=1.0).contains(&rate) {
        return Err(claim_error(probtest::claim::ClaimError::NotARate {
            given: format!("{rate:?}"),
        }));
    }
    let plan = planning::Plan::new(&claim.core).map_err(claim_error)?;
    let found = plan
        .chance_of_passing(rate)
        .zip(plan.expected_executions(rate));
    Ok(found)
}

/// Returns the smallest p that so many executions catch, as number and as text.
#[pyfunction]
pub fn smallest_p(executions: u64, epsilon: &Bound<'_, PyAny>) -> PyResult<(f64, String)> {
    let p = planning::smallest_p(executions, &named("epsilon", epsilon)?).map_err(claim_error)?;
    Ok((p.as_f64(), p.to_string()))
}

/// Returns the chance of missing a claim's p after so many executions.
#[pyfunction]
pub fn epsilon_attained(executions: u64, p: &Bound<'_, PyAny>) -> PyResult<f64> {
    let chance = planning::epsilon_attained(&named("p", p)?, executions).map_err(claim_error)?;
    Ok(chance.value())
}

/// What it costs to believe in another p than the real one: executions needed,
/// executions planned, how many are short, chance of missing, how much that is
/// above epsilon.
#[pyfunction]
pub fn sensitivity(
    p: &Bound<'_, PyAny>,
    believed: &Bound<'_, PyAny>,
    epsilon: &Bound<'_, PyAny>,
) -> PyResult<(u64, u64, i128, f64, f64)> {
    let (p, believed) = (named("p", p)?, named("believed", believed)?);
    let found =
        planning::sensitivity(&p, &believed, &named("epsilon", epsilon)?).map_err(claim_error)?;
    Ok((
        found.executions,
        found.executions_believed,
        found.short,
        found.miss.value(),
        found.added_miss,
    ))
}

/// Returns the Clopper-Pearson interval of a rate.
#[pyfunction]
pub fn interval(violations: u64, executions: u64, confidence: f64) -> PyResult<(f64, f64)> {
    probtest::judge::interval::clopper_pearson(violations, executions, confidence)
        .map_err(claim_error)
}

/// Reads a seed: decimal or hexadecimal text.
#[pyfunction]
pub fn parse_seed(text: &str) -> PyResult<u64> {
    let seed: RunSeed = text.parse().map_err(claim_error)?;
    Ok(seed.0)
}

/// Reads SEED:INDEX.
#[pyfunction]
pub fn parse_replay(text: &str) -> PyResult<(u64, u64)> {
    let replay: Replay = text.parse().map_err(claim_error)?;
    Ok((replay.seed.0, replay.index))
}

/// Returns the names of the environment variables that have a meaning.
#[pyfunction]
pub fn variables() -> Vec<&'static str> {
    probtest::Environment::variables()
        .map(|variable| variable.name)
        .collect()
}

/// Returns a seed that no earlier run had.
#[pyfunction]
pub fn fresh_seed() -> u64 {
    RunSeed::fresh().0
}
