//! Why there is no plan.

use crate::claim::{Error, Probability};

/// The count does not fit; no computer would finish it.
pub(super) fn infeasible(about: &str, given: String, raise: &str) -> Error {
    Error::new(
        format!("the claim needs about {about} executions, but a plan holds fewer than 2^63"),
        given,
        format!("raise {raise} or epsilon"),
    )
}

/// A claim on a mean or on labels whose decision could take too long.
pub(super) fn undecidable(needs: &str, given: String) -> Error {
    Error::new(
        format!("the claim needs {needs}, but a plan for a mean or for labels holds at most 2^53"),
        given,
        "raise the margin or distance, epsilon or false_alarm",
    )
}

/// So few executions that no violation probability is caught.
pub(super) fn nothing_caught(executions: u64, epsilon: &Probability, needed: u64) -> Error {
    let counted = |count: u64| match count {
        1 => "1 execution".to_owned(),
        more => format!("{more} executions"),
    };
    let catch = if executions == 1 { "catches" } else { "catch" };
    Error::new(
        format!(
            "{} {catch} nothing: even p = 1/2 needs {needed}",
            counted(executions)
        ),
        format!("{}, epsilon = {epsilon}", counted(executions)),
        format!("allow at least {} or raise epsilon", counted(needed)),
    )
}

/// A question about zero executions.
pub(super) fn no_executions() -> Error {
    Error::new(
        "0 executions see nothing",
        "0 executions",
        "ask about at least 1 execution",
    )
}

/// The two rates are so close that telling them apart takes too long.
pub(super) fn too_close(given: String) -> Error {
    Error::new(
        "tolerate and p are too close: a plan would allow more than 20000 violations",
        given,
        "move tolerate and p apart, or raise epsilon or false_alarm",
    )
}

/// The rates are so small that no computer would finish.
pub(super) fn too_rare(given: String) -> Error {
    Error::new(
        "the claim needs 2^53 executions or more, and a plan with tolerate holds fewer",
        given,
        "raise p, epsilon or false_alarm",
    )
}

/// An error probability that floats cannot be trusted with.
pub(super) fn too_small(name: &'static str, given: &Probability) -> Error {
    Error::new(
        format!("{name} is below 1e-100, the smallest that a plan with tolerate is computed for"),
        format!("{name} = {given}"),
        format!("raise {name}"),
    )
}
