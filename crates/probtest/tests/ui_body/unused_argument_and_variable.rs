#![deny(warnings)]

use probtest::{TestRng, probtest};

#[probtest(p = 0.01)]
fn test(rng: &mut TestRng) {
    let drawn = 1;
}
