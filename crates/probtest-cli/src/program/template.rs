//! The command with its places for seed and execution.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use probtest::TestRng;
use probtest::settings::OPTIONS;

use super::find::find;
use probtest::Error;

/// A program and its arguments, ready to be started many times.
pub struct Program {
    path: PathBuf,
    words: Vec<String>,
    /// Where it is started, if not here.
    folder: Option<PathBuf>,
    /// Variables of its own.
    variables: Vec<(OsString, OsString)>,
    /// Whether an argument differs from execution to execution.
    varies: bool,
}

/// What one execution is told: its seed and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutionSeed {
    /// The seed, in 31 bits: more than some languages read into an integer.
    pub seed: u64,
    /// The number of the execution, from 1.
    pub execution: u64,
}

const SEED: &str = "{seed}";
const EXECUTION: &str = "{execution}";

impl ExecutionSeed {
    /// Takes the seed of an execution from its source.
    pub fn of(rng: &mut TestRng) -> ExecutionSeed {
        ExecutionSeed { seed: rng.execution_seed() >> 33, execution: rng.execution() }
    }
}

impl Program {
    /// Finds the program that the first word names.
    pub fn find(words: &[String]) -> Result<Program, Error> {
        Program::find_in(None, words)
    }

    /// The same, for a program that is started in a folder, which is given as a whole path.
    pub fn find_in(folder: Option<&Path>, words: &[String]) -> Result<Program, Error> {
        let Some((first, arguments)) = words.split_first() else {
            return Err(Error::new(
                "there is no command",
                "nothing after `--`",
                "write the program after `--`, such as -- ./simulate",
            ));
        };
        Ok(Program {
            path: match folder.filter(|_| first.contains('/')) {
                // A path that is whole already stays as it is.
                Some(folder) => find(&folder.join(first).to_string_lossy())?,
                None => find(first)?,
            },
            words: words.to_vec(),
            folder: folder.map(Path::to_owned),
            variables: Vec::new(),
            varies: arguments.iter().any(|word| word.contains(SEED) || word.contains(EXECUTION)),
        })
    }

    /// Adds a variable to its environment.
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Program {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Says whether each execution needs a command of its own.
    pub fn varies(&self) -> bool {
        self.varies
    }

    pub fn word(&self) -> &str {
        &self.words[0]
    }

    /// The file that is started.
    pub fn file(&self) -> &Path {
        &self.path
    }

    pub fn command(&self, told: ExecutionSeed) -> Command {
        let mut command = Command::new(&self.path);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let (first, arguments) = (&self.words[0], &self.words[1..]);
        command.arg0(first);
        if self.varies {
            command.args(arguments.iter().map(|word| fill(word, told)));
        } else {
            command.args(arguments);
        }
        // What `probtest run` was told by variables is for it alone, as if it had
        // been told by options: handed on, a replay, a limit or a report would be
        // taken by tests inside the program as well.
        for variable in OPTIONS.iter().filter_map(|spec| spec.variable) {
            command.env_remove(variable);
        }
        let own = self.variables.iter();
        command.envs(own.map(|(name, value)| (name, value)));
        // A counterexample that one execution remembers must not decide the next.
        command.env("PROBTEST_MEMORY", "off");
        tell(&mut command, told);
        command
    }
}

/// Puts seed and execution into the environment of a command.
pub fn tell(command: &mut Command, told: ExecutionSeed) {
    command.env("PROBTEST_SEED", told.seed.to_string());
    command.env("PROBTEST_EXECUTION", told.execution.to_string());
}

fn fill(word: &str, told: ExecutionSeed) -> String {
    word.replace(SEED, &told.seed.to_string()).replace(EXECUTION, &told.execution.to_string())
}
