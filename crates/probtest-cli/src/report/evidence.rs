//! What earlier runs add up to.

use std::fmt::Write;
use std::path::PathBuf;

use probtest::machine::{PastRun, evidence};
use probtest_facts::{EvidenceFacts, RateChange};

use crate::failure::Failure;

use super::input::{self, Source};
use super::read;
use super::result::TestResult;
use super::words::{NAME, grouped, one_line, round_down, round_up};

/// How much of a code is shown.
pub const CODE: usize = 12;

/// Adds up the runs of journals and of earlier results, in the order in which they are named, and
/// then, where there are earlier ones, those of now.
pub fn of(
    earlier: &[PathBuf],
    journals: &[PathBuf],
    now: &[TestResult],
) -> Result<Vec<EvidenceFacts>, Failure> {
    let mut runs = Vec::new();
    let found = input::find(earlier)?;
    for path in found.journals.iter().chain(journals) {
        runs.extend(PastRun::of_journal(&Source::of(path).text()?));
    }
    let before = read::read(&found.results)?;
    let now = if earlier.is_empty() { &[] } else { now };
    let results = before.results.iter().chain(now);
    runs.extend(results.filter_map(|result| PastRun::of_facts(&result.facts)));
    Ok(evidence(&runs))
}

/// The tests of which something is known, each with its codes.
pub fn by_test(all: &[EvidenceFacts]) -> impl Iterator<Item = &[EvidenceFacts]> {
    all.chunk_by(|one, other| (&one.test, &one.claim_words) == (&other.test, &other.claim_words))
}

pub fn text(all: &[EvidenceFacts]) -> String {
    let mut text = String::from("what runs show together\n");
    for codes in by_test(all) {
        let test = one_line(&codes[0].test, NAME);
        let _ = writeln!(text, "  {test}\n    {}", codes[0].claim_words);
        for evidence in codes {
            let _ = writeln!(text, "    {}", line(evidence, codes.len() > 1));
        }
    }
    text
}

/// What runs of one code show, with the code where there are several.
pub fn line(evidence: &EvidenceFacts, several: bool) -> String {
    let code = match &evidence.code {
        Some(code) if several => format!("code {}: ", one_line(code, CODE)),
        _ => String::new(),
    };
    let change = evidence.change.as_ref().map_or("", changed);
    format!("{code}{}{change}", evidence.words)
}

/// The same as numbers, next to a picture.
pub fn brief(evidence: &EvidenceFacts) -> String {
    let mut words = format!(
        "{} of {}",
        grouped(evidence.violated),
        grouped(evidence.executed)
    );
    if let (Some(low), Some(high)) = (evidence.low, evidence.high) {
        words.push_str(&format!(" ({} to {})", round_down(low), round_up(high)));
    }
    if let Some(change) = &evidence.change {
        words.push_str(&format!(", {change}"));
    }
    words
}

fn changed(change: &RateChange) -> &'static str {
    match change {
        RateChange::Rose => "; the rate rose, by more than chance explains",
        RateChange::Fell => "; the rate fell, by more than chance explains",
        _ => "",
    }
}
