//! Run: execute the test body, as often as asked, and hand on what it did.
//!
//! The only place that calls user code. It opens the stream of each execution,
//! catches panics, draws rejected executions again, and delivers one [`Record`]
//! for each execution, in index order, whatever the number of threads. It does
//! not know what a record means for the claim: a [`Sink`] says when to stop.
//!
//! Next stage: [`crate::judge`].

#[cfg(unix)]
mod abort;
mod assume;
mod backtrace;
mod cancel;
mod execute;
mod exit_guard;
mod here;
mod observation;
mod pace;
mod panics;
mod parallel;
mod serial;
mod work;

pub use assume::assume;
pub use cancel::Cancel;
pub use execute::{count, once, uncaught};
pub use exit_guard::{ExitGuard, Guarded};
pub use observation::{Conclusion, Number, Observation, Record, Violation};
pub use parallel::parallel;
pub use serial::serial;
pub use work::{REJECTIONS_IN_A_ROW, Sink, Work};
