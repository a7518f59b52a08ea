use probtest::{TestRng, probtest};

#[probtest(outcomes = 0.5, epsilon = 0.02)]
fn outcomes_are_one_number(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = [], epsilon = 0.02)]
fn outcomes_are_empty(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = [1/6; 0], epsilon = 0.02)]
fn outcomes_are_repeated_zero_times(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = [0.5, struct], epsilon = 0.02)]
fn outcomes_are_no_expression(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = &[, 0.5], epsilon = 0.02)]
fn outcomes_begin_with_a_comma(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = &[0.5, 0.5,,], epsilon = 0.02)]
fn outcomes_end_with_two_commas(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = ["0.5"x, 0.5], epsilon = 0.02)]
fn outcome_is_a_string_with_a_suffix(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = [50%, 50%], epsilon = 0.02)]
fn outcomes_are_percent(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = [0.5, -0.5], epsilon = 0.02)]
fn outcome_is_negative(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = [0.5, 0.6], epsilon = 0.02)]
fn outcomes_sum_to_more_than_one(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = [1/6; 7], epsilon = 0.02)]
fn outcomes_sum_to_seven_sixths(_rng: &mut TestRng) -> usize { 0 }

#[probtest(outcomes = [0.5, "1/3", 1/4], epsilon = 0.02)]
fn outcomes_of_both_kinds_sum_to_more_than_one(_rng: &mut TestRng) -> usize { 0 }

fn main() {}
