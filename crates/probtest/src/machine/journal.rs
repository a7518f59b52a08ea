//! A file that outlives its process: what each execution did, line by line.
//!
//! The files of a test are numbered. A run continues the last one if it is unfinished; otherwise,
//! or if the code changed, it starts the next one. Files are only appended to: a line that was torn
//! by a crash has a wrong checksum and is skipped.

use std::fs::{self, File, OpenOptions};
use std::hash::Hasher;
use std::io::{self, Read, Write};
use std::iter::zip;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use siphasher::sip::SipHasher24;

use super::ledger::{Header, LedgerEntry, read_line, write_line};
use crate::claim::Error;
use crate::report::claim_line;
use crate::seed::RunSeed;
use crate::settings::Shard;

const EVERY: Duration = Duration::from_millis(100);
/// The extension of a journal file.
pub const JOURNAL: &str = "journal";

/// The journal of one test: where it ended, and what comes next.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    name: String,
    code: Option<String>,
    /// The package and its target, where they are known.
    place: (Option<String>, Option<String>),
    every: Duration,
    resumed: Option<RunSeed>,
    /// The last file, if it is of this code.
    last: Option<(PathBuf, Header, Vec<LedgerEntry>)>,
    next: u64,
    news: Option<String>,
    file: Option<File>,
    written: Instant,
    /// Whether something could not be written.
    pub(super) failed: bool,
}

impl Journal {
    /// Looks for the journal of a test in a folder. `place` tells tests with the same id apart, and
    /// `code` identifies the program: it changes when the code does.
    ///
    /// # Errors
    /// When the folder can't be created or read.
    pub fn open(
        folder: &Path,
        place: &str,
        test: &str,
        shard: Option<Shard>,
        code: Option<String>,
    ) -> Result<Journal, Error> {
        fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))?;
        let mut name = file_name(place, test);
        if let Some(shard) = shard {
            name.push_str(&format!(".{}-of-{}", shard.number(), shard.of()));
        }
        let mut journal = Journal {
            folder: folder.to_owned(),
            name,
            code,
            place: (None, None),
            every: EVERY,
            resumed: None,
            last: None,
            next: 1,
            news: None,
            file: None,
            written: Instant::now(),
            failed: false,
        };
        let mut last = None;
        loop {
            let path = journal.path(journal.next);
            match fs::read(&path) {
                Ok(bytes) => last = Some((path, bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(unusable(folder, &error)),
            }
            journal.next += 1;
        }
        // A byte that is no text makes its line a torn one, and a file without a head holds nothing.
        if let Some((path, bytes)) = last
            && let (Some(header), entries) = split(&String::from_utf8_lossy(&bytes))
        {
            if header.code == journal.code {
                journal.last = Some((path, header, entries));
            } else {
                journal.news = Some(format!(
                    "the journal {} is from different code, which does not count here, so a new journal begins",
                    path.display()
                ));
            }
        }
        Ok(journal)
    }

    /// Continues a run that died and whose seed is known: a test that finished in it doesn't run
    /// again.
    #[must_use]
    pub fn resume(mut self, run: Option<RunSeed>) -> Self {
        self.resumed = run;
        self
    }

    /// The last file, if this run continues there.
    fn unfinished(&self) -> Option<&(PathBuf, Header, Vec<LedgerEntry>)> {
        self.last.as_ref().filter(|(_, header, entries)| {
            self.resumed.is_some_and(|run| header.seed == run.to_string())
                || !entries.iter().any(|entry| matches!(entry, LedgerEntry::End(_)))
        })
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{}.{number}.{JOURNAL}", self.name))
    }

    /// Names the package and target of the test, so that runs are only added up within them.
    #[must_use]
    pub fn of(mut self, package: Option<String>, target: Option<String>) -> Self {
        self.place = (package, target);
        self
    }

    /// Writes at least as often as this; about ten times a second by default.
    #[must_use]
    pub fn every(mut self, every: Duration) -> Self {
        self.every = every;
        self
    }

    /// The seed of the run that it continues, if there is one.
    pub fn seed(&self) -> Option<RunSeed> {
        self.unfinished()?.1.seed.parse().ok()
    }

    /// What to tell the user about the file.
    pub fn news(&self) -> Option<&str> {
        self.news.as_deref()
    }

    /// What the last file says about this run.
    pub(super) fn entries(&self, header: &Header) -> Result<Vec<LedgerEntry>, Error> {
        let Some((path, known, entries)) = self.unfinished() else {
            return Ok(Vec::new());
        };
        let Some((name, known, own)) = difference(known, header, true) else {
            return Ok(entries.clone());
        };
        Err(Error::new(
            format!(
                "the journal belongs to a different {name}: it has {known}, and this run has {own}"
            ),
            path.display().to_string(),
            "run the test as before, or remove the file to start over",
        ))
    }

    /// Begins to write, and returns what is known.
    pub(super) fn begin(&mut self, header: &mut Header) -> Result<Vec<LedgerEntry>, Error> {
        header.code.clone_from(&self.code);
        (header.package, header.target) = self.place.clone();
        let entries = self.entries(header)?;
        let path = self.unfinished().map(|(path, ..)| path.clone());
        let opened = path.map_or_else(|| self.create(header), |path| go_on(&path));
        self.file = Some(opened.map_err(|error| unusable(&self.folder, &error))?);
        Ok(entries)
    }

    /// Creates a new file with its head at once, so that no reader sees one without it.
    fn create(&mut self, header: &Header) -> io::Result<File> {
        let draft = self.folder.join(format!("{}.{}.draft", self.name, std::process::id()));
        let mut file = File::create(&draft)?;
        let begin = LedgerEntry::Begin(Box::new(header.clone()));
        file.write_all((write_line(&begin) + "\n").as_bytes())?;
        file.sync_data()?;
        loop {
            let path = self.path(self.next);
            match fs::hard_link(&draft, &path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.next += 1,
                linked => {
                    fs::remove_file(&draft)?;
                    linked?;
                    // The name of the file is safe when its folder is. Windows opens no folder.
                    #[cfg(unix)]
                    File::open(&self.folder)?.sync_all()?;
                    return OpenOptions::new().append(true).open(path);
                }
            }
        }
    }

    pub(super) fn is_due(&self) -> bool {
        self.written.elapsed() >= self.every
    }

    /// Writes entries, each as one line, and waits until they are on the disk.
    pub(super) fn append(&mut self, entries: &[LedgerEntry]) {
        self.written = Instant::now();
        let Some(file) = &mut self.file else { return };
        if entries.is_empty() {
            return;
        }
        let mut text = String::new();
        for entry in entries {
            text.push_str(&write_line(entry));
            text.push('\n');
        }
        let done = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        if done.is_err() {
            // What the file has is still good; the rest runs again if it must.
            self.failed = true;
            self.file = None;
        }
    }
}

