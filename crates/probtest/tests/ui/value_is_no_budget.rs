use probtest::{TestRng, probtest};

#[probtest(p = 0.01, max_time = "30")]
fn max_time_has_no_unit(_rng: &mut TestRng) {}

#[probtest(p = 0.01, max_time = "3days")]
fn max_time_has_an_unknown_unit(_rng: &mut TestRng) {}

#[probtest(p = 0.01, max_time = "0s")]
fn max_time_is_zero(_rng: &mut TestRng) {}

#[probtest(p = 0.01, max_time = "soon")]
fn max_time_is_a_word(_rng: &mut TestRng) {}

#[probtest(p = 0.01, max_time = 30)]
fn max_time_is_a_number(_rng: &mut TestRng) {}

#[probtest(p = "0.01"foo, max_time = "3s"u8)]
fn texts_have_a_suffix(_rng: &mut TestRng) {}

#[probtest(p = 0.01, on_budget = "warn")]
fn on_budget_is_another_word(_rng: &mut TestRng) {}

#[probtest(p = 0.01, on_budget = true)]
fn on_budget_is_a_boolean(_rng: &mut TestRng) {}

#[probtest(p = 0.01, max_time = "off")]
fn max_time_is_off(_rng: &mut TestRng) {}

fn main() {}
