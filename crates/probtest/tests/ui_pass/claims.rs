//! Claims about what a body returns: every form of the claim, and what may be combined with it.
//! Seeds are fixed: a fresh one would fail with the probability that each claim states.

use probtest::claim::{Numbers, Terms};
use probtest::{TestRng, detect, fit, probtest};
use rand_core::Rng;

const BOUNDS: (f64, f64) = (0.0, 1.0);

fn share(rng: &mut TestRng) -> f64 {
    f64::from(rng.next_u32()) / f64::from(u32::MAX)
}

fn half() -> Terms<Numbers> {
    probtest::mean().between(BOUNDS.0, BOUNDS.1).within(0.4, 0.6)
}

#[probtest(claim = probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.1), seed = 7)]
fn a_number(rng: &mut TestRng) -> f64 {
    share(rng)
}

#[probtest(claim = probtest::mean().between(0.0, 1.0).above(0.4).margin(0.2).epsilon("1/100").false_alarm("1e-9"), seed = 7)]
fn both_chances_stand_inside(rng: &mut TestRng) -> f32 {
    if share(rng) < 0.5 { 0.0 } else { 1.0 }
}

#[probtest(claim = (half().margin(0.2)), jobs = 2, seed = 0x5eed, max_executions = 100_000, max_rejections = 10, max_time = "1h")]
fn a_function_that_says_it_and_options(rng: &mut TestRng) -> bool {
    probtest::assume(share(rng) < 0.99);
    share(rng) < 0.5
}

#[probtest(claim = probtest::mean().between(0, 1).below(0.6).margin(0.2), seed = 7)]
fn a_result_of_a_number(rng: &mut TestRng) -> Result<f64, std::num::ParseFloatError> {
    share(rng).to_string().parse()
}

#[probtest(claim = fit().label("heads", 1.0 / 2.0).label("tails", "1/2").distance(0.1), seed = 7)]
fn a_label(rng: &mut TestRng) -> &'static str {
    if share(rng) < 0.5 { "heads" } else { "tails" }
}

#[probtest(claim = fit().labels((0..4).map(|face| (face.to_string(), 0.25))).distance(0.1), seed = 7)]
fn labels_from_a_list(rng: &mut TestRng) -> u32 {
    rng.next_u32() >> 30
}

#[probtest(claim = detect(0.01).claim().unwrap(), seed = 7)]
fn a_whole_claim(rng: &mut TestRng) -> bool {
    share(rng) <= 1.0
}

#[probtest(claim = detect(0.01), seed = 7)]
fn a_claim_on_violations_of_a_body_that_asserts(rng: &mut TestRng) {
    assert!(share(rng) <= 1.0);
}

#[probtest(claim = half().margin(0.2), seed = 7)]
fn no_argument() -> f64 {
    0.5
}

#[probtest(claim = half().margin(0.2), seed = 7)]
#[should_panic(expected = "probtest: missed: the mean is above 0.6")]
fn a_miss_is_expected(rng: &mut TestRng) -> f64 {
    share(rng).sqrt().sqrt()
}

#[probtest(claim = half().margin(0.2), seed = 7)]
#[cfg_attr(test, should_panic(expected = "not strictly"))]
fn a_violation_is_expected_under_a_condition(rng: &mut TestRng) -> f64 {
    let drawn = share(rng);
    assert!(drawn < 0.5, "not strictly below");
    drawn
}

#[probtest(claim = half(), seed = 7)]
#[ignore = "lacks its margin"]
fn ignored(_rng: &mut TestRng) -> f64 {
    0.5
}

mod renamed {
    pub(crate) use ::probtest::{__private, TestRng, mean, probtest};
}

#[renamed::probtest(crate = renamed, claim = renamed::mean().between(0, 1).below(0.6).margin(0.2), seed = 7)]
#[allow(unused_qualifications)]
fn a_renamed_crate(rng: &mut renamed::TestRng) -> f64 {
    share(rng)
}

#[cfg(feature = "tokio")]
#[probtest(claim = half().margin(0.2), seed = 7)]
async fn waits(rng: &mut TestRng) -> f64 {
    std::future::ready(share(rng)).await
}
