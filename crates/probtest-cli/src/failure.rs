//! What went wrong, for people on stderr and for programs on stdout.

use std::fmt::Display;
use std::io::Write;

use probtest_facts::{ErrorFacts, ErrorWords, Version};

use crate::exit::Exit;
use crate::output;

/// Ends a command without a verdict.
///
/// The message has the form of every error here: what is wrong, then the lines
/// `given` and `help`.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    /// The command is wrong as it was written.
    pub fn usage(message: impl Display) -> Self {
        Failure {
            exit: Exit::Usage,
            message: message.to_string(),
        }
    }

    /// The command is wrong: what, by which words, and what to do.
    pub fn given(what: impl Display, given: impl Display, help: impl Display) -> Self {
        Failure::usage(format!("{what}\n  given  {given}\n  help   {help}"))
    }

    /// The command was right, but could not be carried out to its end.
    pub fn unfinished(message: impl Display) -> Self {
        Failure {
            exit: Exit::Unfinished,
            message: message.to_string(),
        }
    }

    /// Says that the value came from an environment variable.
    pub fn of_variable(self, name: &str) -> Self {
        Failure {
            message: format!(
                "the environment variable {name} cannot be used: {}",
                self.message
            ),
            ..self
        }
    }

    /// Tells the failure and returns how to end.
    pub fn tell(&self, as_json: bool) -> Exit {
        if as_json {
            self.tell_json();
        }
        // A closed stderr must not turn an error into a panic.
        let _ = writeln!(std::io::stderr(), "error: {}", self.message);
        self.exit
    }

    /// Tells the failure to programs alone.
    pub fn tell_json(&self) {
        // That stdout is gone cannot be told there; stderr still says why.
        let _ = output::print_json(&self.facts());
    }

    fn facts(&self) -> ErrorFacts {
        let mut lines = self.message.lines();
        let message = lines.next().unwrap_or_default().to_owned();
        let mut error = ErrorWords {
            kind: self.exit.name().to_owned().into(),
            message,
            given: None,
            help: None,
        };
        for line in lines {
            let text = |words: &str| Some(words.trim_start().to_owned());
            match line.trim_start().split_once(' ') {
                Some(("given", words)) => error.given = text(words),
                Some(("help", words)) => error.help = text(words),
                _ => {}
            }
        }
        ErrorFacts {
            probtest: Version,
            error,
            exit_code: self.exit.code(),
        }
    }
}

impl From<probtest::Error> for Failure {
    fn from(error: probtest::Error) -> Self {
        Failure::usage(error)
    }
}

impl From<probtest::claim::ClaimError> for Failure {
    fn from(error: probtest::claim::ClaimError) -> Self {
        Failure::usage(error)
    }
}

impl From<probtest::plan::PlanError> for Failure {
    fn from(error: probtest::plan::PlanError) -> Self {
        Failure::usage(error)
    }
}

impl From<probtest::seed::SeedError> for Failure {
    fn from(error: probtest::seed::SeedError) -> Self {
        Failure::usage(error)
    }
}
