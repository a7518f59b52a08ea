//! The plan read backward: what do given executions catch?

use super::two::{Side, Tail};
use super::{Plan, error};
use crate::claim::{Claim, Error, Probability};

/// Finds the smallest `p`, of those a float can be, for which the executions
/// are enough.
///
/// # Errors
/// When not even `p = 1/2`, which is caught soonest, is caught by so few
/// executions. The error says how many it would take.
///
/// ```
/// use probtest::{claim::{Claim, Probability}, plan::{Plan, smallest_p}};
///
/// let epsilon = Probability::from_f64(0.05)?;
/// let p = smallest_p(299, &epsilon).unwrap();
/// assert_eq!(p.to_string(), "0.009969146792899272");
/// assert_eq!(Plan::new(&Claim::detect(&p, &epsilon)?).unwrap().executions(), 299);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn smallest_p(executions: u64, epsilon: &Probability) -> Result<Probability, Error> {
    let enough = |p: &Probability| Tail::of_both(p).side(epsilon, executions) == Side::Below;
    let half = Probability::from_ratio(1, 2)?;
    if !enough(&half) {
        let needed = Plan::new(&Claim::detect(half, epsilon)?)?.executions();
        return Err(error::nothing_caught(executions, epsilon, needed));
    }
    // Positive floats are ordered as their bits are, and so are their decimals.
    let (mut low, mut high) = (0u64, 0.5f64.to_bits());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(&Probability::from_f64(f64::from_bits(middle))?) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Probability::from_f64(f64::from_bits(high))
}
