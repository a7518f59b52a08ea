//! Why there is no plan.

use crate::claim::ClaimError;
use thiserror::Error;

/// Says why no count can be given: what was asked, what is possible, what to do.
///
/// ```
/// use probtest::{claim::Claim, plan::Plan};
///
/// let claim = Claim::detect(1e-20, 0.05)?;
/// let error = Plan::new(&claim).unwrap_err();
/// assert!(error.to_string().starts_with("the claim needs about 2.996e20 executions"));
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The count does not fit; no computer would finish it.
    #[error(
        "the claim needs about {about} executions, but a plan holds fewer than 2^63\n  given  {given}\n  help   raise {raise} or epsilon"
    )]
    Infeasible {
        /// About how many executions it would take, such as `2.996e20`.
        about: String,
        /// The claim in short.
        given: String,
        /// What to raise.
        raise: &'static str,
    },
    /// A claim on a mean or on labels whose decision could take too long.
    #[error(
        "the claim needs {needs}, but a plan for a mean or for labels holds at most 2^53\n  given  {given}\n  help   raise the margin or distance, epsilon or false_alarm"
    )]
    Undecidable {
        /// How many executions it would take, such as `about 5.909e18 executions`.
        needs: String,
        /// The claim in short.
        given: String,
    },
    /// So few executions that no violation probability is caught.
    #[error(
        "{} nothing: even p = 1/2 needs {needed}\n  given  {}, epsilon = {epsilon}\n  help   allow at least {} or raise epsilon",
        if *.executions == 1 { "1 execution catches".to_owned() } else { format!("{executions} executions catch") },
        counted(*.executions),
        counted(*.needed)
    )]
    NothingCaught {
        /// The executions that were given.
        executions: u64,
        /// The epsilon that was given.
        epsilon: String,
        /// The executions that p = 1/2 needs.
        needed: u64,
    },
    /// A question about zero executions.
    #[error(
        "0 executions see nothing\n  given  0 executions\n  help   ask about at least 1 execution"
    )]
    NoExecutions,
    /// The two rates are so close that telling them apart takes too long.
    #[error(
        "tolerate and p are too close: a plan would allow more than 20000 violations\n  given  {given}\n  help   move tolerate and p apart, or raise epsilon or false_alarm"
    )]
    TooClose {
        /// The claim in short.
        given: String,
    },
    /// The rates are so small that no computer would finish.
    #[error(
        "the claim needs 2^53 executions or more, and a plan with tolerate holds fewer\n  given  {given}\n  help   raise p, epsilon or false_alarm"
    )]
    TooRare {
        /// The claim in short.
        given: String,
    },
    /// An error probability that floats cannot be trusted with.
    #[error(
        "{name} is below 1e-100, the smallest that a plan with tolerate is computed for\n  given  {name} = {given}\n  help   raise {name}"
    )]
    TooSmall {
        /// `epsilon` or `false_alarm`.
        name: &'static str,
        /// What was given.
        given: String,
    },
    /// A probability in the question is no probability.
    #[error(transparent)]
    Claim(#[from] ClaimError),
}

fn counted(executions: u64) -> String {
    match executions {
        1 => "1 execution".to_owned(),
        more => format!("{more} executions"),
    }
}
