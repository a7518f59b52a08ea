use probtest::{TestRng, probtest};

#[probtest(p = 1/0, epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
