use probtest::{TestRng, probtest};

#[probtest(tolerate, false_alarm)]
fn test(_rng: &mut TestRng) {}

fn main() {}
