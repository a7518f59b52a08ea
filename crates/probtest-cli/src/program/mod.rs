//! Executes a program: finds it, starts it, waits for it, and cleans up after it.
//!
//! Each execution is its own process group, so that everything it leaves running can be ended with
//! it. Its output goes to unlinked files instead of pipes: nothing has to read it meanwhile, and a
//! process that keeps a stream open blocks nothing. This module doesn't know what an execution
//! means for a claim.

mod clock;
mod execution;
mod running;

pub use clock::{ClockWatch, now};
pub use execution::{Background, Capture, Ending, Reports, in_foreground};
pub use running::{Running, Watchdog};

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use probtest::settings::OPTIONS;
use probtest::{Error, TestRng};
use rustix::fs::{Access, access};

/// Where to look for programs if `PATH` isn't set.
const ORDINARY_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
const SEED: &str = "{seed}";
const EXECUTION: &str = "{execution}";

/// What one execution gets: its seed and its number.
#[derive(Clone, Copy)]
pub struct ExecutionSeed {
    /// The seed, 31 bits: some languages can't read more into an integer.
    pub seed: u64,
    /// The number of the execution, from 1.
    pub execution: u64,
}

impl ExecutionSeed {
    /// Takes the seed of an execution from its source.
    pub fn of(rng: &mut TestRng) -> ExecutionSeed {
        ExecutionSeed { seed: rng.execution_seed() >> 33, execution: rng.execution() }
    }

    fn set_variables(self, command: &mut Command) {
        command.env("PROBTEST_SEED", self.seed.to_string());
        command.env("PROBTEST_EXECUTION", self.execution.to_string());
    }
}

/// A program and its arguments, ready to be started many times.
pub struct Program {
    /// The file that is started.
    pub path: PathBuf,
    words: Vec<String>,
    /// Where it is started, if not in the current folder.
    folder: Option<PathBuf>,
    /// Its own variables.
    pub variables: Vec<(OsString, OsString)>,
    /// Whether an argument differs from execution to execution.
    pub varies: bool,
}

impl Program {
    /// Finds the program named by the first word; it is started in the folder, an absolute path.
    pub fn find(folder: Option<&Path>, words: &[String]) -> Result<Program, Error> {
        let Some((first, arguments)) = words.split_first() else {
            return Err(Error::new(
                "there is no command",
                "nothing after `--`",
                "write the program after `--`, such as -- ./simulate",
            ));
        };
        Ok(Program {
            path: match folder.filter(|_| first.contains('/')) {
                // An absolute path stays as it is.
                Some(folder) => find(&folder.join(first).to_string_lossy())?,
                None => find(first)?,
            },
            words: words.to_vec(),
            folder: folder.map(Path::to_owned),
            variables: Vec::new(),
            varies: arguments.iter().any(|word| word.contains(SEED) || word.contains(EXECUTION)),
        })
    }

    pub fn word(&self) -> &str {
        &self.words[0]
    }

    fn command(&self, told: ExecutionSeed) -> Command {
        let mut command = Command::new(&self.path);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let (seed, execution) = (told.seed.to_string(), told.execution.to_string());
        let arguments = self.words[1..].iter();
        command.arg0(self.word());
        command
            .args(arguments.map(|word| word.replace(SEED, &seed).replace(EXECUTION, &execution)));
        // Variables set options of `probtest run` only, as flags would. If they were passed on,
        // tests inside the program would also take a replay, a limit or a report.
        for variable in OPTIONS.iter().filter_map(|spec| spec.variable) {
            command.env_remove(variable);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        // A counterexample remembered by one execution must not decide the next.
        command.env("PROBTEST_MEMORY", "off");
        told.set_variables(&mut command);
        command
    }
}

/// Returns the file that `word` names, the way a shell would find it.
///
/// Done once: execvp would try every folder of `PATH` for each execution.
fn find(word: &str) -> Result<PathBuf, Error> {
    if word.is_empty() {
        return Err(Error::new(
            "the command is empty",
            "''",
            "write the program after `--`, such as -- ./simulate",
        ));
    }
    let missing = || Error::new(format!("there is no program `{word}`"), word, missing_help(word));
    if word.contains('/') {
        let path = PathBuf::from(word);
        check(&path, word).map_err(|why| why.unwrap_or_else(missing))?;
        return Ok(path);
    }
    let folders = std::env::var_os("PATH").unwrap_or_else(|| OsString::from(ORDINARY_PATH));
    let mut nearly = None;
    for folder in std::env::split_paths(&folders) {
        let path = folder.join(word);
        match check(&path, word) {
            // An empty folder in PATH means the current one.
            Ok(()) if folder.as_os_str().is_empty() => return Ok(Path::new(".").join(word)),
            Ok(()) => return Ok(path),
            Err(why) => nearly = why.or(nearly),
        }
    }
    Err(nearly.unwrap_or_else(missing))
}

/// Says why a path can't be executed; the error is `None` if it doesn't exist.
fn check(path: &Path, word: &str) -> Result<(), Option<Error>> {
    let (what, help) = match std::fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(None);
        }
        Err(error) => (
            format!("`{word}` cannot be inspected: {error}"),
            "check the path and its permissions".to_owned(),
        ),
        Ok(found) if found.is_dir() => {
            (format!("`{word}` is a folder, not a program"), "name the program in it".to_owned())
        }
        Ok(_) if access(path, Access::EXEC_OK).is_err() => (
            format!("`{word}` is not executable"),
            format!("make it so with `chmod +x`, or name its interpreter, such as -- sh {word}"),
        ),
        Ok(_) => return Ok(()),
    };
    Err(Some(Error::new(what, word, help)))
}

fn missing_help(word: &str) -> String {
    if word.contains(char::is_whitespace) {
        return "write each argument as a separate word, or use -- sh -c 'COMMAND'".into();
    }
    if word.starts_with('-') {
        return "options of probtest go before `--`, and the program right after it".into();
    }
    if word.contains('/') {
        return "check the spelling of the path; it is relative to the current folder".into();
    }
    if Path::new(word).is_file() {
        return format!("a program in the current folder is written ./{word}");
    }
    "check the spelling of the name; it was looked up in PATH".into()
}
