use probtest::{TestRng, probtest};

#[probtest(p = 2, epsilom = 0.02, jobs = 0, seed: 1, p = 0.1)]
fn several_mistakes_are_reported_at_once(_rng: &mut TestRng) {}

#[probtest(p = 0)]
fn options_and_function_have_mistakes(_rng: TestRng) {}

fn main() {}
