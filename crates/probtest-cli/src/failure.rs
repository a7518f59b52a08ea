//! What went wrong, for people on stderr and for programs on stdout.

use std::fmt::Display;
use std::io::Write;

use probtest::Error;
use probtest_facts::{ErrorFacts, ErrorKind, ErrorWords, Version};

use crate::exit::Exit;
use crate::output;

/// Ends a command without a verdict.
#[derive(Debug)]
pub enum Failure {
    /// The command is wrong as it was written.
    Usage(Error),
    /// The command was right, but could not finish.
    Unfinished(String),
}

impl Failure {
    /// The command is wrong: what, by which words, and what to do.
    pub fn given(what: impl Display, given: impl Display, help: impl Display) -> Self {
        Error::new(what.to_string(), given.to_string(), help.to_string()).into()
    }

    pub fn unfinished(message: impl Display) -> Self {
        Failure::Unfinished(message.to_string())
    }

    /// Tells the failure and returns how to end.
    pub fn tell(&self, as_json: bool) -> Exit {
        let (exit, kind) = match self {
            Failure::Usage(_) => (Exit::Usage, ErrorKind::Usage),
            Failure::Unfinished(_) => (Exit::Unfinished, ErrorKind::Unfinished),
        };
        if as_json {
            // That stdout is gone cannot be told there; stderr still says why.
            let _ = output::print_json(&ErrorFacts {
                probtest: Version,
                error: self.words(kind),
                exit_code: exit.code(),
            });
        }
        // A closed stderr must not turn an error into a panic.
        let mut stderr = std::io::stderr();
        let _ = match self {
            Failure::Usage(error) => writeln!(stderr, "error: {error}"),
            Failure::Unfinished(message) => writeln!(stderr, "error: {message}"),
        };
        exit
    }

    fn words(&self, kind: ErrorKind) -> ErrorWords {
        match self {
            Failure::Usage(error) => ErrorWords {
                kind,
                message: error.what(),
                given: Some(error.given().to_owned()),
                help: Some(error.help().to_owned()),
            },
            Failure::Unfinished(message) => {
                ErrorWords { kind, message: message.clone(), given: None, help: None }
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Usage(error)
    }
}
