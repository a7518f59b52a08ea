use probtest::{TestRng, probtest};

#[probtest(0.01)]
fn option_has_no_name(_rng: &mut TestRng) {}

#[probtest(p, epsilon = 0.02)]
fn option_has_no_value(_rng: &mut TestRng) {}

#[probtest(p = , epsilon = 0.02)]
fn value_is_missing_after_the_equals_sign(_rng: &mut TestRng) {}

#[probtest(p = epsilon = 0.02)]
fn value_is_missing_before_the_next_option(_rng: &mut TestRng) {}

#[probtest(p = struct, epsilon = 0.02)]
fn value_is_no_expression(_rng: &mut TestRng) {}

#[probtest(p: 0.01, epsilon: 0.02)]
fn colon_instead_of_equals_sign(_rng: &mut TestRng) {}

#[probtest(p(0.01), epsilon = 0.02)]
fn parentheses_instead_of_equals_sign(_rng: &mut TestRng) {}

#[probtest(p == 0.01, epsilon = 0.02)]
fn two_equals_signs(_rng: &mut TestRng) {}

#[probtest(p = 0.01 epsilon = 0.02)]
fn comma_is_missing(_rng: &mut TestRng) {}

#[probtest(p = 0.01; epsilon = 0.02)]
fn semicolon_instead_of_comma(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 0.02, p = 0.03)]
fn option_is_given_twice(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 0.02, crate = "probtest")]
fn crate_is_text(_rng: &mut TestRng) {}

#[probtest(p = 0.01,, epsilon = 0.02)]
fn comma_without_an_option(_rng: &mut TestRng) {}

fn main() {}
