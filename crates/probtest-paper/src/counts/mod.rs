//! Counts: how many executions does the paper ask for, and what if its p is off?
//!
//! - [`published`]: every number of executions that the paper names;
//! - [`grid`]: the number of executions for p and epsilon from 0.001 to 0.1
//!   (figure 1);
//! - [`overestimate`]: plans for a p that is too large (figure 2);
//! - [`remarks`]: sentences of the paper that have a number in them.
//!
//! All counts come from [`probtest::plan`]; nothing here is measured.

pub mod grid;
pub mod overestimate;
pub mod published;
pub mod remarks;

use probtest::Claim;
use probtest::claim::IntoProbability;
use probtest::plan::Plan;

/// The executions that a claim needs.
///
/// # Panics
///
/// When p or epsilon is no probability: those of the paper are.
fn executions(p: impl IntoProbability, epsilon: impl IntoProbability) -> u64 {
    let claim = Claim::detect(p, epsilon).expect("p and epsilon are probabilities");
    let plan = Plan::new(&claim).expect("the claim has a plan");
    plan.executions()
}
