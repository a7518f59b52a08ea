//! Run: call the test body once, and say what it did.
//!
//! The only place that calls user code. It catches panics, keeps them quiet, notices
//! rejections and a body that ends the process. It does not know which execution comes
//! next or what an [`Observation`] means for the claim: [`crate::machine`] does.
//!
//! Next stage: [`crate::judge`].

#[cfg(unix)]
mod abort;
mod assume;
mod backtrace;
mod execute;
mod exit_guard;
mod here;
mod input;
mod label;
mod observation;
mod pair;
mod panics;
mod saying;
#[cfg(feature = "shuttle")]
pub mod schedules;
mod site;
mod strays;

pub use crate::settings::Cancel;
pub use assume::{assume, expect_panics};
#[cfg(feature = "tokio")]
pub use execute::resumed::Pending;
#[cfg(feature = "tokio")]
pub(crate) use execute::resumed::execution;
#[doc(hidden)]
pub use execute::{once, uncaught};
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
#[doc(hidden)]
pub use input::lent;
pub use input::settle_shared;
#[cfg(feature = "proptest")]
pub use input::strategies::draw;
#[doc(hidden)]
#[cfg(feature = "proptest")]
pub use input::strategies::{any_input, input};
pub use label::{Label, LabelValue, Labelled, label};
pub use observation::{Conclusion, Number, Observation, Record, Violation};
#[doc(hidden)]
pub use pair::pair;
pub use pair::{Both, Did, Pair, both};
pub use saying::{cost, infrastructure, record};
#[cfg(feature = "shuttle")]
pub(crate) use schedules::{Limits, Scheduled};
pub use site::Site;
pub(crate) use strays::Watched;
