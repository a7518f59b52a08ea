//! What a test leaves on the disk: its counterexamples and its report.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use probtest_facts::TestFacts;

use super::memory::{self, Notebook, write_whole};
use super::place::Origin;
use super::seen::Seen;
use super::terminal;
use crate::machine::file_name;
use crate::report::Report;
use crate::seed::{Address, Tape};

/// The longest tape that stands in a line to copy.
const LONGEST_TAPE: usize = 300;

/// Counterexamples that this process has found. An id may be used twice, and what
/// one test finds the other must not take for fixed.
static FOUND: Mutex<Seen> = Seen::none();
/// Reports of this process on tests that did not pass.
static FAILED: Mutex<Seen> = Seen::none();

/// Remembers the counterexample of a report and forgets what is fixed.
pub(super) fn remember(report: &Report, notebook: Option<&Notebook>) {
    let Some(notebook) = notebook else { return };
    let mut found = Seen::of(&FOUND);
    let key = |replay: &Address| {
        format!(
            "{}
{replay}",
            notebook.file().display()
        )
    };
    let fixed = report.remembered().did_not_violate().iter();
    let fixed: Vec<Address> =
        fixed.filter(|replay| !found.contains(&key(replay))).copied().collect();
    let mut written = match fixed.as_slice() {
        [] => Ok(()),
        fixed => notebook.forget(fixed),
    };
    if let (Some(address), true) = (report.address(), report.violation().is_some()) {
        found.insert(&key(&address));
        written = written.and_then(|()| notebook.add(address, report.small_tape().as_ref()));
    }
    if let Err(error) = written {
        terminal::shout(&format!(
            "probtest: warning: the counterexample cannot be remembered: {error}\n  help   set PROBTEST_MEMORY to a folder that you can write to, or to off"
        ));
    }
}

/// The text of a tape, or where it is longer than a line, the file that it was written to.
pub(super) fn tape_or_file(tape: &Tape, notebook: Option<&Notebook>) -> Option<String> {
    let text = tape.to_string();
    if text.len() <= LONGEST_TAPE {
        return Some(text);
    }
    let file = notebook?.file().with_extension("tape");
    let file = std::path::absolute(file).ok()?;
    write_whole(&file, &text).ok()?;
    Some(format!("@{}", file.display()))
}

/// Writes that a test has begun, over what another run has said about it: if the process
/// dies, that stays, and neither a pass of another day nor nothing at all.
pub(super) fn begin_report(folder: &Path, origin: &Origin, test: &str, facts: TestFacts) {
    let file = report_file(folder, origin, test);
    if !Seen::of(&FAILED).contains(&file.to_string_lossy()) {
        write(&file, origin, facts);
    }
}

fn report_file(folder: &Path, origin: &Origin, test: &str) -> PathBuf {
    folder.join(format!("{}.json", file_name(&origin.key(), test)))
}

/// Writes the JSON form of a report, with the package and the target: an id alone
/// may stand for several tests of a workspace. A pass does not replace the failure
/// of a test with the same id in this process.
pub(super) fn write_report(
    folder: &Path,
    origin: &Origin,
    test: &str,
    accepted: bool,
    facts: TestFacts,
) {
    let file = report_file(folder, origin, test);
    let mut failed = Seen::of(&FAILED);
    if accepted && failed.contains(&file.to_string_lossy()) {
        return;
    }
    write(&file, origin, facts);
    if !accepted {
        failed.insert(&file.to_string_lossy());
    }
}

fn write(file: &Path, origin: &Origin, mut facts: TestFacts) {
    facts.package = origin.package();
    facts.target = origin.target_name();
    facts.code = facts.code.or_else(|| memory::program().map(String::from));
    let text = serde_json::to_string_pretty(&facts).unwrap_or_default();
    if let Err(error) = write_whole(file, &(text + "\n")) {
        let file = file.display();
        terminal::shout_once(&format!("probtest: warning: cannot write {file}: {error}"));
    }
}
