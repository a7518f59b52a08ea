//! `probtest replay --explain`: everything that a report knows about a violation.

use std::fmt::Write;
use std::path::PathBuf;

use probtest::report::explain_story;
use probtest::seed::Address;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

use super::input;
use super::read::read;
use super::result::TestResult;
use super::words::{DETAILS, NAME, many_lines, one_line, short_name};

/// Tells the stories of violations in full, of one execution or of all.
pub fn explain(results: &[PathBuf], address: Option<Address>) -> Result<Exit, Failure> {
    let found = read(&input::find(results)?)?.results;
    let asked = |result: &&TestResult| match &address {
        Some(address) => result.facts.address.as_deref() == Some(&address.to_string()),
        None => true,
    };
    let stories: Vec<String> = found.iter().filter(asked).filter_map(told).collect();
    if stories.is_empty() {
        let given = address.map_or_else(|| "no address".into(), |address| address.to_string());
        return Err(Failure::given(
            "the results contain no story of this violation",
            format!("{given}, {} results", found.len()),
            "give the results of a violated run that did not set shrink = false",
        ));
    }
    output::print(&stories.join("\n"))?;
    Ok(Exit::Passed)
}

/// The whole story of one result, where it has one.
fn told(result: &TestResult) -> Option<String> {
    let facts = &result.facts;
    let story = explain_story(facts.story.as_ref()?)?;
    let mut text = format!("{}\n", short_name(&facts.test, NAME));
    let mut line = |label: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "  {label:<9} {value}");
        }
    };
    line("verdict", &one_line(result.summary(), DETAILS));
    let message = facts.finding.as_ref().and_then(|finding| finding.message());
    line("message", &one_line(message.unwrap_or_default(), DETAILS));
    for label in &facts.labels {
        line("label", &one_line(&label.words, DETAILS));
    }
    for words in &facts.unusual {
        line("unusual", &one_line(words, DETAILS));
    }
    line("replay", &one_line(facts.replay.as_deref().unwrap_or_default(), usize::MAX));
    text.push_str(&many_lines(&story, usize::MAX));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Some(text)
}
