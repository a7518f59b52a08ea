//! Syntax: what can you write, and what does it mean?
//!
//! Probabilities, outcomes, durations and options, each read in one place. The attribute
//! `#[probtest]` uses it at compile time and the library at run time, so both accept and refuse the
//! same values with the same messages. Nothing here knows about claims or computes counts. Exact
//! fractions are here because probabilities are stored as fractions.
//!
//! Depend on the crate `probtest`, which re-exports what tests need.

mod error;
mod limits;
mod natural;
pub mod options;
mod outcomes;
mod probability;
mod suggest;
mod text;

pub use error::Error;
pub use limits::{
    IntoDuration, OnBudget, StartRate, check_duration, duration_text, parse_duration, read_cost,
};
#[doc(hidden)]
pub use natural::Natural;
pub use outcomes::Outcomes;
pub use probability::{IntoProbability, Probability};
