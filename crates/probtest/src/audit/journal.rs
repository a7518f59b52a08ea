//! What an audit observed, kept in a file that outlives its process.
//!
//! The lines are those of [`crate::machine::Journal`]: a checksum and one JSON object, and one
//! that was torn is passed over. There is one file for all tests of an audit.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Made, Order};
use crate::claim::Error;
use crate::machine::{JOURNAL, read_line, write_line};
use crate::seed::RunSeed;

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Entry {
    /// Whose executions these are: the version, the seed, and what tells the code from what
    /// it becomes when it is changed.
    Begin(String, RunSeed, String),
    /// What came of an order, and the test.
    Made(String, Order, Made),
    /// That everything is known.
    End,
}

/// What came of an order, behind the id of its test.
pub(super) type Done = (String, Order, Made);

/// The journal of an audit.
#[derive(Debug)]
pub struct AuditJournal {
    path: PathBuf,
    code: String,
    /// What an audit that has not ended has left: its seed, and what it observed.
    left: Option<(RunSeed, Vec<Done>)>,
    file: Option<File>,
    failed: bool,
}

impl AuditJournal {
    /// Looks for the journal in a folder. `code` tells the suite from what it becomes when it is
    /// changed: what was observed of other code does not count.
    ///
    /// # Errors
    /// When the folder cannot be made or the file cannot be read.
    pub fn open(folder: &Path, code: &str) -> Result<AuditJournal, Error> {
        let path = folder.join(format!("audit.{JOURNAL}"));
        let read = fs::create_dir_all(folder).and_then(|()| match path.exists() {
            true => fs::read(&path),
            false => Ok(Vec::new()),
        });
        let bytes = read.map_err(|error| unusable(&path, &error))?;
        let mut journal = AuditJournal {
            path,
            code: code.to_owned(),
            left: None,
            file: None,
            failed: false,
        };
        for entry in String::from_utf8_lossy(&bytes)
            .lines()
            .filter_map(read_line)
        {
            match (entry, &mut journal.left) {
                (Entry::Begin(version, seed, code), _) => {
                    let same = version == env!("CARGO_PKG_VERSION") && code == journal.code;
                    journal.left = same.then(|| (seed, Vec::new()));
                }
                (Entry::Made(test, order, made), Some((_, seen))) => seen.push((test, order, made)),
                (Entry::Made(..), None) => {}
                (Entry::End, left) => *left = None,
            }
        }
        Ok(journal)
    }

    /// The seed of the audit that it goes on with, if it does.
    pub fn seed(&self) -> Option<RunSeed> {
        self.left.as_ref().map(|(seed, _)| *seed)
    }

    /// Whether something could not be written.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Begins to write, and returns what is known.
    pub(super) fn begin(&mut self, seed: RunSeed) -> Result<Vec<Done>, Error> {
        let left = self.left.take().filter(|(known, _)| *known == seed);
        let mut options = OpenOptions::new();
        let opened = match left {
            Some(_) => options.append(true).open(&self.path),
            None => File::create(&self.path),
        };
        self.file = Some(opened.map_err(|error| unusable(&self.path, &error))?);
        match left {
            // Behind a line that may have been torn.
            Some((_, seen)) => {
                self.append("\n");
                Ok(seen)
            }
            None => {
                let version = env!("CARGO_PKG_VERSION").to_owned();
                self.write(&Entry::Begin(version, seed, self.code.clone()));
                Ok(Vec::new())
            }
        }
    }

    pub(super) fn add(&mut self, test: &str, order: &Order, made: &Made) {
        self.write(&Entry::Made(test.to_owned(), order.clone(), made.clone()));
    }

    /// Writes down that everything is known: the next audit begins anew.
    pub(super) fn end(&mut self) {
        self.write(&Entry::End);
    }

    fn write(&mut self, entry: &Entry) {
        self.append(&(write_line(entry) + "\n"));
    }

    fn append(&mut self, text: &str) {
        let Some(file) = &mut self.file else { return };
        if file.write_all(text.as_bytes()).is_err() {
            // What stands in it is still good; the rest is made again if it must be.
            self.failed = true;
            self.file = None;
        }
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        format!("the journal of the audit cannot be used: {error}"),
        path.display().to_string(),
        "name a folder that you may write to",
    )
}
