use probtest::{TestRng, probtest};

#[probtest(claim = 0.5)]
fn test(_rng: &mut TestRng) -> f64 {
    0.5
}

fn main() {}
