use probtest::{TestRng, probtest};

#[probtest(0.01)]
fn test(_rng: &mut TestRng) {}

fn main() {}
