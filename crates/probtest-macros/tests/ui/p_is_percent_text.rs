use probtest::{TestRng, probtest};

#[probtest(p = "1%", epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
