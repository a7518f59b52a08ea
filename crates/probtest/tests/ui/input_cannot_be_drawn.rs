use probtest::{TestRng, probtest};

#[probtest(p = 0.01)]
fn generator_is_drawn(#[strategy(0..9)] _rng: &mut TestRng) {}

#[probtest(p = 0.01)]
fn strategy_is_not_said(_rng: &mut TestRng, #[strategy] _steps: usize) {}

#[probtest(p = 0.01)]
fn strategy_is_empty(_rng: &mut TestRng, #[strategy()] _steps: usize) {}

#[probtest(p = 0.01)]
fn input_is_drawn_in_two_ways(#[arbitrary] #[strategy(0..9)] _steps: usize) {}

#[probtest(p = 0.01)]
fn arbitrary_is_given_a_list(#[arbitrary(0..9)] _steps: usize) {}

#[probtest(p = 0.01)]
fn arbitrary_is_given_a_value(_rng: &mut TestRng, #[arbitrary = 7] _steps: usize) {}

#[probtest(p = 0.01)]
fn input_is_borrowed(_rng: &mut TestRng, _steps: &[usize]) {}

#[probtest(p = 0.01)]
fn only_input_is_borrowed(_steps: &str) {}

#[probtest(p = 0.01)]
fn strategy_of_a_borrowed_input(#[strategy(0..9)] _steps: &u8) {}

#[probtest(p = 0.01)]
fn generator_is_not_the_first(_steps: usize, _rng: &mut TestRng) {}

fn main() {}
