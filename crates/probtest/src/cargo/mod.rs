//! The front door for `cargo test` and nextest.
//!
//! Puts the stages together for a test: options from the attribute or the builder, defaults from
//! the environment, counterexamples remembered under cargo's target folder. This is the only module
//! that prints, in `terminal`.

mod builder;
mod disk;
mod environment;
mod patience;
mod place;
mod registry;
mod terminal;
mod test;

pub use builder::Probtest;
#[cfg(feature = "shuttle")]
pub use builder::ScheduledTest;

/// What the attribute `#[probtest]` expands to. Not meant to be called by hand.
#[doc(hidden)]
pub mod private {
    #[cfg(feature = "shuttle")]
    pub use super::builder::scheduled;
    #[cfg(feature = "tokio")]
    pub use super::builder::waiting;
    pub use super::builder::{begun, body, test, with_options};
    pub use super::place::TestPlace;
    pub use super::registry::count;

    /// Runs an `async` body on a fresh current-thread Tokio runtime.
    #[cfg(feature = "tokio")]
    pub fn block_on<F: std::future::Future>(body: F) -> F::Output {
        crate::machine::on_a_runtime(body)
    }
}
