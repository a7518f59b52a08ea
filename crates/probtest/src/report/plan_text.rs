//! The words for claims and plans.

use super::words::words;
use crate::claim::Claim;
use crate::plan::Plan;

/// Writes a claim as the options that make it.
///
/// ```
/// use probtest::report::claim_line;
///
/// assert_eq!(claim_line(&probtest::Claim::detect("1/1024", 0.02)?), "p = 1/1024, epsilon = 0.02");
/// let claim = probtest::mean().between(0, 1).above(0.9).margin(0.05).claim()?;
/// assert_eq!(
///     claim_line(&claim),
///     "mean 0.9 or more, margin = 0.05, between 0 and 1, epsilon = 0.05, false_alarm = 1e-6"
/// );
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn claim_line(claim: &Claim) -> String {
    words(claim).claim_line()
}

/// Says what the claim promises.
///
/// ```
/// use probtest::report::promise;
///
/// assert_eq!(
///     promise(&probtest::Claim::detect(0.01, 0.02)?),
///     "a violation probability of 0.01 or more is caught with probability > 0.98"
/// );
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn promise(claim: &Claim) -> String {
    words(claim).promise()
}

/// Writes a plan: the answer first, then the facts.
pub fn plan_text(plan: &Plan) -> String {
    words(plan.claim()).plan_text(plan)
}
