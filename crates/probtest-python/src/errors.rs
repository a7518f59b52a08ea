//! Exceptions that Python sees.

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
pub fn claim_error(error: impl std::fmt::Display) -> PyErr {
    ClaimError::new_err(error.to_string())
}
