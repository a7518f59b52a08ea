//! A fixed number of executions, of which some may be violations.

use super::TwoSided;

/// Execute so often, and fail when there are more violations than accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The executions, always all of them.
    pub executions: u64,
    /// The most violations of a pass.
    pub accepted: u64,
}

/// Finds the smallest fixed plan that keeps both errors.
///
/// Nothing when it would take more than 2^40 executions.
///
/// ```
/// use probtest_studies::comparison::{TwoSided, binomial::{Fixed, fixed}};
///
/// let claim = TwoSided { tolerate: 0.005, p: 0.01, false_alarm: 0.05, epsilon: 0.05 };
/// assert_eq!(fixed(&claim), Some(Fixed { executions: 3137, accepted: 22 }));
/// ```
pub fn fixed(claim: &TwoSided) -> Option<Fixed> {
    // More accepted violations need more executions, so the first that keeps the
    // false alarm is the smallest.
    (0..)
        .map_while(|accepted| least(claim, accepted))
        .find(|plan| {
            let passes = at_most(plan.accepted, plan.executions, claim.tolerate);
            1.0 - passes <= claim.false_alarm
        })
}

/// The fewest executions that catch p when so many violations are accepted.
fn least(claim: &TwoSided, accepted: u64) -> Option<Fixed> {
    let misses = |executions| at_most(accepted, executions, claim.p) >= claim.epsilon;
    let mut high = accepted + 1;
    while misses(high) {
        high *= 2;
        if high > 1 << 40 {
            return None;
        }
    }
    let mut low = accepted;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if misses(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(Fixed {
        executions: high,
        accepted,
    })
}

/// The probability of at most `accepted` violations.
///
/// ```
/// use probtest_studies::comparison::binomial::at_most;
///
/// assert!((at_most(1, 3, 0.5) - 0.5).abs() < 1e-15);
/// assert_eq!(at_most(3, 3, 0.5), 1.0);
/// ```
pub fn at_most(accepted: u64, executions: u64, rate: f64) -> f64 {
    if accepted >= executions {
        return 1.0;
    }
    // From the last term downward, relative to it: nothing under- or overflows
    // before the last term itself does.
    let (mut logarithm, n) = (executions as f64 * (-rate).ln_1p(), executions as f64);
    for i in 1..=accepted {
        let i = i as f64;
        logarithm += ((n - i + 1.0) / i * rate / (1.0 - rate)).ln();
    }
    let (mut sum, mut term) = (1.0, 1.0);
    for i in (1..=accepted).rev() {
        let i = i as f64;
        term *= i / (n - i + 1.0) * (1.0 - rate) / rate;
        sum += term;
    }
    (logarithm + f64::ln(sum)).exp().min(1.0)
}
