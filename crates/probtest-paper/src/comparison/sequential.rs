//! Stopping as soon as the answer is clear.

use super::TwoSided;

/// What a sequential plan costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The executions expected of a program whose rate is `tolerate`.
    pub at_tolerate: f64,
    /// The executions expected of a program whose rate is `p`.
    pub at_p: f64,
    /// The most executions; nothing when there is no such number.
    pub most: Option<u64>,
    /// The chance of failing a program whose rate is `tolerate`.
    pub false_alarm: f64,
    /// The chance of passing a program whose rate is `p`.
    pub miss: f64,
}

/// Wald's sequential probability ratio test with the boundaries of the textbook,
/// evaluated exactly.
///
/// It has no last execution, and its errors may be above those it is made for.
///
/// ```
/// use probtest_paper::comparison::{TwoSided, sequential::wald};
///
/// let claim = TwoSided { tolerate: 0.005, p: 0.01, false_alarm: 0.05, epsilon: 0.05 };
/// let cost = wald(&claim);
/// assert_eq!((cost.at_tolerate.round(), cost.at_p.round()), (1749.0, 1481.0));
/// assert!(cost.miss > 0.0503 && cost.miss < 0.0505);
/// ```
pub fn wald(claim: &TwoSided) -> Cost {
    let good = Walk::new(claim).follow(claim.tolerate);
    let bad = Walk::new(claim).follow(claim.p);
    Cost {
        at_tolerate: good.executions,
        at_p: bad.executions,
        most: None,
        false_alarm: good.failed,
        miss: bad.passed,
    }
}

/// The truncated sequential plan of the library: both errors exact, and a last
/// execution.
///
/// ```
/// use probtest_paper::comparison::{TwoSided, sequential::truncated};
///
/// let claim = TwoSided { tolerate: 0.005, p: 0.01, false_alarm: 0.05, epsilon: 0.05 };
/// let cost = truncated(&claim);
/// assert!(cost.miss <= 0.05 && cost.false_alarm <= 0.05);
/// assert!(cost.at_tolerate < 1808.0 && cost.at_p < 1575.0 && cost.most.unwrap() <= 3922);
/// ```
pub fn truncated(claim: &TwoSided) -> Cost {
    let plan = claim.plan();
    let expected = |rate| plan.expected_executions(rate).unwrap_or(f64::NAN);
    let passes = |rate| plan.chance_of_passing(rate).unwrap_or(f64::NAN);
    Cost {
        at_tolerate: expected(claim.tolerate),
        at_p: expected(claim.p),
        most: Some(plan.executions()),
        false_alarm: 1.0 - passes(claim.tolerate),
        miss: passes(claim.p),
    }
}

/// The probability that is left when a walk counts as ended.
const REST: f64 = 1e-12;

/// The walk of the likelihood ratio between its two boundaries.
struct Walk {
    violation: f64,
    pass: f64,
    fail_at: f64,
    pass_at: f64,
}

/// How a walk ends for one violation rate.
#[derive(Default)]
struct Ended {
    executions: f64,
    failed: f64,
    passed: f64,
}

impl Walk {
    fn new(claim: &TwoSided) -> Self {
        Walk {
            violation: (claim.p / claim.tolerate).ln(),
            pass: (-claim.p).ln_1p() - (-claim.tolerate).ln_1p(),
            fail_at: ((1.0 - claim.epsilon) / claim.false_alarm).ln(),
            pass_at: (claim.epsilon / (1.0 - claim.false_alarm)).ln(),
        }
    }

    /// Carries the probability of each number of violations from one execution to
    /// the next, until next to nothing is undecided.
    fn follow(&self, rate: f64) -> Ended {
        let mut ended = Ended::default();
        // The undecided: `first` violations or more.
        let (mut first, mut undecided) = (0_u64, std::collections::VecDeque::from([1.0]));
        let mut executed = 0_u64;
        let mut left = 1.0;
        while left > REST {
            ended.executions += left;
            executed += 1;
            undecided.push_back(0.0);
            for place in (0..undecided.len()).rev() {
                let before = if place > 0 { undecided[place - 1] } else { 0.0 };
                undecided[place] = undecided[place] * (1.0 - rate) + before * rate;
            }
            let ratio = |violations: u64| {
                violations as f64 * self.violation + (executed - violations) as f64 * self.pass
            };
            while !undecided.is_empty() && ratio(first) <= self.pass_at {
                ended.passed += undecided.pop_front().unwrap_or_default();
                first += 1;
            }
            while !undecided.is_empty() && ratio(first + undecided.len() as u64 - 1) >= self.fail_at
            {
                ended.failed += undecided.pop_back().unwrap_or_default();
            }
            left = undecided.iter().sum();
        }
        ended
    }
}
