//! Which files have results, and what do they contain? Files, folders and stdin, with limits.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use probtest::machine::JOURNAL;
use probtest_facts::SuiteFacts;
use probtest_facts::read::{ReadError, results};
use siphasher::sip128::SipHasher24;

use super::result::TestResult;
use super::words::{DETAILS, NAME, one_line};
use crate::output::Failure;

/// The size limit of one file: a few hundred thousand results.
const MOST_BYTES: u64 = 64 << 20;
/// The most files in one report.
const MOST_FILES: usize = 100_000;
/// How deep to search folders: CI puts each shard into its own folder.
const MOST_DEPTH: usize = 8;
/// The most tests in one report.
const MOST_TESTS: usize = 200_000;
/// How much of a path is shown: longer ones don't exist.
const MOST_SHOWN: usize = 4096;
/// What to do about a file that was changed.
pub const AS_WRITTEN: &str =
    "use the files as probtest wrote them; the form is described in docs/reference/json.md";

/// One file.
pub struct ResultFile {
    /// The name that the user knows it by.
    pub name: String,
    /// Its path; `None` for stdin.
    pub path: Option<PathBuf>,
    /// Whether it is a journal, rather than results.
    pub is_journal: bool,
}

impl ResultFile {
    fn of(path: &Path) -> ResultFile {
        ResultFile {
            name: shown(path),
            path: Some(path.to_owned()),
            is_journal: path.extension().is_some_and(|ending| ending == JOURNAL),
        }
    }

    /// Reads the whole file as text.
    pub fn text(&self) -> Result<String, Failure> {
        let bytes = match &self.path {
            None => read_limited(io::stdin().lock()),
            Some(path) => File::open(path).and_then(read_limited),
        };
        let bytes = bytes.map_err(|error| self.unreadable(&error))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Failure::given(
                format!("the file is too large: more than {} MiB", MOST_BYTES >> 20),
                &self.name,
                "give results of probtest; if these are results, report them in parts",
            ));
        }
        let mut text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::given(
                format!("the file is not UTF-8 text: byte {} is not", at + 1),
                &self.name,
                "give the JSON as probtest wrote it, without re-encoding or compression",
            )
        })?;
        // Some shells and editors put a byte order mark before a text.
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        Ok(text)
    }

    fn unreadable(&self, error: &io::Error) -> Failure {
        Failure::given(
            format!("the results cannot be read: {error}"),
            &self.name,
            "name a file written by PROBTEST_REPORT, --probtest-json or probtest run --json, or a folder of them",
        )
    }
}

/// A path that is safe to show: its names may come from an archive.
fn shown(path: &Path) -> String {
    one_line(&path.display().to_string(), MOST_SHOWN)
}

fn read_limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Finds the files named on the command line, in order. A folder stands for all `.json` files and
/// journals in it, sorted by name; `-` is stdin.
///
/// # Errors
/// When something can't be read, a folder has no results, or there are too many.
pub fn find(paths: &[PathBuf]) -> Result<Vec<ResultFile>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            found.push(ResultFile { name: "stdin".into(), path: None, is_journal: false });
            continue;
        }
        let source = ResultFile::of(path);
        let kind = fs::metadata(path).map_err(|error| source.unreadable(&error))?;
        if !kind.is_dir() {
            found.push(source);
            continue;
        }
        let before = found.len();
        look_through(path, 0, &mut found)?;
        if found.len() == before {
            return Err(Failure::given(
                "the folder holds no results: no file in it ends in .json",
                source.name,
                "run the tests with PROBTEST_REPORT set to this folder as an absolute path, then report",
            ));
        }
    }
    Ok(found)
}

