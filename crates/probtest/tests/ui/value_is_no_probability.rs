use probtest::{TestRng, probtest};

#[probtest(p = 0.0, epsilon = 0.02)]
fn p_is_zero(_rng: &mut TestRng) {}

#[probtest(p = 2, epsilon = 0.02)]
fn p_is_two(_rng: &mut TestRng) {}

#[probtest(p = -0.01, epsilon = 0.02)]
fn p_is_negative(_rng: &mut TestRng) {}

#[probtest(p = 9/8, epsilon = 0.02)]
fn p_is_a_fraction_above_one(_rng: &mut TestRng) {}

#[probtest(p = 1/0, epsilon = 0.02)]
fn p_is_divided_by_zero(_rng: &mut TestRng) {}

#[probtest(p = "1.00000000000000000001", epsilon = 0.02)]
fn p_is_text_above_one(_rng: &mut TestRng) {}

#[probtest(p = "", epsilon = 0.02)]
fn p_is_empty_text(_rng: &mut TestRng) {}

#[probtest(p = "often", epsilon = 0.02)]
fn p_is_a_word(_rng: &mut TestRng) {}

#[probtest(p = true, epsilon = 0.02)]
fn p_is_a_boolean(_rng: &mut TestRng) {}

#[probtest(p = 1%, epsilon = 0.02)]
fn p_is_percent(_rng: &mut TestRng) {}

#[probtest(p = "1%", epsilon = 0.02)]
fn p_is_percent_text(_rng: &mut TestRng) {}

#[probtest(p = .5, epsilon = 0.02)]
fn p_starts_with_a_point(_rng: &mut TestRng) {}

#[probtest(p = 0.01f32, epsilon = 0.02)]
fn p_has_a_type_suffix(_rng: &mut TestRng) {}

#[probtest(p = 1u32/1024, epsilon = 0.02)]
fn fraction_has_a_type_suffix(_rng: &mut TestRng) {}

#[probtest(p = 1/6/2, epsilon = 0.02)]
fn p_is_whole_arithmetic(_rng: &mut TestRng) {}

#[probtest(p = 0.99999999999999999999, epsilon = 0.02)]
fn p_rounds_to_one(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 1e-400)]
fn epsilon_rounds_to_zero(_rng: &mut TestRng) {}

fn main() {}
