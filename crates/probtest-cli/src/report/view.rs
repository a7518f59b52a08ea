//! What is told about one test: the same facts for text, Markdown and HTML.

use probtest_facts::Input;

use super::status::Status;
use super::suite::Test;
use super::words::{DETAILS, NAME, duration, many_lines, one_line, short_name};

/// The most labels of a test that are told in words.
const MOST_LABELS: usize = 10;

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub label: &'static str,
    /// The fact; foreign text in it is harmless for a terminal.
    pub value: String,
    pub kind: Kind,
}

/// How a fact is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Words,
    /// As what a program wrote.
    Output,
    /// As a line to copy, without a change.
    Copy,
}

/// The name of a test, on one line, after its place where another test has the same.
pub fn name(test: &Test) -> String {
    let id = id(test);
    match place(test) {
        Some(place) => format!("{place}: {id}"),
        None => id,
    }
}

pub fn id(test: &Test) -> String {
    short_name(&test.identity().name, NAME)
}

/// What tells the test from one with the same id, where there is one.
pub fn place(test: &Test) -> Option<String> {
    (!test.place.is_empty()).then(|| test.place.join(", "))
}

/// Every fact of a test, in the order in which they are read.
pub fn lines(test: &Test) -> Vec<Line> {
    let (result, facts) = (&test.result, &test.result.facts);
    let mut lines = Vec::new();
    let mut put = |label: &'static str, value: String, kind: Kind| {
        if !value.is_empty() {
            lines.push(Line { label, value, kind });
        }
    };
    if result.status < Status::Doubtful || result.status == Status::WithinBudget {
        put("verdict", one_line(result.summary(), DETAILS), Kind::Words);
    }
    if result.status == Status::Unknown {
        let verdict = one_line(facts.verdict.as_str(), 80);
        let words = format!("this version of the report does not know the verdict `{verdict}`");
        put("doubt", words, Kind::Words);
    }
    for doubt in &result.doubts {
        put("doubt", one_line(doubt, DETAILS), Kind::Words);
    }
    if let Some(reason) = &facts.reason {
        put("reason", one_line(&reason.message, DETAILS), Kind::Words);
        // A test that has accepted its limit needs none.
        if result.status != Status::WithinBudget {
            put("help", one_line(&reason.help, DETAILS), Kind::Words);
        }
    }
    if let Some(finding) = &facts.finding {
        let message = finding.message().unwrap_or_default();
        put("message", many_lines(message, DETAILS), Kind::Output);
        let violation = finding.violation().cloned().unwrap_or_default();
        let place = violation.location.unwrap_or_default();
        put("at", one_line(&place, NAME), Kind::Words);
        let details = violation.details.unwrap_or_default();
        put("details", many_lines(&details, DETAILS), Kind::Output);
    }
    put("claim", result.claim.line.clone(), Kind::Words);
    let executed = format!("{}, in {}", result.executions(), duration(facts.seconds));
    put("executed", executed, Kind::Words);
    if let Some(rate) = &result.rate {
        put("rate", rate.words(), Kind::Words);
    }
    let observed = observed(test).unwrap_or_default();
    put("observed", one_line(observed, DETAILS), Kind::Words);
    put("meaning", meaning(test), Kind::Words);
    for label in facts.labels.iter().take(MOST_LABELS) {
        put("label", one_line(&label.words, DETAILS), Kind::Words);
    }
    for words in &facts.unusual {
        put("unusual", one_line(words, DETAILS), Kind::Words);
    }
    for note in &result.notes {
        put("note", one_line(note, DETAILS), Kind::Words);
    }
    put("results", test.several().unwrap_or_default(), Kind::Words);
    let seed = facts.seed.as_deref().unwrap_or_default();
    put("seed", one_line(seed, NAME), Kind::Words);
    if let Some((label, line)) = again(test) {
        put(label, line.to_owned(), Kind::Copy);
    } else if facts.replay.is_some() || facts.rerun.is_some() {
        let words = "the line contains control characters, so it is not shown; see the JSON";
        put("replay", words.into(), Kind::Words);
    }
    put("input", inputs(&facts.inputs), Kind::Output);
    if let Some(story) = &facts.story {
        if story.smaller_inputs {
            put("smaller", inputs(&story.inputs), Kind::Output);
        }
        put("shrunk", one_line(&story.words, DETAILS), Kind::Words);
        let rows = story.lines.join("\n");
        put("draws", many_lines(&rows, DETAILS), Kind::Output);
        for decider in story.deciding() {
            put("decides", one_line(&decider.words, DETAILS), Kind::Words);
        }
        let line = story.replay.as_deref().unwrap_or_default();
        if one_line(line, usize::MAX) == line {
            put("small", line.to_owned(), Kind::Copy);
        }
    }
    lines
}

/// Inputs, a line each.
fn inputs(inputs: &[Input]) -> String {
    let line = |input: &Input| format!("{} = {}", input.name, input.text.replace('\n', " "));
    let lines: Vec<String> = inputs.iter().map(line).collect();
    many_lines(&lines.join("\n"), DETAILS)
}

/// What executions returned, in the words of the file.
pub fn observed(test: &Test) -> Option<&str> {
    test.result.facts.observed.as_ref()?.words.as_deref()
}

/// The line to copy that executes again what decided, and what to call it. A line
/// with characters that would do something else in a terminal is none.
pub fn again(test: &Test) -> Option<(&'static str, &str)> {
    let facts = &test.result.facts;
    let replay = facts.replay.as_deref().map(|line| ("replay", line));
    let rerun = facts.rerun.as_deref().map(|line| ("rerun", line));
    replay.or(rerun).filter(|(_, line)| one_line(line, usize::MAX) == *line)
}

/// The rates that fit, or what was returned, in a few words.
pub fn seen(test: &Test) -> Option<String> {
    let range = test.result.rate.as_ref().and_then(|rate| rate.range());
    range.or_else(|| observed(test).map(|words| one_line(words, NAME)))
}

pub fn meaning(test: &Test) -> String {
    let facts = &test.result.facts;
    let attained = facts.attained.as_ref();
    let attained = attained.map(|attained| one_line(&attained.words, DETAILS));
    let meaning = one_line(facts.meaning.as_deref().unwrap_or_default(), DETAILS);
    match test.result.status {
        Status::WithinBudget => match attained {
            Some(words) => format!("less than the claim, which the test accepts: {words}"),
            None => "less than the claim, which the test accepts".into(),
        },
        Status::Doubtful => format!("less than it says, since it is in doubt: {meaning}"),
        // What was seen of numbers and labels is told above.
        Status::Inconclusive if observed(test).is_some() => String::new(),
        Status::Inconclusive => attained.unwrap_or(meaning),
        _ => meaning,
    }
}
