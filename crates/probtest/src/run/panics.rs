//! Panics of executions: kept quiet, described, and separated from other panics.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::backtrace::{self, HARNESS};
use super::saying::Rejection;
use super::{Observation, Violation, exit_guard, here, strays};
use crate::seed::GaveUp;

/// The panic payload for an input that can't be drawn, with the reason.
pub(super) struct Undrawn(pub(super) String);

/// How many of the latest panics of one execution are kept: a body may catch any number.
const KEPT: usize = 8;

/// What Rust prints when a panic can't unwind and the process aborts.
const LAST: [&str; 2] =
    ["panic in a function that cannot unwind", "panic in a destructor during cleanup"];

/// Frames of runtimes that catch the panic of a task: only code that joins the task sees it.
const TASKS: [&str; 2] = ["tokio::runtime::task", "async_task::"];

/// How many panics are searched for such frames before a body has caught one: a search takes
/// longer than the panic itself.
const SEARCHED: u64 = 64;

/// Panics of an execution, as the hook saw them.
pub(super) type SeenPanics = Vec<(Violation, Option<Backtrace>)>;

thread_local! {
    static SEEN: RefCell<SeenPanics> = const { RefCell::new(Vec::new()) };
}

/// Replaces the panics of the current execution, and returns the previous ones.
pub(super) fn replace(seen: SeenPanics) -> SeenPanics {
    SEEN.replace(seen)
}

/// The number of panics in executions so far.
static PANICS: AtomicU64 = AtomicU64::new(0);
/// Whether a body has caught a panic: from then on, every panic is searched.
static CAUGHT: AtomicBool = AtomicBool::new(false);

/// Installs a panic hook that keeps panics of executions quiet. The program's hook gets all others.
pub(super) fn keep_quiet() {
    let ordinary = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if here::execution().is_none() {
            strays::look_at(|| describe(info));
            ordinary(info);
        } else if here::is_marked(here::SHOWN) {
            // A runtime may catch it silently.
            keep(describe(info));
            ordinary(info);
        } else if LAST.contains(&message(info.payload()).as_str()) {
            // Nothing can catch it, so print the kept panics now.
            for (violation, _) in SEEN.take() {
                exit_guard::say(&violation.to_string());
            }
            ordinary(info);
        } else {
            keep(describe(info));
        }
    }));
}

fn keep(violation: Violation) {
    let searched =
        CAUGHT.load(Ordering::Relaxed) || PANICS.fetch_add(1, Ordering::Relaxed) < SEARCHED;
    // Symbols are resolved only if it is read, and most never are.
    let backtrace = searched.then(Backtrace::force_capture);
    SEEN.with_borrow_mut(|seen| {
        if seen.len() == KEPT {
            seen.remove(0);
        }
        seen.push((violation, backtrace));
    });
    here::mark(here::KEPT);
}

/// Forgets the panics of a finished execution, and returns the last one that a runtime caught
/// without the body noticing.
pub(super) fn forget() -> Option<Violation> {
    let seen = SEEN.take();
    if !seen.is_empty() {
        CAUGHT.store(true, Ordering::Relaxed);
    }
    let in_task = |(_, backtrace): &(Violation, Option<Backtrace>)| {
        let frames = backtrace.as_ref().map(ToString::to_string);
        // The test itself may be a task: frames below the body don't count.
        let frames = frames.as_deref().and_then(|all| all.split(HARNESS).next());
        frames.is_some_and(|body| TASKS.iter().any(|name| body.contains(name)))
    };
    seen.into_iter().rev().find(in_task).map(|(violation, _)| violation)
}

/// Turns the panic that left the body into an observation.
#[cold]
pub(super) fn caught(payload: Box<dyn Any + Send>) -> Observation {
    let observation = if payload.is::<Rejection>() || payload.is::<GaveUp>() {
        Observation::Rejected
    } else if let Some(undrawn) = payload.downcast_ref::<Undrawn>() {
        SEEN.take();
        Observation::Broken(undrawn.0.clone())
    } else {
        let message = message(&*payload);
        // The body may have caught other panics before. If the hook didn't see this one (the body
        // may set its own, or resume the panic of a thread), the payload has the message.
        let seen = SEEN.take().into_iter().map(|(violation, _)| violation);
        let violation = seen.rev().find(|violation| violation.message == message);
        let violation = violation.unwrap_or_else(|| Violation::new(message));
        Observation::Violated(Box::new(violation))
    };
    drop_quietly(payload);
    observation
}

/// Returns a payload that is safe to drop.
pub(super) fn as_text(payload: Box<dyn Any + Send>) -> Box<dyn Any + Send> {
    if payload.is::<&str>() || payload.is::<String>() {
        return payload;
    }
    Box::new(text_of(payload))
}

/// Returns the text of a payload, and drops it.
pub(super) fn text_of(payload: Box<dyn Any + Send>) -> String {
    let text = message(&*payload);
    drop_quietly(payload);
    text
}

/// Whether probtest itself unwound the body.
#[cfg(any(feature = "proptest", feature = "arbitrary"))]
pub(super) fn is_ours(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Rejection>() || payload.is::<GaveUp>() || payload.is::<Undrawn>()
}

/// Drops a payload, whose destructor belongs to the program and may panic too.
pub(super) fn drop_quietly(payload: Box<dyn Any + Send>) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // The destructor of this one may panic as well, and so on.
        std::mem::forget(second);
    }
}

fn describe(info: &PanicHookInfo<'_>) -> Violation {
    // Captures nothing unless RUST_BACKTRACE is set.
    let backtrace = Backtrace::capture();
    Violation {
        message: message(info.payload()),
        location: info.location().map(ToString::to_string),
        details: (backtrace.status() == BacktraceStatus::Captured)
            .then(|| backtrace::text(&backtrace.to_string())),
        kind: None,
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else if let Some(Undrawn(why)) = payload.downcast_ref() {
        why.clone()
    } else {
        "a panic with a payload that is not text".to_owned()
    }
}
