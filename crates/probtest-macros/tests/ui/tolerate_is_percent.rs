use probtest::{TestRng, probtest};

#[probtest(tolerate = 1%)]
fn test(_rng: &mut TestRng) {}

fn main() {}
