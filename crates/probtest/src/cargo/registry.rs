//! The tests of this binary, counted before the first one begins.
//!
//! Each `#[probtest]` leaves an entry that the linker collects: libtest tells a test
//! neither how many others there are nor which of them were selected, and under
//! nextest each is a process of its own. So a suite is all tests of one binary,
//! whichever are executed.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};

use super::place::Origin;
use crate::claim::Error;
use crate::settings::{Given, Share, Suite};

static TESTS: AtomicU64 = AtomicU64::new(0);

/// Counts one test. Called before `main`, once for each entry that `__counted!` has left,
/// so it does nothing that needs the runtime of Rust.
#[doc(hidden)]
pub extern "C" fn count() {
    TESTS.fetch_add(1, Ordering::Relaxed);
}

// The list of functions that a program calls before `main` is a section: the linker puts
// the entries of all tests together. All of them name one function, so that a test costs
// the compiler one pointer and no code. The static has a name that nobody uses, since
// the body of the test sees it. One macro for each kind of system: the condition is then
// looked at here, and not for each test.

#[cfg(windows)]
#[doc(hidden)]
#[macro_export]
macro_rules! __counted {
    () => {
        #[used]
        #[unsafe(link_section = ".CRT$XCU")]
        static __PROBTEST_COUNTED: extern "C" fn() = $crate::cargo::private::count;
    };
}

#[cfg(target_vendor = "apple")]
#[doc(hidden)]
#[macro_export]
macro_rules! __counted {
    () => {
        #[used]
        #[unsafe(link_section = "__DATA,__mod_init_func,mod_init_funcs")]
        static __PROBTEST_COUNTED: extern "C" fn() = $crate::cargo::private::count;
    };
}

#[cfg(not(any(windows, target_vendor = "apple")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __counted {
    () => {
        #[used]
        #[unsafe(link_section = ".init_array")]
        static __PROBTEST_COUNTED: extern "C" fn() = $crate::cargo::private::count;
    };
}

/// Says what a test is part of, by the orders of the environment.
///
/// # Errors
/// When the test was not counted: what it may get wrong would come on top.
pub(super) fn suite(given: &Given, origin: &Origin) -> Result<Suite, Error> {
    let share = |name: &str| {
        let Some(total) = given.probability(name)? else {
            return Ok(None);
        };
        // Every test with a place has left its entry.
        let tests = NonZeroU64::new(TESTS.load(Ordering::Relaxed));
        match tests.filter(|_| origin.place.is_some()) {
            Some(tests) => Ok(Some(Share::new(total.clone(), tests))),
            None => Err(Error::new(
                "this test was not counted, so the suite's part for it is not known",
                format!("PROBTEST_{}={total}", name.to_uppercase()),
                "write the test with #[probtest]; builder tests are created at run time, after the budget was divided",
            )),
        }
    };
    Ok(Suite {
        epsilon: share("suite_epsilon")?,
        false_alarm: share("suite_false_alarm")?,
    })
}
