//! A body that ends the process must not read as a pass.
//!
//! `std::process::exit(0)` in a test ends the whole test binary with success:
//! cargo sees no failure, and no test is reported at all. While a test is under
//! way a handler at exit turns that into exit code 101 and says who did it.
//! Abort and stack overflow end the process by a signal, which cargo reports.

use std::ffi::c_int;
use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::execute;

/// The tests under way in this process.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// The exit code of a test binary with failed tests.
const FAILED: c_int = 101;

// SAFETY: both are functions of the C library, which std links on every platform
// that has processes, with these signatures.
unsafe extern "C" {
    fn atexit(handler: extern "C" fn()) -> c_int;
    fn _exit(code: c_int) -> !;
}

/// While it lives, leaving the process is a failure.
#[derive(Debug)]
pub struct ExitGuard(());

impl ExitGuard {
    /// Begins to guard.
    pub fn new() -> Self {
        static REGISTERED: Once = Once::new();
        REGISTERED.call_once(|| {
            // SAFETY: the handler is a plain function that lives as long as the
            // program and does not unwind.
            unsafe { atexit(at_exit) };
        });
        UNDER_WAY.fetch_add(1, Ordering::SeqCst);
        ExitGuard(())
    }
}

impl Default for ExitGuard {
    fn default() -> Self {
        ExitGuard::new()
    }
}

impl Drop for ExitGuard {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    }
}

extern "C" fn at_exit() {
    if UNDER_WAY.load(Ordering::SeqCst) == 0 {
        return;
    }
    let by = match execute::current() {
        0 => String::from("while a test was under way"),
        index => format!("by the body of a test, in execution {index}"),
    };
    let _ = writeln!(
        std::io::stderr(),
        "\nprobtest: the process was ended {by}; nothing passed\n  help   return from the body instead of calling exit, or test the program with `probtest run`"
    );
    // SAFETY: ends the process at once; we are in its exit handlers already.
    unsafe { _exit(FAILED) }
}
