use probtest::{TestRng, probtest};

struct Walk;

impl Walk {
    #[probtest(p = 0.01)]
    fn test(&self, _rng: &mut TestRng) {}
}

fn main() {}
