//! Unit tests for programs that use randomness.
//!
//! You write an ordinary assertion and say which violation probability `p` must
//! not go unnoticed and which chance `epsilon` of missing it you accept. probtest
//! computes how many executions that takes, executes them, stops at the first
//! violation, and tells what the answer is worth.
//!
//! ```text
//! claim  ->  plan  ->  run  ->  judge  ->  report
//! what is    how many   execute   decide     tell
//! promised   executions
//! ```
//!
//! Three ways in, from the most to the least convenient:
//!
//! - the attribute [`macro@probtest`], for a test of its own,
//! - the builder [`Probtest`], inside any test,
//! - the function [`check`], for libraries: it prints nothing and reads no environment
//!   variable.
//!
//! ```
//! use probtest::Probtest;
//! use rand::RngExt;
//!
//! Probtest::new("a shuffled deck keeps its cards").p(0.01).epsilon(0.02).check(|rng| {
//!     let mut deck: Vec<u8> = (0..52).collect();
//!     for last in (1..deck.len()).rev() {
//!         deck.swap(last, rng.random_range(0..=last));
//!     }
//!     deck.sort_unstable();
//!     assert!(deck.iter().copied().eq(0..52));
//! });
//! ```
//!
//! A pass says: were the violation probability `p` or more, a violation would
//! have been seen with probability above `1 - epsilon`. Executions are assumed
//! to be independent and alike; each draws from a random stream of its own.
//!
//! Other claims are about what executions return: the mean of a number ([`fn@mean`]), or
//! how often each label comes ([`fn@fit`]). A program that keeps such a claim fails with
//! probability at most `false_alarm`, one that misses it clearly passes with probability
//! at most `epsilon`.
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
//! # Features
//!
//! - `macros` (default): the attribute.
//! - `tokio`: `async fn` bodies, each execution on a fresh current-thread runtime.
//! - `proptest`: inputs drawn from strategies, as parameters of a test and by `draw`.
//! - `arbitrary`: inputs of types that implement the trait of that crate.
//! - `rand-08`, `rand-09`: [`TestRng`] for programs that pin an older `rand`.

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
    Claim, Error, IntoProbability, Outcomes, Probability, cover, detect, estimate, fit, mean,
    tolerate,
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

/// What the attribute expands to. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    // A macro that is exported lies here, whichever module has it.
    pub use crate::__counted as counted;
    pub use crate::cargo::private::*;
    #[cfg(feature = "arbitrary")]
    pub use crate::run::arbitrary_input;
    #[cfg(feature = "proptest")]
    pub use crate::run::{any_input, input};
}

/// The examples of the documents are tested with those of the code.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/tutorial/first-test.md")]
    struct FirstTest;
    #[cfg(feature = "proptest")]
    #[doc = include_str!("../../../docs/tutorial/random-inputs.md")]
    struct RandomInputs;
    #[doc = include_str!("../../../docs/how-to/choose-a-claim.md")]
    struct ChooseAClaim;
    #[doc = include_str!("../../../docs/how-to/labels.md")]
    struct Labels;
    #[doc = include_str!("../../../docs/how-to/library.md")]
    struct Library;
    #[doc = include_str!("../../../docs/how-to/numbers-and-labels.md")]
    struct NumbersAndLabels;
}
