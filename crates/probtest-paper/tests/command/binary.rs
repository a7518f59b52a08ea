//! Running the real binary.

use std::process::Command;

pub use probtest_testing::{Ran, Started};

/// The command with a clean environment.
pub fn command(arguments: &[&str]) -> Command {
    probtest_testing::command(env!("CARGO_BIN_EXE_probtest-paper"), arguments)
}

pub fn paper(arguments: &[&str]) -> Ran {
    Ran::of(command(arguments).output().expect("probtest-paper starts"))
}
