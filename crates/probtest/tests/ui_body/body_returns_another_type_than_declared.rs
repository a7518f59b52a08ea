use probtest::{TestRng, probtest};

#[probtest(p = 0.01)]
fn test(_rng: &mut TestRng) -> bool {
    "text"
}
