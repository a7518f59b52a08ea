//! What if `p` was believed to be larger or smaller than it is?

use super::{Chance, Plan, epsilon_attained};
use crate::claim::{Claim, Error, Probability};
use std::fmt::Display;

/// Compares the plan for a believed `p` with the plan the real one needs.
///
/// ```
/// use probtest::{claim::Probability, plan::{overestimated, sensitivity}};
///
/// let (real, epsilon) = (Probability::from_f64(0.01)?, Probability::from_f64(0.05)?);
/// let believed = overestimated(&real, 1)?;
/// let effect = sensitivity(&real, &believed, &epsilon).unwrap();
/// assert_eq!((effect.executions, effect.executions_believed, effect.short), (299, 149, 150));
/// assert_eq!(effect.miss.to_string(), "0.2237");
/// assert_eq!(effect.factor, 1.0);
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// The real violation probability.
    pub p: Probability,
    /// The violation probability that the plan was made for.
    pub believed: Probability,
    /// By what part of `p` it was believed larger: `(believed - p) / p`.
    pub factor: f64,
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
///
/// ```
/// use probtest::{claim::Probability, plan::sensitivity};
///
/// let p = |value| Probability::from_f64(value);
/// let effect = sensitivity(&p(0.02)?, &p(0.01)?, &p(0.05)?).unwrap();
/// assert!(effect.short < 0 && effect.added_miss < 0.0);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn sensitivity(
    p: &Probability,
    believed: &Probability,
    epsilon: &Probability,
) -> Result<Sensitivity, Error> {
    let executions = Plan::new(&Claim::detect(p, epsilon)?)?.executions();
    let executions_believed = Plan::new(&Claim::detect(believed, epsilon)?)?.executions();
    let miss = epsilon_attained(p, executions_believed)?;
    let added_miss = miss.above(epsilon);
    Ok(Sensitivity {
        p: p.clone(),
        believed: believed.clone(),
        factor: believed.relative_to(p),
        executions,
        executions_believed,
        short: i128::from(executions) - i128::from(executions_believed),
        miss,
        added_miss,
    })
}

/// Overestimates `p` by a factor: `p + p * factor`, exactly.
///
/// The factor is a number or a text: `0.56`, `"1/3"`, or a negative one above -1
/// to underestimate.
///
/// # Errors
/// When the factor is no number, or the result is not strictly between 0 and 1.
///
/// ```
/// use probtest::{claim::Probability, plan::overestimated};
///
/// let p = Probability::from_f64(0.01)?;
/// assert_eq!(overestimated(&p, 0.56)?.to_string(), "0.0156");
/// assert_eq!(overestimated(&p, "1/3")?.to_string(), "1/75");
/// assert!(overestimated(&p, 99).is_err());
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn overestimated(p: &Probability, factor: impl Display) -> Result<Probability, Error> {
    p.enlarged(&factor.to_string())
}
