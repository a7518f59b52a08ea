//! Claim: what is promised?
//!
//! A [`Claim`] says which violation probability must not go unnoticed, or which
//! outcomes must all be seen, and how often that may be missed. Every number is
//! kept as the exact rational the user wrote, so `0.3` is three tenths and
//! `1/6` is one sixth. Nothing here computes a count.
//!
//! Next stage: [`crate::plan`].

mod decimal;
mod error;
mod into;
mod kinds;
pub mod numeric;
mod outcomes;
mod probability;
mod sum;
mod text;

pub use error::ClaimError;
pub use into::IntoProbability;
pub use kinds::{Claim, FALSE_ALARM};
pub use outcomes::Outcomes;
pub use probability::Probability;
