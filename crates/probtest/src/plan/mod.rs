//! Plan: how many executions are enough?
//!
//! Turns a [`Claim`](crate::claim::Claim) into a [`Plan`]. Nothing here runs
//! user code or draws a random number, so every count can be checked by hand.
//! Counts are the true minimum for the probabilities as they were written:
//! floating point proposes a count, and arithmetic with a proven error decides
//! it.
//!
//! Next stage: [`mod@crate::run`].

mod betting;
mod chance;
mod circle;
mod count;
pub(crate) mod deviance;
mod error;
mod guess;
mod inverse;
mod logarithm;
mod many;
mod real;
mod search;
mod sensitivity;
mod sequential;
mod spread;
mod subsets;
mod tie;
mod two;

pub use betting::{Betting, Side};
pub use chance::Chance;
pub use count::{Certainty, Plan, epsilon_attained, miss};
pub use inverse::smallest_p;
pub use sensitivity::{Sensitivity, overestimated, sensitivity};
pub use sequential::{FixedPlan, SequentialTest, Tails};
