use probtest::{TestRng, probtest};

#[probtest(outcomes = 1/6, epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
