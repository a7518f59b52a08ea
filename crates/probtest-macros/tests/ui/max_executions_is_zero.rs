use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilon = 0.02, max_executions = 0)]
fn test(_rng: &mut TestRng) {}

fn main() {}