/// Opens a file to add to it, after a line that may have been torn.
fn go_on(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().read(true).append(true).open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    if bytes.last().is_some_and(|last| *last != b'\n') {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

/// The head of a ledger, and what it says.
pub(super) fn split(text: &str) -> (Option<Header>, Vec<LedgerEntry>) {
    let mut header = None;
    let mut entries = Vec::new();
    for entry in text.lines().filter_map(read_line) {
        match entry {
            LedgerEntry::Begin(begin) => header = header.or(Some(*begin)),
            entry => entries.push(entry),
        }
    }
    (header, entries)
}

/// The first thing in which two ledgers differ, and both values. What only judges need not be
/// the same in a journal, since it is judged by the run that reads it.
pub(super) fn difference(
    one: &Header,
    other: &Header,
    journal: bool,
) -> Option<(&'static str, String, String)> {
    let both = zip(values(one, journal), values(other, journal));
    let mut both = both.map(|((name, here), (_, there))| (name, here, there));
    both.find(|(_, here, there)| here != there)
}

fn values(header: &Header, journal: bool) -> Vec<(&'static str, String)> {
    let claim = header.claim.claim().map_or_else(|_| "?".into(), |claim| claim_line(&claim));
    let share = |share: &Option<(String, u64)>| {
        text(share.as_ref().map(|(of, tests)| format!("{of} over {tests} tests")))
    };
    let (epsilon, alarm) = (share(&header.suite_epsilon), share(&header.suite_false_alarm));
    let mut values = vec![
        ("version of probtest", header.version.clone()),
        ("form", header.format.to_string()),
        ("test", header.test.clone()),
        ("claim", claim),
        ("seed", header.seed.clone()),
        ("max_executions", text(header.max_executions)),
        ("batch", header.batch.to_string()),
        ("share of the suite", format!("epsilon {epsilon}, false_alarm {alarm}")),
    ];
    if journal {
        let shard = header.shard.map(|(number, of)| format!("{number}/{of}"));
        values.push(("shard", text(shard)));
    } else {
        values.extend([
            ("max_rejections", text(header.max_rejections)),
            ("max_cost", text(header.max_cost.map(|cost| cost.0))),
            ("on_budget", header.on_budget.to_string()),
            ("its own randomness", header.own_randomness.to_string()),
            ("strict", header.strict.to_string()),
            ("confirm", header.confirm.to_string()),
            ("unreported_outcomes", header.unreported_outcomes.to_string()),
        ]);
    }
    values
}

fn text(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "none".into(), |value| value.to_string())
}

fn unusable(folder: &Path, error: &io::Error) -> Error {
    Error::new(
        format!("the journal cannot be used: {error}"),
        folder.display().to_string(),
        "name a folder that you can write to",
    )
}

/// Makes a file name that is readable, safe and different for each test at each place: the
/// library and the binary of a package may have tests with one id.
pub(crate) fn file_name(place: &str, test: &str) -> String {
    let mut hasher = SipHasher24::new();
    hasher.write(place.as_bytes());
    hasher.write_u8(0);
    hasher.write(test.as_bytes());
    let readable: String =
        test.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(80).collect();
    format!("{readable}-{:016x}", hasher.finish())
}

/// Identifies a program: a hash of these files, which changes when they do.
///
/// # Errors
/// When one of them can't be read.
pub fn code_key(files: &[PathBuf]) -> io::Result<String> {
    // Word by word: a test binary without optimization has tens of megabytes, and hashes itself.
    let mut hash = 0x243f_6a88_85a3_08d3_u64;
    let mut add = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    };
    for file in files {
        let bytes = fs::read(file)?;
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| add(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        add(u64::from_le_bytes(last));
        add(bytes.len() as u64);
    }
    let mut hasher = SipHasher24::new();
    hasher.write_u64(hash);
    Ok(format!("{:016x}", hasher.finish()))
}
