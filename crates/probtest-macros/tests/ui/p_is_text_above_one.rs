use probtest::{TestRng, probtest};

#[probtest(p = "1.00000000000000000001", epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
