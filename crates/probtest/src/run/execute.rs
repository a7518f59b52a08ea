//! One execution: the body on its stream, with its panics caught.

// Below this module, since backtraces are cut where its name appears.
#[cfg(feature = "tokio")]
pub(super) mod resumed;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::here::{
    self, ASKED_INPUT, DREW_INPUT, EXPECTED, Execution, INPUT_REJECTED, KEPT, LENT, Marks,
    OF_INPUTS, REJECTED, SAID_SOMETHING, SHOWN,
};
use super::saying::{self, Statements};
use super::{Observation, exit_guard, panics, strays};
use crate::seed::TestRng;

/// Executes the body once, on a given source, and catches a panic.
pub fn once(rng: &mut TestRng, body: &mut dyn FnMut(&mut TestRng) -> Observation) -> Observation {
    get_ready();
    let outer = here::begin(|| Execution::of(rng), 0);
    // A panic ends the test, so the state that the body leaves is never seen.
    let result = catch_unwind(AssertUnwindSafe(|| body(rng)));
    // The payload is dropped while this still counts as the execution.
    let observation = match result {
        Ok(observation) => observation,
        Err(payload) => panics::caught(payload),
    };
    let marks = here::end(&outer);
    // Nothing happened to most executions, and moving an observation takes as long as looking.
    if marks == 0 && !strays::is_news() && !rng.shares_input() {
        return observation;
    }
    settle_all(rng, marks, observation)
}

#[inline(never)]
fn settle_all(rng: &mut TestRng, marks: Marks, mut observation: Observation) -> Observation {
    if marks & !OF_INPUTS != 0 || strays::is_news() {
        observation = settle(marks, observation);
    }
    settle_input(rng, marks, observation)
}

/// Ends an execution that rejected, said something about itself, or during which something
/// panicked, whatever the body made of it.
#[cold]
fn settle(marks: Marks, observation: Observation) -> Observation {
    let is_marked = |mark| marks & mark != 0;
    strays::expect(is_marked(EXPECTED));
    // Taken even where nothing is made of them: they belong to no later execution.
    let said = is_marked(SAID_SOMETHING).then(|| saying::replace(Statements::default()));
    let caught = is_marked(KEPT).then(panics::forget).flatten();
    let stray = strays::is_news().then(strays::take).flatten();
    let did = match observation {
        _ if is_marked(REJECTED) => Observation::Rejected,
        Observation::Rejected | Observation::Violated(_) | Observation::Broken(_) => observation,
        _ => match caught.or(stray) {
            Some(panic) if !is_marked(EXPECTED) => {
                Observation::Panicked { panic: Box::new(panic), otherwise: Box::new(observation) }
            }
            _ => observation,
        },
    };
    said.unwrap_or_default().about(did)
}

/// Ends an execution that may have drawn inputs: notes whether it has.
fn settle_input(rng: &mut TestRng, marks: Marks, observation: Observation) -> Observation {
    if !rng.shares_input() {
        if marks & (DREW_INPUT | LENT) == DREW_INPUT {
            rng.take_input();
        }
        return observation;
    }
    if marks & INPUT_REJECTED != 0 {
        // Whatever was drawn before, only another input helps.
        rng.rewind_stream();
    }
    settle_shared(marks & ASKED_INPUT != 0, observation)
}

/// Ends an execution that shares its input with others, whether it drew that input or not.
#[cold]
pub fn settle_shared(drew: bool, observation: Observation) -> Observation {
    match drew || !holds(&observation) {
        true => observation,
        false => Observation::Broken(
            "the test sets inputs, but the body drew none in this execution".into(),
        ),
    }
}

/// Whether the assertion held, whatever else the execution said.
fn holds(observation: &Observation) -> bool {
    match observation {
        Observation::Labelled(labelled) => holds(&labelled.0),
        Observation::Noted { otherwise, .. }
        | Observation::Larger { otherwise, .. }
        | Observation::Panicked { otherwise, .. } => holds(otherwise),
        Observation::Rejected
        | Observation::Violated(_)
        | Observation::Broken(_)
        | Observation::Unavailable { .. } => false,
        _ => true,
    }
}

/// Hands the generator to a body that takes it besides its inputs.
#[inline]
pub fn lent(rng: &mut TestRng) -> &mut TestRng {
    here::mark(LENT);
    rng
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
    let outer = here::begin(|| Execution::of(rng), SHOWN);
    let result = catch_unwind(AssertUnwindSafe(|| body(rng)));
    let marks = here::end(&outer);
    let observation = match result {
        Ok(observation) => settle(marks, observation),
        Err(payload) if marks & REJECTED != 0 => {
            panics::drop_quietly(payload);
            settle(marks, Observation::Rejected)
        }
        Err(payload) => {
            // Its own panic goes on.
            panics::replace(Vec::new());
            return Err(panics::as_text(payload));
        }
    };
    Ok(settle_input(rng, marks, observation))
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
