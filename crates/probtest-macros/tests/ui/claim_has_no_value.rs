use probtest::{TestRng, probtest};

#[probtest(claim)]
fn test(_rng: &mut TestRng) -> f64 {
    0.5
}

fn main() {}
