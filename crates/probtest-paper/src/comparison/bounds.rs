//! Counts that follow from a bound, not from the distribution itself.

use super::TwoSided;

/// Executions to estimate a probability within `delta` with confidence
/// `1 - epsilon`, by Hoeffding's bound: `ln(2/epsilon) / (2 delta^2)`.
///
/// ```
/// use probtest_paper::comparison::bounds::hoeffding;
///
/// assert_eq!(hoeffding(0.01, 0.05), 18445);
/// assert_eq!(hoeffding(0.005, 0.05), 73778);
/// ```
pub fn hoeffding(delta: f64, epsilon: f64) -> u64 {
    ((2.0 / epsilon).ln() / (2.0 * delta * delta)).ceil() as u64
}

/// The least size of a sample that the hypothesis test of the paper's reference
/// takes: more than 31.
pub const SAMPLE: u64 = 32;

/// Executions of the hypothesis test that the paper compares with:
/// `(2 ceil(-24 ln epsilon) + 1) * sample`.
///
/// ```
/// use probtest_paper::comparison::bounds::{hypothesis_test, SAMPLE};
///
/// assert_eq!(hypothesis_test(0.05, SAMPLE), 4640);
/// ```
pub fn hypothesis_test(epsilon: f64, sample: u64) -> u64 {
    (2 * (-24.0 * epsilon.ln()).ceil() as u64 + 1) * sample
}

/// Executions to tell `tolerate` from `p` with both errors bounded by Hoeffding.
///
/// ```
/// use probtest_paper::comparison::{TwoSided, bounds::two_sided_hoeffding};
///
/// let claim = TwoSided { tolerate: 0.005, p: 0.01, false_alarm: 0.05, epsilon: 0.05 };
/// assert_eq!(two_sided_hoeffding(&claim), 239_659);
/// ```
pub fn two_sided_hoeffding(claim: &TwoSided) -> u64 {
    let gap = claim.p - claim.tolerate;
    let root = |chance: f64| (1.0 / chance).ln().sqrt();
    let roots = root(claim.false_alarm) + root(claim.epsilon);
    (roots * roots / (2.0 * gap * gap)).ceil() as u64
}

/// The same with both errors bounded by Chernoff, at the best threshold.
///
/// ```
/// use probtest_paper::comparison::{TwoSided, bounds::two_sided_chernoff};
///
/// let claim = TwoSided { tolerate: 0.005, p: 0.01, false_alarm: 0.05, epsilon: 0.05 };
/// assert_eq!(two_sided_chernoff(&claim), 6910);
/// ```
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
