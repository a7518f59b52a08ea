//! Panics on threads that a body starts and doesn't join.
//!
//! The hook sees such a panic on a thread that executes nothing. Finding the execution it belongs
//! to takes a property that threads inherit and nothing else uses: on Linux the timer slack, whose
//! nanoseconds are a number of ours while a thread executes bodies. On other systems, a panic can
//! only be assigned if a single thread executes.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Violation, lock};

/// How many such panics there were.
static SEEN: AtomicU64 = AtomicU64::new(0);
/// The executing threads, by number, each with the last panic of a thread that it started.
static EXECUTING: Mutex<Vec<(u64, Option<Violation>)>> = Mutex::new(Vec::new());
/// The next number. Slack is 50 000 ns by default; ours are slightly larger.
static NAMES: AtomicU64 = AtomicU64::new(FIRST);
const FIRST: u64 = 50_001;

thread_local! {
    /// How many of them this thread has seen. One may occur between two executions, or after the
    /// last.
    static ASKED: Cell<u64> = const { Cell::new(0) };
    /// Whether the last execution of this thread expected them.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Whether there was such a panic since this thread last checked; it may belong to another.
#[inline]
pub(super) fn is_news() -> bool {
    SEEN.load(Ordering::Relaxed) != ASKED.get()
}

/// Says whether the execution that has just ended expects such panics.
#[inline]
pub(super) fn expect(expected: bool) {
    EXPECTED.set(expected);
}

/// Takes the last panic of a thread started by this one, if there is one.
#[cold]
pub(super) fn take() -> Option<Violation> {
    let mut executing = lock(&EXECUTING);
    ASKED.set(SEEN.load(Ordering::Relaxed));
    let name = inherited::get();
    let own = match executing.as_mut_slice() {
        [only] if name.is_none() => Some(only),
        all => all.iter_mut().find(|(own, _)| Some(*own) == name),
    };
    own?.1.take()
}

/// While it lives, panics of threads started by this one are noticed.
#[derive(Debug)]
pub struct Watched {
    name: u64,
    before: Option<u64>,
}

impl Watched {
    /// Starts watching.
    pub fn new() -> Self {
        let name = NAMES.fetch_add(1, Ordering::Relaxed);
        lock(&EXECUTING).push((name, None));
        ASKED.set(SEEN.load(Ordering::Relaxed));
        EXPECTED.set(false);
        Watched { name, before: inherited::set(name) }
    }

    /// Takes a panic that came after the last execution, unless that execution expected it.
    pub fn late(&self) -> Option<Violation> {
        let panic = is_news().then(take).flatten();
        panic.filter(|_| !EXPECTED.get())
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        lock(&EXECUTING).retain(|(name, _)| *name != self.name);
        if let Some(before) = self.before {
            inherited::set(before);
        }
    }
}

/// Assigns a panic on a thread that executes nothing.
pub(super) fn look_at(panic: impl FnOnce() -> Violation) {
    let mut executing = lock(&EXECUTING);
    let alone = executing.len() == 1;
    let own = match inherited::get() {
        Some(name) => match executing.iter().position(|(own, _)| *own == name) {
            // A pool thread that an earlier test started.
            None if name >= FIRST && alone => Some(0),
            own => own,
        },
        None => alone.then_some(0),
    };
    if let Some(own) = own {
        executing[own].1 = Some(panic());
        SEEN.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(target_os = "linux")]
mod inherited {
    use std::ffi::{c_int, c_ulong};

    const PR_SET_TIMERSLACK: c_int = 29;
    const PR_GET_TIMERSLACK: c_int = 30;

    // SAFETY: a function of the C library with this signature.
    unsafe extern "C" {
        fn prctl(option: c_int, ...) -> c_int;
    }

    pub fn get() -> Option<u64> {
        // SAFETY: queries a number of this thread; no pointer is passed.
        let slack = unsafe { prctl(PR_GET_TIMERSLACK) };
        u64::try_from(slack).ok()
    }

    /// Gives this thread a number and returns its previous one.
    pub fn set(name: u64) -> Option<u64> {
        let before = get()?;
        // SAFETY: changes by a few nanoseconds how late a sleep of this thread may end.
        unsafe { prctl(PR_SET_TIMERSLACK, name as c_ulong) };
        Some(before)
    }
}

#[cfg(not(target_os = "linux"))]
mod inherited {
    pub fn get() -> Option<u64> {
        None
    }

    pub fn set(_name: u64) -> Option<u64> {
        None
    }
}
