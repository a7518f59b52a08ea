//! What the tests of a run promise together.

use probtest::report;
use probtest_facts::TestFacts;
use pyo3::prelude::*;

use crate::refused;

/// Says what tests promise together, as JSON text, from the JSON text of their facts.
#[pyfunction]
pub fn suite_promises(tests: &str) -> PyResult<String> {
    let tests: Vec<TestFacts> = serde_json::from_str(tests).map_err(refused)?;
    let promises = report::suite_promises(&tests).map_err(refused)?;
    serde_json::to_string(&promises).map_err(refused)
}
