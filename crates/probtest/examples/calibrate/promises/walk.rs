//! Where does a sequential test stop, and how often?
//!
//! Execution by execution, from the public answers of the test. The library computes the same over
//! whole stretches of executions; this checks that the two agree.

use probtest::plan::SequentialTest;

use super::library::TwoSided;

/// One way in which a test can end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stop {
    pub(super) executions: u64,
    pub(super) violations: u64,
    pub(super) passed: bool,
    pub(super) chance: f64,
}

/// All ways in which a test can end for a program with this violation rate.
pub(super) fn stops(test: &SequentialTest, rate: f64) -> Vec<Stop> {
    let passes = |executions, violations| test.passes(executions, violations);
    let fails = |executions, violations| test.fails(executions, violations);
    follow(rate, 0.0, passes, fails)
}

/// The same for any two boundaries, in executions and violations, until no more than the rest is
/// undecided.
fn follow(
    rate: f64,
    rest: f64,
    passes: impl Fn(u64, u64) -> bool,
    fails: impl Fn(u64, u64) -> bool,
) -> Vec<Stop> {
    let mut stops = Vec::new();
    let mut going = vec![1.0];
    let mut executions = 0;
    while going.iter().sum::<f64>() > rest {
        executions += 1;
        let mut next = vec![0.0; going.len() + 1];
        for (violations, chance) in going.iter().enumerate() {
            next[violations] += chance * (1.0 - rate);
            let violated = chance * rate;
            let more = violations as u64 + 1;
            if !fails(executions, more) {
                next[violations + 1] += violated;
            } else if violated > 0.0 {
                stops.push(Stop { executions, violations: more, passed: false, chance: violated });
            }
        }
        for (violations, chance) in next.iter_mut().enumerate() {
            let violations = violations as u64;
            if *chance > 0.0 && passes(executions, violations) {
                stops.push(Stop { executions, violations, passed: true, chance: *chance });
                *chance = 0.0;
            }
        }
        while next.last() == Some(&0.0) {
            next.pop();
        }
        going = next;
    }
    stops
}

/// The chance that Wald's sequential probability ratio test, with the textbook boundaries, passes a
/// program that violates at `p`.
pub(super) fn wald_misses(claim: &TwoSided) -> f64 {
    let violation = (claim.p / claim.tolerate).ln();
    let pass = (-claim.p).ln_1p() - (-claim.tolerate).ln_1p();
    let fail_at = ((1.0 - claim.epsilon) / claim.false_alarm).ln();
    let pass_at = (claim.epsilon / (1.0 - claim.false_alarm)).ln();
    let ratio = |executions: u64, violations: u64| {
        violations as f64 * violation + (executions - violations) as f64 * pass
    };
    let passes = |executions, violations| ratio(executions, violations) <= pass_at;
    let fails = |executions, violations| ratio(executions, violations) >= fail_at;
    // It has no last execution.
    chance(&follow(claim.p, 1e-12, passes, fails), true)
}

/// The chance that a test ends with this answer.
pub(super) fn chance(stops: &[Stop], passed: bool) -> f64 {
    let ends = stops.iter().filter(|stop| stop.passed == passed);
    ends.map(|stop| stop.chance).sum()
}
