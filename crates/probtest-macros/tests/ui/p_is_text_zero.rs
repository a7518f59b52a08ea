use probtest::{TestRng, probtest};

#[probtest(p = "0e5", epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
