//! The only place in this crate that prints.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;

use crate::run::lock;

/// Prints something for readers who ask for it: libtest hides it unless the test fails or
/// `--nocapture` or `--show-output` is given.
pub(super) fn say(text: &str) {
    println!("{}", text.trim_end());
}

/// Prints something about a failure, which is shown with the failed test.
pub(super) fn complain(text: &str) {
    eprintln!("{}", text.trim_end());
}

/// Prints something that must be seen even if the test passes: bypasses libtest's capture and goes
/// straight to standard error.
pub(super) fn shout(text: &str) {
    // One write, so that output of other threads can't come in between. A closed standard error is
    // no reason to fail a test.
    let _ = std::io::stderr().write_all(format!("{}\n", text.trim_end()).as_bytes());
}

/// Shouts, but only once per process: a test inside another one starts again with each execution.
pub(super) fn shout_once(text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if lock(&SAID).insert(text.to_owned()) {
        shout(text);
    }
}
