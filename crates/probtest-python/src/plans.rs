//! Plans and their inverses.

use probtest::plan::{self as planning, Plan};
use probtest::report::{plan_facts, plan_text};
use probtest::{Error, Probability};
use probtest_syntax::options::DEFAULT_EPSILON;
use pyo3::prelude::*;

use crate::claims::Claim;
use crate::refused;
use crate::values::probability;

/// Plans a claim: the facts as JSON text, and the words.
#[pyfunction]
pub fn plan(claim: &Claim) -> PyResult<(String, String)> {
    let plan = Plan::new(&claim.core).map_err(refused)?;
    let facts = serde_json::to_string(&plan_facts(&plan)).map_err(refused)?;
    Ok((facts, plan_text(&plan)))
}

/// Returns the chance of passing and the expected executions at a violation rate; None
/// where they do not depend on a rate.
#[pyfunction]
pub fn at_rate(claim: &Claim, rate: f64) -> PyResult<Option<(f64, f64)>> {
    if !(0.0..=1.0).contains(&rate) {
        return Err(refused(Error::new(
            "a violation rate must be between 0 and 1",
            format!("{rate:?}"),
            "write a number such as 0.001",
        )));
    }
    let plan = Plan::new(&claim.core).map_err(refused)?;
    let passing = plan.chance_of_passing(rate);
    Ok(passing.zip(plan.expected_executions(rate)))
}

/// Reads an epsilon, or returns the one that holds where none is given.
fn epsilon_or_default(epsilon: Option<&Bound<'_, PyAny>>) -> PyResult<Probability> {
    match epsilon {
        Some(epsilon) => probability("epsilon", epsilon),
        None => Probability::parse(DEFAULT_EPSILON).map_err(refused),
    }
}

/// Returns the smallest p that so many executions catch.
#[pyfunction]
#[pyo3(signature = (executions, epsilon=None))]
pub fn smallest_p(executions: u64, epsilon: Option<&Bound<'_, PyAny>>) -> PyResult<f64> {
    let epsilon = epsilon_or_default(epsilon)?;
    let p = planning::smallest_p(executions, &epsilon).map_err(refused)?;
    Ok(p.as_f64())
}

/// Returns the chance of missing a claim's p after so many executions.
#[pyfunction]
pub fn epsilon_attained(executions: u64, p: &Bound<'_, PyAny>) -> PyResult<f64> {
    let chance = planning::epsilon_attained(&probability("p", p)?, executions);
    Ok(chance.map_err(refused)?.value())
}

/// What it costs to believe in another p than the real one: executions needed, executions
/// planned, how many are short, chance of missing, how much that is above epsilon.
#[pyfunction]
#[pyo3(signature = (p, believed, epsilon=None))]
pub fn sensitivity(
    p: &Bound<'_, PyAny>,
    believed: &Bound<'_, PyAny>,
    epsilon: Option<&Bound<'_, PyAny>>,
) -> PyResult<(u64, u64, i128, f64, f64)> {
    let (p, believed) = (probability("p", p)?, probability("believed", believed)?);
    let epsilon = epsilon_or_default(epsilon)?;
    let found = planning::sensitivity(&p, &believed, &epsilon).map_err(refused)?;
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
    probtest::judge::interval::clopper_pearson(violations, executions, confidence).map_err(refused)
}
