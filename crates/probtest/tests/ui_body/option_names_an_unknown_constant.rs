use probtest::{TestRng, probtest};

#[probtest(p = RARE)]
fn test(_rng: &mut TestRng) {}
