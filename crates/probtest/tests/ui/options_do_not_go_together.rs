use probtest::{TestRng, probtest};

#[probtest(p = 0.01, outcomes = [0.5, 0.5], epsilon = 0.02)]
fn p_and_outcomes_are_both_given(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = [0.5, 0.5], tolerate = 0.01)]
fn tolerate_and_outcomes_are_both_given(_rng: &mut TestRng) -> usize { 0 }

#[probtest(p = 0.01, false_alarm = 1e-6)]
fn false_alarm_is_given_alone(_rng: &mut TestRng) {}

#[probtest(tolerate = 0.1, p = 0.01)]
fn tolerate_is_above_p(_rng: &mut TestRng) {}

#[probtest(p = 1/100, tolerate = "0.010")]
fn tolerate_is_p_in_other_words(_rng: &mut TestRng) {}

#[probtest(claim = probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.05), p = 0.01)]
fn claim_stands_beside_p(_rng: &mut TestRng) -> f64 {
    0.5
}

#[probtest(claim = probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.05), epsilon = 0.01)]
fn claim_stands_beside_epsilon(_rng: &mut TestRng) -> f64 {
    0.5
}

#[probtest(claim = probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.05), max_time = "30s", on_budget = "pass")]
fn claim_stands_beside_on_budget(_rng: &mut TestRng) -> f64 {
    0.5
}

#[probtest(tolerate = 0.001, inputs = 50)]
fn inputs_stand_beside_tolerate(_rng: &mut TestRng) {}

fn main() {}
