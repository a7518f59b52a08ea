//! Seed: where does the randomness of one execution come from?
//!
//! Execution `i` of a test draws from a stream of its own, a pure function of
//! (run seed, test id, `i`). Nothing else in this crate makes a random number,
//! so an execution can be repeated alone, in another order, on another thread
//! or on another machine. The mapping is pinned by tests; what is promised
//! about it is written in `docs/reference/reproducibility.md`.
//!
//! This module stands beside the stages; [`mod@crate::run`] uses it.

mod applicable;
mod inputs;
mod philox;
mod rng;
mod run_seed;
mod selection;
mod stream;
mod tape;
mod tape_text;

pub(crate) use applicable::KnownInputs;
pub use inputs::{InputCode, InputDrawn, InputSource, Inputs, Smaller};
#[cfg(feature = "shuttle")]
pub(crate) use rng::BLOCK_WORDS;
pub use rng::TestRng;
pub use run_seed::RunSeed;
#[doc(hidden)]
pub use selection::Selection;
pub use stream::{Address, Stream};
pub(crate) use tape::GaveUp;
pub use tape::{Drawn, MOST_KEPT, Place, Playing, Tape, Trace};
