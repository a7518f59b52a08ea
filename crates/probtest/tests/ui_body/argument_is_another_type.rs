use probtest::probtest;

#[probtest(p = 0.01)]
fn test(_rng: &mut String) {}
