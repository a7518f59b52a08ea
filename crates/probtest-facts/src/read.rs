//! Reads files of results, with errors that name the test, the field and the place.
//!
//! A file holds one result, several in a row, or [`ManyTests`]. Results are read one at a time,
//! because a parsed result takes many times the memory of its text.

use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{ErrorFacts, FORMAT, ManyTests, SuiteFacts, TestFacts};

/// What a file holds.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The results, which haven't been read yet.
    pub results: Vec<FoundResult<'a>>,
    /// What whole runs promise.
    pub suites: Vec<SuiteFacts>,
}

/// The text of one result.
#[derive(Clone, Copy, Debug)]
pub struct FoundResult<'a> {
    file: &'a str,
    part: &'a str,
}

/// Why a file can't be read as results.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReadError {
    /// It is empty.
    Empty,
    /// It ends in the middle of a result.
    Cut(FilePlace),
    /// It isn't JSON.
    NotJson(FilePlace, String),
    /// It wasn't written by probtest. Holds the beginning of the file.
    Foreign(String),
    /// It has another version of the JSON form.
    Version(u64),
    /// It holds an error instead of a result.
    Error(Box<ErrorFacts>),
    /// A field is missing or has a value that it can't have.
    Field {
        /// The test, if its id can be read.
        test: Option<String>,
        /// The field, such as `claim.p`; none if a field is missing.
        field: Option<String>,
        /// What is wrong with it.
        wrong: String,
        /// Where it is.
        place: FilePlace,
    },
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Empty => f.write_str("the file is empty"),
            ReadError::Cut(_) => f.write_str("the file ends in the middle of a result"),
            ReadError::NotJson(_, what) => write!(f, "the file is not JSON: {what}"),
            ReadError::Foreign(_) => f.write_str("the file is not a result of probtest"),
            ReadError::Version(found) => {
                let age = if *found > u64::from(FORMAT) { "a newer" } else { "another" };
                write!(
                    f,
                    "the file was written by {age} probtest: its form is {found}, but this program reads {FORMAT}"
                )
            }
            ReadError::Error(_) => {
                f.write_str("the file holds an error, not a result: nothing was executed")
            }
            ReadError::Field { test, field, wrong, .. } => {
                match field {
                    Some(field) => write!(f, "`{field}` of ")?,
                    None => f.write_str("the result of ")?,
                }
                match test {
                    Some(test) => write!(f, "the test {test} is wrong: {wrong}"),
                    None => write!(f, "a test without a name is wrong: {wrong}"),
                }
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// Finds the results in a file.
///
/// ```
/// let text = r#"{"probtest": 2, "tests": [{"probtest": 2, "test": "walk", "verdict": "passed",
///     "claim": {}, "executed": "many"}]}"#;
/// let found = probtest_facts::read::results(text)?;
/// let error = found.results[0].read().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`executed` of the test walk is wrong: invalid type: string \"many\", expected u64"
/// );
/// # Ok::<(), probtest_facts::read::ReadError>(())
/// ```
///
/// # Errors
/// When the file isn't JSON, or wasn't written by probtest in this version of the JSON form.
pub fn results(text: &str) -> Result<Found<'_>, ReadError> {
    let result = |part| FoundResult { file: text, part };
    let mut found = Found { results: Vec::new(), suites: Vec::new() };
    let mut is_empty = true;
    for part in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        is_empty = false;
        let part = result(part.map_err(|error| result(text).broken(&error))?.get());
        if part.head()?.tests.is_none() {
            found.results.push(part);
            continue;
        }
        let many: ManyTests<&RawValue> = part.parse()?;
        found.results.extend(many.tests.into_iter().map(|part| result(part.get())));
        found.suites.extend(many.suite.into_iter().chain(many.suites));
    }
    if is_empty { Err(ReadError::Empty) } else { Ok(found) }
}

/// The fields that tell the kinds of objects apart.
#[derive(Deserialize)]
struct Head {
    probtest: Option<Value>,
    verdict: Option<IgnoredAny>,
    tests: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

impl<'a> FoundResult<'a> {
    /// Reads the result.
    ///
    /// # Errors
    /// When a required field is missing, or a field has a value that it can't have.
    pub fn read(&self) -> Result<TestFacts, ReadError> {
        self.head()?;
        self.parse()
    }

    /// The result as it was written, but on one line and with its fields sorted.
    ///
    /// # Errors
    /// When something in it isn't JSON.
    pub fn on_one_line(&self) -> Result<String, ReadError> {
        let value: Value = self.parse()?;
        Ok(value.to_string())
    }

    /// Checks what an object is, and refuses anything that isn't a result.
    fn head(&self) -> Result<Head, ReadError> {
        let foreign = || ReadError::Foreign(self.part.chars().take(60).collect());
        if !self.part.starts_with('{') {
            return Err(foreign());
        }
        let head: Head = self.parse()?;
        match head.probtest.as_ref().and_then(Value::as_u64) {
            Some(version) if version == u64::from(FORMAT) => {}
            Some(version) => return Err(ReadError::Version(version)),
            None => return Err(foreign()),
        }
        if head.error.is_some() {
            return Err(ReadError::Error(self.parse()?));
        }
        match head.verdict.is_some() || head.tests.is_some() {
            true => Ok(head),
            false => Err(foreign()),
        }
    }

    fn parse<T: Deserialize<'a>>(&self) -> Result<T, ReadError> {
        let mut text = serde_json::Deserializer::from_str(self.part);
        serde_path_to_error::deserialize(&mut text).map_err(|error| {
            let field = error.path().to_string();
            let error = error.into_inner();
            match error.is_data() {
                false => self.broken(&error),
                true => ReadError::Field {
                    test: name(self.part),
                    field: (field != ".").then_some(field),
                    wrong: words(&error),
                    place: self.place(&error),
                },
            }
        })
    }

    /// Says where the text stops being JSON.
    fn broken(&self, error: &serde_json::Error) -> ReadError {
        let place = self.place(error);
        let mut lines = self.file.split('\n').skip(place.line.saturating_sub(1));
        let near = lines.next().unwrap_or_default();
        let is_last = lines.next().is_none();
        let what = words(error);
        // The parser calls a number that is cut off invalid.
        let is_cut = is_last && place.column >= near.len() && what == "invalid number";
        if error.is_eof() || is_cut {
            return ReadError::Cut(place);
        }
        if ["NaN", "Infinity"].iter().any(|word| near.contains(word)) {
            return ReadError::NotJson(place, "NaN and Infinity are not JSON numbers".into());
        }
        ReadError::NotJson(place, what)
    }

    /// Where an error is in the file; serde counts from the beginning of the part.
    fn place(&self, error: &serde_json::Error) -> FilePlace {
        let start = self.part.as_ptr() as usize - self.file.as_ptr() as usize;
        let before = &self.file[..start];
        let column = match error.line() {
            1 => start - before.rfind('\n').map_or(0, |end| end + 1) + error.column(),
            _ => error.column(),
        };
        FilePlace { line: before.matches('\n').count() + error.line(), column }
    }
}

/// What is wrong, without the place: that is relative to the part.
fn words(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    words.strip_suffix(&place).unwrap_or(&words).to_owned()
}

/// The id of a test whose result can't be read as a whole.
fn name(part: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        test: Option<String>,
        nodeid: Option<String>,
    }
    let named: Named = serde_json::from_str(part).ok()?;
    named.nodeid.or(named.test)
}
