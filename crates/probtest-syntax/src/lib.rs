//! Syntax: what may users write, and what does it mean?
//!
//! Probabilities, outcomes, durations and options, each read in one place. The attribute
//! `#[probtest]` uses it while it compiles, the library while it runs, so both accept the same and
//! refuse the same with the same words. Nothing here knows a claim or computes a count, but the
//! arithmetic of exact fractions is here, since probabilities are such fractions.
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
