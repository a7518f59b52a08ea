use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilon = 0.02)]
fn input_needs_the_feature(_rng: &mut TestRng, _steps: usize) {}

#[probtest(p = 0.01)]
fn strategy_needs_the_feature(#[strategy(0..9)] _steps: usize) {}

#[probtest(p = 0.01)]
fn arbitrary_needs_the_feature(#[arbitrary] _steps: usize) {}

fn main() {}
