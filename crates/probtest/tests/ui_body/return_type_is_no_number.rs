use probtest::{TestRng, probtest};

#[probtest(claim = probtest::mean().between(0, 1).above(0.9).margin(0.05))]
fn test(_rng: &mut TestRng) -> String {
    String::new()
}

#[probtest(claim = probtest::mean().between(0, 1).above(0.9).margin(0.05))]
fn returns_nothing(_rng: &mut TestRng) {}
