use probtest::{TestRng, probtest};

#[probtest(outcomes = "1/2".len())]
fn test(_rng: &mut TestRng) -> usize { 0 }
