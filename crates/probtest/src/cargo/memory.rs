//! Counterexamples from earlier runs, one small file for each test.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::environment::Memory;
use crate::machine::{code_key, file_name};
use crate::seed::{Address, Tape};

/// How many counterexamples of one test are kept, newest first.
const KEPT: usize = 8;
/// The folder for those that are committed.
const REGRESSIONS: &str = "probtest-regressions";
/// What stands before the program that has found them.
const PROGRAM: &str = "# program ";

/// The longest text of a tape that is kept.
const LONGEST_TAPE: usize = 4096;

/// A counterexample, and the tape of its small execution.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) address: Address,
    pub(super) tape: Option<Tape>,
}

impl Kept {
    /// Reads a line: an address, and a tape behind it where there is one.
    fn read(line: &str) -> Option<Self> {
        let (address, tape) = line.split_once(' ').unwrap_or((line, ""));
        Some(Kept { address: address.parse().ok()?, tape: tape.parse().ok() })
    }

    fn line(&self) -> String {
        let text = self.tape.as_ref().map(ToString::to_string);
        match text.filter(|text| text.len() <= LONGEST_TAPE) {
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
    /// Whether it is part of the source: then it holds what must never violate again, and
    /// nothing is taken out.
    pub(super) committed: bool,
}

impl Notebook {
    /// Opens the notebook of a test; none when nothing is to be remembered, or
    /// there is no place for it.
    pub(super) fn open(memory: &Memory, place: &str, test: &str) -> Option<Self> {
        let folder = match memory {
            Memory::Off => return None,
            Memory::Folder(folder) => folder.clone(),
            Memory::Target => target_folder()?.join("probtest").join("counterexamples"),
            Memory::Source => source_folder()?.join(REGRESSIONS),
        };
        let name = file_name(place, test);
        Some(Notebook {
            file: folder.join(format!("{name}.txt")),
            test: test.to_owned(),
            committed: *memory == Memory::Source,
        })
    }

    /// Reads what is remembered. A file that cannot be read holds nothing.
    pub(super) fn read(&self) -> Vec<Kept> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        text.lines().filter_map(Kept::read).collect()
    }

    /// Says whether all that is remembered was found by the program that runs now.
    pub(super) fn is_of_this_program(&self) -> bool {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let known = text.lines().find_map(|line| line.strip_prefix(PROGRAM));
        known.is_some() && known == program()
    }

    pub(super) fn add(&self, found: Address, tape: Option<&Tape>) -> io::Result<()> {
        let mut kept = self.read();
        kept.retain(|kept| kept.address != found);
        let tape = tape.cloned();
        kept.insert(0, Kept { address: found, tape });
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

    fn write(&self, kept: &[Kept]) -> io::Result<()> {
        if kept.is_empty() {
            return match fs::remove_file(&self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let mut text = match (self.committed, program()) {
            (true, _) => format!(
                "# Executions that violated {}. They run first; keep this file under version control.\n",
                self.test
            ),
            (false, Some(program)) => format!("{PROGRAM}{program}\n"),
            (false, None) => String::new(),
        };
        for each in kept {
            text.push_str(&each.line());
        }
        write_whole(&self.file, &text)
    }
}

/// Writes a file so that nobody sees half of it.
pub(super) fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let draft = file.with_extension(format!("{}.draft", std::process::id()));
    fs::write(&draft, text)?;
    fs::rename(&draft, file)
}

/// Finds the folder of the package whose test this is.
fn source_folder() -> Option<PathBuf> {
    // Cargo and nextest set it; who starts the binary otherwise is in the folder.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package.or_else(|| std::env::current_dir().ok())
}

/// Tells this program from what it becomes when it is compiled again. It is read once, and
/// only where something is remembered or kept.
pub(super) fn program() -> Option<&'static str> {
    static PROGRAM: OnceLock<Option<String>> = OnceLock::new();
    let read = || code_key(&[std::env::current_exe().ok()?]).ok();
    PROGRAM.get_or_init(read).as_deref()
}

/// Finds cargo's target folder from the place of the test binary.
fn target_folder() -> Option<PathBuf> {
    let binary = std::env::current_exe().ok()?;
    // Cargo marks the folder so that backup tools leave it out, unless the folder
    // was there before cargo; then the test lies in target/PROFILE/deps.
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
        // What is no tape is no reason to forget the counterexample.
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
        // Longer than what is read at once.
        let mut content = "one".repeat(1 << 16);
        write_whole(&file, &content).unwrap();
        let before = code_key(std::slice::from_ref(&file)).unwrap();
        let make_old = || {
            let opened = fs::File::options().write(true).open(&file).unwrap();
            opened.set_modified(std::time::UNIX_EPOCH).unwrap();
        };
        make_old();
        assert_eq!(code_key(std::slice::from_ref(&file)).unwrap(), before);
        // As long, and written at the same time.
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
