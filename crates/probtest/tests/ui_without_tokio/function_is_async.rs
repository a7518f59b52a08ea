use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilon = 0.02)]
async fn test(_rng: &mut TestRng) {}

fn main() {}
