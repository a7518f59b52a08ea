//! Syntax: what may users write, and what does it mean?
//!
//! Probabilities, outcomes, durations and options, each read in one place. The
//! attribute `#[probtest]` uses it while it compiles, the library while it runs, so
//! both accept the same and refuse the same with the same words. Nothing here knows
//! a claim or computes a count.
//!
//! Depend on the crate `probtest`, which re-exports what tests need.

mod conflicts;
mod decimal;
mod duration;
mod error;
mod on_budget;
pub mod options;
mod outcomes;
mod probability;
mod start_rate;
mod suggest;
mod sum;
mod text;

pub use duration::{IntoDuration, check_duration, duration_text, parse_duration};
pub use error::Error;
pub use on_budget::OnBudget;
pub use outcomes::Outcomes;
pub use probability::{IntoProbability, Probability};
pub use start_rate::{StartRate, read_cost};
pub(crate) use text::excerpt;
