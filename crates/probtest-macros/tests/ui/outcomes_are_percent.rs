use probtest::{TestRng, probtest};

#[probtest(outcomes = [50%, 50%], epsilon = 0.02)]
fn test(_rng: &mut TestRng) {}

fn main() {}
