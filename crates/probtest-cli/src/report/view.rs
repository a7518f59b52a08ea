//! What every format says about one test: the same facts for text, Markdown, HTML and JUnit; and
//! the report for a terminal.

use std::fmt::Write;

use probtest_facts::Input;

use super::evidence;
use super::promise::Promise;
use super::result::Status;
use super::suite::{ReportedTest, Suite};
use super::words::{DETAILS, NAME, duration, many_lines, one_line, plural, short_name};

/// The most labels of a test to describe.
const MOST_LABELS: usize = 10;
/// How many lines of a program's output are shown.
const MOST_LINES: usize = 30;
/// The width at which text is wrapped.
const WIDTH: usize = 100;

pub struct FactLine {
    pub label: &'static str,
    /// The fact; foreign text in it is safe for a terminal.
    pub value: String,
    pub kind: FactStyle,
}

/// How a fact is shown.
#[derive(Clone, Copy)]
pub enum FactStyle {
    Words,
    /// As a program's output.
    Output,
    /// As a line to copy verbatim.
    Copy,
}

/// The name of a test, on one line, after its place if another test has the same name.
pub fn name(test: &ReportedTest) -> String {
    let place = place(test).map(|place| format!("{place}: ")).unwrap_or_default();
    place + &id(test)
}

pub fn id(test: &ReportedTest) -> String {
    short_name(&test.result.identity.name, NAME)
}

/// What distinguishes the test from another one with the same id, if there is one.
pub fn place(test: &ReportedTest) -> Option<String> {
    (!test.place.is_empty()).then(|| test.place.join(", "))
}

#[derive(Default)]
struct Lines(Vec<FactLine>);

impl Lines {
    fn put(&mut self, label: &'static str, value: impl Into<String>, kind: FactStyle) {
        let value = value.into();
        if !value.is_empty() {
            self.0.push(FactLine { label, value, kind });
        }
    }

    fn words(&mut self, label: &'static str, text: &str) {
        self.put(label, one_line(text, DETAILS), FactStyle::Words);
    }

    fn output(&mut self, label: &'static str, text: &str) {
        self.put(label, many_lines(text, DETAILS), FactStyle::Output);
    }
}

/// Every fact about a test, in reading order.
pub fn lines(test: &ReportedTest) -> Vec<FactLine> {
    let (result, facts) = (&test.result, &test.result.facts);
    let mut lines = Lines::default();
    if result.status < Status::Doubtful || result.status == Status::WithinBudget {
        lines.words("verdict", result.summary());
    }
    if result.status == Status::Unknown {
        let verdict = one_line(facts.verdict.as_str(), 80);
        let words = format!("this version of the report does not know the verdict `{verdict}`");
        lines.put("doubt", words, FactStyle::Words);
    }
    for doubt in &result.doubts {
        lines.words("doubt", doubt);
    }
    if let Some(reason) = &facts.reason {
        lines.words("reason", &reason.message);
        // A test that accepted its limit needs none.
        if result.status != Status::WithinBudget {
            lines.words("help", &reason.help);
        }
    }
    if let Some(finding) = &facts.finding {
        lines.output("message", finding.message().unwrap_or_default());
        let violation = finding.violation().cloned().unwrap_or_default();
        let place = violation.location.unwrap_or_default();
        lines.put("at", one_line(&place, NAME), FactStyle::Words);
        lines.output("details", &violation.details.unwrap_or_default());
    }
    lines.put("claim", &result.claim.line, FactStyle::Words);
    let executed = format!("{}, in {}", result.executions(), duration(facts.seconds));
    lines.put("executed", executed, FactStyle::Words);
    if let Some(rate) = &result.rate {
        lines.put("rate", rate.words(), FactStyle::Words);
    }
    lines.words("observed", observed(test).unwrap_or_default());
    lines.put("meaning", meaning(test), FactStyle::Words);
    for label in facts.labels.iter().take(MOST_LABELS) {
        lines.words("label", &label.words);
    }
    for words in &facts.unusual {
        lines.words("unusual", words);
    }
    for note in &result.notes {
        lines.words("note", note);
    }
    lines.put("results", test.several().unwrap_or_default(), FactStyle::Words);
    let seed = facts.seed.as_deref().unwrap_or_default();
    lines.put("seed", one_line(seed, NAME), FactStyle::Words);
    if let Some((label, line)) = again(test) {
        lines.put(label, line, FactStyle::Copy);
    } else if facts.replay.is_some() || facts.rerun.is_some() {
        let words = "the line contains control characters, so it is not shown; see the JSON";
        lines.put("replay", words, FactStyle::Words);
    }
    lines.output("input", &inputs(&facts.inputs));
    if let Some(story) = &facts.story {
        if story.smaller_inputs {
            lines.output("smaller", &inputs(&story.inputs));
        }
        lines.words("shrunk", &story.words);
        lines.output("draws", &story.lines.join("\n"));
        for decider in story.deciding() {
            lines.words("decides", &decider.words);
        }
        let line = story.replay.as_deref().unwrap_or_default();
        if one_line(line, usize::MAX) == line {
            lines.put("small", line, FactStyle::Copy);
        }
    }
    lines.0
}

