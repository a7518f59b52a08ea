use probtest::{TestRng, probtest};

#[probtest = 1]
fn test(_rng: &mut TestRng) {}

fn main() {}
