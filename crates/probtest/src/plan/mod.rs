//! Plan: how many executions are enough?
//!
//! Turns a [`Claim`](crate::claim::Claim) into a [`Plan`]. Nothing here runs user code or draws a
//! random number, so every count can be checked by hand. Counts are the true minimum for the
//! probabilities as written: floating point proposes a count, and arithmetic with a proven error
//! decides it.
//!
//! Next stage: [`mod@crate::run`].

mod betting;
mod count;
mod cover;
mod detect;
mod tolerate;

pub use crate::math::chance::Chance;
#[doc(hidden)]
pub use betting::{Betting, ScaledBound};
pub(crate) use count::of_each;
pub use count::{Certainty, Plan, smallest_p};
#[doc(hidden)]
pub use count::{
    Sensitivity, epsilon_attained, miss, overestimated, sensitivity, violation_missed,
};
#[doc(hidden)]
pub use tolerate::{FixedPlan, SequentialTest, Tails};
