use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilon = 0.02, seed = 0x1_0000_0000_0000_0000)]
fn test(_rng: &mut TestRng) {}

fn main() {}
