//! What is told about one test: the same facts for text, Markdown and HTML.

use probtest::report::attained;

use super::status::Status;
use super::suite::Test;
use super::words::{DETAILS, NAME, many_lines, one_line, short_name, span};

/// The most outcomes for which the worth of an unfinished test is computed.
const MOST_OUTCOMES: usize = 1000;

/// One fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it is.
    pub label: &'static str,
    /// The fact; foreign text in it is harmless for a terminal.
    pub value: String,
    /// How it is to be shown.
    pub kind: Kind,
}

/// How a fact is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As words.
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

/// The id of a test, on one line.
pub fn id(test: &Test) -> String {
    short_name(&test.identity().name, NAME)
}

/// What tells the test from one with the same id, where there is one.
pub fn place(test: &Test) -> Option<String> {
    (!test.place.is_empty()).then(|| test.place.join(", "))
}

/// Every fact of a test, in the order in which they are read.
pub fn lines(test: &Test) -> Vec<Line> {
    let facts = &test.facts;
    let mut lines = Vec::new();
    let mut put = |label: &'static str, value: String, kind: Kind| {
        if !value.is_empty() {
            lines.push(Line { label, value, kind });
        }
    };
    if facts.status < Status::Doubtful || facts.status == Status::WithinBudget {
        put("verdict", one_line(facts.summary(), DETAILS), Kind::Words);
    }
    if facts.status == Status::Unknown {
        let verdict = one_line(&facts.verdict, 80);
        let words = format!("this version of the report does not know the verdict `{verdict}`");
        put("doubt", words, Kind::Words);
    }
    for doubt in &facts.doubts {
        put("doubt", one_line(doubt, DETAILS), Kind::Words);
    }
    if let Some((message, help)) = &facts.reason {
        put("reason", one_line(message, DETAILS), Kind::Words);
        // A test that has accepted its limit needs none.
        if facts.status != Status::WithinBudget {
            put("help", one_line(help, DETAILS), Kind::Words);
        }
    }
    if let Some(finding) = &facts.finding {
        put(
            "message",
            many_lines(&finding.message, DETAILS),
            Kind::Output,
        );
        let place = finding.location.as_deref().unwrap_or_default();
        put("at", one_line(place, NAME), Kind::Words);
        let details = finding.details.as_deref().unwrap_or_default();
        put("details", many_lines(details, DETAILS), Kind::Output);
    }
    put("claim", facts.claim.line.clone(), Kind::Words);
    let executed = format!("{}, in {}", facts.executions(), span(facts.seconds));
    put("executed", executed, Kind::Words);
    if let Some(rate) = &facts.rate {
        put("rate", rate.words(), Kind::Words);
    }
    let observed = facts.observed.as_deref().unwrap_or_default();
    put("observed", one_line(observed, DETAILS), Kind::Words);
    put("worth", worth(test), Kind::Words);
    for note in &facts.notes {
        put("note", one_line(note, DETAILS), Kind::Words);
    }
    put("results", test.several().unwrap_or_default(), Kind::Words);
    let seed = facts.seed.as_deref().unwrap_or_default();
    put("seed", one_line(seed, NAME), Kind::Words);
    if let Some((label, line)) = again(test) {
        put(label, line.to_owned(), Kind::Copy);
    } else if facts.replay.is_some() || facts.rerun.is_some() {
        let words = "the line holds control characters, so it is not shown; the JSON has it";
        put("replay", words.into(), Kind::Words);
    }
    lines
}

/// The line to copy that executes again what decided, and what to call it. A line
/// with characters that would do something else in a terminal is none.
pub fn again(test: &Test) -> Option<(&'static str, &str)> {
    let facts = &test.facts;
    let replay = facts.replay.as_deref().map(|line| ("replay", line));
    let rerun = facts.rerun.as_deref().map(|line| ("rerun", line));
    replay
        .or(rerun)
        .filter(|(_, line)| one_line(line, usize::MAX) == *line)
}

/// The rates that fit, or what was returned, in a few words.
pub fn seen(test: &Test) -> Option<String> {
    let facts = &test.facts;
    let range = facts.rate.as_ref().and_then(|rate| rate.range());
    range.or_else(|| facts.observed.as_deref().map(|words| one_line(words, NAME)))
}

/// What the result is worth, in words.
pub fn worth(test: &Test) -> String {
    let facts = &test.facts;
    let pass = || match facts.summary().rsplit_once("; ") {
        Some((_, worth)) => one_line(worth, DETAILS),
        None => one_line(facts.summary(), DETAILS),
    };
    match facts.status {
        Status::Passed | Status::Estimated => pass(),
        Status::WithinBudget => match &facts.attained {
            Some(attained) => format!(
                "less than the claim, which the test accepts: {}",
                one_line(&attained.words, DETAILS)
            ),
            None => "less than the claim, which the test accepts".into(),
        },
        Status::Violated if facts.meaning.is_some() => {
            one_line(facts.meaning.as_deref().unwrap_or_default(), DETAILS)
        }
        Status::Doubtful => format!("less than it says, since it is in doubt: {}", pass()),
        Status::Violated if facts.finding.is_some() && facts.claim.exact.is_some() => {
            "a counterexample: the assertion can be violated; that the rate is above p is not said"
                .into()
        }
        // What was seen of numbers and labels is told above.
        Status::Inconclusive if facts.observed.is_some() => String::new(),
        Status::Inconclusive if facts.attained.is_some() => {
            let words = facts
                .attained
                .as_ref()
                .map(|attained| attained.words.as_str());
            one_line(words.unwrap_or_default(), DETAILS)
        }
        Status::Inconclusive if facts.violated == 0 => {
            let small = facts.claim.exact.as_ref().filter(|claim| {
                claim
                    .outcomes()
                    .is_none_or(|all| all.len() <= MOST_OUTCOMES)
            });
            match small {
                Some(claim) => attained(claim, facts.executed).replace('\n', "; "),
                None => String::new(),
            }
        }
        _ => String::new(),
    }
}
