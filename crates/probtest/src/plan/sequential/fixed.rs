//! The plan without early stops, to compare with and to bound the other by.

use super::binomial::{at_most, more_than};
use super::jump::Rate;
use super::search::first_between;

/// Says how many executions a test needs that looks only once, at the end, and
/// with how many violations it still passes.
///
/// ```
/// use probtest::{claim::Claim, plan::Plan};
///
/// let plan = Plan::new(&Claim::tolerate(0.001, 0.01, 0.05, 0.05)?)?;
/// let fixed = plan.sequential().unwrap().fixed();
/// assert_eq!((fixed.executions, fixed.allowed), (628, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedPlan {
    /// The executions.
    pub executions: u64,
    /// The most violations with which it passes.
    pub allowed: u64,
}

/// The two rates and the two errors of a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Errors {
    pub(super) tolerate: Rate,
    pub(super) p: Rate,
    pub(super) epsilon: f64,
    pub(super) false_alarm: f64,
}

/// Why there is no fixed plan within what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beyond {
    Executions,
    Violations,
}

/// What is not below its bound by this part is a tie, which floats cannot
/// settle: it does not count as below.
const TIE: f64 = 1e-10;

impl Errors {
    /// The smallest fixed plan that allows at most `most_allowed` violations and
    /// has fewer than `most` executions.
    pub(super) fn fixed(&self, most_allowed: u64, most: u64) -> Result<FixedPlan, Beyond> {
        let enough = |allowed| {
            let executions = self
                .least_executions(allowed, most)
                .ok_or(Beyond::Executions)?;
            let alarm = more_than(allowed, executions, self.tolerate);
            Ok((executions, alarm <= self.false_alarm * (1.0 - TIE)))
        };
        // One by one where it is cheap, then by doubling.
        let mut bad = 0;
        let mut allowed = 0;
        let (mut executions, mut good) = enough(0)?;
        while !good {
            bad = allowed;
            if bad >= most_allowed {
                return Err(Beyond::Violations);
            }
            let next = if bad < 64 { bad + 1 } else { bad * 2 };
            allowed = next.min(most_allowed);
            (executions, good) = enough(allowed)?;
        }
        while allowed - bad > 1 {
            let middle = bad + (allowed - bad) / 2;
            let (needed, good) = enough(middle)?;
            if good {
                (allowed, executions) = (middle, needed);
            } else {
                bad = middle;
            }
        }
        Ok(FixedPlan {
            executions,
            allowed,
        })
    }

    /// The fewest executions of which at most `allowed` violate at the rate `p`
    /// with probability `epsilon` or less.
    fn least_executions(&self, allowed: u64, most: u64) -> Option<u64> {
        let caught =
            |executions| at_most(allowed, executions, self.p) <= self.epsilon * (1.0 - TIE);
        let mut bad = allowed;
        let mut good = allowed + 1;
        while !caught(good) {
            bad = good;
            good = good.checked_mul(2).filter(|good| *good < most)?;
        }
        Some(first_between(bad, good, caught))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_plans_are_the_known_ones() {
        for (tolerate, p, false_alarm, epsilon, executions, allowed) in [
            (0.005, 0.01, 0.05, 0.05, 3137, 22),
            (0.001, 0.01, 0.05, 0.05, 628, 2),
            (0.05, 0.1, 0.01, 0.01, 589, 42),
            (1e-4, 1e-3, 0.05, 0.05, 6294, 2),
        ] {
            let errors = Errors {
                tolerate: Rate::new(tolerate),
                p: Rate::new(p),
                epsilon,
                false_alarm,
            };
            let plan = FixedPlan {
                executions,
                allowed,
            };
            assert_eq!(errors.fixed(10_000, 1 << 53), Ok(plan));
        }
    }
}
