//! Which violation rates fit a test that stopped when it had seen enough?
//!
//! The number of executions depended on what was seen, so an interval for a fixed number would
//! cover too little. This one inverts the chances of the test itself: all possible observations are
//! ordered, from evidence for a low rate to evidence for a high one, and a rate fits unless the
//! actual observation is in one of its two tails.

use crate::claim::Error;
use crate::math::interval::left_half;
use crate::math::special::logistic;
use crate::plan::SequentialTest;

/// How precisely the ends are found, on the logit scale. They are moved outward by that.
const CLOSE: f64 = 1e-6;
/// Beyond this logit, a rate is 0 or 1 for all practical purposes.
const FARTHEST: f64 = 700.0;

/// Finds the violation rates that fit a stopped test, from the lowest to the highest.
///
/// `executions` says when the test passed or failed, or was cut short for a reason that has nothing
/// to do with the violations. Each end may be wrong with half of the remaining probability.
///
/// # Errors
/// When there is no execution, there are more violations than executions, or the
/// confidence is not strictly between 0 and 1.
pub fn interval(
    test: &SequentialTest,
    executions: u64,
    violations: u64,
    confidence: f64,
) -> Result<(f64, f64), Error> {
    let log_half = left_half(violations, executions, confidence)?;
    let half = log_half.exp();
    let begin = ((violations as f64 + 0.5) / ((executions - violations) as f64 + 0.5)).ln();
    let tails = |logit| test.tails(executions, violations, logit);
    let low = match violations {
        0 => 0.0,
        _ => logistic(last(begin, -1.0, |logit| tails(logit).at_least <= half)),
    };
    let high = if violations == executions {
        1.0
    } else {
        logistic(last(begin, 1.0, |logit| tails(logit).at_most <= half))
    };
    Ok((low, high))
}

/// The first logit in a direction at which `out` holds, or slightly beyond.
fn last(begin: f64, direction: f64, out: impl Fn(f64) -> bool) -> f64 {
    let mut step = 0.5;
    let (mut inside, mut outside) = (begin, begin);
    // The observed rate fits its own data, unless the confidence is close to 0: then search
    // backward.
    while out(inside) && inside.abs() < FARTHEST {
        outside = inside;
        inside -= direction * step;
        step *= 2.0;
    }
    step = 0.5;
    while !out(outside) {
        if outside.abs() >= FARTHEST {
            return direction * FARTHEST;
        }
        inside = outside;
        outside += direction * step;
        step *= 2.0;
    }
    while (outside - inside).abs() > CLOSE {
        let middle = inside + (outside - inside) / 2.0;
        if out(middle) {
            outside = middle;
        } else {
            inside = middle;
        }
    }
    outside
}
