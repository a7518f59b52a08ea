use probtest::probtest;

#[probtest(p = 0.01, epsilon = 0.02)]
mod walk {}

fn main() {}
