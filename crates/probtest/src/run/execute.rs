//! One execution: the body on its stream, with its panics caught.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::here::{self, KEPT, Outer, REJECTED, SHOWN};
use super::{Observation, exit_guard, panics};
use crate::seed::TestRng;

/// Executes the body once, on a given source, and catches a panic.
pub fn once(rng: &mut TestRng, body: &mut dyn FnMut(&mut TestRng) -> Observation) -> Observation {
    get_ready();
    let outer = here::begin(rng, 0);
    // A panic ends the test, so nobody sees what state the body left behind.
    let result = catch_unwind(AssertUnwindSafe(|| body(rng)));
    // The payload is dropped while this still counts as the execution.
    let observation = result.unwrap_or_else(panics::caught);
    match here::end(&outer) {
        0 => observation,
        marks => settle(marks, observation),
    }
}

/// Ends an execution that rejected or panicked, whatever the body made of it.
#[cold]
fn settle(marks: u8, observation: Observation) -> Observation {
    if marks & KEPT != 0 {
        panics::forget();
    }
    if marks & REJECTED != 0 {
        return Observation::Rejected;
    }
    observation
}

/// Executes the body once without catching anything: a panic is a normal panic.
///
/// Only a rejection does not leave this function. A payload that is not text is
/// replaced by text: libtest hangs on one whose destructor panics.
pub fn uncaught(
    rng: &mut TestRng,
    body: &mut dyn FnMut(&mut TestRng) -> Observation,
) -> Observation {
    /// Goes back to the outer execution, if there is one, also after a panic.
    struct Back(Outer);
    impl Drop for Back {
        fn drop(&mut self) {
            here::end(&self.0);
        }
    }
    let _back = Back(here::begin(rng, SHOWN));
    match catch_unwind(AssertUnwindSafe(|| body(rng))) {
        Ok(_) if here::is_marked(REJECTED) => Observation::Rejected,
        Ok(observation) => observation,
        Err(payload) if here::is_marked(REJECTED) => {
            panics::drop_quietly(payload);
            Observation::Rejected
        }
        Err(payload) => std::panic::resume_unwind(panics::as_text(payload)),
    }
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
