use probtest::{TestRng, probtest};

macro_rules! leave {
    () => {
        return
    };
}

#[probtest(p = { if true { return; } 0.1 }, epsilon = 0.1)]
fn in_a_block(_rng: &mut TestRng) -> bool {
    false
}

#[probtest(p = 0.1, jobs = return)]
fn alone(_rng: &mut TestRng) -> bool {
    false
}

#[probtest(p = 0.1, jobs = leave!())]
fn from_a_macro(_rng: &mut TestRng) -> bool {
    false
}

#[probtest(claim = return)]
fn before_a_claim(_rng: &mut TestRng) -> f64 {
    0.5
}

#[probtest(p = 0.1, jobs = return)]
#[should_panic]
fn before_a_panic(_rng: &mut TestRng) -> bool {
    true
}

#[probtest(p = 0.1, jobs = None?)]
fn by_a_question(_rng: &mut TestRng) -> bool {
    false
}
