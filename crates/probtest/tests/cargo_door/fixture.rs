//! Starting the fixture and looking at what it says.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use probtest_testing::{built, words};

/// Builds the fixture once and returns its binary.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| built("fixture", cfg!(feature = "tokio"), "fixture"))
}

/// The fixture with a clean environment and a memory of its own.
pub struct Fixture {
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
        // That takes longer than all the rest; tests of it unset this.
        command.env("PROBTEST_SHRINK", "no");
        Fixture { command, memory }
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
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.memory);
    }
}

#[track_caller]
pub fn assert_says(seen: &Seen, parts: &[&str]) {
    for part in parts {
        assert!(seen.text.contains(part), "no `{part}` in\n{}", seen.text);
    }
}

/// The execution that violated.
#[track_caller]
pub fn index(seen: &Seen) -> u64 {
    words::violating_index(&seen.text)
}
