//! Seed: where does the randomness of one execution come from?
//!
//! Execution `i` of a test draws from its own stream, a pure function of (run seed, test id, `i`).
//! Nothing else in this crate makes a random number, so you can repeat an execution alone, in
//! another order, on another thread or on another machine. Tests pin the mapping;
//! `docs/reference/reproducibility.md` says what we promise about it.
//!
//! This isn't a stage itself; [`mod@crate::run`] uses it.

mod address;
mod inputs;
mod philox;
mod rng;
mod stream;
mod tape;

#[doc(hidden)]
pub use address::Selection;
pub use address::{Address, RunSeed};
pub use inputs::{InputCode, InputDrawn, InputSource, Inputs, Smaller};
#[cfg(feature = "shuttle")]
pub(crate) use rng::BLOCK_WORDS;
pub use rng::TestRng;
pub(crate) use stream::KnownInputs;
pub use stream::Stream;
pub(crate) use tape::GaveUp;
pub use tape::{DrawSite, Draws, MOST_KEPT, Playing, Tape, Trace};
