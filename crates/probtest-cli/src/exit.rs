//! The exit codes: the one place that says what each means.
//!
//! `docs/reference/exit-codes.md` says the same; a test compares the two.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The command did what was asked; a test passed.
    Passed,
    Violated,
    /// The command is wrong as it was written.
    Usage,
    /// The command could not finish.
    Unfinished,
}

impl Exit {
    pub const ALL: [Exit; 4] = [Exit::Passed, Exit::Violated, Exit::Usage, Exit::Unfinished];

    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Passed => 0,
            Exit::Violated => 1,
            Exit::Usage => 2,
            Exit::Unfinished => 3,
        }
    }

    /// One line, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Exit::Passed => {
                "passed: the whole plan, an accepted budget, or a shard's part; or there was nothing to judge"
            }
            Exit::Violated => "violated: an execution is a counterexample",
            Exit::Usage => "usage: an option, a claim or the command is wrong; nothing was judged",
            Exit::Unfinished => {
                "could not finish: interrupted, out of budget, or broken; no verdict"
            }
        }
    }

    /// The table for `--help`.
    pub fn table() -> String {
        let mut table = String::from("Exit codes:\n");
        for exit in Exit::ALL {
            table.push_str(&format!("  {}  {}\n", exit.code(), exit.meaning()));
        }
        table
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
