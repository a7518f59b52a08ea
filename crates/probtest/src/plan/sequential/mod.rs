//! A plan for a tolerated rate: when to stop, and with which answer?
//!
//! A truncated sequential probability ratio test. Its boundaries are whole
//! numbers: with `x` violations it passes after so many executions, and a
//! violation number `x` that comes too early fails it. Both error
//! probabilities are computed for those numbers, by dynamic programming over
//! the violations, so nothing rests on an approximation.

mod alike;
mod binomial;
mod boundaries;
mod cache;
mod calibrate;
mod climb;
mod fixed;
mod jump;
#[cfg(test)]
mod rounding_tests;
mod search;
mod sequential_test;
mod walk;

pub(super) use cache::plan;
pub use fixed::FixedPlan;
pub use sequential_test::{SequentialTest, Tails};
