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

#[probtest(p = match x, epsilon = 0.02)]
fn value_breaks_off_after_the_head(_rng: &mut TestRng) {}

#[probtest(p = x as, epsilon = if)]
fn values_break_off_before_a_type_and_a_condition(_rng: &mut TestRng) {}

#[probtest(p = Vec::<u8::new(), epsilon = <)]
fn values_break_off_inside_of_generics(_rng: &mut TestRng) {}

#[probtest(p = 0.01 else 0.02, epsilon = 0.02 !)]
fn values_go_on_where_they_cannot(_rng: &mut TestRng) {}

macro_rules! passing_on {
    ($nothing:vis,) => {
        #[probtest(p = $nothing, epsilon = 0.02)]
        fn value_is_nothing(_rng: &mut TestRng) {}
    };
}

passing_on!(,);

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

#[probtest(p = 0.01, crate = probtest as pt)]
fn crate_is_renamed(_rng: &mut TestRng) {}

#[probtest(p = 0.01, crate = _)]
fn crate_is_left_open(_rng: &mut TestRng) {}

#[probtest(p = 0.01, crate = return)]
fn crate_is_a_word(_rng: &mut TestRng) {}

#[probtest(p = 0.01,, epsilon = 0.02)]
fn comma_without_an_option(_rng: &mut TestRng) {}

fn main() {}
