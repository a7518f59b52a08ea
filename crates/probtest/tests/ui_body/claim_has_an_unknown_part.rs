use probtest::{TestRng, probtest};

#[probtest(claim = probtest::mean().between(0, 1).above(0.9).margn(0.05))]
fn test(_rng: &mut TestRng) -> f64 {
    0.95
}
