//! Unit tests for programs that use randomness.
//!
//! Write an ordinary assertion, then pick the failure rate you must catch (`p`) and the chance of
//! missing it that you accept (`epsilon`):
//!
//! ```
//! # fn main() {} // a test is compiled by `cargo test`, this example is not one
//! use probtest::{TestRng, probtest};
//! use rand::seq::SliceRandom;
//!
//! #[probtest(p = 0.01, epsilon = 0.02)]
//! fn a_shuffled_deck_keeps_its_cards(rng: &mut TestRng) {
//!     let mut deck: Vec<u8> = (0..52).collect();
//!     deck.shuffle(rng);
//!     deck.sort_unstable();
//!     assert!(deck.iter().copied().eq(0..52));
//! }
//! ```
//!
//! `cargo test` runs the body up to 390 times. Each run is an *execution* with its own random source,
//! and the test stops at the first execution that fails, a *violation*. The report then has a line
//! that replays exactly that execution, and shows the smallest execution that fails the same way. A
//! pass means: if the failure rate were `p` or more, you would have seen a failure with probability
//! above `1 - epsilon`.
//!
//! [`macro@probtest`] describes the attribute and all its options. There are two other ways to write a
//! test:
//!
//! - the builder [`Probtest`], inside any test,
//! - the function [`check`], for libraries: it prints nothing and reads no environment variable.
//!
//! ```
//! use probtest::Probtest;
//! use rand::RngExt;
//!
//! Probtest::new("a die shows at most six").p(0.01).check(|rng| {
//!     assert!(rng.random_range(1..=6) <= 6);
//! });
//! ```
//!
//! Some programs may fail now and then: [`fn@tolerate`] sets a limit for the rate, and [`fn@estimate`]
//! measures it.
//! Other claims are about what executions return: the mean of a number ([`fn@mean`]), or how often each
//! label comes up ([`fn@fit`]). A program that keeps such a claim fails with probability at most
//! `false_alarm`; a program that is clearly off passes with probability at most `epsilon`.
//!
//! ```
//! # fn main() {} // a test is compiled by `cargo test`, this example is not one
//! use probtest::{TestRng, probtest};
//! use rand::RngExt;
//!
//! #[probtest(claim = probtest::mean().between(1, 6).within(3.5, 3.5).margin(0.5))]
//! fn a_die_shows_3_5_on_average(rng: &mut TestRng) -> u32 {
//!     rng.random_range(1..=6)
//! }
//! ```
//!
//! Every test goes through the same five stages, and the modules are named after them:
//!
//! ```text
//! claim  ->  plan  ->  run  ->  judge  ->  report
//! ```
//!
//! # Features
//!
//! - `macros` (default): the attribute.
//! - `tokio`: `async fn` bodies, each execution on a fresh current-thread runtime.
//! - `proptest`: inputs drawn from strategies, as parameters of a test or with `draw`.
//! - `shuttle`: random schedules of threads, for concurrent programs.
//! - `arbitrary`: inputs of types that implement that crate's trait.
//! - `rand-08`, `rand-09`: [`TestRng`] for programs that pin an older `rand`.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "tools")]
#[doc(hidden)]
pub mod audit;
pub mod cargo;
pub mod claim;
pub mod judge;
pub mod machine;
mod math;
pub mod plan;
pub mod report;
pub mod run;
pub mod seed;
pub mod settings;

pub use cargo::Probtest;
pub use claim::{
    Claim, Error, IntoProbability, Outcomes, Probability, compare, compare_means, cover, detect,
    estimate, fit, mean, tolerate,
};
pub use machine::{TestRun, check, check_local};
#[cfg(feature = "macros")]
pub use probtest_macros::probtest;
pub use report::Report;
#[cfg(feature = "arbitrary")]
pub use run::arbitrary;
#[cfg(feature = "proptest")]
pub use run::draw;
#[cfg(feature = "shuttle")]
pub use run::schedules;
pub use run::{assume, cost, expect_panics, infrastructure, label, record};
pub use seed::TestRng;
pub use settings::{OnBudget, Settings};

/// What the attribute expands to. Not meant to be called by hand.
#[doc(hidden)]
pub mod __private {
    // An exported macro is always at the crate root, whichever module defines it.
    pub use crate::__counted as counted;
    pub use crate::cargo::private::*;
    #[cfg(feature = "arbitrary")]
    pub use crate::run::arbitrary_input;
    pub use crate::run::lent;
    #[cfg(feature = "proptest")]
    pub use crate::run::{any_input, input};
}
