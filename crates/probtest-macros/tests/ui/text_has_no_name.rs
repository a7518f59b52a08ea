use probtest::{TestRng, probtest};

#[probtest("0.01", epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
