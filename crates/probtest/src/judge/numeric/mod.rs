//! What do the returned numbers or labels say about their claim?
//!
//! Sees one record after the other, in index order, as [`super::Judge`] does.
//! Each bound of the claim is bet against from both sides; the first bet that
//! has won enough decides.

mod decide;
mod stakes;
mod verdict;

pub use decide::NumericJudge;
pub use verdict::{Extreme, NumericReason, NumericVerdict, Seen};
