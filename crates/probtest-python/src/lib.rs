//! `probtest._native`: the core for Python.
//!
//! Converts types and calls Python; decides nothing and has no words. The loop
//! over executions is here, since a loop in Python would cost more than many
//! test bodies.

mod batching;
mod claims;
mod errors;
mod estimating;
mod executing;
mod numeric;
mod plans;
mod reports;
mod returning;
mod sequence;
mod session;
mod sources;
mod suites;
mod timing;
mod watching;

use pyo3::prelude::*;

/// The module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<claims::Claim>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<sequence::Sequence>()?;
    module.add_class::<estimating::Estimation>()?;
    module.add_class::<numeric::NumericClaim>()?;
    module.add_class::<numeric::NumericTest>()?;
    for function in [
        wrap_pyfunction!(claims::detect, module)?,
        wrap_pyfunction!(claims::cover, module)?,
        wrap_pyfunction!(claims::tolerate, module)?,
        wrap_pyfunction!(plans::plan, module)?,
        wrap_pyfunction!(plans::at_rate, module)?,
        wrap_pyfunction!(plans::smallest_p, module)?,
        wrap_pyfunction!(plans::epsilon_attained, module)?,
        wrap_pyfunction!(plans::sensitivity, module)?,
        wrap_pyfunction!(plans::interval, module)?,
        wrap_pyfunction!(plans::parse_seed, module)?,
        wrap_pyfunction!(plans::parse_replay, module)?,
        wrap_pyfunction!(plans::fresh_seed, module)?,
        wrap_pyfunction!(plans::variables, module)?,
        wrap_pyfunction!(suites::parse_probability, module)?,
        wrap_pyfunction!(suites::limit_claim, module)?,
        wrap_pyfunction!(suites::limit_numeric, module)?,
        wrap_pyfunction!(suites::suite_epsilon, module)?,
        wrap_pyfunction!(suites::suite_false_alarm, module)?,
        wrap_pyfunction!(timing::parse_time, module)?,
        wrap_pyfunction!(timing::text_of_time, module)?,
        wrap_pyfunction!(executing::outcome, module)?,
        wrap_pyfunction!(numeric::mean, module)?,
        wrap_pyfunction!(numeric::fit, module)?,
    ] {
        module.add_function(function)?;
    }
    let py = module.py();
    module.add("ClaimError", py.get_type::<errors::ClaimError>())?;
    module.add("Rejected", py.get_type::<errors::Rejected>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    Ok(())
}
