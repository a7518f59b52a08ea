use probtest::{TestRng, probtest};

#[probtest(tolerate = 0.1, p = 0.01)]
fn test(_rng: &mut TestRng) {}

fn main() {}
