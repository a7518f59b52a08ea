//! Running the real binary.

use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT};
use signal_hook::flag::register_conditional_default;

/// What the command did.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
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
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    #[track_caller]
    pub fn says(self, words: &str) -> Ran {
        assert!(
            self.stdout.contains(words),
            "not said: {words}\n{}",
            self.stdout
        );
        self
    }

    #[track_caller]
    pub fn complains(self, words: &str) -> Ran {
        assert!(
            self.stderr.contains(words),
            "not said: {words}\n{}",
            self.stderr
        );
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).expect("stdout is one JSON object")
    }
}

/// Variables that change what programs print: colours, the width, backtraces.
const PRINTING: [&str; 4] = ["CLICOLOR_FORCE", "COLUMNS", "NO_COLOR", "RUST_BACKTRACE"];

/// The command with a clean environment.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probtest-paper"));
    command.args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars() {
        if name.starts_with("PROBTEST_") || PRINTING.contains(&name.as_str()) {
            command.env_remove(name);
        }
    }
    command
}

pub fn paper(arguments: &[&str]) -> Ran {
    Ran::of(command(arguments).output().expect("probtest-paper starts"))
}

/// The command under way.
pub struct Started(pub Child);

impl Started {
    pub fn new(arguments: &[&str]) -> Started {
        // Tests that a shell started in the background, or nohup, ignore some signals, and
        // so would the command. What is caught here has its default again in a new program.
        for signal in [SIGHUP, SIGINT, SIGQUIT] {
            let caught = Arc::new(AtomicBool::new(true));
            register_conditional_default(signal, caught).expect("the signal can be caught");
        }
        let mut command = command(arguments);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Started(piped.spawn().expect("probtest-paper starts"))
    }

    /// Sends signals, and waits for the end.
    pub fn ended_by(self, signals: &[Signal]) -> Ran {
        for signal in signals {
            kill_process(Pid::from_child(&self.0), *signal).expect("the signal is sent");
        }
        Ran::of(self.0.wait_with_output().expect("probtest-paper ends"))
    }
}
