use probtest::{TestRng, probtest};

#[probtest(p, epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
