use probtest::{TestRng, probtest};

#[test]
#[probtest(p = 0.01)]
fn test(_rng: &mut TestRng) {}
