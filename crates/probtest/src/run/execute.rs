//! One execution: the body on its stream, with its panics caught.

// Below this module, since backtraces end where its name comes.
#[cfg(feature = "tokio")]
pub(super) mod resumed;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::here::{
    self, EXPECTED, Execution, KEPT, LABELLED, Marks, NOTED, OF_INPUTS, REJECTED, SHOWN,
    UNAVAILABLE, UNDRAWN,
};
use super::{Observation, exit_guard, input, label, panics, saying, strays};
use crate::seed::TestRng;

/// Executes the body once, on a given source, and catches a panic.
pub fn once(rng: &mut TestRng, body: &mut dyn FnMut(&mut TestRng) -> Observation) -> Observation {
    get_ready();
    let outer = here::begin(Execution::of(rng), 0);
    // A panic ends the test, so nobody sees what state the body left behind.
    let result = catch_unwind(AssertUnwindSafe(|| body(rng)));
    // The payload is dropped while this still counts as the execution.
    let mut observation = result.unwrap_or_else(panics::caught);
    let marks = here::end(&outer);
    if marks & !OF_INPUTS != 0 || strays::is_news() {
        observation = settle(marks, observation);
    }
    outer.restore();
    match input::is_settled(rng, marks) {
        true => observation,
        false => input::settle(rng, marks, observation),
    }
}

/// Ends an execution that rejected, said something about itself, or during which something
/// panicked, whatever the body made of it.
#[cold]
fn settle(marks: Marks, observation: Observation) -> Observation {
    let observation = settle_panics(marks, observation);
    match marks & NOTED {
        0 => observation,
        _ => saying::noted(observation),
    }
}

fn settle_panics(marks: Marks, observation: Observation) -> Observation {
    strays::expect(marks & EXPECTED != 0);
    let labels = (marks & LABELLED != 0).then(label::take).unwrap_or_default();
    unlabelled(marks, observation).with_labels(labels)
}

fn unlabelled(marks: Marks, observation: Observation) -> Observation {
    let caught = (marks & KEPT != 0).then(panics::forget).flatten();
    // Also where nothing is made of it: it belongs to no later execution.
    let stray = strays::is_news().then(strays::take).flatten();
    if marks & UNDRAWN != 0 {
        return saying::take_undrawn();
    }
    if marks & UNAVAILABLE != 0 {
        return saying::take_unavailable();
    }
    if marks & REJECTED != 0 {
        return Observation::Rejected;
    }
    if let Observation::Rejected | Observation::Violated(_) | Observation::Broken(_) = observation {
        return observation;
    }
    match caught.or(stray) {
        Some(panic) if marks & EXPECTED == 0 => {
            Observation::Panicked { panic: Box::new(panic), otherwise: Box::new(observation) }
        }
        _ => observation,
    }
}

/// Executes the body once and lets a panic be a normal panic.
///
/// # Errors
/// With the payload of the panic, for the caller to go on unwinding. One that is not text is
/// replaced by text: libtest hangs on one whose destructor panics. A rejection is no error.
pub fn uncaught(
    rng: &mut TestRng,
    body: &mut dyn FnMut(&mut TestRng) -> Observation,
) -> std::thread::Result<Observation> {
    get_ready();
    let outer = here::begin(Execution::of(rng), SHOWN);
    let result = catch_unwind(AssertUnwindSafe(|| body(rng)));
    // Back to the outer execution, if there is one, also after a panic.
    let marks = here::end(&outer);
    let observation = match result {
        Ok(observation) => {
            let observation = settle(marks, observation);
            outer.restore();
            observation
        }
        Err(payload) if marks & REJECTED != 0 => {
            panics::drop_quietly(payload);
            settle(marks, Observation::Rejected)
        }
        Err(payload) => {
            panics::discard();
            return Err(panics::as_text(payload));
        }
    };
    Ok(input::settle(rng, marks, observation))
}

/// Prepares the process for its first execution.
#[inline]
fn get_ready() {
    static READY: Once = Once::new();
    READY.call_once(|| {
        panics::keep_quiet();
        exit_guard::watch_exits();
    });
}
