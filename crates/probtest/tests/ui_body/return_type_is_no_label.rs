use probtest::{TestRng, probtest};

#[probtest(claim = probtest::fit().label("a", 0.5).label("b", 0.5).distance(0.1))]
fn test(_rng: &mut TestRng) -> Option<&'static str> {
    None
}
