//! One execution: the body on its stream, with its panics caught.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

use super::assume::Rejection;
use super::backtrace;
use super::{Conclusion, Observation, REJECTIONS_IN_A_ROW, Record, Violation};
use crate::seed::{Stream, TestRng};

thread_local! {
    /// The execution under way on this thread; 0 between executions.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
    /// What the panic hook saw of the last panic in an execution.
    static CAUGHT: RefCell<Option<Violation>> = const { RefCell::new(None) };
}

/// Says whether this thread is inside the body of a test.
pub(super) fn is_executing() -> bool {
    CURRENT.get() != 0
}

/// Returns the execution under way on this thread, 0 for none.
pub(super) fn current() -> u64 {
    CURRENT.get()
}

/// Executes the body once, on a given source, and catches a panic.
///
/// ```
/// use probtest::run::{Observation, once};
/// use probtest::seed::{RunSeed, Stream};
///
/// let mut rng = Stream::new(RunSeed(1), "doc").execution(1);
/// let Observation::Violated(violation) = once(&mut rng, |_| assert!(1 > 2, "one is less")) else {
///     unreachable!("the body panics");
/// };
/// assert_eq!(violation.message, "one is less");
/// ```
#[inline]
pub fn once<C: Conclusion>(rng: &mut TestRng, body: impl FnOnce(&mut TestRng) -> C) -> Observation {
    keep_panics_quiet();
    let outer = CURRENT.replace(rng.execution());
    // A panic ends the test, so nobody sees what state the body left behind.
    let result = catch_unwind(AssertUnwindSafe(|| body(rng).conclude()));
    CURRENT.set(outer);
    result.unwrap_or_else(|payload| caught(&*payload))
}

/// Executes the body once without catching anything: a panic is a normal panic.
///
/// Only a rejection does not leave this function.
pub fn uncaught<C: Conclusion>(
    rng: &mut TestRng,
    body: impl FnOnce(&mut TestRng) -> C,
) -> Observation {
    /// Ends the execution also when the body panics.
    struct Executing;
    impl Drop for Executing {
        fn drop(&mut self) {
            CURRENT.set(0);
            SHOWN.set(false);
        }
    }
    CURRENT.set(rng.execution());
    SHOWN.set(true);
    let _executing = Executing;
    match catch_unwind(AssertUnwindSafe(|| body(rng).conclude())) {
        Ok(observation) => observation,
        Err(payload) if payload.is::<Rejection>() => Observation::Rejected,
        Err(payload) => std::panic::resume_unwind(payload),
    }
}

thread_local! {
    /// Whether a panic on this thread goes to the ordinary hook all the same.
    static SHOWN: Cell<bool> = const { Cell::new(false) };
}

/// Executes one counted execution: rejected attempts are drawn again.
#[inline]
pub fn count(
    stream: &Stream,
    index: u64,
    body: &mut impl FnMut(&mut TestRng) -> Observation,
) -> Record {
    let mut rejected = 0;
    let mut drew = false;
    loop {
        let mut rng = stream.attempt(index, rejected);
        let observation = once(&mut rng, &mut *body);
        drew |= rng.has_drawn();
        if observation == Observation::Rejected {
            rejected += 1;
            if rejected < REJECTIONS_IN_A_ROW {
                continue;
            }
        }
        return Record {
            index,
            rejected,
            drew,
            observation,
        };
    }
}

/// Makes the panic hook keep panics of executions to itself.
///
/// The hook of the program stays in place for everything else.
#[inline]
fn keep_panics_quiet() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let ordinary = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if is_executing() && !SHOWN.get() {
                let violation = describe(info);
                CAUGHT.with_borrow_mut(|caught| *caught = Some(violation));
            } else {
                ordinary(info);
            }
        }));
    });
}

#[cold]
fn caught(payload: &(dyn Any + Send)) -> Observation {
    if payload.is::<Rejection>() {
        return Observation::Rejected;
    }
    let seen = CAUGHT.with_borrow_mut(Option::take);
    // Without the hook (a body may set its own) the payload still has the message.
    let violation = seen.unwrap_or_else(|| Violation::new(message(payload)));
    Observation::Violated(Box::new(violation))
}

fn describe(info: &PanicHookInfo<'_>) -> Violation {
    // Captures nothing unless RUST_BACKTRACE asks for it.
    let backtrace = Backtrace::capture();
    Violation {
        message: message(info.payload()),
        location: info.location().map(ToString::to_string),
        details: (backtrace.status() == BacktraceStatus::Captured)
            .then(|| backtrace::text(&backtrace.to_string())),
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic with a payload that is not text".to_owned()
    }
}
