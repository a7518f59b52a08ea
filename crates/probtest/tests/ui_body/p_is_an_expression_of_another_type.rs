use probtest::{TestRng, probtest};

const P: u32 = 1;

#[probtest(p = P, epsilon = Some(0.1))]
fn test(_rng: &mut TestRng) {}
