use probtest::{TestRng, probtest};

#[probtest(p = 1)]
fn test(_rng: &mut TestRng) {
    let number: u32 = "text";
}
