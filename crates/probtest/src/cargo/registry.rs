//! The tests of this binary, counted before the first one starts.
//!
//! Each `#[probtest]` leaves an entry that the linker collects: a test can't ask libtest how many
//! others there are or which were selected, and under nextest each test is its own process. So a
//! suite is all tests of one binary, whichever of them run. Only time is shared among those that
//! run.

use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use super::place::Origin;
use crate::claim::Error;
use crate::run::lock;
use crate::settings::{Given, Share, Suite};

static TESTS: AtomicU64 = AtomicU64::new(0);

/// Counts one test. Called before `main`, once for each entry left by `__counted!`, so it must not
/// use anything that needs Rust's runtime.
#[doc(hidden)]
pub extern "C" fn count() {
    TESTS.fetch_add(1, Ordering::Relaxed);
}

// A section lists the functions that a program calls before `main`; the linker puts the entries of
// all tests there. They all name the same function, so a test costs the compiler one pointer and no
// code. The static has an unlikely name, since the body of the test can see it. There is one macro
// per kind of system, so that the condition is evaluated here and not for each test.

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

/// The suite that a test belongs to, according to the environment.
///
/// # Errors
/// When the test wasn't counted: its chance of error would add to that of the suite.
pub(super) fn suite(given: &Given, origin: &Origin) -> Result<Suite, Error> {
    let share = |name: &str| {
        let Some(total) = given.probability(name)? else {
            return Ok(None);
        };
        // Every test with a place has left an entry.
        let tests = NonZeroU64::new(TESTS.load(Ordering::Relaxed));
        match tests.filter(|_| origin.place.is_some()) {
            Some(tests) => Ok(Some(Share::new(total.clone(), tests))),
            None => Err(Error::new(
                "this test was not counted, so its share of the suite is unknown",
                format!("PROBTEST_{}={total}", name.to_uppercase()),
                "write the test with #[probtest]; builder tests are created at run time, after the budget was divided",
            )),
        }
    };
    Ok(Suite { epsilon: share("suite_epsilon")?, false_alarm: share("suite_false_alarm")? })
}

/// How many tests share the remaining time of the suite, one after the other, including this one,
/// which starts now.
pub(super) fn remaining(given: &Given, origin: &Origin, id: &str) -> Result<u64, Error> {
    static BEGUN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    static SELECTED: OnceLock<(u64, u64)> = OnceLock::new();
    if origin.place.is_none() || given.duration("suite_max_time")?.is_none() {
        return Ok(1);
    }
    let (tests, threads) = *SELECTED.get_or_init(|| {
        let line = LibtestArguments::of(std::env::args().skip(1));
        let all = TESTS.load(Ordering::Relaxed);
        let listed = line.filters.then(listed).flatten();
        (listed.map_or(all, |listed| listed.min(all)), line.threads)
    });
    let mut begun = lock(&BEGUN);
    begun.insert(id.to_owned());
    let before = begun.len() as u64 - 1;
    Ok(tests.saturating_sub(before).div_ceil(threads).max(1))
}

/// Asks this binary how many tests its command-line arguments select. A test with a place was
/// called by libtest, so libtest answers.
fn listed() -> Option<u64> {
    let answer = Command::new(std::env::current_exe().ok()?)
        .args(std::env::args_os().skip(1))
        .args(["--list", "--format=terse"])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&answer.stdout);
    let count = text.lines().filter(|line| line.ends_with(": test")).count();
    (answer.status.success() && count > 0).then_some(count as u64)
}

/// The parts of libtest's command line that matter here.
struct LibtestArguments {
    /// Whether only some of the tests run.
    filters: bool,
    threads: u64,
}

impl LibtestArguments {
    fn of(words: impl IntoIterator<Item = String>) -> Self {
        const WITH_VALUE: [&str; 6] =
            ["--test-threads", "--logfile", "--color", "--format", "--shuffle-seed", "-Z"];
        let usual = || std::thread::available_parallelism().map_or(1, |threads| threads.get());
        let told = std::env::var("RUST_TEST_THREADS").ok();
        let mut line = LibtestArguments {
            filters: false,
            threads: told.and_then(|told| told.parse().ok()).unwrap_or_else(|| usual() as u64),
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option.to_owned(), Some(value.to_owned())),
                None => (word, None),
            };
            let takes = WITH_VALUE.contains(&option.as_str());
            let value = value.or_else(|| takes.then(|| words.next()).flatten());
            match (option.as_str(), value) {
                ("--test-threads", Some(count)) => {
                    line.threads = count.parse().unwrap_or(line.threads);
                }
                ("--skip" | "--ignored", _) => line.filters = true,
                (option, _) => line.filters |= !option.starts_with('-'),
            }
        }
        line.threads = line.threads.max(1);
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_libtest_say_whether_all_tests_are_executed_and_on_how_many_threads() {
        let line = |words: &str| LibtestArguments::of(words.split_whitespace().map(str::to_owned));
        for (words, filters) in [
            ("", false),
            ("--nocapture --test-threads 3 --format pretty", false),
            ("--color=always -Z unstable-options --include-ignored", false),
            ("walk", true),
            ("--exact walk::far --nocapture", true),
            ("--skip far", true),
            ("--skip=far", true),
            ("--ignored", true),
        ] {
            assert_eq!(line(words).filters, filters, "{words}");
        }
        assert_eq!(line("--test-threads=3").threads, 3);
        assert_eq!(line("--test-threads 4 walk").threads, 4);
        assert!(line("--test-threads none").threads >= 1);
    }
}
