use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilon = 0.02, jobs = 0)]
fn jobs_is_zero(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 0.02, jobs = 1.5)]
fn jobs_is_a_fraction_of_a_thread(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 0.02, max_executions = 0)]
fn max_executions_is_zero(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 0.02, seed = -1)]
fn seed_is_negative(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 0.02, seed = "0x5eed")]
fn seed_is_text(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 0.02, seed = 0x1_0000_0000_0000_0000)]
fn seed_is_too_large(_rng: &mut TestRng) {}

#[probtest(p = 0.01, jobs = 1025)]
fn jobs_is_more_than_1024(_rng: &mut TestRng) {}

fn main() {}
