//! What the tests of several crates need: the words that probtest says ([`words`]), and
//! real binaries in a clean environment.

pub mod words;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT};
use signal_hook::flag::register_conditional_default;

/// What a binary did.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code; none after a signal.
    pub code: Option<i32>,
    /// What it wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its standard error.
    pub stderr: String,
}

impl Ran {
    /// Reads what a process left.
    pub fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is text"),
            stderr: String::from_utf8(output.stderr).expect("stderr is text"),
        }
    }

    /// Checks the exit code, and shows everything when it is another one.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    /// Checks that the words are in its standard output.
    #[track_caller]
    pub fn says(self, words: &str) -> Ran {
        assert!(self.stdout.contains(words), "not said: {words}\n{}", self.stdout);
        self
    }

    /// Checks that the words are in its standard error.
    #[track_caller]
    pub fn complains(self, words: &str) -> Ran {
        assert!(self.stderr.contains(words), "not said: {words}\n{}", self.stderr);
        self
    }

    /// Reads its standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).expect("stdout is one JSON object")
    }
}

/// Variables that change what programs print: colours, the width, backtraces.
const PRINTING: [&str; 4] = ["CLICOLOR_FORCE", "COLUMNS", "NO_COLOR", "RUST_BACKTRACE"];

/// A binary with a clean environment.
pub fn command(binary: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command.args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars() {
        if name.starts_with("PROBTEST_") || PRINTING.contains(&name.as_str()) {
            command.env_remove(name);
        }
    }
    command
}

/// Builds a test target, and returns the file of the target with this name: the test itself, or
/// a library that it needs.
///
/// It is the one that `make test` has built before, of the whole workspace: the same for one
/// package has other features of dependencies, and would compile half of them again.
pub fn built(test: &str, all_features: bool, name: &str) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.args(["test", "--workspace", "--test", test, "--no-run"]);
    cargo.args(["--message-format=json", "--quiet"]);
    cargo.args(all_features.then_some("--all-features"));
    let output = cargo.output().expect("cargo starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut messages = text.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let file = message["executable"].as_str();
        let file = file.or_else(|| message["filenames"][0].as_str())?;
        (message["target"]["name"] == name).then(|| PathBuf::from(file))
    });
    messages.next_back().unwrap_or_else(|| {
        let problems = String::from_utf8_lossy(&output.stderr);
        panic!("{name} was not built: {problems}");
    })
}

/// The compiler, for a file that uses the library as it was [`built`].
pub fn rustc(library: &Path) -> Command {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.arg("--edition=2024").arg("--extern");
    rustc.arg(format!("probtest={}", library.display()));
    let folder = library.parent().expect("in a folder");
    rustc.arg("-L");
    rustc.arg(format!("dependency={}", folder.display()));
    rustc
}

/// A binary under way.
#[derive(Debug)]
pub struct Started(pub Child);

impl Started {
    /// Starts a command, and keeps what it writes.
    pub fn new(command: &mut Command) -> Started {
        // Tests that a shell started in the background, or nohup, ignore some signals, and
        // so would the command. What is caught here has its default again in a new program.
        for signal in [SIGHUP, SIGINT, SIGQUIT] {
            let caught = Arc::new(AtomicBool::new(true));
            register_conditional_default(signal, caught).expect("the signal can be caught");
        }
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Started(piped.spawn().expect("the binary starts"))
    }

    /// Sends signals, and waits for the end.
    pub fn ended_by(self, signals: &[Signal]) -> Ran {
        for signal in signals {
            kill_process(Pid::from_child(&self.0), *signal).expect("the signal is sent");
        }
        Ran::of(self.0.wait_with_output().expect("the binary ends"))
    }
}

/// The examples of the documents are tested here, since a published crate cannot reach them.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../probtest-macros/src/probtest.md")]
    struct Attribute;
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/tutorial/first-test.md")]
    struct FirstTest;
    #[doc = include_str!("../../../docs/tutorial/random-inputs.md")]
    struct RandomInputs;
    #[doc = include_str!("../../../docs/how-to/choose-a-claim.md")]
    struct ChooseAClaim;
    #[doc = include_str!("../../../docs/how-to/compare.md")]
    struct Compare;
    #[doc = include_str!("../../../docs/how-to/labels.md")]
    struct Labels;
    #[doc = include_str!("../../../docs/how-to/library.md")]
    struct Library;
    #[doc = include_str!("../../../docs/how-to/numbers-and-labels.md")]
    struct NumbersAndLabels;
}
