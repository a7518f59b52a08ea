use probtest::{TestRng, probtest};

#[probtest(outcomes = [], epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
