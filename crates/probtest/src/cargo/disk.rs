//! What a test leaves on disk: its counterexamples, in one small file per test, and its report.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use probtest_facts::TestFacts;
use probtest_facts::json::ToJson;

use super::environment::Memory;
use super::place::Origin;
use super::terminal;
use crate::machine::{code_key, file_name};
use crate::report::Report;
use crate::run::lock;
use crate::seed::{Address, Tape};

/// How many counterexamples are kept for each test, newest first.
const KEPT: usize = 8;
/// The folder for committed counterexamples.
const REGRESSIONS: &str = "probtest-regressions";
/// Precedes the fingerprint of the program that found them.
const PROGRAM_IS: &str = "# program ";
/// The longest tape, as text, that is kept and written into a replay line.
const LONGEST_KEPT: usize = 4096;
const LONGEST_COPIED: usize = 300;

/// Counterexamples that this process has found. Two tests may share an id, and one must not treat
/// what the other found as fixed.
static FOUND: Mutex<Vec<(PathBuf, Address)>> = Mutex::new(Vec::new());
/// Reports that this process wrote for tests that didn't pass.
static FAILED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A counterexample, and the tape of its shrunk execution.
#[derive(Clone, Debug)]
pub(super) struct KeptCounterexample {
    pub(super) address: Address,
    pub(super) tape: Option<Tape>,
}

impl KeptCounterexample {
    /// Reads a line: an address, and possibly a tape.
    fn read(line: &str) -> Option<Self> {
        let (address, tape) = line.split_once(' ').unwrap_or((line, ""));
        Some(KeptCounterexample { address: address.parse().ok()?, tape: tape.parse().ok() })
    }

    fn line(&self) -> String {
        let text = self.tape.as_ref().map(ToString::to_string);
        match text.filter(|text| text.len() <= LONGEST_KEPT) {
            Some(tape) => format!("{} {tape}\n", self.address),
            None => format!("{}\n", self.address),
        }
    }
}

/// The remembered counterexamples of one test.
#[derive(Debug)]
pub(super) struct Notebook {
    pub(super) file: PathBuf,
    test: String,
    /// Whether it is part of the source: then it lists what must never violate again, and nothing
    /// is removed.
    pub(super) committed: bool,
}

impl Notebook {
    /// Opens the notebook of a test; `None` if nothing is to be remembered or there is no place for
    /// it.
    pub(super) fn open(memory: &Memory, place: &str, test: &str) -> Option<Self> {
        let folder = match memory {
            Memory::Off => return None,
            Memory::Folder(folder) => folder.clone(),
            Memory::Target => target_folder()?.join("probtest").join("counterexamples"),
            Memory::Source => source_folder()?.join(REGRESSIONS),
        };
        Some(Notebook {
            file: folder.join(format!("{}.txt", file_name(place, test))),
            test: test.to_owned(),
            committed: *memory == Memory::Source,
        })
    }

