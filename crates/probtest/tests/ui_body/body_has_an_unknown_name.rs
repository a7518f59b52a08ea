use probtest::{TestRng, probtest};

#[probtest(p = 0.01)]
fn test(rng: &mut TestRng) {
    shuffle(rng);
}
