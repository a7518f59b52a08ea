//! Other attributes next to `#[probtest]`.

use probtest::{TestRng, probtest};

/// Documentation stays.
#[probtest(p = 0.1, epsilon = 0.1)]
/// Also below.
fn documentation(_rng: &mut TestRng) {}

#[probtest(p = 0.1, epsilon = 0.1)]
#[ignore = "does not hold yet"]
fn ignored_with_a_reason(_rng: &mut TestRng) {
    panic!("executed although ignored");
}

#[ignore]
#[allow(clippy::ignore_without_reason)]
#[probtest(p = 0.1, epsilon = 0.1)]
fn ignored_above(_rng: &mut TestRng) {
    panic!("executed although ignored");
}

#[probtest(p = 0.1, epsilon = 0.1)]
#[should_panic(expected = "the body returned false")]
fn a_violation_is_expected(_rng: &mut TestRng) -> bool {
    false
}

#[should_panic(expected = "the body returned false")]
#[probtest(p = 0.1, epsilon = 0.1)]
fn a_violation_is_expected_above(_rng: &mut TestRng) -> bool {
    false
}

#[probtest(p = 0.1, epsilon = 0.1)]
#[cfg_attr(test, should_panic(expected = "the body returned false"))]
#[cfg_attr(not(test), should_panic)]
fn a_violation_is_expected_under_a_condition(_rng: &mut TestRng) -> bool {
    false
}

#[probtest(p = 0.1, epsilon = 0.1)]
#[cfg_attr(not(test), should_panic)]
fn a_violation_is_not_expected_under_another_condition(_rng: &mut TestRng) {}

#[probtest(p = 0.1, epsilon = 0.1)]
#[cfg(any())]
fn configured_out_below(_rng: &mut TestRng) {
    let body: u32 = "is never compiled";
}

#[cfg(any())]
#[probtest(p = 0.1, epsilon = 0.1)]
fn configured_out_above(_rng: &mut TestRng) {
    let body: u32 = "is never compiled";
}

#[probtest(p = 0.1, epsilon = 0.1)]
#[cfg(not(any()))]
fn configured_in(_rng: &mut TestRng) {}

#[probtest(p = 0.1, epsilon = 0.1)]
#[allow(unused_variables)]
fn allowed_in_the_body(rng: &mut TestRng) {
    let unused = 1;
}

#[probtest(p = 0.1, epsilon = 0.1)]
#[expect(unused_variables)]
fn expected_in_the_body(_rng: &mut TestRng) {
    let unused = 1;
}

#[expect(unused_variables, reason = "the argument")]
#[probtest(p = 0.1, epsilon = 0.1)]
fn expected_of_the_argument(rng: &mut TestRng) {}

#[probtest(p = 0.1, epsilon = 0.1)]
#[expect(clippy::unnecessary_wraps)]
fn expected_of_the_return_type(_rng: &mut TestRng) -> Result<(), String> {
    Ok(())
}

#[probtest(p = 0.1, epsilon = 0.1)]
#[inline]
#[track_caller]
fn attributes_for_the_compiler(_rng: &mut TestRng) {}

#[test]
fn an_ordinary_test_next_door() {}
