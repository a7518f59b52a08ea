//! Math: the numbers that plans and verdicts rest on.
//!
//! Each question has its answer once: where a condition begins to hold, how
//! probable a count is, which rates fit it, and how to compute beyond floats
//! with a proven error. Knows nothing of claims but their probabilities.
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
