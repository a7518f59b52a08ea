use probtest::{TestRng, probtest};

#[probtest(p = 0.01, false_alarm = 1e-6)]
fn test(_rng: &mut TestRng) {}

fn main() {}
