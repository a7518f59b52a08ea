//! Two revisions of a repository, each checked out and built in a folder of its own.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use probtest::settings::Cancel;

use crate::failure::Failure;
use crate::program::{Interrupt, Program, Running};

/// Which revisions, and how they are built.
#[derive(clap::Args, Debug)]
pub struct GitFlags {
    /// Compare two revisions of this repository: the command is executed in both
    #[arg(long, value_name = "OLD..NEW")]
    git: Option<String>,

    /// The shell command that builds a revision, executed once in each; `cargo test`, `cargo run`
    /// and `cargo nextest run` are built without it
    #[arg(long, value_name = "COMMAND", requires = "git")]
    build: Option<String>,
}

/// Both revisions, on the disk until this is dropped.
pub struct Versions {
    /// The commits, as they were found.
    commits: [String; 2],
    /// The folder that holds both, and what is below it for the folder that we are in.
    folder: PathBuf,
    prefix: PathBuf,
    build: Option<String>,
}

/// How the folders of all processes begin.
const FOLDER: &str = "probtest-compare-";
const NAMES: [&str; 2] = ["old", "new"];

impl GitFlags {
    /// Checks both revisions out and builds them, where revisions are to be compared.
    pub fn check_out(&self, command: &[String], quiet: bool) -> Result<Option<Versions>, Failure> {
        let Some(range) = &self.git else {
            return Ok(None);
        };
        if command.iter().any(|word| word == "---") {
            return Err(Failure::given(
                "--git compares one command in two revisions, and there are two commands",
                command.join(" "),
                "leave `---` and the second command out, or leave --git out",
            ));
        }
        let [old, new] = revisions(range)?;
        let prefix = git(["rev-parse", "--show-prefix"], "this is no git repository")?;
        let commits = [commit(old)?, commit(new)?];
        if commits[0] == commits[1] {
            return Err(Failure::given(
                format!("both revisions are the commit {}", commits[0]),
                range,
                "give two revisions that differ; what is not committed is in none of them",
            ));
        }
        let changed = git(["status", "--porcelain", "--untracked-files=no"], "")?;
        if !changed.is_empty() && !quiet {
            say("warning: what is not committed is in none of the two revisions");
        }
        remove_leftovers();
        let running = Running::new(None);
        let cancel = Cancel::new();
        // From here on a signal ends what is under way, and what was checked out is removed.
        let _interrupt = Interrupt::listen(&running, &cancel, false)
            .map_err(|error| Failure::unfinished(format!("signals cannot be heard: {error}")))?;
        let folder = std::env::temp_dir().join(format!("{FOLDER}{}", std::process::id()));
        let versions = Versions {
            commits,
            folder,
            prefix: PathBuf::from(prefix),
            build: self.build.clone(),
        };
        for (name, commit) in NAMES.iter().zip(&versions.commits) {
            let place = versions.folder.join(name);
            let words = ["worktree", "add", "--detach", "--force", "--quiet"].map(OsStr::new);
            let words = words
                .into_iter()
                .chain([place.as_os_str(), OsStr::new(commit)]);
            git(
                words,
                &format!("the revision {commit} cannot be checked out"),
            )?;
        }
        for name in NAMES {
            versions.build(name, command, quiet)?;
            if cancel.is_cancelled() {
                return Err(Failure::unfinished(
                    "it was stopped before the first execution",
                ));
            }
        }
        Ok(Some(versions))
    }
}

impl Versions {
    /// The command in both revisions.
    pub fn programs(&self, command: &[String]) -> Result<Vec<Program>, Failure> {
        let one = |name| {
            let program = Program::find_in(Some(&self.place(name)), command)?;
            // Also where somebody has one folder for all builds.
            Ok(program.with("CARGO_TARGET_DIR", self.target(name)))
        };
        NAMES.into_iter().map(one).collect()
    }

    /// What tells these two from others.
    pub fn code(&self) -> String {
        self.commits.join("..")
    }

