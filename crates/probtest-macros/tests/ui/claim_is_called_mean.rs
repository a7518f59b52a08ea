use probtest::{TestRng, probtest};

#[probtest(mean = (0.45, 0.55))]
fn test(_rng: &mut TestRng) -> f64 {
    0.5
}

fn main() {}
