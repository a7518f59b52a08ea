//! The report as one HTML page.
//!
//! The page loads nothing. Its policy names its one script and its one style
//! sheet by their hashes, so that nothing that a test wrote could be executed
//! even if it were not escaped; and the template escapes everything.

use askama::Template;
use probtest::seed::Tape;
use probtest_facts::Decider;

use crate::failure::Failure;

use super::evidence;
use super::labels::{Chart, MOST_CHARTS};
use super::planner::Planner;
use super::promise::Promise;
use super::result::SeenRate;
use super::status::Status;
use super::suite::{Suite, Test};
use super::view::{self, Kind};
use super::words::{self, duration, grouped, plural};

/// The most tests that a page lists: browsers take many seconds for more.
const MOST_CARDS: usize = 5000;
/// The most draws that a picture of a story has room for, and the most that is said about it.
const MOST_CELLS: u64 = 1000;
const DETAILS: usize = 400;
pub const STYLE: &str = include_str!("../../templates/report.css");
const SCRIPT: &str = include_str!("../../templates/report.js");
/// Their hashes; a test computes them, and says what to write here when a file has changed.
const STYLE_HASH: &str = "sha256-ZYM2wiR7qFOHbBE1tuOyi+dm9OYzKovOqLoWxb6rTF8=";
const SCRIPT_HASH: &str = "sha256-NYIv1G9gcC3NiFRhI+f4HRSU9LLJXNyho46vFxBMUGE=";

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    policy: String,
    style: &'static str,
    script: &'static str,
    suite: &'a Suite,
    headline: String,
    counts: Vec<Count>,
    totals: Vec<(&'static str, String)>,
    promise: Vec<(&'static str, String)>,
    cards: Vec<Card<'a>>,
    left_out: Option<String>,
    history: Vec<Chart>,
    planner: Planner,
    version: &'static str,
}

/// How many tests have a status, and their part of the bar.
struct Count {
    status: Status,
    number: usize,
    start: String,
    share: String,
}

struct Card<'a> {
    test: &'a Test,
    /// Its place among what needs attention.
    rank: usize,
    name: String,
}

impl Card<'_> {
    fn status(&self) -> Status {
        self.test.result.status
    }

    fn rate(&self) -> Option<&SeenRate> {
        self.test.result.rate.as_ref()
    }

    fn range(&self) -> String {
        let range = self.rate().and_then(SeenRate::range);
        range.unwrap_or_else(|| "\u{2013}".into())
    }

    /// What the page sorts rates by.
    fn highest(&self) -> f64 {
        let interval = self.rate().and_then(|rate| rate.interval);
        interval.map_or(-1.0, |(_, high)| high)
    }

    /// The name in pieces, between which a line may be broken: behind a sign, or the
    /// last one of several.
    fn pieces(&self) -> Vec<&str> {
        let sign = |letter: char| matches!(letter, '/' | ':' | '_' | '.' | '[' | ' ');
        let (mut pieces, mut start) = (Vec::new(), 0);
        let mut after = self.name.char_indices().peekable();
        while let Some((_, letter)) = after.next() {
            if let Some(&(at, next)) = after.peek()
                && sign(letter)
                && !sign(next)
            {
                pieces.push(&self.name[start..at]);
                start = at;
            }
        }
        pieces.push(&self.name[start..]);
        pieces
    }

    fn strip(&self) -> Option<Strip> {
        let story = self.test.result.facts.story.as_ref()?;
        let tape: Tape = story.tape.parse().ok()?;
        if !story.holds || story.small < 2 || story.small > MOST_CELLS {
            return None;
        }
        let cell = |(place, word): (usize, &u64)| {
            let width = 1.0 / story.small as f64;
            (*word != 0).then(|| Cell::new(place as f64 * width, width, 1.0))
        };
        let decider = |part: &Decider| {
            let width = 1.0 / story.draws.max(1) as f64;
            let count = part.last.saturating_sub(part.first) + 1;
            let share = part.passed as f64 / part.redrawn.max(1) as f64;
            Cell::new((part.first.max(1) - 1) as f64 * width, count as f64 * width, share)
        };
        Some(Strip {
            draws: tape.words().iter().enumerate().filter_map(cell).collect(),
            deciders: story.deciders.iter().map(decider).collect(),
            words: words::one_line(&story.words, DETAILS),
        })
    }

    fn charts(&self) -> Vec<Chart> {
        let facts = &self.test.result.facts;
        let labels = facts.labels.iter().take(MOST_CHARTS);
        labels.map(|label| Chart::new(label, facts.executed)).collect()
    }

    fn scale(&self) -> Option<Scale> {
        let rate = self.rate()?;
        let (low, high) = rate.interval?;
        // From 10^-6 at the left end to 1 at the right one.
        let place = |rate: f64| (100.0 + rate.max(1e-6).log10() * 100.0 / 6.0).clamp(0.0, 100.0);
        let p = self.test.result.claim.p.as_ref();
        let mut words = format!("rates that fit: {}", rate.range()?);
        if let Some(p) = p {
            words.push_str(&format!("; p is {p}"));
        }
        Some(Scale {
            from: format!("{:.2}", place(low)),
            width: format!("{:.2}", (place(high) - place(low)).max(0.5)),
            p: p.map(|p| format!("{:.2}", place(p.as_f64()))),
            words,
        })
    }
}

