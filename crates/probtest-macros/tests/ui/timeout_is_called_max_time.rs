use probtest::{TestRng, probtest};

#[probtest(p = 0.01, timeout = "30s")]
fn test(_rng: &mut TestRng) {}

fn main() {}
