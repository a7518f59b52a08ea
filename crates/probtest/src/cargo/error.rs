//! Why a test could not be started.

use super::environment::EnvironmentError;
use crate::check::Error;
use crate::claim::ClaimError;
use crate::claim::numeric::NumericError;
use crate::seed::Replay;

/// Says why a test could not be started. Nothing was executed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A variable of the environment has a value that it cannot have.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// A probability given in the test is none.
    #[error("{name} cannot be used: {why}")]
    Probability {
        /// The option.
        name: &'static str,
        /// What was given, what is allowed and what to do.
        why: ClaimError,
    },
    /// The claim or an option is out of range.
    #[error(transparent)]
    Test(#[from] Error),
    /// A claim on numbers or labels makes no sense.
    #[error(transparent)]
    Numeric(#[from] NumericError),
    /// Nobody said which violation probability must be caught.
    #[error(
        "the test does not say which violation probability must not go unnoticed\n  given  neither p nor outcomes\n  help   write #[probtest(p = 0.01)], or set PROBTEST_P for all tests that do not say it"
    )]
    NoP,
    /// A claim is about one violation probability or about a list of outcomes.
    #[error(
        "the test gives both p and outcomes\n  given  p and outcomes\n  help   keep p to catch violations, or outcomes to see each of them"
    )]
    Both,
    /// The suite has a chance to divide, and the test was not counted.
    #[error(
        "this test was not counted, so the suite's part for it is not known\n  given  {name}={given}\n  help   write the test with {attribute}; a test that the builder makes begins too late to be counted"
    )]
    NotCounted {
        /// The variable that divides.
        name: &'static str,
        /// Its value.
        given: String,
        /// How the test is written to be counted.
        attribute: &'static str,
    },
    /// An execution that cannot be repeated was asked for.
    #[error(
        "the executions of this test cannot be replayed\n  given  PROBTEST_REPLAY={0}\n  help   let the body take `rng: &mut TestRng` and pass it on to the program"
    )]
    NoReplay(Replay),
}
