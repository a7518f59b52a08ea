use probtest::probtest;

#[probtest(p = 0.01, epsilon = 0.02)]
fn test(_rng: impl Iterator<Item = u32>) {}

fn main() {}
