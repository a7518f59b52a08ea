//! Writing to stdout.

use std::io::{ErrorKind, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Writes text to stdout.
///
/// A reader that has gone away (`probtest ... | head -1`) has what it wanted.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::unfinished(format!("the answer could not be written to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes one JSON object on one line.
pub fn print_json(facts: &impl Serialize) -> Result<(), Failure> {
    print(&json(facts)?)
}

/// One JSON object on one line.
pub fn json(facts: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(facts)
        .map(|text| text + "\n")
        .map_err(|error| Failure::unfinished(format!("the JSON cannot be written: {error}")))
}
