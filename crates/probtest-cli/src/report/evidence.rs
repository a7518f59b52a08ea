//! What journals of the same code are worth together.

use std::fmt::Write;
use std::path::PathBuf;

use probtest::machine::{Evidence, evidence};
use probtest_facts::EvidenceFacts;

use crate::failure::Failure;

use super::input::Source;
use super::words::{NAME, one_line};

/// Reads journals and adds up those of the same code.
pub fn read(journals: &[PathBuf]) -> Result<Vec<Evidence>, Failure> {
    let mut texts = Vec::new();
    for path in journals {
        texts.push(Source::of(path).text()?);
    }
    Ok(evidence(&texts))
}

pub fn text(all: &[Evidence]) -> String {
    let mut text = String::from("what journals say together\n");
    for evidence in all {
        let test = one_line(&evidence.test, NAME);
        let _ = writeln!(
            text,
            "  {test}\n    {}\n    {}",
            evidence.claim, evidence.words
        );
    }
    text
}

pub fn facts(all: &[Evidence]) -> Vec<EvidenceFacts> {
    let facts = |evidence: &Evidence| EvidenceFacts {
        test: evidence.test.clone(),
        claim_words: evidence.claim.clone(),
        code: evidence.code.clone(),
        runs: evidence.runs,
        executed: evidence.executed,
        violated: evidence.violated,
        words: evidence.words.clone(),
    };
    all.iter().map(facts).collect()
}
