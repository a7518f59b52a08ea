//! Budget: what may a test use up, and what when that is not enough?
//!
//! Spans of time as people write them, what becomes of a test whose budget ends
//! before its plan, and what the tests of a suite may miss together. Nothing here looks at a clock: [`mod@crate::run`] does not
//! know the time either, the sink that it asks between two executions does.
//!
//! Next stage: [`crate::plan`].

mod on_budget;
mod span;
mod suite;
mod time;

pub use on_budget::{OnBudget, OnBudgetError};
pub use span::{IntoTime, LONGEST_TIME, TimeError, TimeProblem, check_time, parse_time, time_text};
pub use suite::{Share, Suite};
pub use time::{MaxTime, TimeLimit};
