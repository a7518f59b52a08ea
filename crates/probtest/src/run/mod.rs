//! Run: what does one call of the test body do?
//!
//! The only place that calls user code. It catches panics and keeps them quiet, and notices
//! rejections and a body that ends the process. It doesn't know which execution comes next or what
//! an [`Observation`] means for the claim: [`crate::machine`] does.
//!
//! Next stage: [`crate::judge`].

#[cfg(unix)]
mod abort;
mod backtrace;
mod execute;
mod exit_guard;
mod here;
#[cfg(any(feature = "proptest", feature = "arbitrary"))]
mod input;
mod observation;
mod pair;
mod panics;
mod saying;
#[cfg(feature = "shuttle")]
pub mod schedules;
mod strays;

pub use crate::settings::Cancel;
pub use backtrace::Site;
#[cfg(feature = "tokio")]
pub use execute::resumed::Pending;
#[cfg(feature = "tokio")]
pub(crate) use execute::resumed::execution;
pub use execute::settle_shared;
#[doc(hidden)]
pub use execute::{lent, once, uncaught};
pub(crate) use exit_guard::belong_to_this_process;
#[doc(hidden)]
pub use exit_guard::{ExitGuard, Guarded};
#[doc(hidden)]
pub use here::next_input;
#[cfg(feature = "arbitrary")]
pub use input::bytes::arbitrary;
#[doc(hidden)]
#[cfg(feature = "arbitrary")]
pub use input::bytes::arbitrary_input;
#[cfg(feature = "proptest")]
pub use input::strategies::draw;
#[doc(hidden)]
#[cfg(feature = "proptest")]
pub use input::strategies::{any_input, input};
pub use observation::{Conclusion, Label, LabelValue, Number, Observation, Record, Violation};
#[doc(hidden)]
pub use pair::pair;
pub use pair::{Pair, PairConclusion, VersionResult, both};
pub use saying::{Labelled, assume, cost, expect_panics, infrastructure, label, record};
#[cfg(feature = "shuttle")]
pub(crate) use schedules::{MeasuringLimits, ScheduledBody};
pub(crate) use strays::Watched;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex even after a panic: nothing in it is changed in several steps.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
