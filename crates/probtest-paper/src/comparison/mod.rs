//! Comparison: how many executions do other methods need for the same promise?
//!
//! - [`methods`]: what the paper compares with, Hoeffding's bound and a hypothesis test;
//!   Chernoff's bound; stopping as soon as the answer is clear, by the library's plan and by
//!   Wald's;
//! - [`table`]: all of them for the paper's settings and others;
//! - [`remarks`]: the paper's own comparison, computed again (figure 4).

pub mod methods;
pub mod remarks;
pub mod table;

use probtest::Claim;
use probtest::plan::Plan;

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

impl TwoSided {
    /// The plan of the library.
    ///
    /// # Panics
    ///
    /// When the numbers are no probabilities, or so small that there is no plan.
    pub fn plan(&self) -> Plan {
        let claim = Claim::tolerate(self.tolerate, self.p, self.epsilon, self.false_alarm);
        Plan::new(&claim.expect("four probabilities")).expect("the claim has a plan")
    }
}
