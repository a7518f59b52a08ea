//! A random walk on the whole numbers.

use rand::{Rng, RngExt};

/// Takes `steps` steps from 0, each one up or down with probability 1/2, and
/// returns the position.
///
/// ```
/// assert_eq!(random_walk::walk(0, &mut rand::rng()), 0);
/// ```
pub fn walk(steps: u32, rng: &mut impl Rng) -> i64 {
    let mut position = 0;
    for _ in 0..steps {
        position += if rng.random::<bool>() { 1 } else { -1 };
    }
    position
}
