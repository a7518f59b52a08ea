//! Math: the numbers behind plans and verdicts.
//!
//! Each question is answered in one place: where a condition starts to hold, how probable a count
//! is, which rates fit it, and how to compute beyond floats with a proven error. It knows nothing
//! about claims except their probabilities.
//!
//! Used by [`crate::plan`] and [`crate::judge`].

pub(crate) mod binomial;
pub(crate) mod chance;
pub mod confidence;
pub(crate) mod fisher;
pub mod interval;
pub(crate) mod real;
pub(crate) mod search;
pub(crate) mod special;
