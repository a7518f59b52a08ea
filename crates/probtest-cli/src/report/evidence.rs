//! What earlier runs prove together.

use std::fmt::Write;
use std::path::PathBuf;

use probtest::machine::{PastRun, evidence};
use probtest_facts::{EvidenceFacts, RateChange};

use super::input::{self, ResultFile};
use super::result::TestResult;
use super::words::{NAME, grouped, one_line, round_down, round_up};
use crate::output::{Failure, say};

/// How much of a code fingerprint is shown.
pub const CODE: usize = 12;

/// Adds up earlier runs in the order in which they are named, then the current journals and, if
/// there are earlier runs, the current results.
pub fn of(
    earlier: &[PathBuf],
    sources: &[ResultFile],
    now: &[TestResult],
) -> Result<Vec<EvidenceFacts>, Failure> {
    let found = input::find(earlier)?;
    let journals = sources.iter().filter(|source| source.is_journal);
    let mut runs = Vec::new();
    for source in found.iter().chain(journals) {
        if source.is_journal {
            let run = PastRun::of_journal(&source.text()?)
                .map_err(|error| Failure::given(error.what(), &source.name, error.help()))?;
            runs.push(run);
        } else {
            let all = input::read(std::slice::from_ref(source))?.results;
            runs.extend(all.iter().map(|result| PastRun::of_facts(&result.facts)));
        }
    }
    if !earlier.is_empty() {
        runs.extend(now.iter().map(|result| PastRun::of_facts(&result.facts)));
    }
    let unknown = runs.iter().filter(|run| run.is_none()).count();
    if unknown > 0 {
        say(format!(
            "{unknown} of {} runs are not counted: they do not say which code they ran",
            runs.len()
        ));
    }
    let runs: Vec<PastRun> = runs.into_iter().flatten().collect();
    Ok(evidence(&runs))
}

/// The tests with evidence, each with its versions of the code.
pub fn by_test(all: &[EvidenceFacts]) -> impl Iterator<Item = &[EvidenceFacts]> {
    all.chunk_by(|one, other| (&one.test, &one.claim_words) == (&other.test, &other.claim_words))
}

pub fn text(all: &[EvidenceFacts]) -> String {
    let mut text = String::from("what the runs show together\n");
    for codes in by_test(all) {
        let test = one_line(&codes[0].test, NAME);
        let _ = writeln!(text, "  {test}\n    {}", codes[0].claim_words);
        for evidence in codes {
            let _ = writeln!(text, "    {}", line(evidence, codes.len() > 1));
        }
    }
    text
}

/// What runs of one version of the code show; it is named if there are several.
pub fn line(evidence: &EvidenceFacts, several: bool) -> String {
    let code = match &evidence.code {
        Some(code) if several => format!("code {}: ", one_line(code, CODE)),
        _ => String::new(),
    };
    let change = match &evidence.change {
        Some(RateChange::Rose) => "; the rate rose, by more than chance explains",
        Some(RateChange::Fell) => "; the rate fell, by more than chance explains",
        Some(RateChange::Differs) => "; the rate differs, by more than chance explains",
        _ => "",
    };
    format!("{code}{}{change}", evidence.words)
}

/// The same as numbers, for the text next to a chart.
pub fn brief(evidence: &EvidenceFacts) -> String {
    let mut words = format!("{} of {}", grouped(evidence.violated), grouped(evidence.executed));
    if let (Some(low), Some(high)) = (evidence.low, evidence.high) {
        words.push_str(&format!(" ({} to {})", round_down(low), round_up(high)));
    }
    if let Some(change) = &evidence.change {
        words.push_str(&format!(", {change}"));
    }
    words
}
