//! A body that ends the process must not count as a pass.
//!
//! `std::process::exit(0)` in a test ends the whole test binary with success:
//! cargo sees no failure, and no test is reported at all. A handler at exit turns
//! that into exit code 101 and says who did it. Abort and stack overflow end the
//! process by a signal, which cargo reports; a handler says which execution it was.

use std::ffi::c_int;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, Once, TryLockError};

use super::{here, lock};
use crate::seed::Selection;

/// The tests that are running in this process.
static TESTS: Mutex<Vec<Guarded>> = Mutex::new(Vec::new());

/// The process whose exits count. One that it forks has the handlers as well, and may end as it likes.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// The exit code of a test binary with failed tests.
const FAILED: c_int = 101;

const HELP: &str = "  help      return from the body instead of calling exit, or test the program with `probtest run`";

// SAFETY: both are functions of the C library, which std links on every platform
// that has processes, with these signatures.
unsafe extern "C" {
    fn atexit(handler: extern "C" fn()) -> c_int;
    fn _exit(code: c_int) -> !;
}

/// What is said about a test that the process does not survive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarded {
    /// The id of the test.
    pub test: String,
    /// The command that starts it, where its executions can be replayed.
    pub command: Option<String>,
}

/// While it lives, leaving the process is a failure, from whatever thread.
///
/// Without it, only leaving from inside an execution is.
#[derive(Debug)]
pub struct ExitGuard(Guarded);

impl ExitGuard {
    /// Begins to guard.
    pub fn new(test: Guarded) -> Self {
        watch_exits();
        #[cfg(unix)]
        super::abort::watch();
        lock(&TESTS).push(test.clone());
        ExitGuard(test)
    }
}

impl Drop for ExitGuard {
    fn drop(&mut self) {
        let mut tests = lock(&TESTS);
        if let Some(place) = tests.iter().rposition(|test| *test == self.0) {
            tests.swap_remove(place);
        }
    }
}

/// Prints the last words of this process.
pub(super) fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Watches every exit of this process from now on.
pub(super) fn watch_exits() {
    belong_to_this_process();
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the handler is a plain function that lives as long as the
        // program and does not unwind.
        unsafe { atexit(at_exit) };
    });
}

/// Says that tests run in this process, which may have been forked from one that ran others.
pub(crate) fn belong_to_this_process() {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// Whether a test has forked this process. Signal handlers ask: it takes no lock and allocates nothing.
pub(super) fn is_forked() -> bool {
    PROCESS.load(Ordering::Relaxed) != std::process::id()
}

extern "C" fn at_exit() {
    if is_forked() {
        return;
    }
    let execution = here::execution();
    let text = match TESTS.try_lock() {
        Ok(tests) if execution.is_none() && tests.is_empty() => return,
        Ok(tests) => words(execution, &tests),
        Err(TryLockError::Poisoned(tests)) => words(execution, &tests.into_inner()),
        // Another thread begins or ends a test.
        Err(TryLockError::WouldBlock) => words(execution, &[]),
    };
    say(&text);
    // SAFETY: ends the process at once; we are in its exit handlers already.
    unsafe { _exit(FAILED) }
}

fn words(execution: Option<Selection>, tests: &[Guarded]) -> String {
    let Some(execution) = execution else {
        let names: Vec<&str> = tests.iter().map(|test| test.test.as_str()).collect();
        let names = match names.len() {
            0 => "a test".to_owned(),
            _ => names.join(", "),
        };
        return format!(
            "\nprobtest: the process exited while {names} was running; that is not a pass\n{HELP}"
        );
    };
    let guarded = tests.iter().find(|test| execution.covers(&test.test));
    let name = guarded.map_or("a test", |guarded| &guarded.test);
    let address = execution.address;
    let mut text = format!(
        "\nprobtest: the process exited in the body of {name}, in execution {}; that is not a pass\n  seed      {}, execution {}\n",
        address.index, address.seed, address.index
    );
    if let Some(command) = guarded.and_then(|guarded| guarded.command.as_deref()) {
        let _ = writeln!(text, "  replay    PROBTEST_REPLAY={execution} {command}");
    }
    text.push_str(HELP);
    text
}
