use probtest::{TestRng, probtest};

#[probtest(p = 0.01, crate = ::no_such_crate)]
fn test(_rng: &mut TestRng) {}
