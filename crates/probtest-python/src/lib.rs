//! `probtest._native`: the core for Python.
//!
//! Converts values, and executes Python bodies for the machine of the core; decides nothing
//! and has no words of its own but about what a body returned. The executors are here,
//! since a loop in Python would cost more than many test bodies.

mod batches;
mod claims;
mod executor;
mod given;
mod plans;
mod report;
mod streams;
mod suites;
mod surroundings;
mod test_run;
mod values;

use pyo3::create_exception;
use pyo3::exceptions::{PyBaseException, PyValueError};
use pyo3::prelude::*;

create_exception!(
    probtest,
    ClaimError,
    PyValueError,
    "A claim, an option or a seed that makes no sense."
);

// Not an Exception: `except Exception` in a test body must not swallow it.
create_exception!(
    probtest,
    Rejected,
    PyBaseException,
    "Leaves an execution that is not applicable."
);

/// Turns an error of the core into the exception that Python sees.
fn refused(error: impl std::fmt::Display) -> PyErr {
    ClaimError::new_err(error.to_string())
}

/// The module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<claims::Claim>()?;
    module.add_class::<given::Given>()?;
    module.add_class::<report::Report>()?;
    module.add_class::<streams::Sequence>()?;
    module.add_class::<streams::Stream>()?;
    module.add_class::<test_run::TestRun>()?;
    for function in [
        wrap_pyfunction!(claims::estimate, module)?,
        wrap_pyfunction!(claims::fit, module)?,
        wrap_pyfunction!(claims::mean, module)?,
        wrap_pyfunction!(executor::outcome, module)?,
        wrap_pyfunction!(given::options, module)?,
        wrap_pyfunction!(plans::at_rate, module)?,
        wrap_pyfunction!(plans::epsilon_attained, module)?,
        wrap_pyfunction!(plans::interval, module)?,
        wrap_pyfunction!(plans::plan, module)?,
        wrap_pyfunction!(plans::sensitivity, module)?,
        wrap_pyfunction!(plans::smallest_p, module)?,
        wrap_pyfunction!(streams::fresh_seed, module)?,
        wrap_pyfunction!(suites::suite_epsilon, module)?,
        wrap_pyfunction!(suites::suite_false_alarm, module)?,
    ] {
        module.add_function(function)?;
    }
    let py = module.py();
    module.add("ClaimError", py.get_type::<ClaimError>())?;
    module.add("Rejected", py.get_type::<Rejected>())?;
    module.add("FORMAT", probtest_facts::FORMAT)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    Ok(())
}
