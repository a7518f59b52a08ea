use probtest::{TestRng, probtest};

#[probtest(p = 0.01, max_time = "3days")]
fn test(_rng: &mut TestRng) {}

fn main() {}
