use probtest::probtest;

#[probtest(p = 0.01, epsilon = 0.02)]
const WALK: u32 = 1;

fn main() {}