fn look_through(folder: &Path, depth: usize, found: &mut Vec<ResultFile>) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
    });
    let mut paths = entries.map_err(|error| {
        Failure::given(
            format!("the folder cannot be read: {error}"),
            shown(folder),
            "name a folder that you can read",
        )
    })?;
    // The file system returns entries in arbitrary order.
    paths.sort_by_cached_key(|path| by_name(path));
    for path in paths {
        let refuse = |what: String, help: &str| Err(Failure::given(what, shown(&path), help));
        if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
            continue;
        }
        let source = ResultFile::of(&path);
        // A link to a folder may lead back to it.
        if path.is_dir() && !path.is_symlink() {
            if depth == MOST_DEPTH {
                return refuse(
                    format!("folders are nested more than {MOST_DEPTH} deep"),
                    "name the folders that hold results",
                );
            }
            look_through(&path, depth + 1, found)?;
        } else if source.is_journal && path.is_file() {
            found.push(source);
        } else if path.extension().is_some_and(|ending| ending == "json") {
            if found.len() == MOST_FILES {
                return refuse(
                    format!("there are more than {MOST_FILES} files"),
                    "report them in parts",
                );
            }
            // Opening a pipe waits for a writer. That is fine for a pipe that was named, but not
            // for one that just happens to be there.
            if path.metadata().is_ok_and(|known| !known.is_file() && !known.is_dir()) {
                return refuse(
                    "the folder holds something that is not a file: a pipe, a socket or a device"
                        .into(),
                    "remove it, or name the files that hold results",
                );
            }
            found.push(source);
        }
    }
    Ok(())
}

/// The sort key of paths: their names, with each number preceded by its length, so that run-9 comes
/// before run-10.
fn by_name(path: &Path) -> (String, PathBuf) {
    let text = path.to_string_lossy();
    let mut key = String::new();
    for part in text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
        let part = String::from_utf8_lossy(part);
        let number = part.trim_start_matches('0');
        match part.starts_with(|c: char| c.is_ascii_digit()) {
            true => key.push_str(&format!("{:04}{number}", number.len())),
            false => key.push_str(&part),
        }
    }
    (key, path.to_owned())
}

/// Everything that was read.
#[derive(Default)]
pub struct AllResults {
    /// The results, in the order of the files and of their contents.
    pub results: Vec<TestResult>,
    /// How many results were duplicates.
    pub repeated: u64,
    pub sources: Vec<String>,
    /// What runs of pytest promise as a whole, without duplicates.
    pub suites: Vec<SuiteFacts>,
}

/// Reads the results among the files.
pub fn read(sources: &[ResultFile]) -> Result<AllResults, Failure> {
    let mut all = AllResults::default();
    let mut seen = BTreeSet::new();
    for source in sources.iter().filter(|source| !source.is_journal) {
        all.sources.push(source.name.clone());
        let text = source.text()?;
        let name: Rc<str> = source.name.as_str().into();
        let refused = |error: ReadError| refusal(&error, &name);
        let found = results(&text).map_err(refused)?;
        for suite in found.suites {
            if !all.suites.contains(&suite) {
                all.suites.push(suite);
            }
        }
        for result in found.results {
            let facts = result.read().map_err(refused)?;
            let object = result.on_one_line().map_err(refused)?;
            // A test that runs twice with the same result takes a different time.
            let is_new = seen.insert(SipHasher24::new().hash(object.as_bytes()).as_u128());
            let result = TestResult::new(facts, &name, object)?;
            if !is_new {
                all.repeated += 1;
                continue;
            }
            if all.results.len() == MOST_TESTS {
                return Err(Failure::given(
                    format!("there are more than {MOST_TESTS} results"),
                    &source.name,
                    "report them in parts",
                ));
            }
            all.results.push(result);
        }
    }
    Ok(all)
}

/// Says why a file can't be reported, and what to do.
pub fn refusal(error: &ReadError, source: &str) -> Failure {
    let other = "give files written by PROBTEST_REPORT, --probtest-json or probtest run --json";
    let (given, help) = match error {
        ReadError::Empty => (
            source.to_owned(),
            "a test was interrupted before it could write its result: run it again",
        ),
        ReadError::Cut(place) => (
            format!("{source}, {place}"),
            "it was cut off while it was written or copied: run the test again",
        ),
        ReadError::NotJson(place, _) => (format!("{source}, {place}"), other),
        ReadError::Foreign(start) => (format!("{} in {source}", one_line(start, NAME)), other),
        ReadError::Version(_) => (
            source.to_owned(),
            concat!(
                "report with the version of probtest that wrote it; this is ",
                env!("CARGO_PKG_VERSION")
            ),
        ),
        ReadError::Error(facts) => (
            format!("{source}: {}", one_line(&facts.error.message, NAME)),
            "fix the error and run the test again",
        ),
        ReadError::Field { place, .. } => (format!("{source}, {place}"), AS_WRITTEN),
        _ => (source.to_owned(), other),
    };
    Failure::given(one_line(&error.to_string(), DETAILS), given, help)
}
