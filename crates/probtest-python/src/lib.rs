//! `probtest._native`: the core for Python.
//!
//! Converts values, and executes Python bodies for the machine of the core; decides nothing
//! and has no words of its own but about what a body returned. The executors are here,
//! since a loop in Python would cost more than many test bodies.

mod at_once;
mod audit;
mod claims;
mod executor;
mod ranges;
mod remote;
mod stories;
mod surroundings;
mod tapes;
mod test_run;

use pyo3::create_exception;
use pyo3::exceptions::{PyBaseException, PyValueError};
use pyo3::prelude::*;

create_exception!(probtest, ClaimError, PyValueError, "A claim, an option or a seed is invalid.");

// Not an Exception: `except Exception` in a test body must not swallow it.
create_exception!(
    probtest,
    Rejected,
    PyBaseException,
    "Ends an execution that does not apply; it is retried and does not count."
);

// A rejection: what the execution would have come to is not known.
create_exception!(
    probtest,
    GaveUp,
    Rejected,
    "Ends an execution that draws far more than the one it was made from."
);

/// Gives a class properties: each with its name, its type and the value.
macro_rules! properties {
    ($class:ident, $self:ident: $($(#[$doc:meta])* $name:ident: $type:ty = $value:expr;)*) => {
        #[pymethods]
        impl $class {
            $(
                $(#[$doc])*
                #[getter]
                fn $name(&$self) -> $type {
                    $value
                }
            )*
        }
    };
}
use properties;

/// Turns an error of the core into the exception that Python sees.
fn refused(error: impl std::fmt::Display) -> PyErr {
    ClaimError::new_err(error.to_string())
}

/// The module.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        ClaimError, GaveUp, Rejected,
        audit::{Audit, AuditOrder},
        claims::{
            Claim, Given, at_rate, compare, compare_means, epsilon_attained, estimate, fit,
            interval, mean, options, plan, sensitivity, smallest_p, suggestion, suite_promises,
        },
        executor::{cost, die_with_parent, forked, forks, label, leave_by, outcome, record},
        ranges::Board,
        stories::Watchdog,
        tapes::{Deputy, Twisters, fresh_draws, is_drawn, is_seen, refuse_story},
        test_run::{Report, Sequence, Stream, TestRun, fresh_seed, tape_address},
    };
    /// Stands for an index that is not known yet, in a line to copy.
    #[pymodule_export]
    const ANY_INDEX: u64 = probtest::report::ANY_INDEX;
    #[pymodule_export]
    const FORMAT: u32 = probtest_facts::FORMAT;
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python calls it so")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
