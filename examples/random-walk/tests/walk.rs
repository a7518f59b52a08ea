//! The tests of the paper's first example.

use probtest::{TestRng, probtest};
use random_walk::walk;

/// Holds: 20 steps lead at most 20 away.
#[probtest(p = 0.01, epsilon = 0.02)]
fn walk_stays_within_its_steps(rng: &mut TestRng) {
    let position = walk(20, rng);
    assert!(position.abs() <= 20, "position {position} after 20 steps");
}

/// Doesn't hold: 20 steps lead to 10 or above with probability 0.0207. A run of 390 executions sees
/// that with probability 1 - (1 - 0.0207)^390 = 0.9997.
#[probtest(p = 0.01, epsilon = 0.02)]
#[ignore = "it is violated; `make demo` shows how that looks"]
fn walk_stays_below_ten(rng: &mut TestRng) {
    let position = walk(20, rng);
    assert!(position < 10, "position {position} after 20 steps");
}
