use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilon = 1e-400)]
fn test(_rng: &mut TestRng) {}

fn main() {}
