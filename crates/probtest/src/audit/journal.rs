//! What an audit observed, kept in a file that outlives its process.
//!
//! The lines are those of [`crate::machine::Journal`]: a checksum and one JSON object; a torn one is
//! skipped. There is one file for all audits, and it is only appended to: what was observed with
//! another seed or of other code stays, and does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use probtest_facts::json_variants;

use super::{NamedTest, Order, OrderResult};
use crate::claim::Error;
use crate::machine::{JOURNAL, read_line, write_line};
use crate::seed::RunSeed;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A test, and what tells its code from what it becomes when it is changed.
type Key = (String, String);

/// One line.
enum JournalEntry {
    /// Which audit continues here: the version, the seed, and the tests that begin anew.
    Begin(String, RunSeed, Vec<Key>),
    /// What came of an order.
    Made(Key, Order, OrderResult),
    /// That everything is known of these tests.
    End(Vec<Key>),
}

json_variants!(JournalEntry {
    "begin" => Begin(version, seed, anew),
    "made" => Made(test, order, result),
    "end" => End(tests),
});

/// What came of an order, with the id of its test.
pub(super) type FinishedOrder = (String, Order, OrderResult);

/// What was observed with one seed, of tests that are asked for.
#[derive(Debug)]
struct Known {
    seed: RunSeed,
    made: Vec<FinishedOrder>,
    /// The tests of which everything is known.
    ended: BTreeSet<String>,
}

/// The journal of audits.
#[derive(Debug, Default)]
pub struct AuditJournal {
    path: PathBuf,
    /// The tests that are executed, with their code.
    tests: BTreeMap<String, String>,
    /// What an audit that has not ended has left.
    left: Option<Known>,
    /// Whether that is what the file ends with.
    is_last: bool,
    /// Executions of these tests as they were before their code was changed.
    outdated: u64,
    /// The tests that were ever audited with each seed, whatever their code.
    together: BTreeMap<u64, BTreeSet<String>>,
    file: Option<File>,
    failed: bool,
}

impl AuditJournal {
    /// Looks in a folder for what is known of tests: with this seed, or with that of the last audit.
    ///
    /// Where everything is known of all of them, an audit begins anew.
    ///
    /// # Errors
    /// When the folder cannot be made or the file cannot be read.
    pub fn open(
        folder: &Path,
        tests: &[NamedTest],
        seed: Option<RunSeed>,
    ) -> Result<AuditJournal, Error> {
        let path = folder.join(format!("audit.{JOURNAL}"));
        let read = fs::create_dir_all(folder).and_then(|()| match path.exists() {
            true => fs::read(&path),
            false => Ok(Vec::new()),
        });
        let bytes = read.map_err(|error| unusable(&path, &error))?;
        let executed = tests.iter().filter(|test| test.apart.is_none());
        let mut journal = AuditJournal {
            path,
            tests: executed.map(|test| (test.id(), test.code.clone())).collect(),
            ..AuditJournal::default()
        };
        let mut known = journal.read(&String::from_utf8_lossy(&bytes));
        let last = known.last().map(|last| last.seed);
        let chosen = match seed {
            Some(seed) => known.into_iter().find(|known| known.seed == seed),
            None => known.pop(),
        };
        let has_more = |known: &Known| !journal.tests.keys().all(|id| known.ended.contains(id));
        journal.left = chosen.filter(has_more);
        journal.is_last = journal.left.as_ref().map(|left| left.seed) == last;
        Ok(journal)
    }

