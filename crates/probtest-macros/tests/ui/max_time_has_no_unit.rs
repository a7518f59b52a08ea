use probtest::{TestRng, probtest};

#[probtest(p = 0.01, max_time = "30")]
fn test(_rng: &mut TestRng) {}

fn main() {}
