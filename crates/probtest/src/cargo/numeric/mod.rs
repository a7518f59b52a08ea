//! Tests of a mean or of labels: the builders, and what `claim = ..` of the
//! attribute becomes.

mod carry;
mod claimed;
mod fit;
mod mean;

pub use claimed::{Claimed, claimed};
pub use fit::Fit;
pub use mean::Mean;
