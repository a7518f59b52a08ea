use probtest::{Mean, TestRng, probtest};

#[probtest(claim = Mean::new("a test inside").between(0, 1).above(0.9).margin(0.05))]
fn test(_rng: &mut TestRng) -> f64 {
    0.95
}