    /// What is known of the tests, with the seed that was used last at the end.
    fn read(&mut self, text: &str) -> Vec<Known> {
        let (mut all, mut is_same_version) = (Vec::<Known>::new(), false);
        for entry in text.lines().filter_map(read_line) {
            if let JournalEntry::Begin(version, seed, anew) = entry {
                let ids = anew.iter().map(|(id, _)| id.clone());
                self.together.entry(seed.0).or_default().extend(ids);
                is_same_version = version == VERSION;
                let place = all.iter().position(|known| known.seed == seed);
                let mut known = match place {
                    Some(place) => all.remove(place),
                    None => Known { seed, made: Vec::new(), ended: BTreeSet::new() },
                };
                if is_same_version {
                    let tests = self.asked(anew);
                    known.made.retain(|(id, ..)| !tests.contains(id));
                    known.ended.retain(|id| !tests.contains(id));
                }
                all.push(known);
                continue;
            }
            let Some(known) = all.last_mut().filter(|_| is_same_version) else {
                continue;
            };
            // An audit that goes on may have more tests than it began with.
            if let JournalEntry::Made((id, _), ..) = &entry {
                self.together.entry(known.seed.0).or_default().insert(id.clone());
            }
            match entry {
                JournalEntry::Made(key, order, made) if self.asks(&key) => {
                    known.made.push((key.0, order, made));
                }
                JournalEntry::Made((id, _), _, made) if self.tests.contains_key(&id) => {
                    self.outdated += made.seen.len() as u64;
                }
                JournalEntry::End(keys) => known.ended.extend(self.asked(keys)),
                _ => {}
            }
        }
        all
    }

    /// Whether a test is executed, and with this code.
    fn asks(&self, (id, code): &Key) -> bool {
        self.tests.get(id) == Some(code)
    }

    fn asked(&self, keys: Vec<Key>) -> BTreeSet<String> {
        keys.into_iter().filter(|key| self.asks(key)).map(|(id, _)| id).collect()
    }

    /// The seed of the audit that it continues, if it does.
    pub fn seed(&self) -> Option<RunSeed> {
        self.left.as_ref().map(|left| left.seed)
    }

    /// What the user should know about the file.
    pub fn news(&self) -> Option<String> {
        (self.outdated > 0).then(|| {
            format!(
                "the journal {} holds executions of other code or with other options; they do not count: {}",
                self.path.display(),
                self.outdated
            )
        })
    }

    /// Whether something could not be written.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// How many tests are executed now or were audited with this seed before.
    ///
    /// Who audits only the most striking of many tests has chosen it among all of them.
    pub(super) fn together(&self, seed: RunSeed) -> usize {
        let before = self.together.get(&seed.0);
        let others =
            before.map_or(0, |ids| ids.iter().filter(|id| !self.tests.contains_key(*id)).count());
        self.tests.len() + others
    }

    /// Begins to write, and returns what is known.
    pub(super) fn begin(&mut self, seed: RunSeed) -> Result<Vec<FinishedOrder>, Error> {
        let left = self.left.take().filter(|left| left.seed == seed);
        let opened = OpenOptions::new().append(true).create(true).open(&self.path);
        self.file = Some(opened.map_err(|error| unusable(&self.path, &error))?);
        // The last line may be torn.
        self.append("\n");
        if left.is_none() || !self.is_last {
            let anew = if left.is_some() { Vec::new() } else { self.keys() };
            self.write(&JournalEntry::Begin(VERSION.to_owned(), seed, anew));
        }
        Ok(left.map(|left| left.made).unwrap_or_default())
    }

    fn keys(&self) -> Vec<Key> {
        self.tests.clone().into_iter().collect()
    }

    pub(super) fn add(&mut self, test: &str, order: &Order, made: &OrderResult) {
        let code = self.tests.get(test).cloned().unwrap_or_default();
        self.write(&JournalEntry::Made((test.to_owned(), code), order.clone(), made.clone()));
    }

    /// Writes down that everything is known of the tests.
    pub(super) fn end(&mut self) {
        self.write(&JournalEntry::End(self.keys()));
    }

    fn write(&mut self, entry: &JournalEntry) {
        self.append(&(write_line(entry) + "\n"));
    }

    fn append(&mut self, text: &str) {
        let Some(file) = &mut self.file else { return };
        if file.write_all(text.as_bytes()).is_err() {
            // What is in it is still good; the rest is executed again if needed.
            self.failed = true;
            self.file = None;
        }
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        format!("the journal of the audit cannot be used: {error}"),
        path.display().to_string(),
        "name a folder that you can write to",
    )
}
