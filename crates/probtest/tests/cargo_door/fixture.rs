//! Starts the fixture and checks its output.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use probtest_testing::{built, words};
use serde_json::Value;

/// Builds the fixture once and returns its binary.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| built("fixture", cfg!(feature = "tokio"), "fixture"))
}

/// The fixture with a clean environment and its own memory.
pub struct Fixture {
    name: String,
    command: Command,
    memory: PathBuf,
}

pub struct Seen {
    pub text: String,
    pub passed: bool,
}

impl Fixture {
    pub fn test(name: &str) -> Self {
        let mut command = Command::new(binary());
        command.args([name, "--exact", "--include-ignored"]);
        Fixture::with(command, name)
    }

    pub fn with(mut command: Command, name: &str) -> Self {
        for (variable, _) in std::env::vars_os() {
            if variable.to_string_lossy().starts_with("PROBTEST_") {
                command.env_remove(variable);
            }
        }
        let memory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
            "memory-{}-{name}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        let _ = std::fs::remove_dir_all(&memory);
        command.env("PROBTEST_MEMORY", &memory);
        command.env("RUST_BACKTRACE", "0").env_remove("NEXTEST");
        // Shrinking takes longer than all the rest; tests of it unset this.
        command.env("PROBTEST_SHRINK", "no");
        Fixture { name: name.to_owned(), command, memory }
    }

    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn unset(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub fn argument(mut self, argument: &str) -> Self {
        self.command.arg(argument);
        self
    }

    pub fn memory(&self) -> &Path {
        &self.memory
    }

    pub fn see(&mut self) -> Seen {
        let Output { status, stdout, stderr } = self.command.output().expect("the fixture starts");
        let text = String::from_utf8_lossy(&stdout) + String::from_utf8_lossy(&stderr);
        Seen { text: text.into_owned(), passed: status.success() }
    }

    /// Runs the fixture, which must pass and say all of this.
    #[track_caller]
    pub fn passes(&mut self, parts: &[&str]) -> Seen {
        let seen = self.see();
        assert!(seen.passed, "{}: {}", self.name, seen.text);
        seen.says(parts)
    }

    /// Runs the fixture, which must fail and say all of this.
    #[track_caller]
    pub fn fails(&mut self, parts: &[&str]) -> Seen {
        let seen = self.see();
        assert!(!seen.passed, "{}: {}", self.name, seen.text);
        seen.says(parts)
    }

    /// Runs it with a folder for reports, and reads the only one.
    #[track_caller]
    pub fn reports(mut self) -> (Seen, Value) {
        let folder = self.memory.with_extension("reports");
        let _ = std::fs::remove_dir_all(&folder);
        self.command.env("PROBTEST_REPORT", &folder);
        let seen = self.see();
        let report = only_report(&folder);
        let _ = std::fs::remove_dir_all(&folder);
        (seen, report)
    }
}

/// The only report in a folder.
#[track_caller]
pub fn only_report(folder: &Path) -> Value {
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A folder that doesn't exist.
pub fn no_folder(name: &str) -> PathBuf {
    let name = format!("{name}-{}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.memory);
    }
}

impl Seen {
    /// Checks that all of this was said.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Seen {
        for part in parts {
            assert!(self.text.contains(part), "no `{part}` in\n{}", self.text);
        }
        self
    }

    /// Checks that this was not said.
    #[track_caller]
    pub fn lacks(self, part: &str) -> Seen {
        assert!(!self.text.contains(part), "`{part}` in\n{}", self.text);
        self
    }
}

/// The execution that violated.
#[track_caller]
pub fn index(seen: &Seen) -> u64 {
    words::violating_index(&seen.text)
}