fn inputs(inputs: &[Input]) -> String {
    let line = |input: &Input| format!("{} = {}", input.name, input.text.replace('\n', " "));
    inputs.iter().map(line).collect::<Vec<String>>().join("\n")
}

/// What executions returned, in the words of the file.
pub fn observed(test: &ReportedTest) -> Option<&str> {
    test.result.facts.observed.as_ref()?.words.as_deref()
}

/// The line to copy that repeats the deciding execution, and its label. `None` if it has characters
/// that would do something else in a terminal.
pub fn again(test: &ReportedTest) -> Option<(&'static str, &str)> {
    let facts = &test.result.facts;
    let replay = facts.replay.as_deref().map(|line| ("replay", line));
    let rerun = facts.rerun.as_deref().map(|line| ("rerun", line));
    replay.or(rerun).filter(|(_, line)| one_line(line, usize::MAX) == *line)
}

pub fn meaning(test: &ReportedTest) -> String {
    let facts = &test.result.facts;
    let attained = facts.attained.as_ref();
    let attained = attained.map(|attained| one_line(&attained.words, DETAILS));
    let meaning = one_line(facts.meaning.as_deref().unwrap_or_default(), DETAILS);
    match test.result.status {
        Status::WithinBudget => {
            let words = attained.map(|words| format!(": {words}")).unwrap_or_default();
            format!("less than the claim, which the test accepts{words}")
        }
        Status::Doubtful if meaning.is_empty() => {
            "less than it says, because it is in doubt".into()
        }
        Status::Doubtful => format!("less than it says, because it is in doubt: {meaning}"),
        // The `observed` line says it.
        Status::Inconclusive if observed(test).is_some() => String::new(),
        Status::Inconclusive => attained.unwrap_or(meaning),
        _ => meaning,
    }
}

/// The answer and the totals.
pub fn head(suite: &Suite) -> String {
    let mut text = format!("{}\n", suite.headline());
    fact(&mut text, "tests", &suite.counts());
    fact(&mut text, "executed", &suite.executions());
    if let Some(repeated) = suite.repeated() {
        fact(&mut text, "note", &repeated);
    }
    text
}

/// The whole report: answer, tests, what the suite promises.
pub fn text(suite: &Suite) -> String {
    let mut text = head(suite);
    for test in &suite.tests {
        let _ = write!(text, "\n{}: {}\n", test.result.status.words(), name(test));
        text.push_str(&facts_text(test));
    }
    text.push_str("\nwhat the suite promises\n");
    for (label, sentence) in Promise::of(suite).sentences() {
        let _ = write!(text, "  {label:<14}");
        wrapped(&mut text, &sentence, 16);
    }
    if !suite.evidence.is_empty() {
        text.push('\n');
        text.push_str(&evidence::text(&suite.evidence));
    }
    text
}

pub fn facts_text(test: &ReportedTest) -> String {
    let mut text = String::new();
    for FactLine { label, value, kind } in lines(test) {
        match kind {
            FactStyle::Words => fact(&mut text, label, &value),
            FactStyle::Output => output(&mut text, label, &value),
            FactStyle::Copy => unbroken(&mut text, label, &value),
        }
    }
    text
}

fn fact(text: &mut String, label: &str, value: &str) {
    let _ = write!(text, "  {label:<10}");
    wrapped(text, value, 12);
}

fn unbroken(text: &mut String, label: &str, value: &str) {
    let _ = writeln!(text, "  {label:<10}{value}");
}

fn output(text: &mut String, label: &str, value: &str) {
    for (number, line) in value.lines().take(MOST_LINES).enumerate() {
        unbroken(text, if number == 0 { label } else { "" }, line);
    }
    let rest = value.lines().skip(MOST_LINES).count() as u64;
    if rest > 0 {
        unbroken(text, "", &format!("[{} in the JSON]", plural(rest, "more line")));
    }
}

/// Writes words from the column `indent` on, and breaks lines between them.
fn wrapped(text: &mut String, words: &str, indent: usize) {
    let mut column = indent;
    for (number, word) in words.split(' ').enumerate() {
        let length = word.chars().count();
        if number > 0 && column + 1 + length > WIDTH {
            let _ = write!(text, "\n{:indent$}", "");
            column = indent;
        } else if number > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}
