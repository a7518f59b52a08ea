use probtest::{TestRng, probtest};

const JOBS: u64 = 1;

#[probtest(p = 0.01, jobs = JOBS, seed = "7".len())]
fn test(_rng: &mut TestRng) {}

#[probtest(p = 0.01, jobs = 4u8)]
fn literal(_rng: &mut TestRng) {}
