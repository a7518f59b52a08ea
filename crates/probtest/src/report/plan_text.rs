//! The words for claims and plans.

use super::words::words;
use crate::claim::Claim;
use crate::plan::Plan;

/// Writes a claim as the options that make it.
pub fn claim_line(claim: &Claim) -> String {
    words(claim).claim_line()
}

/// Says what the claim promises.
pub fn promise(claim: &Claim) -> String {
    words(claim).promise()
}

/// Writes a plan: the answer first, then the facts.
pub fn plan_text(plan: &Plan) -> String {
    words(plan.claim()).plan_text(plan)
}
