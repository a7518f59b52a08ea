use probtest::{TestRng, probtest};

#[probtest(outcomes = [0.5, 0.5], tolerate = 0.01)]
fn test(_rng: &mut TestRng) {}

fn main() {}
