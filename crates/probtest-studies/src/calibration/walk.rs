//! Where does a sequential test stop, and how often?
//!
//! Execution by execution, from what the test says in public. The library
//! computes the same over whole stretches of executions; that the two agree is
//! what is checked.

use probtest::plan::SequentialTest;

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
    let mut stops = Vec::new();
    let mut going = vec![1.0];
    for executions in 1..=test.most() {
        let mut next = vec![0.0; going.len() + 1];
        for (violations, chance) in going.iter().enumerate() {
            next[violations] += chance * (1.0 - rate);
            let violated = chance * rate;
            let more = violations as u64 + 1;
            if !test.fails(executions, more) {
                next[violations + 1] += violated;
            } else if violated > 0.0 {
                stops.push(Stop {
                    executions,
                    violations: more,
                    passed: false,
                    chance: violated,
                });
            }
        }
        for (violations, chance) in next.iter_mut().enumerate() {
            let violations = violations as u64;
            if *chance > 0.0 && test.passes(executions, violations) {
                stops.push(Stop {
                    executions,
                    violations,
                    passed: true,
                    chance: *chance,
                });
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

/// The chance that a test ends with this answer.
pub(super) fn chance(stops: &[Stop], passed: bool) -> f64 {
    let ends = stops.iter().filter(|stop| stop.passed == passed);
    ends.map(|stop| stop.chance).sum()
}
