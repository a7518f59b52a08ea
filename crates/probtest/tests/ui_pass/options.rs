//! Every form of every option.

use probtest::{TestRng, probtest};
use rand_core::Rng;

const P: f64 = 0.01;
const TEXT: &str = "1/1024";
const HALVES: [f64; 2] = [0.5, 0.5];

fn computed() -> f64 {
    P / 2.0
}

fn one_of(outcomes: u64, rng: &mut TestRng) -> usize {
    // The high bits: those of a weak generator are better.
    let outcome = (u64::from(rng.next_u32()) * outcomes) >> 32;
    usize::try_from(outcome).expect("below the number of outcomes")
}

#[probtest]
#[ignore = "needs PROBTEST_P"]
fn no_options(_rng: &mut TestRng) {}

#[probtest()]
#[ignore = "needs PROBTEST_P"]
fn empty_parentheses(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 0.02)]
fn numbers(_rng: &mut TestRng) {}

#[probtest(p = 1e-2, epsilon = 2.0E-2_f64)]
fn numbers_with_exponent_suffix_and_trailing_comma(_rng: &mut TestRng) {}

#[probtest(p = "1/1024", epsilon = "0.99999999999999999999")]
fn texts_that_no_f64_can_hold(_rng: &mut TestRng) {}

#[probtest(p = 1/1024, epsilon = (1 / 50))]
fn fractions(_rng: &mut TestRng) {}

#[probtest(tolerate = 1/1000, p = P, false_alarm = "1e-6")]
fn tolerated_rates(_rng: &mut TestRng) {}

#[probtest(p = P, epsilon = computed())]
fn expressions(_rng: &mut TestRng) {}

#[probtest(p = TEXT, epsilon = 1.0 / 50.0)]
fn a_constant_text_and_a_division_of_floats(_rng: &mut TestRng) {}

#[probtest(p = { const RARE: f64 = 0.01; RARE * 2.0 }, epsilon = if P < 0.5 { P } else { 0.5 })]
fn blocks(_rng: &mut TestRng) {}

#[probtest(epsilon = 0.02)]
#[ignore = "needs PROBTEST_P"]
fn p_from_the_environment(_rng: &mut TestRng) {}

#[probtest(p = 0.01)]
#[ignore = "needs PROBTEST_EPSILON"]
fn epsilon_from_the_environment(_rng: &mut TestRng) {}

#[probtest(outcomes = [0.5, 0.25], epsilon = 1e-9)]
fn outcomes_as_numbers(rng: &mut TestRng) -> Option<usize> {
    // The third isn't one of the two listed.
    Some(one_of(3, rng)).filter(|outcome| *outcome < 2)
}

#[probtest(outcomes = [0.1, 0.2, 0.3, 0.4], epsilon = 1e-9)]
fn outcomes_that_sum_to_one_exactly(rng: &mut TestRng) -> usize {
    one_of(4, rng)
}

#[probtest(outcomes = ["1/6"; 6], epsilon = 1e-9)]
fn outcomes_as_repeated_text(rng: &mut TestRng) -> usize {
    one_of(6, rng)
}

#[probtest(outcomes = [1/6; 6], epsilon = 1e-9)]
fn outcomes_as_a_repeated_fraction(rng: &mut TestRng) -> usize {
    one_of(6, rng)
}

#[probtest(outcomes = [0.1; 10], epsilon = 1e-9)]
fn ten_tenths(rng: &mut TestRng) -> usize {
    one_of(10, rng)
}

#[probtest(outcomes = [0.5, "1/4", 1/8], epsilon = 1e-9)]
fn outcomes_of_all_kinds(rng: &mut TestRng) -> usize {
    one_of(3, rng)
}

#[probtest(outcomes = [P, 0.5], epsilon = 1e-9)]
fn outcomes_with_a_constant(rng: &mut TestRng) -> usize {
    one_of(2, rng)
}

#[probtest(outcomes = HALVES, epsilon = 1e-9)]
fn outcomes_as_a_constant(rng: &mut TestRng) -> usize {
    one_of(2, rng)
}

#[probtest(outcomes = (1..4).map(|n| 0.1 * f64::from(n)), epsilon = 1e-9)]
fn outcomes_as_an_iterator(rng: &mut TestRng) -> usize {
    one_of(3, rng)
}

#[probtest(p = 0.5, jobs = 2, seed = 0x5eed, max_executions = 10_000, max_rejections = 100)]
fn counts(_rng: &mut TestRng) {}

#[probtest(p = 0.5, epsilon = 0.1, jobs = 1 + 1, seed = u64::MAX, max_executions = u64::from(u32::MAX))]
fn counts_as_expressions(_rng: &mut TestRng) {}