/// The picture of a story: which draws of the small execution are not zero, and how much each
/// part of the draws that were found decides.
struct Strip {
    draws: Vec<Cell>,
    deciders: Vec<Cell>,
    words: String,
}

/// A part of a strip, from left to right in percent.
struct Cell {
    start: String,
    width: String,
    /// From 0 to 1.
    strength: String,
}

impl Cell {
    fn new(start: f64, width: f64, strength: f64) -> Self {
        Cell {
            start: format!("{:.3}", 100.0 * start),
            width: format!("{:.3}", 100.0 * width),
            strength: format!("{strength:.2}"),
        }
    }
}

/// The picture of an interval, on a logarithmic scale from 10^-6 to 1.
struct Scale {
    from: String,
    width: String,
    p: Option<String>,
    words: String,
}

pub fn html(suite: &Suite) -> Result<String, Failure> {
    let page = Page {
        policy: policy(),
        style: STYLE,
        script: SCRIPT,
        suite,
        headline: capital(&suite.headline()),
        counts: counts(suite),
        totals: vec![
            ("tests", grouped(suite.tests.len() as u64)),
            ("executions", grouped(suite.executed())),
            ("rejected", grouped(suite.rejected())),
            ("time of executions", duration(suite.seconds())),
        ],
        promise: Promise::of(suite).sentences(),
        cards: cards(suite),
        left_out: left_out(suite.tests.len()),
        history: evidence::by_test(&suite.evidence).map(Chart::over_time).collect(),
        planner: Planner::of(suite),
        version: env!("CARGO_PKG_VERSION"),
    };
    page.render()
        .map(|page| page + "\n")
        .map_err(|error| Failure::unfinished(format!("the page cannot be written: {error}")))
}

fn cards(suite: &Suite) -> Vec<Card<'_>> {
    let listed = suite.tests.iter().take(MOST_CARDS).enumerate();
    let card = |(rank, test)| Card { test, rank, name: view::id(test) };
    listed.map(card).collect()
}

/// Says that the page is not the whole report. What needs least attention is last.
fn left_out(tests: usize) -> Option<String> {
    let rest = tests.checked_sub(MOST_CARDS).filter(|rest| *rest > 0)?;
    Some(format!(
        "Counted but not listed: {}. This page lists the {} tests that most need attention; the text and JSON reports list all of them.",
        plural(rest as u64, "more test"),
        grouped(MOST_CARDS as u64)
    ))
}

pub fn policy() -> String {
    format!(
        "default-src 'none'; script-src '{SCRIPT_HASH}'; style-src '{STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

fn counts(suite: &Suite) -> Vec<Count> {
    let all = suite.tests.len() as f64;
    let mut before = 0;
    let mut counts = Vec::new();
    for status in Status::ALL {
        let number = suite.count(status);
        if number == 0 {
            continue;
        }
        counts.push(Count {
            status,
            number,
            start: format!("{:.3}", 100.0 * before as f64 / all),
            share: format!("{:.3}", 100.0 * number as f64 / all),
        });
        before += number;
    }
    counts
}
