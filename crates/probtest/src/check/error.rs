//! Why a test could not be started.

use super::MOST_JOBS;
use crate::budget::TimeError;
use crate::claim::ClaimError;
use crate::claim::numeric::NumericError;
use crate::judge::interval::IntervalError;
use crate::plan::PlanError;
use crate::seed::{Replay, SeedError};

/// Says why a test could not be started. Nothing was executed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The claim makes no sense.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// A claim on numbers or labels makes no sense.
    #[error(transparent)]
    Numeric(#[from] NumericError),
    /// The claim has no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A seed or replay address cannot be read.
    #[error(transparent)]
    Seed(#[from] SeedError),
    /// A span of time is out of range.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// A width or a confidence makes no interval.
    #[error(transparent)]
    Interval(#[from] IntervalError),
    /// One execution estimates nothing and decides no claim on a mean.
    #[error(
        "one execution alone estimates and decides nothing\n  given  {0}\n  help   give the seed to execute all of it again, or replay the execution alone with probtest::run"
    )]
    Alone(Replay),
    /// What a claim on numbers or labels attains before its decision is no weaker
    /// claim that could be accepted.
    #[error(
        "a claim on a mean or on labels and an estimate are decided as a whole: nothing less can be accepted\n  given  on_budget = \"pass\"\n  help   leave on_budget out; where time or executions end first, the report says what is known so far"
    )]
    OnBudget,
    /// The number of threads is out of range.
    #[error(
        "jobs is {given}, but a test runs on 1 to {MOST_JOBS} threads\n  given  {given}\n  help   leave jobs out for one thread"
    )]
    Jobs {
        /// The number given.
        given: usize,
    },
    /// A limit of zero leaves nothing to execute.
    #[error(
        "{name} is 0, but a test needs at least one\n  given  0\n  help   leave {name} out for no limit of your own"
    )]
    Zero {
        /// The limit.
        name: &'static str,
    },
}
