use probtest::{TestRng, probtest};

#[probtest(p = 0.01, on_budget = true)]
fn test(_rng: &mut TestRng) {}

fn main() {}
