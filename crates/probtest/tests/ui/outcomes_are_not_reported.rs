use probtest::{TestRng, probtest};

#[probtest(outcomes = [1/6; 6])]
fn function_returns_nothing(_rng: &mut TestRng) {}

#[probtest(outcomes = [1/6; 6])]
fn function_returns_unit(_rng: &mut TestRng) -> () {}

#[probtest(outcomes = [0.5, 0.5])]
fn function_returns_bool(_rng: &mut TestRng) -> bool {
    true
}

fn main() {}
