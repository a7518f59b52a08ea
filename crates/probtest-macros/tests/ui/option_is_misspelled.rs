use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilom = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
