use probtest::{TestRng, probtest};

#[probtest(claim = 0.5)]
fn claim_is_a_number(_rng: &mut TestRng) -> f64 {
    0.5
}

#[probtest(claim = probtest::mean(between = (0, 1), within = (0.45, 0.55), margin = 0.05))]
fn claim_has_named_arguments(_rng: &mut TestRng) -> f64 {
    0.5
}

fn main() {}
