use probtest::{TestRng, probtest};

const HALF: f64 = 0.5;

#[probtest(outcomes = ["1/3", HALF])]
fn test(_rng: &mut TestRng) -> usize { 0 }
