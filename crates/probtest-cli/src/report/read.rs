//! What do the files say? From text to results.

use std::collections::BTreeSet;
use std::rc::Rc;

use probtest_facts::SuiteFacts;
use probtest_facts::read::{ReadError, results};
use siphasher::sip128::SipHasher24;

use crate::failure::Failure;

use super::input::Source;
use super::result::TestResult;
use super::words::{DETAILS, NAME, one_line};

/// What to do where a file was changed.
pub const AS_WRITTEN: &str =
    "use the files as probtest wrote them; the form is described in docs/reference/json.md";
/// The most tests that one report holds.
const MOST_TESTS: usize = 200_000;

/// Everything that was read.
pub struct AllResults {
    /// The results, in the order of files and within them.
    pub results: Vec<TestResult>,
    /// How many results were met a second time.
    pub repeated: u64,
    pub sources: Vec<String>,
    /// What runs of pytest promise as a whole, each once.
    pub suites: Vec<SuiteFacts>,
}

/// Reads the results among the files.
pub fn read(sources: &[Source]) -> Result<AllResults, Failure> {
    let sources = || sources.iter().filter(|source| !source.is_journal);
    let mut all = AllResults {
        results: Vec::new(),
        repeated: 0,
        sources: sources().map(|source| source.name.clone()).collect(),
        suites: Vec::new(),
    };
    let mut seen = BTreeSet::new();
    for source in sources() {
        let text = source.text()?;
        let name: Rc<str> = source.name.as_str().into();
        let refused = |error: ReadError| refusal(&error, &name);
        let found = results(&text).map_err(refused)?;
        for suite in found.suites {
            if !all.suites.contains(&suite) {
                all.suites.push(suite);
            }
        }
        for result in found.results {
            let facts = result.read().map_err(refused)?;
            let object = result.on_one_line().map_err(refused)?;
            // A test that ends twice in the same way takes another time.
            let is_new = seen.insert(SipHasher24::new().hash(object.get().as_bytes()).as_u128());
            let result = TestResult::new(facts, &name, object)?;
            if !is_new {
                all.repeated += 1;
                continue;
            }
            if all.results.len() == MOST_TESTS {
                return Err(Failure::given(
                    format!("there are more than {MOST_TESTS} results"),
                    &source.name,
                    "report them in parts",
                ));
            }
            all.results.push(result);
        }
    }
    Ok(all)
}

/// Says why a file cannot be reported, and what to do.
pub fn refusal(error: &ReadError, source: &str) -> Failure {
    let other = "give files written by PROBTEST_REPORT, --probtest-json or probtest run --json";
    let (given, help) = match error {
        ReadError::Empty => (
            source.to_owned(),
            "a test was interrupted before it could write its result: run it again",
        ),
        ReadError::Cut(place) => (
            format!("{source}, {place}"),
            "it was cut off while it was written or copied: run the test again",
        ),
        ReadError::NotJson(place, _) => (format!("{source}, {place}"), other),
        ReadError::Foreign(start) => (format!("{} in {source}", one_line(start, NAME)), other),
        ReadError::Version(_) => (
            source.to_owned(),
            concat!(
                "report with the version of probtest that wrote it; this is ",
                env!("CARGO_PKG_VERSION")
            ),
        ),
        ReadError::Error(facts) => (
            format!("{source}: {}", one_line(&facts.error.message, NAME)),
            "fix the error and run the test again",
        ),
        ReadError::Field { place, .. } => (format!("{source}, {place}"), AS_WRITTEN),
        _ => (source.to_owned(), other),
    };
    Failure::given(one_line(&error.to_string(), DETAILS), given, help)
}
