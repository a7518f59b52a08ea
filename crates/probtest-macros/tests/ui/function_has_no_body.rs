use probtest::{TestRng, probtest};

trait Walk {
    #[probtest(p = 0.01)]
    fn test(_rng: &mut TestRng);
}

fn main() {}
