//! Which rates and means fit what was seen, when looked at after any execution?
//!
//! A confidence sequence is an interval for each number of executions such that
//! all of them together hold the true value with the confidence asked for. So
//! one may stop when the interval is narrow enough, or when it decides a claim,
//! and quote it. A plain interval, quoted after such a stop, covers too little.

mod aimed;
mod bank;
mod mean;
mod rate;

pub use aimed::AimedSequence;
pub(crate) use bank::{Bank, Bet};
pub use mean::MeanSequence;
pub use rate::ConfidenceSequence;
