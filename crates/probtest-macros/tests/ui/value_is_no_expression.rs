use probtest::{TestRng, probtest};

#[probtest(p = struct, epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
