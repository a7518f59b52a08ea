use probtest::{TestRng, probtest};

#[probtest(p = 1/100, tolerate = "0.010")]
fn test(_rng: &mut TestRng) {}

fn main() {}
