use probtest::{TestRng, probtest};

#[probtest(p = 0)]
fn test(_rng: TestRng) {}

fn main() {}
