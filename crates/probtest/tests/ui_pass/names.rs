//! Functions in modules, and names that could clash with generated ones.

use probtest::{TestRng, probtest};

#[probtest(p = 0.1, epsilon = 0.1)]
fn r#type(_rng: &mut TestRng) {}

#[probtest(p = 0.1, epsilon = 0.1)]
fn rng(rng: &mut TestRng) {
    let _ = rng;
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn test(_rng: &mut TestRng) {}

#[probtest(p = 0.1, epsilon = 0.1)]
fn check() {}

#[probtest(p = 0.1, epsilon = 0.1)]
fn core(_rng: &mut TestRng) {}

#[probtest(p = 0.1, epsilon = 0.1)]
fn block_on(_rng: &mut TestRng) {}

#[probtest(p = 0.1, epsilon = 0.1)]
pub(crate) fn visible_in_the_crate(_rng: &mut TestRng) {}

/// Documented, as the lint requires.
pub mod public {
    use super::{TestRng, probtest};

    /// Documented too.
    #[probtest(p = 0.1, epsilon = 0.1)]
    pub fn visible_to_all(_rng: &mut TestRng) {}

    mod nested {
        use probtest::TestRng;

        #[::probtest::probtest(p = 0.1, epsilon = 0.1)]
        fn by_full_path(_rng: &mut TestRng) {}

        mod r#mod {
            #[probtest::probtest(p = 0.1, epsilon = 0.1)]
            fn r#match(_rng: &mut probtest::TestRng) {}
        }
    }
}

/// Shadows of what the expansion might take from the prelude.
mod shadowed {
    #![allow(dead_code, non_camel_case_types, non_upper_case_globals)]

    const rng: u8 = 0;
    static test: u8 = 0;
    struct body;

    struct Option;
    struct Result;
    struct Some;
    struct String;
    mod std {}
    mod core {}

    macro_rules! concat {
        () => {};
    }
    macro_rules! env {
        () => {};
    }
    macro_rules! module_path {
        () => {};
    }
    #[expect(unused_macros)]
    macro_rules! test {
        () => {};
    }

    concat!();
    env!();
    module_path!();

    #[::probtest::probtest(p = 0.1, epsilon = 0.1)]
    fn everything_is_shadowed(_rng: &mut ::probtest::TestRng) {}

    #[::probtest::probtest(p = 0.1, epsilon = 0.1)]
    #[should_panic(expected = "on purpose")]
    fn what_a_pattern_could_be_is_shadowed(_rng: &mut dyn rand_core::Rng) {
        panic!("on purpose")
    }
}
