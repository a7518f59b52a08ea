use probtest::{TestRng, probtest};

#[probtest(p = 8/8, epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
