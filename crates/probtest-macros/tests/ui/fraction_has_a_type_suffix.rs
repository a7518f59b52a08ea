use probtest::{TestRng, probtest};

#[probtest(p = 1u32/1024, epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
