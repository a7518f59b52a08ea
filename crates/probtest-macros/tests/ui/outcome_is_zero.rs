use probtest::{TestRng, probtest};

#[probtest(outcomes = [0.5, 0], epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