#[probtest(p = 0.5, epsilon = 0.1, jobs = 2usize, seed = 0u64)]
fn counts_with_their_own_suffix(_rng: &mut TestRng) {}

mod renamed {
    pub(crate) use ::probtest::{__private, TestRng, probtest};

    pub(crate) mod probtest {}
}

#[renamed::probtest(p = 0.1, epsilon = 0.1, crate = renamed)]
#[allow(unused_qualifications)]
fn a_renamed_crate(_rng: &mut renamed::TestRng) {}

#[renamed::probtest(p = 0.1, epsilon = 0.1, crate = crate::options::renamed)]
#[allow(unused_qualifications)]
fn a_renamed_crate_by_its_full_path(_rng: &mut renamed::TestRng) {}

macro_rules! tests {
    ($($name:ident: $p:expr, $epsilon:literal;)*) => {
        $(
            #[probtest(p = $p, epsilon = $epsilon)]
            fn $name(_rng: &mut TestRng) {}
        )*
    };
}

tests! {
    from_a_macro_with_a_number: 0.01, 0.02;
    from_a_macro_with_a_fraction: 1/1024, "0.02";
    from_a_macro_with_a_constant: P, 0.02;
}

macro_rules! functions {
    ($($(#[$meta:meta])* $visibility:vis $name:ident: $ty:ty => $body:block [$option:meta])*) => {
        $(
            #[probtest($option)]
            $(#[$meta])*
            $visibility fn $name(_rng: $ty) $body
        )*
    };
}

functions! {
    from_a_macro_with_a_type_and_a_block: &mut TestRng => {} [p = 0.1]
    /// Documented.
    #[should_panic(expected = "on purpose")]
    pub(crate) from_a_macro_with_attributes: &mut dyn Rng => { panic!("on purpose") } [p = 1/10]
}

fn product<A: Into<f64>, B: Into<f64>>(of: impl Fn(f64, f64) -> f64, a: A, b: B) -> f64 {
    of(a.into(), b.into())
}

#[probtest(p = product::<f32, _>(|a, b| a * b, 0.5, P), epsilon = <f64 as Into<f64>>::into(0.5))]
fn commas_inside_of_values(_rng: &mut TestRng) {}

#[probtest(p = match P { p if p < 0.5 => p, _ => 0.5 }, epsilon = 1_f32 as f64 / 2.0)]
#[allow(clippy::cast_lossless)]
fn a_match_and_a_cast(_rng: &mut TestRng) {}

enum Load {
    Light { p: f64 },
    Heavy,
}

const LOADS: [Load; 2] = [Load::Light { p: P }, Load::Heavy];
const JOBS: u64 = 3;

#[probtest(
    p = if let Load::Light { p } = LOADS[0] { p } else { 0.01 },
    epsilon = if JOBS == 1 { 0.1 } else if let Load::Light { p } = LOADS[0] && p < 0.5 { p } else { 0.2 },
)]
fn patterns_with_braces(_rng: &mut TestRng) {}

#[probtest(confirm = JOBS as u32 <= 8, p = 0.01)]
#[allow(clippy::cast_possible_truncation)]
fn a_cast_that_is_compared(_rng: &mut TestRng) {}

#[probtest(
    outcomes = if const { JOBS } > 1 { [0.5, 0.5] } else { [0.25, 0.25] },
    epsilon = if match JOBS { 1 => false, _ => true } || matches! { JOBS, 2 } { 1e-9 } else { 0.1 },
)]
#[allow(clippy::match_like_matches_macro)]
fn conditions_with_braces(rng: &mut TestRng) -> usize {
    one_of(2, rng)
}

#[probtest(p = r#"1/1024"#, epsilon = "\x30.\u{35}", seed = 0b101, jobs = 0x2)]
fn escapes_and_bases(_rng: &mut TestRng) {}

const LIMIT: &str = "1h";
const SECONDS: std::time::Duration = std::time::Duration::from_secs(90);
const ACCEPTED: probtest::OnBudget = probtest::OnBudget::Pass;

#[probtest(p = 0.01, max_time = "1m30s", on_budget = "pass")]
fn a_duration_as_text(_rng: &mut TestRng) {}

#[probtest(p = 0.01, max_time = SECONDS, on_budget = ACCEPTED)]
fn a_duration_as_a_value(_rng: &mut TestRng) {}

#[probtest(p = 0.01, max_time = LIMIT, on_budget = "fail")]
fn a_duration_as_constant_text(_rng: &mut TestRng) {}