    /// Reads the remembered counterexamples. A file that can't be read counts as empty.
    pub(super) fn read(&self) -> Vec<KeptCounterexample> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        text.lines().filter_map(KeptCounterexample::read).collect()
    }

    /// Whether everything remembered was found by the program that is running now.
    pub(super) fn is_of_this_program(&self) -> bool {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let known = text.lines().find_map(|line| line.strip_prefix(PROGRAM_IS));
        known.is_some() && known == PROGRAM.as_deref()
    }

    pub(super) fn add(&self, found: Address, tape: Option<&Tape>) -> io::Result<()> {
        let mut kept = self.read();
        kept.retain(|kept| kept.address != found);
        kept.insert(0, KeptCounterexample { address: found, tape: tape.cloned() });
        kept.truncate(KEPT);
        self.write(&kept)
    }

    pub(super) fn forget(&self, fixed: &[Address]) -> io::Result<()> {
        if self.committed {
            return Ok(());
        }
        let mut kept = self.read();
        kept.retain(|kept| !fixed.contains(&kept.address));
        self.write(&kept)
    }

    fn write(&self, kept: &[KeptCounterexample]) -> io::Result<()> {
        if kept.is_empty() {
            return match fs::remove_file(&self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let head = match (self.committed, &*PROGRAM) {
            (true, _) => format!(
                "# Executions that violated {}. They run first; keep this file under version control.\n",
                self.test
            ),
            (false, Some(program)) => format!("{PROGRAM_IS}{program}\n"),
            (false, None) => String::new(),
        };
        let lines: String = kept.iter().map(KeptCounterexample::line).collect();
        write_whole(&self.file, &(head + &lines))
    }
}

/// Remembers the counterexample of a report and forgets what is fixed.
pub(super) fn remember(report: &Report, notebook: Option<&Notebook>) {
    let Some(notebook) = notebook else { return };
    let mut found = lock(&FOUND);
    let key = |replay: &Address| (notebook.file.clone(), *replay);
    let fixed = report.remembered().did_not_violate().iter();
    let fixed: Vec<Address> =
        fixed.filter(|replay| !found.contains(&key(replay))).copied().collect();
    let mut written = if fixed.is_empty() { Ok(()) } else { notebook.forget(&fixed) };
    if let (Some(address), true) = (report.address(), report.violation().is_some()) {
        found.push(key(&address));
        written = written.and_then(|()| notebook.add(address, report.small_tape().as_ref()));
    }
    if let Err(error) = written {
        terminal::shout(&format!(
            "probtest: warning: the counterexample cannot be remembered: {error}\n  help   set PROBTEST_MEMORY to a folder that you can write to, or to off"
        ));
    }
}

/// The text of a tape or, if it is too long for a line, the file it was written to.
pub(super) fn tape_or_file(tape: &Tape, notebook: Option<&Notebook>) -> Option<String> {
    let text = tape.to_string();
    if text.len() <= LONGEST_COPIED {
        return Some(text);
    }
    let file = notebook?.file.with_extension("tape");
    let file = std::path::absolute(file).ok()?;
    write_whole(&file, &text).ok()?;
    Some(format!("@{}", file.display()))
}

/// Writes the JSON form of a report, with the package and the target, since several tests of a
/// workspace may share an id. A pass, or a run that has only begun, doesn't replace the failure of
/// a test with the same id in this process.
pub(super) fn write_report(
    folder: &Path,
    origin: &Origin,
    test: &str,
    accepted: bool,
    mut facts: TestFacts,
) {
    let file = folder.join(format!("{}.json", file_name(&origin.key(), test)));
    let mut failed = lock(&FAILED);
    if accepted && failed.contains(&file) {
        return;
    }
    facts.package = origin.package();
    facts.target = origin.target_name();
    facts.code = facts.code.or_else(|| PROGRAM.clone());
    if let Err(error) = write_whole(&file, &format!("{:#}\n", facts.to_json())) {
        let file = file.display();
        terminal::shout_once(&format!("probtest: warning: cannot write {file}: {error}"));
    }
    if !accepted {
        failed.insert(file);
    }
}

/// Writes a file so that no reader sees half of it.
pub(super) fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let draft = file.with_extension(format!("{}.draft", std::process::id()));
    fs::write(&draft, text)?;
    fs::rename(&draft, file)
}

/// Finds the folder of the test's package.
fn source_folder() -> Option<PathBuf> {
    // Set by cargo and nextest; without them, the folder is the current one.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package.or_else(|| std::env::current_dir().ok())
}

/// A fingerprint of this program, which changes when it is compiled again. Read only if something
/// is remembered or kept.
pub(super) static PROGRAM: LazyLock<Option<String>> =
    LazyLock::new(|| code_key(&[std::env::current_exe().ok()?]).ok());

