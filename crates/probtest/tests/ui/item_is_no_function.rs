use probtest::probtest;

#[probtest(p = 0.01, epsilon = 0.02)]
const WALK: u32 = 1;

#[probtest(p = 0.01, epsilon = 0.02)]
struct Walk {
    steps: u32,
}

#[probtest(p = 0.01, epsilon = 0.02)]
fn walk {}

fn main() {}
