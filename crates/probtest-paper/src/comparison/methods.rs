//! What each method costs: counts that follow from a bound, not from the distribution
//! itself; and plans that stop as soon as the answer is clear.

use super::TwoSided;

/// Executions to estimate a probability within `delta` with confidence
/// `1 - epsilon`, by Hoeffding's bound: `ln(2/epsilon) / (2 delta^2)`.
pub fn hoeffding(delta: f64, epsilon: f64) -> u64 {
    ((2.0 / epsilon).ln() / (2.0 * delta * delta)).ceil() as u64
}

/// The least size of a sample that the hypothesis test of the paper's reference
/// takes: more than 31.
pub const SAMPLE: u64 = 32;

/// Executions of the hypothesis test that the paper compares with:
/// `(2 ceil(-24 ln epsilon) + 1) * sample`.
pub fn hypothesis_test(epsilon: f64, sample: u64) -> u64 {
    (2 * (-24.0 * epsilon.ln()).ceil() as u64 + 1) * sample
}

/// Executions to tell `tolerate` from `p` with both errors bounded by Hoeffding.
pub fn two_sided_hoeffding(claim: &TwoSided) -> u64 {
    let gap = claim.p - claim.tolerate;
    let root = |chance: f64| (1.0 / chance).ln().sqrt();
    let roots = root(claim.false_alarm) + root(claim.epsilon);
    (roots * roots / (2.0 * gap * gap)).ceil() as u64
}

/// The same with both errors bounded by Chernoff, at the best threshold.
pub fn two_sided_chernoff(claim: &TwoSided) -> u64 {
    let needed_for_alarm = |rate| -claim.false_alarm.ln() / divergence(rate, claim.tolerate);
    let needed_for_miss = |rate| -claim.epsilon.ln() / divergence(rate, claim.p);
    // The first falls with the threshold and the second rises: they meet once.
    let (mut low, mut high) = (claim.tolerate, claim.p);
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if needed_for_alarm(middle) > needed_for_miss(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    needed_for_alarm(high).ceil() as u64
}

/// The Kullback-Leibler divergence of two coins.
fn divergence(a: f64, b: f64) -> f64 {
    a * (a / b).ln() + (1.0 - a) * ((1.0 - a) / (1.0 - b)).ln()
}

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
pub fn wald(claim: &TwoSided) -> Cost {
    let good = Ratio::new(claim).follow(claim.tolerate);
    let bad = Ratio::new(claim).follow(claim.p);
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
struct Ratio {
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

impl Ratio {
    fn new(claim: &TwoSided) -> Self {
        Ratio {
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
