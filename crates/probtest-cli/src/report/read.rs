//! What do the files say? From JSON text to results.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use probtest::report::FORMAT;
use serde::Deserialize;
use serde_json::value::RawValue;
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
        let name: Rc<str> = source.name.as_str().into();
        let document = Document {
            text: &text,
            source: &name,
        };
        // One result at a time: as a tree it takes many times the room of its text.
        for result in document.results(&mut reading.suites)? {
            let object = document.parse(result)?;
            let Value::Object(map) = &object else {
                return Err(foreign(&name, &object));
            };
            version(map, &name)?;
            let mut facts = Facts::read(map, &name)?;
            let text = object.to_string();
            // A test that ends twice in the same way takes another time.
            if !seen.insert(<[u8; 32]>::from(Sha256::digest(&text))) {
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
            facts.object = text;
            reading.results.push(facts);
        }
    }
    Ok(reading)
}

/// The text of one file.
struct Document<'a> {
    text: &'a str,
    source: &'a str,
}

impl<'a> Document<'a> {
    /// Finds the results: one object as cargo's tests and `probtest run --json` write,
    /// several of them in a row, or pytest's object with `tests`.
    fn results(&self, suites: &mut Vec<Map<String, Value>>) -> Result<Vec<&'a RawValue>, Failure> {
        let mut found = Vec::new();
        let mut any = false;
        for value in serde_json::Deserializer::from_str(self.text).into_iter::<&RawValue>() {
            any = true;
            let value = value.map_err(|error| self.broken(0, &error))?;
            if !value.get().starts_with('{') {
                return Err(foreign(self.source, &self.parse::<Value>(value)?));
            }
            let mut fields: BTreeMap<String, &RawValue> = self.parse(value)?;
            match fields.remove("tests") {
                None => {
                    self.is_result(value, &fields)?;
                    found.push(value);
                }
                Some(tests) => {
                    let object = self.tree(fields)?;
                    version(&object, self.source)?;
                    is_no_error(&object, self.source)?;
                    if !tests.get().starts_with('[') {
                        return Err(foreign(self.source, &self.parse::<Value>(tests)?));
                    }
                    found.append(&mut self.parse::<Vec<&RawValue>>(tests)?);
                    note_suites(object, suites);
                }
            }
        }
        if !any {
            return Err(Failure::given(
                "the file is empty",
                self.source,
                "a test was stopped before it could write its result: run it again",
            ));
        }
        Ok(found)
    }

    /// Refuses an object that is no result.
    fn is_result(
        &self,
        value: &'a RawValue,
        fields: &BTreeMap<String, &'a RawValue>,
    ) -> Result<(), Failure> {
        if fields.contains_key("verdict") && !fields.contains_key("error") {
            return Ok(());
        }
        let object: Map<String, Value> = self.parse(value)?;
        version(&object, self.source)?;
        is_no_error(&object, self.source)?;
        Err(foreign(self.source, &Value::Object(object)))
    }

    fn tree(&self, fields: BTreeMap<String, &'a RawValue>) -> Result<Map<String, Value>, Failure> {
        let fields = fields.into_iter();
        fields
            .map(|(key, value)| Ok((key, self.parse(value)?)))
            .collect()
    }

    /// Reads a part of the text.
    fn parse<T: Deserialize<'a>>(&self, part: &'a RawValue) -> Result<T, Failure> {
        let part = part.get();
        // A part of the text lies within it.
        let start = part.as_ptr() as usize - self.text.as_ptr() as usize;
        serde_json::from_str(part).map_err(|error| self.broken(start, &error))
    }

    /// Says whether the text goes no further.
    fn ends_at(&self, line: usize, column: usize) -> bool {
        let mut rest = self.text.split('\n').skip(line.saturating_sub(1));
        rest.next().is_none_or(|last| column >= last.len()) && rest.next().is_none()
    }

    /// Says where the text is no JSON; the error counts from the byte `start` on.
    fn broken(&self, start: usize, error: &serde_json::Error) -> Failure {
        let before = &self.text[..start];
        let line = before.matches('\n').count() + error.line();
        let column = match error.line() {
            1 => start - before.rfind('\n').map_or(0, |end| end + 1) + error.column(),
            _ => error.column(),
        };
        let place = format!("{}, line {line}, column {column}", self.source);
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        // Of a number that is cut off the parser says that it is none.
        let is_cut = what == "invalid number" && self.ends_at(line, column);
        if error.is_eof() || is_cut {
            return Failure::given(
                "the file ends in the middle of a result",
                place,
                "it was cut off while it was written or copied: run the test again",
            );
        }
        let near = self.text.lines().nth(line.saturating_sub(1));
        let near = near.unwrap_or_default();
        if ["NaN", "Infinity"].iter().any(|word| near.contains(word)) {
            return Failure::given(
                "the file holds NaN or Infinity, which are no JSON numbers",
                format!("{place}: {}", one_line(near.trim(), 80)),
                "give the file as probtest wrote it",
            );
        }
        Failure::given(
            format!("the file is not JSON: {what}"),
            place,
            "give files that PROBTEST_REPORT, --probtest-json or probtest run --json wrote",
        )
    }
}

/// Notes what a run of pytest promises, or several that were reported before.
fn note_suites(mut object: Map<String, Value>, suites: &mut Vec<Map<String, Value>>) {
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
}

fn is_no_error(object: &Map<String, Value>, source: &str) -> Result<(), Failure> {
    let Some(error) = object.get("error") else {
        return Ok(());
    };
    let message = error.get("message").and_then(Value::as_str).unwrap_or("");
    Err(Failure::given(
        "the file holds an error, not a result: nothing was executed",
        format!("{source}: {}", one_line(message, NAME)),
        "mend the error and run the test again",
    ))
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
