//! Judge: what do the executions say about the claim?
//!
//! Sees one record after the other, in index order, and answers "go on" or
//! "enough"; at the end it gives a [`Verdict`]. It is pure: no clock, no random
//! number, no user code, no words. The same records give the same verdict.
//!
//! Next stage: [`crate::report`].

mod decide;
mod estimating;
pub mod numeric;
pub mod stopped;
mod tally;
mod verdict;
mod watch;

pub use crate::math::{confidence, interval};
pub use decide::{Judge, Limits};
pub use estimating::{Estimated, Estimator};
pub use verdict::{Counts, Finding, Reason, Verdict};
pub use watch::Watch;
