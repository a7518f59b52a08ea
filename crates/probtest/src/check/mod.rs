//! Check: the stages in a row, for use as a plain function.
//!
//! [`run`] takes a claim, how to carry it out, and a body, and returns the
//! report. Nothing here prints or reads the environment.
//!
//! Next: [`crate::cargo`], the front door for tests.

mod drive;
mod error;
mod estimate;
pub mod numeric;
mod options;
mod timer;
mod whole;

pub use drive::Progress;
pub use error::Error;
pub use estimate::{estimate, estimate_local};
pub use options::{MOST_JOBS, Options};
pub use whole::{run, run_local};
