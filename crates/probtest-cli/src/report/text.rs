//! The report for a terminal.

use std::fmt::Write;

use super::evidence;
use super::promise::Promise;
use super::suite::{Suite, Test};
use super::view::{Kind, lines, name};
use super::words::plural;

/// How many lines of what a program wrote are shown.
const MOST_LINES: usize = 30;
/// The width that sentences are broken at.
const WIDTH: usize = 100;

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

pub fn facts_text(test: &Test) -> String {
    let mut text = String::new();
    for line in lines(test) {
        match line.kind {
            Kind::Words => fact(&mut text, line.label, &line.value),
            Kind::Output => output(&mut text, line.label, &line.value),
            Kind::Copy => unbroken(&mut text, line.label, &line.value),
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
    let count = value.lines().count();
    for (number, line) in value.lines().take(MOST_LINES).enumerate() {
        unbroken(text, if number == 0 { label } else { "" }, line);
    }
    if count > MOST_LINES {
        let rest = plural((count - MOST_LINES) as u64, "more line");
        unbroken(text, "", &format!("[{rest} in the JSON]"));
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