    /// The options that check out the same two.
    pub fn words(&self) -> Vec<String> {
        let build = self
            .build
            .iter()
            .flat_map(|build| ["--build".to_owned(), build.clone()]);
        ["--git".to_owned(), self.code()]
            .into_iter()
            .chain(build)
            .collect()
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name).join(&self.prefix)
    }

    fn target(&self, name: &str) -> PathBuf {
        self.folder.join(name).join("target")
    }

    fn build(&self, name: &str, command: &[String], quiet: bool) -> Result<(), Failure> {
        let mut building = match (&self.build, cargo_build(command)) {
            (Some(build), _) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", build]);
                shell
            }
            (None, Some(words)) => {
                let mut cargo = Command::new(&command[0]);
                cargo.args(words);
                cargo
            }
            (None, None) => return Ok(()),
        };
        let commit = &self.commits[usize::from(name == NAMES[1])];
        if !quiet {
            say(&format!(
                "builds the {name} version, {}",
                &commit[..commit.len().min(12)]
            ));
        }
        let built = building
            .current_dir(self.place(name))
            .env("CARGO_TARGET_DIR", self.target(name))
            .stdin(Stdio::null())
            .output();
        match built {
            Ok(built) if built.status.success() => Ok(()),
            Ok(built) => Err(Failure::unfinished(format!(
                "the {name} version, {commit}, cannot be built: {}\n{}",
                built.status,
                ending(&built)
            ))),
            Err(error) => Err(Failure::unfinished(format!(
                "the {name} version, {commit}, cannot be built: {error}"
            ))),
        }
    }
}

impl Drop for Versions {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Removes a folder with worktrees, and what git knows of them.
fn remove(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
    let _ = git(["worktree", "prune"], "");
}

/// Removes what processes have left behind that were killed.
fn remove_leftovers() {
    let Ok(listed) = git(["worktree", "list", "--porcelain"], "") else {
        return;
    };
    let places = listed
        .lines()
        .filter_map(|line| line.strip_prefix("worktree "));
    for folder in places.filter_map(|place| Path::new(place).parent()) {
        let name = folder.file_name().and_then(OsStr::to_str);
        let owner = name
            .and_then(|name| name.strip_prefix(FOLDER))
            .map(str::parse);
        if let Some(Ok(owner)) = owner
            && let Some(owner) = rustix::process::Pid::from_raw(owner)
            && rustix::process::test_kill_process(owner).is_err()
        {
            remove(folder);
        }
    }
}

/// Reads `OLD..NEW`; an empty side is HEAD, as in git.
fn revisions(range: &str) -> Result<[&str; 2], Failure> {
    match range.split_once("..") {
        Some((old, new)) if range != ".." && !new.starts_with('.') => {
            Ok([old, new].map(|side| if side.is_empty() { "HEAD" } else { side }))
        }
        _ => Err(Failure::given(
            "--git is not two revisions",
            range,
            "write the old one and the new one, such as main..HEAD",
        )),
    }
}

fn commit(revision: &str) -> Result<String, Failure> {
    let named = format!("{revision}^{{commit}}");
    let words = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &named,
    ];
    git(words, "").map_err(|_| {
        Failure::given(
            format!("there is no revision `{revision}` in this repository"),
            revision,
            "check its name with `git log`, or fetch it",
        )
    })
}

/// Runs git, and returns what it wrote.
fn git<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>, what: &str) -> Result<String, Failure> {
    let output = Command::new("git")
        .args(words)
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        Ok(output) => Err(Failure::given(
            what,
            ending(&output),
            "call it in a folder of the repository, where git works",
        )),
        Err(error) => Err(Failure::unfinished(format!(
            "git cannot be started: {error}"
        ))),
    }
}

/// The last lines of what a process wrote.
fn ending(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

/// The arguments by which cargo builds what a command executes.
fn cargo_build(command: &[String]) -> Option<Vec<String>> {
    let program = Path::new(command.first()?).file_name()?;
    if program != "cargo" {
        return None;
    }
    // What stands behind `--` is for the tests.
    let words: Vec<&String> = command[1..]
        .iter()
        .take_while(|word| *word != "--")
        .collect();
    // A toolchain, such as +nightly, comes first.
    let first = words.iter().position(|word| !word.starts_with('+'))?;
    let (before, rest) = words.split_at(first);
    let (by, skipped): (&[&str], usize) = match rest.first()?.as_str() {
        "test" | "t" => (&["test", "--no-run"], 1),
        "run" | "r" => (&["build"], 1),
        "nextest" => (&["nextest", "run", "--no-run"], 2),
        _ => return None,
    };
    let own = by.iter().map(ToString::to_string);
    let rest = rest.iter().skip(skipped).map(ToString::to_string);
    Some(
        before
            .iter()
            .map(ToString::to_string)
            .chain(own)
            .chain(rest)
            .collect(),
    )
}

fn say(words: &str) {
    let _ = writeln!(std::io::stderr(), "probtest: {words}");
}
