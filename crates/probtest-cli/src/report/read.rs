//! What do the files say? From JSON text to results.

use std::collections::BTreeSet;
use std::io::{self, Write};

use probtest::report::FORMAT;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::failure::Failure;

use super::facts::Facts;
use super::input::Source;
use super::words::{NAME, one_line};

/// The most tests that one report holds.
const MOST_TESTS: usize = 200_000;

/// Everything that was read.
pub struct Reading {
    /// The results, in the order of files and within them.
    pub results: Vec<Facts>,
    /// How many results were met a second time.
    pub repeated: u64,
    /// The files, in order.
    pub sources: Vec<String>,
    /// What runs of pytest promise as a whole, each once, in the words of the core.
    pub suites: Vec<Map<String, Value>>,
}

/// Reads all files.
///
/// # Errors
///
/// When one of them does not hold results of probtest.
pub fn read(sources: &[Source]) -> Result<Reading, Failure> {
    let mut reading = Reading {
        results: Vec::new(),
        repeated: 0,
        sources: sources.iter().map(|source| source.name.clone()).collect(),
        suites: Vec::new(),
    };
    let mut seen = BTreeSet::new();
    for source in sources {
        let text = source.text()?;
        for object in objects(&text, &source.name, &mut reading.suites)? {
            let mut facts = Facts::read(&object, &source.name)?;
            // A test that ends twice in the same way takes another time.
            if !seen.insert(fingerprint(&object)) {
                reading.repeated += 1;
                continue;
            }
            if reading.results.len() == MOST_TESTS {
                return Err(Failure::given(
                    format!("there are more than {MOST_TESTS} results"),
                    &source.name,
                    "report them in parts",
                ));
            }
            facts.object = object;
            reading.results.push(facts);
        }
    }
    Ok(reading)
}

/// Stands for an object: keeping the text of each would double what is held.
fn fingerprint(object: &Map<String, Value>) -> [u8; 32] {
    let mut hash = Sha256::new();
    // Writing to a hash does not fail.
    let _ = serde_json::to_writer(Hasher(&mut hash), object);
    hash.finalize().into()
}

/// Takes the text of an object piece by piece.
struct Hasher<'a>(&'a mut Sha256);

impl Write for Hasher<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The results in the text of one file: one object as cargo's tests and `probtest
/// run --json` write, several of them in a row, or pytest's object with `tests`.
fn objects(
    text: &str,
    source: &str,
    suites: &mut Vec<Map<String, Value>>,
) -> Result<Vec<Map<String, Value>>, Failure> {
    let mut found = Vec::new();
    let mut any = false;
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        any = true;
        let value = value.map_err(|error| broken(text, source, &error))?;
        let Value::Object(mut object) = value else {
            return Err(foreign(source, &value));
        };
        version(&object, source)?;
        if let Some(error) = object.get("error") {
            let message = error.get("message").and_then(Value::as_str).unwrap_or("");
            return Err(Failure::given(
                "the file holds an error, not a result: nothing was executed",
                format!("{source}: {}", one_line(message, NAME)),
                "mend the error and run the test again",
            ));
        }
        match object.remove("tests") {
            None if object.contains_key("verdict") => found.push(object),
            None => return Err(foreign(source, &Value::Object(object))),
            Some(Value::Array(tests)) => {
                // One run of pytest, or several that were reported before.
                let one = object.remove("suite").into_iter();
                let several = match object.remove("suites") {
                    Some(Value::Array(list)) => list,
                    _ => Vec::new(),
                };
                for suite in one.chain(several) {
                    if let Value::Object(suite) = suite
                        && !suites.contains(&suite)
                    {
                        suites.push(suite);
                    }
                }
                for test in tests {
                    let Value::Object(test) = test else {
                        return Err(foreign(source, &test));
                    };
                    version(&test, source)?;
                    found.push(test);
                }
            }
            Some(other) => return Err(foreign(source, &other)),
        }
    }
    if !any {
        return Err(Failure::given(
            "the file is empty",
            source,
            "a test was stopped before it could write its result: run it again",
        ));
    }
    Ok(found)
}

fn version(object: &Map<String, Value>, source: &str) -> Result<(), Failure> {
    match object.get("probtest").map(Value::as_u64) {
        Some(Some(1)) => Ok(()),
        Some(Some(newer)) if newer > u64::from(FORMAT) => Err(Failure::given(
            format!(
                "the file was written by a newer probtest: its form is {newer}, this command reads {FORMAT}"
            ),
            source,
            format!(
                "report with the probtest that wrote it; this is {}",
                env!("CARGO_PKG_VERSION")
            ),
        )),
        _ => Err(foreign(source, &Value::Object(object.clone()))),
    }
}

fn foreign(source: &str, value: &Value) -> Failure {
    let given = match value {
        Value::Object(map) if map.is_empty() => "an object without fields".to_owned(),
        Value::Object(map) => {
            let keys: Vec<&str> = map.keys().take(5).map(String::as_str).collect();
            format!("an object with {}", one_line(&keys.join(", "), 100))
        }
        other => one_line(&other.to_string(), 60),
    };
    Failure::given(
        "the file is not a result of probtest",
        format!("{given} in {source}"),
        "give files that PROBTEST_REPORT, --probtest-json or probtest run --json wrote",
    )
}

fn broken(text: &str, source: &str, error: &serde_json::Error) -> Failure {
    let place = format!("{source}, line {}, column {}", error.line(), error.column());
    if error.is_eof() {
        return Failure::given(
            "the file ends in the middle of a result",
            place,
            "it was cut off while it was written or copied: run the test again",
        );
    }
    let line = text.lines().nth(error.line().saturating_sub(1));
    let near = line.unwrap_or_default().to_owned();
    if ["NaN", "Infinity"].iter().any(|word| near.contains(word)) {
        return Failure::given(
            "the file holds NaN or Infinity, which are no JSON numbers",
            format!("{place}: {}", one_line(near.trim(), 80)),
            "give the file as probtest wrote it",
        );
    }
    let what = error.to_string();
    let what = what.split(" at line ").next().unwrap_or_default();
    Failure::given(
        format!("the file is not JSON: {what}"),
        place,
        "give files that PROBTEST_REPORT, --probtest-json or probtest run --json wrote",
    )
}
