use probtest::{TestRng, probtest};

#[probtest(claim = probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.05), epsilon = 0.01)]
fn test(_rng: &mut TestRng) -> f64 {
    0.5
}

fn main() {}
