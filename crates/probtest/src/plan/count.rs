//! The plan itself.

use super::two::{Beyond, Settled, Tail, Value};
use super::{Chance, PlanError, many};
use crate::claim::{Claim, Probability};

/// Says how many executions a claim needs, and why no fewer.
///
/// ```
/// use probtest::{claim::Claim, plan::{Certainty, Plan}};
///
/// let plan = Plan::new(&Claim::detect(0.01, 0.02)?).unwrap();
/// assert_eq!(plan.executions(), 390);
/// assert_eq!(plan.miss().to_string(), "0.01985");
/// assert_eq!(plan.miss_before().to_string(), "0.02005");
/// assert_eq!(plan.certainty(), Certainty::Exact);
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    claim: Claim,
    executions: u64,
    lowest: u64,
}

/// Says whether a count is proven to be the smallest.
///
/// ```
/// use probtest::{claim::{Claim, Outcomes}, plan::{Certainty, Plan}};
///
/// let claim = Claim::cover(Outcomes::equal(6)?, 0.05)?;
/// let plan = Plan::new(&claim).unwrap();
/// assert_eq!((plan.executions(), plan.certainty()), (27, Certainty::Exact));
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The count is enough, and one execution fewer is not.
    Exact,
    /// The count is enough; the smallest one lies between `lowest` and it.
    Between {
        /// Every count below this one is too small.
        lowest: u64,
    },
}

impl Plan {
    /// Finds the smallest number of executions that keeps the claim.
    ///
    /// # Errors
    /// When that number is 2^63 or more.
    ///
    /// ```
    /// use probtest::{claim::Claim, plan::Plan};
    ///
    /// // A tie is not below epsilon: 2 * (1/2)^6 is exactly 1/32.
    /// assert_eq!(Plan::new(&Claim::detect("1/2", "1/32")?).unwrap().executions(), 7);
    /// # Ok::<(), probtest::claim::ClaimError>(())
    /// ```
    pub fn new(claim: &Claim) -> Result<Plan, PlanError> {
        let settled = match claim {
            Claim::Detect { p, epsilon } => Tail::of_both(p).settle(epsilon),
            Claim::Cover { outcomes, epsilon } => many::settle(outcomes, epsilon),
        };
        match settled {
            Ok(Settled { count, lowest }) => Ok(Plan {
                claim: claim.clone(),
                executions: count,
                lowest,
            }),
            Err(Beyond { log10 }) => Err(infeasible(claim, log10)),
        }
    }

    /// The claim that this plan keeps.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// How many executions are enough.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// The chance of missing what is claimed; below epsilon.
    pub fn miss(&self) -> Chance {
        miss(&self.claim, self.executions)
    }

    /// The same chance for one execution fewer; at least epsilon.
    pub fn miss_before(&self) -> Chance {
        miss(&self.claim, self.executions - 1)
    }

    /// Whether the count is proven to be the smallest.
    pub fn certainty(&self) -> Certainty {
        if self.lowest == self.executions {
            Certainty::Exact
        } else {
            Certainty::Between {
                lowest: self.lowest,
            }
        }
    }
}

fn infeasible(claim: &Claim, log10: f64) -> PlanError {
    let power = log10.floor();
    let about = format!("{:.3}e{power}", 10f64.powf(log10 - power));
    let epsilon = claim.epsilon();
    let (given, raise) = match claim {
        Claim::Detect { p, .. } => (format!("p = {p}, epsilon = {epsilon}"), "p"),
        Claim::Cover { outcomes, .. } => (
            format!("outcomes = {outcomes}, epsilon = {epsilon}"),
            "the rarest outcome",
        ),
    };
    PlanError::Infeasible {
        about,
        given,
        raise,
    }
}

/// The chance of missing what is claimed after some executions; the epsilon of
/// the claim only says how precisely it is needed.
///
/// ```
/// use probtest::{claim::Claim, plan};
///
/// let claim = Claim::detect(0.5, 0.05)?;
/// assert_eq!(plan::miss(&claim, 6).value(), 0.03125);
/// assert_eq!(plan::miss(&claim, 1).value(), 1.0);
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
pub fn miss(claim: &Claim, executions: u64) -> Chance {
    match claim {
        Claim::Detect { p, epsilon } => chance(&Tail::of_both(p), executions, Some(epsilon)),
        Claim::Cover { outcomes, epsilon } => many::chance(outcomes, executions, epsilon),
    }
}

/// The epsilon that some executions attain for a violation probability.
///
/// # Errors
/// When there are no executions.
///
/// ```
/// use probtest::{claim::Probability, plan};
///
/// let attained = plan::epsilon_attained(&Probability::from_f64(0.01)?, 299).unwrap();
/// assert_eq!(attained.to_string(), "0.04954");
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
pub fn epsilon_attained(p: &Probability, executions: u64) -> Result<Chance, PlanError> {
    if executions == 0 {
        return Err(PlanError::NoExecutions);
    }
    Ok(chance(&Tail::of_both(p), executions, None))
}

fn chance(tail: &Tail, executions: u64, epsilon: Option<&Probability>) -> Chance {
    match tail.value(executions, epsilon) {
        Value::One => Chance::one(),
        Value::Below { mantissa, exponent } => Chance::of_tail(mantissa, exponent),
    }
}
