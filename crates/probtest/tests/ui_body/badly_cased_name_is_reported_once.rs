#![deny(warnings)]

use probtest::{TestRng, probtest};

#[probtest(p = 0.01)]
fn TestOfWalk(_rng: &mut TestRng) {}
