//! The attribute `#[probtest]`: a test for a program that uses randomness.
//!
//! Depend on the crate `probtest`, which re-exports the attribute and holds
//! the runtime. This crate only reads the attribute: it executes nothing and
//! decides no count.
//!
//! ```text
//! options  ->  values  ->  expand
//! item     -------------^
//! ```
//!
//! # A first test
//!
//! ```
//! # fn main() {} // a test is compiled by `cargo test`, this example is not one
//! use probtest::{TestRng, probtest};
//!
//! #[probtest(p = 0.01, epsilon = 0.02)]
//! fn shuffling_keeps_every_card(rng: &mut TestRng) {
//!     // Use `rng` as any generator of the crate `rand`, then assert.
//! # let _ = rng;
//! }
//! ```
//!
//! The claim: if the assertion is violated with probability 0.01 or more, this
//! test fails with probability above 0.98. See [`macro@probtest`] for all
//! options, bodies and attributes.

mod expand;
mod item;
mod options;
mod problems;
mod suggest;
mod values;

use proc_macro::TokenStream;

/// Turns a function into a test that is executed as often as its claim needs.
///
/// # Options
///
/// Each is written `name = value`, at most once, in any order. An environment
/// variable is read when the test runs. No option must be given here:
/// without `p`, `tolerate`, `outcomes` and `claim`, `PROBTEST_P` must be set at run time.
///
/// Each is a method of the builder `Probtest`, which says what it does; the page
/// `docs/reference/options.md` lists them with their variables. `crate`, the path of
/// probtest where it was renamed, is the attribute's own.
///
/// ## `p` and `epsilon`
///
/// A probability strictly between 0 and 1. Literals are checked while
/// compiling, on their digits; other expressions when the test runs, by the same code.
///
/// ```
/// # fn main() {}
/// use probtest::{TestRng, probtest};
/// const RARE: f64 = 0.001;
///
/// #[probtest(p = 0.01, epsilon = 1e-3)] // an f64
/// fn by_number(rng: &mut TestRng) {}
///
/// #[probtest(p = "1/1024", epsilon = "0.99999999999999999999")] // exact text
/// fn by_text(rng: &mut TestRng) {}
///
/// #[probtest(p = 1/1024, epsilon = 0.02)] // the same as "1/1024", not a division
/// fn by_fraction(rng: &mut TestRng) {}
///
/// #[probtest(p = RARE, epsilon = RARE / 2.0)] // any expression
/// fn by_expression(rng: &mut TestRng) {}
/// ```
///
/// Whole numbers, percentages and `0.01f32` are compile errors:
///
/// ```compile_fail
/// # use probtest::{TestRng, probtest};
/// #[probtest(p = 1, epsilon = 0.02)]
/// fn every_execution_is_a_violation(rng: &mut TestRng) {}
/// ```
///
/// ## `outcomes`
///
/// A list of probabilities, each written as for `p`, that sum to at most 1; or
/// an expression that is such a list. Literals of both kinds may be mixed: with
/// one text or fraction among them, all are handed on as exact text.
///
/// ```
/// # fn main() {}
/// use probtest::{TestRng, probtest};
///
/// #[probtest(outcomes = [1/6; 6], epsilon = 0.01)]
/// fn a_die_shows_every_face(rng: &mut TestRng) -> usize {
///     let face = 0; // roll with `rng`; the body returns which outcome it saw
///     face
/// }
///
/// #[probtest(outcomes = [0.5, "1/3"], epsilon = 0.01)]
/// fn heads_or_tails_or_edge(rng: &mut TestRng) -> Option<usize> {
///     None // none of the listed outcomes
/// }
/// ```
///
/// ## `claim`
///
/// A claim on what the body returns: the mean of a number, begun by `probtest::mean()`, or
/// how often each label comes, begun by `probtest::fit()`. Any expression of such a type
/// may stand there. `epsilon` and `false_alarm` are parts of it.
///
/// ```
/// # fn main() {}
/// use probtest::claim::{Numbers, Terms};
/// use probtest::{TestRng, probtest};
///
/// #[probtest(claim = probtest::mean().between(1, 6).within(3.5, 3.5).margin(0.5))]
/// fn a_die_shows_3_5_on_average(rng: &mut TestRng) -> u32 {
///     4 // roll with `rng`
/// }
///
/// #[probtest(claim = probtest::fit().label("heads", 0.5).label("tails", 0.5).distance(0.1))]
/// fn a_fair_coin(rng: &mut TestRng) -> &'static str {
///     "heads" // toss with `rng`
/// }
///
/// fn a_share() -> Terms<Numbers> {
///     probtest::mean().between(0, 1).margin(0.05).false_alarm(1e-9)
/// }
///
/// #[probtest(claim = a_share().above(0.9), jobs = 4, max_time = "30s")]
/// fn most_are_delivered(rng: &mut TestRng) -> bool {
///     true // counts as 1
/// }
/// ```
///
/// `p`, `epsilon`, `tolerate`, `false_alarm`, `outcomes` and `on_budget` beside it are
/// compile errors:
///
/// ```compile_fail
/// # use probtest::{TestRng, probtest};
/// #[probtest(claim = probtest::mean().between(0, 1).above(0.9).margin(0.05), p = 0.01)]
/// fn two_claims(rng: &mut TestRng) -> f64 { 1.0 }
/// ```
///
/// ## `jobs`, `seed`, `max_executions`, `max_rejections`
///
/// Whole numbers or expressions; all but `seed` are at least 1.
///
/// ```
/// # fn main() {}
/// use probtest::{TestRng, probtest};
///
/// #[probtest(p = 0.01, epsilon = 0.02, jobs = 4, seed = 0x5eed)]
/// fn on_four_threads(rng: &mut TestRng) {}
///
/// #[probtest(p = 0.01, epsilon = 0.02, max_executions = 10_000, max_rejections = 500)]
/// fn with_limits(rng: &mut TestRng) {}
/// ```
///
/// ## `max_time` and `on_budget`
///
/// A duration as text, checked while compiling, or any expression that is a
/// `Duration` or text. `on_budget` is `"fail"`, `"pass"`, or an `OnBudget`.
///
/// ```
/// # fn main() {}
/// use probtest::{TestRng, probtest};
/// use std::time::Duration;
///
/// #[probtest(p = 0.001, max_time = "1m30s", on_budget = "pass")]
/// fn as_far_as_time_allows(rng: &mut TestRng) {}
///
/// #[probtest(p = 0.001, max_time = Duration::from_secs(90))]
/// fn within_a_duration(rng: &mut TestRng) {}
/// ```
///
/// ## `crate`
///
/// For a dependency renamed in `Cargo.toml`, or a re-export:
///
/// ```
/// # fn main() {}
/// mod testing {
///     pub use probtest::*;
/// }
///
/// #[testing::probtest(p = 0.01, epsilon = 0.02, crate = crate::testing)]
/// fn through_a_re_export(rng: &mut testing::TestRng) {}
/// ```
///
/// # The function
///
/// It takes `&mut TestRng`, any other `&mut` that a `&mut TestRng` coerces to,
/// such as `&mut impl Rng`, or nothing. Without an argument the program uses
/// its own randomness, and a violation cannot be replayed.
///
/// Arguments behind the generator, or without one, are inputs, drawn for each execution:
/// `#[strategy(vec(0..9, 0..5))] xs: Vec<i32>` from a strategy of proptest, `n: u8` from
/// `any::<u8>()`, both with probtest's feature `proptest`; `#[arbitrary] order: Order` by the
/// trait of the crate `arbitrary`, with the feature of that name. With `inputs = 50` the
/// executions take turns with 50 of them, and `p` is caught for each.
///
/// It returns `()`, where a panic is a violation, or any other type that
/// implements `probtest::Conclusion`: `bool`, `Result<(), E>`, and with
/// `outcomes` the `usize` or `Option<usize>` of the outcome seen. With `claim` it returns a
/// number, `bool` or a `Result` of these, or for labels anything that implements `Display`.
///
/// ```
/// # fn main() {}
/// use probtest::{TestRng, probtest};
///
/// #[probtest(p = 0.01, epsilon = 0.02)]
/// fn no_error(rng: &mut TestRng) -> Result<(), std::num::ParseIntError> {
///     let number: u8 = "7".parse()?;
///     assert_eq!(number, 7);
///     Ok(())
/// }
///
/// #[probtest(p = 0.01, epsilon = 0.02)]
/// fn uses_its_own_randomness() -> bool {
///     true
/// }
/// ```
///
/// An `async fn` needs probtest's feature `tokio`; each execution gets a fresh
/// runtime of one thread.
///
/// Generic, `const`, `unsafe` and `extern` functions, and methods, are compile errors.
///
/// # Other attributes
///
/// All stay on the test: `#[ignore]`, `#[cfg(..)]`, documentation, and
/// `#[allow(..)]` or `#[expect(..)]`, which hold for the body too. With
/// `#[should_panic]` the test passes when an execution is a violation, or what is claimed
/// of the returned values is missed.
/// Put other attribute macros below `#[probtest]`; `#[test]` and its like are
/// compile errors, since `#[probtest]` already makes the function a test.
///
/// # Expansion
///
/// `#[probtest(p = 0.01, epsilon = 0.02)]` on
/// `#[ignore] pub fn walk(rng: &mut TestRng) -> bool { rng.draw_u64() > 0 }` becomes this:
/// the function, and what hands it to the library. Options that are literals have been
/// checked here and are handed over as text; for other expressions a call such as `.p(P)`
/// stands before `.check`. `counted!` leaves an entry by which the tests of a binary are
/// counted.
///
/// ```
/// # fn main() {}
/// # use probtest::TestRng;
/// #[::core::prelude::v1::test]
/// #[ignore]
/// pub fn walk() {
///     fn walk(rng: &mut TestRng) -> bool { rng.draw_u64() > 0 }
///     ::probtest::__private::counted! {}
///     ::probtest::__private::test(&::probtest::__private::Place {
///         module: ::core::module_path!(),
///         name: "walk",
///         package: "walks",
///         binary: "",
///         integration: false,
///         given: &[("p", "0.01"), ("epsilon", "0.02")],
///     })
///     .check(::probtest::__private::body(walk));
/// }
/// ```
#[proc_macro_attribute]
pub fn probtest(options: TokenStream, function: TokenStream) -> TokenStream {
    expand::attribute(options.into(), function.into()).into()
}
