//! Runs the real binary, with fifos to communicate with the programs it runs.

// Each test file uses its own part of this.
#![allow(dead_code)]

pub use probtest_testing::{Ran, Started};

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Command;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The command with a clean environment.
pub fn command(arguments: &[&str]) -> Command {
    probtest_testing::command(env!("CARGO_BIN_EXE_probtest"), arguments)
}

pub fn probtest(arguments: &[&str]) -> Ran {
    Ran::of(command(arguments).output().expect("probtest starts"))
}

/// Reports on result files, which are written for it.
pub fn report_on(files: &[Value], options: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (number, content) in files.iter().enumerate() {
        let file = folder.path().join(format!("{number}.json"));
        std::fs::write(file, content.to_string()).expect("written");
    }
    probtest(&[&["report", folder.path().to_str().expect("text")], options].concat())
}

/// The same for tests in pytest's format.
pub fn report_tests(tests: &[Value], options: &[&str]) -> Ran {
    report_on(&[json!({ "probtest": 2, "tests": tests })], options)
}

/// An object with some fields changed.
pub fn changed(mut object: Value, changes: Value) -> Value {
    for (key, value) in changes.as_object().expect("an object") {
        object[key] = value.clone();
    }
    object
}

/// Runs `probtest run OPTIONS -- sh -c SCRIPT`.
pub fn run_script(options: &[&str], script: &str) -> Ran {
    let words = [&["run"], options, &["--", "sh", "-c", script]].concat();
    probtest(&words)
}

/// A folder with fifos through which programs signal that they are alive.
///
/// A program that should have been killed keeps `alive` open and finally writes `survived` to it:
/// reading to the end waits until all are gone and needs no clock.
pub struct Signs {
    folder: TempDir,
    alive: File,
    ready: File,
}

impl Signs {
    pub fn new() -> Signs {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["alive", "ready"] {
            let made = Command::new("mkfifo")
                .arg(folder.path().join(name))
                .status()
                .expect("mkfifo starts");
            assert!(made.success());
        }
        let alive = OpenOptions::new()
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits() as i32)
            .open(folder.path().join("alive"))
            .expect("the fifo opens");
        let flags = fcntl_getfl(&alive).expect("flags");
        fcntl_setfl(&alive, flags - OFlags::NONBLOCK).expect("flags");
        // Also opened for writing, so that it never ends.
        let ready = OpenOptions::new()
            .read(true)
            .write(true)
            .open(folder.path().join("ready"))
            .expect("the fifo opens");
        Signs { folder, alive, ready }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Sets `$DIR` for a script.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command.env("DIR", self.folder.path());
        command
    }

    /// Runs `probtest OPTIONS -- sh -c SCRIPT`, with `$DIR`.
    pub fn script(&self, options: &[&str], script: &str) -> Ran {
        let mut command = self.command(options);
        let command = command.args(["--", "sh", "-c", script]);
        Ran::of(command.output().expect("probtest starts"))
    }

    /// Starts `probtest OPTIONS -- sh -c SCRIPT`, with `$DIR`.
    pub fn start(&self, options: &[&str], script: &str) -> Started {
        let mut command = self.command(options);
        Started::new(command.args(["--", "sh", "-c", script]))
    }

    /// Waits until `count` programs have written a line to `ready`.
    pub fn wait_until_ready(&mut self, count: usize) {
        let mut seen = 0;
        let mut byte = [0];
        while seen < count {
            self.ready.read_exact(&mut byte).expect("the fifo is read");
            seen += usize::from(byte[0] == b'\n');
        }
    }

    /// Writes a line that a program waits for.
    pub fn let_go(&mut self) {
        self.ready.write_all(b"go\n").expect("the fifo is written");
    }

    /// Waits until no process has `alive` open, and returns what was written.
    pub fn last_words(&mut self) -> String {
        let mut words = String::new();
        self.alive.read_to_string(&mut words).expect("the fifo is read");
        words
    }
}
