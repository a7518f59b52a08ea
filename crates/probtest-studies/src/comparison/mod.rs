//! Comparison: how many executions do other methods need for the same promise?
//!
//! - [`bounds`]: what the paper compares with, Hoeffding's bound and a hypothesis
//!   test, and Chernoff's bound;
//! - [`binomial`]: a fixed number of executions and a number of violations that
//!   is accepted;
//! - [`sequential`]: stopping as soon as the answer is clear;
//! - [`table`]: all of them for the paper's settings and others;
//! - [`remarks`]: the paper's own comparison, computed again (figure 4).

pub mod binomial;
pub mod bounds;
pub mod remarks;
pub mod sequential;
pub mod table;

/// A claim with two sides: a rate that is accepted and one that must not go
/// unnoticed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoSided {
    /// The violation rate that is accepted.
    pub tolerate: f64,
    /// The violation probability that must not go unnoticed.
    pub p: f64,
    /// The chance of failing a program that stays within `tolerate`.
    pub false_alarm: f64,
    /// The chance of missing `p`.
    pub epsilon: f64,
}
