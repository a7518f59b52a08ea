//! The only place in this crate that prints.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;

use crate::run::lock;

/// Says something that is heard when the reader asks for it: libtest keeps it
/// until the test fails or `--nocapture` or `--show-output` is given.
pub(super) fn say(text: &str) {
    println!("{}", text.trim_end());
}

/// Says what belongs to a failure: shown with the failed test.
pub(super) fn complain(text: &str) {
    eprintln!("{}", text.trim_end());
}

/// Says something that must be heard although the test may pass: past libtest's
/// capture, straight to standard error.
pub(super) fn shout(text: &str) {
    // One write, so that tests on other threads do not come in between. A closed
    // standard error is no reason to fail a test.
    let _ = std::io::stderr().write_all(format!("{}\n", text.trim_end()).as_bytes());
}

/// Shouts, but only once in this process: a test inside another one begins anew
/// with each execution.
pub(super) fn shout_once(text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if lock(&SAID).insert(text.to_owned()) {
        shout(text);
    }
}
