use probtest::{TestRng, probtest};

#[probtest(p = "often", epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
