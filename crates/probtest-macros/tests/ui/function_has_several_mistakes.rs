use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilon = 0.02)]
#[test]
const unsafe fn test(_rng: TestRng) {}

fn main() {}
