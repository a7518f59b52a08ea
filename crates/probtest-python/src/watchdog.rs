//! Leaves an execution on a changed tape that goes on and on without drawing: zeros can make
//! a loop endless that way too.

use std::ffi::c_long;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::tapes;

/// The least time that an execution is given, and how much more than the one that was found.
const LEAST: Duration = Duration::from_secs(1);
const MORE: u32 = 20;
/// Who wakes up so late was on a machine that stood still, and the execution was too.
const LATE: Duration = Duration::from_millis(250);

/// What the watchdog looks at.
#[derive(Default)]
struct Watched {
    /// The execution under way: until when it may run, and in which thread.
    until: Option<(Instant, c_long)>,
    /// Whether it was left.
    fired: bool,
    over: bool,
}

type Shared = Arc<(Mutex<Watched>, Condvar)>;

fn lock(shared: &Shared) -> MutexGuard<'_, Watched> {
    shared.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread that waits while executions explain a violation.
#[pyclass(module = "probtest._native", frozen)]
pub struct Watchdog {
    shared: Shared,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// How long the execution took that was found.
    found_in: Duration,
}

impl Watchdog {
    pub fn new(found_in: Duration) -> Self {
        let shared = Shared::default();
        let seen = shared.clone();
        // Without a thread nobody watches.
        let thread = std::thread::Builder::new().spawn(move || watch(&seen));
        Watchdog { shared, thread: Mutex::new(thread.ok()), found_in }
    }
}

#[pymethods]
impl Watchdog {
    /// Watches an execution in a thread.
    pub fn begin(&self, thread: c_long) {
        let until = Instant::now() + LEAST.max(self.found_in.saturating_mul(MORE));
        lock(&self.shared).until = Some((until, thread));
        self.shared.1.notify_one();
    }

    /// Says whether the execution was left.
    pub fn end(&self) -> bool {
        let mut watched = lock(&self.shared);
        watched.until = None;
        std::mem::take(&mut watched.fired)
    }
}

impl Watchdog {
    /// Ends the thread.
    pub fn stop(&self, py: Python<'_>) {
        lock(&self.shared).over = true;
        self.shared.1.notify_one();
        let thread = self.thread.lock();
        if let Some(thread) = thread.unwrap_or_else(PoisonError::into_inner).take() {
            // It may be waiting for the interpreter.
            py.detach(|| {
                let _ = thread.join();
            });
        }
    }
}

fn watch(shared: &Shared) {
    let mut watched = lock(shared);
    while !watched.over {
        let now = Instant::now();
        watched = match watched.until {
            None => {
                let waited = shared.1.wait(watched);
                waited.unwrap_or_else(PoisonError::into_inner)
            }
            Some((until, _)) if until > now => {
                let waited = shared.1.wait_timeout(watched, until - now);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            Some((until, thread)) if now - until > LATE => {
                watched.until = Some((now + LEAST, thread));
                watched
            }
            Some(_) => {
                // Never waits for the interpreter with the lock: who has it may want that.
                drop(watched);
                Python::attach(|_| {
                    let mut watched = lock(shared);
                    if let Some((until, thread)) = watched.until
                        && until <= Instant::now()
                    {
                        // A program may go on after it, and has to be left again.
                        watched.until = Some((Instant::now() + LEAST, thread));
                        watched.fired = true;
                        tapes::leave_by_exception(thread);
                    }
                });
                lock(shared)
            }
        };
    }
}
