use probtest::{Outcomes, TestRng, probtest};

#[probtest(claim = Outcomes::equal(6))]
fn a_list_of_outcomes(_rng: &mut TestRng) -> f64 {
    1.0
}
