use probtest::{TestRng, probtest};

#[probtest(p = 2, epsilom = 0.02, jobs = 0, seed: 1, p = 0.1)]
fn test(_rng: &mut TestRng) {}

fn main() {}
