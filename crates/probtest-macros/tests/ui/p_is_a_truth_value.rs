use probtest::{TestRng, probtest};

#[probtest(p = true, epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
