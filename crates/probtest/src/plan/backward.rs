//! The plan read backward: what do given executions catch, and what if `p` was
//! believed to be larger or smaller than it is?

use super::detect::{Side, Tail};
use super::{Chance, Plan, epsilon_attained};
use crate::claim::{Claim, Error, Probability};
use crate::math::search::first;
use std::fmt::Display;

/// Compares the plan for a believed `p` with the plan the real one needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// The real violation probability.
    pub p: Probability,
    /// The violation probability that the plan was made for.
    pub believed: Probability,
    /// The executions that `p` needs.
    pub executions: u64,
    /// The executions that were planned.
    pub executions_believed: u64,
    /// How many executions are missing; negative when there are more than needed.
    pub short: i128,
    /// The chance of missing `p` with the planned executions.
    pub miss: Chance,
    /// How much that is above epsilon; negative when it is below.
    pub added_miss: f64,
}

/// Says what a plan for `believed` is worth when the violation probability is
/// `p`.
///
/// # Errors
/// When one of the two plans needs 2^63 executions or more.
pub fn sensitivity(
    p: &Probability,
    believed: &Probability,
    epsilon: &Probability,
) -> Result<Sensitivity, Error> {
    let executions = Plan::new(&Claim::detect(p, epsilon)?)?.executions();
    let executions_believed = Plan::new(&Claim::detect(believed, epsilon)?)?.executions();
    let miss = epsilon_attained(p, executions_believed)?;
    Ok(Sensitivity {
        p: p.clone(),
        believed: believed.clone(),
        executions,
        executions_believed,
        short: i128::from(executions) - i128::from(executions_believed),
        added_miss: miss.above(epsilon),
        miss,
    })
}

/// Overestimates `p` by a factor: `p + p * factor`, exactly.
///
/// The factor is a number or a text: `0.56`, `"1/3"`, or a negative one above -1
/// to underestimate.
///
/// # Errors
/// When the factor is no number, or the result is not strictly between 0 and 1.
pub fn overestimated(p: &Probability, factor: impl Display) -> Result<Probability, Error> {
    p.enlarged(&factor.to_string())
}

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
        let counted = |count: u64| match count {
            1 => "1 execution".to_owned(),
            more => format!("{more} executions"),
        };
        let catch = if executions == 1 { "catches" } else { "catch" };
        return Err(Error::new(
            format!("{} {catch} nothing: even p = 1/2 needs {needed}", counted(executions)),
            format!("{}, epsilon = {epsilon}", counted(executions)),
            format!("allow at least {} or raise epsilon", counted(needed)),
        ));
    }
    // Positive floats are ordered as their bits are, and so are their decimals.
    let float = |bits| Probability::from_f64(f64::from_bits(bits));
    let near = -epsilon.ln() / executions as f64;
    let bits =
        first(near.to_bits(), (1, 0.5f64.to_bits()), |bits| float(bits).is_ok_and(|p| enough(&p)));
    float(bits)
}
