use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilom = 0.02)]
fn option_is_misspelled(_rng: &mut TestRng) {}

#[probtest(p = 0.01, chance = 0.02)]
fn option_is_unknown(_rng: &mut TestRng) {}

#[probtest(probability = 0.01, epsilon = 0.02)]
fn option_has_another_name_here(_rng: &mut TestRng) {}

fn main() {}
