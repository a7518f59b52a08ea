use probtest::{TestRng, probtest};

#[probtest(p = 0.01, concurrency = 50)]
fn waits_for_nothing(rng: &mut TestRng) {
    assert!(rng.draw_u64() != 4);
}

fn main() {}