/// Finds cargo's target folder from the path of the test binary.
fn target_folder() -> Option<PathBuf> {
    let binary = std::env::current_exe().ok()?;
    // Cargo marks the folder so that backup tools leave it out, unless the folder existed before;
    // then the test is in target/PROFILE/deps.
    let marked = |folder: &&Path| folder.join("CACHEDIR.TAG").is_file();
    let beside = || {
        let deps = binary.parent()?;
        deps.ends_with("deps").then(|| deps.ancestors().nth(2))?
    };
    let found = binary.ancestors().skip(1).find(marked).or_else(beside);
    found.map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notebook(name: &str) -> Notebook {
        let folder = std::env::temp_dir().join(format!("probtest-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Notebook::open(&Memory::Folder(folder), "package", "a::b").unwrap()
    }

    fn addresses(notebook: &Notebook) -> Vec<Address> {
        notebook.read().iter().map(|kept| kept.address).collect()
    }

    #[test]
    fn a_tape_is_kept_beside_its_address_unless_it_is_long() {
        let notebook = notebook("tape");
        let tape = Tape::new(vec![0, 7, 1 << 63]);
        notebook.add("1:1".parse().unwrap(), Some(&tape)).unwrap();
        let long = Tape::new(
            (1..1000).map(|word: u64| word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect(),
        );
        notebook.add("1:2".parse().unwrap(), Some(&long)).unwrap();
        let tapes: Vec<_> = notebook.read().into_iter().map(|kept| kept.tape).collect();
        assert_eq!(tapes, [None, Some(tape)]);
        // An invalid tape is no reason to forget the counterexample.
        write_whole(&notebook.file, "0x1:1 nonsense\n").unwrap();
        assert_eq!(addresses(&notebook), ["1:1".parse().unwrap()]);
    }

    #[test]
    fn what_was_added_last_is_read_first_and_once() {
        let notebook = notebook("order");
        assert_eq!(addresses(&notebook), []);
        for text in ["1:1", "2:2", "1:1"] {
            notebook.add(text.parse().unwrap(), None).unwrap();
        }
        let texts: Vec<_> = addresses(&notebook).iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["0x1:1", "0x2:2"]);
    }

    #[test]
    fn a_notebook_keeps_eight_and_forgets_what_is_fixed() {
        let notebook = notebook("forget");
        for index in 1..=10 {
            notebook.add(format!("1:{index}").parse().unwrap(), None).unwrap();
        }
        assert_eq!(addresses(&notebook).len(), 8);
        let all = addresses(&notebook);
        notebook.forget(&all[1..]).unwrap();
        assert_eq!(addresses(&notebook), all[..1]);
        notebook.forget(&all).unwrap();
        assert!(!notebook.file.exists());
        notebook.forget(&all).unwrap();
    }

    #[test]
    fn a_notebook_of_the_source_keeps_what_is_fixed_and_says_what_it_is() {
        let mut notebook = notebook("source");
        notebook.committed = true;
        notebook.add("1:1".parse().unwrap(), None).unwrap();
        notebook.forget(&addresses(&notebook)).unwrap();
        let text = fs::read_to_string(&notebook.file).unwrap();
        assert!(text.starts_with("# Executions that violated a::b."));
        assert_eq!(addresses(&notebook), ["1:1".parse().unwrap()]);
    }

    #[test]
    fn a_program_is_known_by_what_it_holds_and_not_by_when_it_was_written() {
        let notebook = notebook("digest");
        let file = notebook.file.with_extension("program");
        // Longer than one read.
        let mut content = "one".repeat(1 << 16);
        write_whole(&file, &content).unwrap();
        let before = code_key(std::slice::from_ref(&file)).unwrap();
        let make_old = || {
            let opened = fs::File::options().write(true).open(&file).unwrap();
            opened.set_modified(std::time::UNIX_EPOCH).unwrap();
        };
        make_old();
        assert_eq!(code_key(std::slice::from_ref(&file)).unwrap(), before);
        // The same length and modification time.
        content.replace_range(content.len() - 1.., "f");
        write_whole(&file, &content).unwrap();
        make_old();
        assert_ne!(code_key(std::slice::from_ref(&file)).unwrap(), before);
        assert!(code_key(&[file.with_extension("missing")]).is_err());
    }

    #[test]
    fn a_damaged_file_holds_what_can_be_read() {
        let notebook = notebook("damaged");
        write_whole(&notebook.file, "nonsense\n0x5eed:9\n\u{0}").unwrap();
        assert_eq!(addresses(&notebook), ["0x5eed:9".parse().unwrap()]);
    }
}
