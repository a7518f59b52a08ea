//! The report as one HTML page.
//!
//! The page loads nothing. Its policy names its only script and its only style sheet by their
//! hashes, so nothing written by a test could be executed even if it weren't escaped; and the
//! template escapes everything.

use askama::Template;
use probtest::claim::{Claim, Probability};
use probtest::judge::interval::clopper_pearson;
use probtest::plan::Plan;
use probtest::seed::Tape;
use probtest_facts::{Decider, EvidenceFacts, LabelFacts, LabelShare};

use super::evidence;
use super::promise::Promise;
use super::result::{SeenRate, Status};
use super::suite::{ReportedTest, Suite, count};
use super::view::{self, FactStyle};
use super::words::{self, NAME, duration, grouped, one_line, plural, short_name};
use crate::output::{Failure, unfinished};

/// The most tests to list on a page: browsers take many seconds for more.
const MOST_CARDS: usize = 5000;
/// The most draws that fit into the picture of a story, and the longest text about it.
const MOST_CELLS: u64 = 1000;
const DETAILS: usize = 400;
/// The most labels of a test with a chart, and the most bars in one.
const MOST_CHARTS: usize = 16;
const MOST_BARS: usize = 12;
/// The confidence of the intervals for shares of labels.
const CONFIDENCE: f64 = 0.95;
/// The longest value that fits next to its bar.
const VALUE: usize = 40;
/// The planner's values of p and epsilon: round ones, and those from the paper.
const P: [&str; 18] = [
    "0.5", "0.25", "0.1", "0.0625", "0.05", "0.02", "0.0156", "0.01", "0.005", "0.0039", "0.002",
    "0.001", "1/1024", "0.0005", "0.0002", "0.0001", "0.00001", "0.000001",
];
const EPSILON: [&str; 7] = ["0.1", "0.05", "0.02", "0.01", "0.005", "0.001", "0.000001"];
/// How many values from the suite's own claims are added to each.
const OWN: usize = 8;
pub const STYLE: &str = include_str!("../../templates/report.css");
const SCRIPT: &str = include_str!("../../templates/report.js");
/// Their hashes; a test computes them, and says what to write here if a file has changed.
const STYLE_HASH: &str = "sha256-zQ3KV4vBroXz4WcCWwHv0+a7bI4+4Qwi6yedd3xJrnU=";
const SCRIPT_HASH: &str = "sha256-NYIv1G9gcC3NiFRhI+f4HRSU9LLJXNyho46vFxBMUGE=";

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage<'a> {
    policy: String,
    style: &'static str,
    script: &'static str,
    suite: &'a Suite,
    headline: String,
    counts: Vec<Count>,
    totals: [(&'static str, String); 4],
    promise: Vec<(&'static str, String)>,
    cards: Vec<Card<'a>>,
    left_out: Option<String>,
    history: Vec<Chart>,
    planner: Planner,
    version: &'static str,
}

/// How many tests have a status, and their share of the bar, in percent.
struct Count {
    status: Status,
    number: usize,
    start: f64,
    share: f64,
}

struct Card<'a> {
    test: &'a ReportedTest,
    /// Its position by attention needed.
    rank: usize,
    name: String,
}

impl Card<'_> {
    fn status(&self) -> Status {
        self.test.result.status
    }

    fn range(&self) -> String {
        let range = self.test.result.rate.as_ref().and_then(SeenRate::range);
        range.unwrap_or_else(|| "\u{2013}".into())
    }

    /// The value that the page sorts rates by.
    fn highest(&self) -> f64 {
        let interval = self.test.result.rate.as_ref().and_then(|rate| rate.interval);
        interval.map_or(-1.0, |(_, high)| high)
    }

    /// The name in pieces, between which a line may be broken: after a separator, or the last of
    /// several.
    fn pieces(&self) -> Vec<&str> {
        let sign = |letter: &u8| b"/:_.[ ".contains(letter);
        let pieces = self.name.as_bytes().chunk_by(|one, next| !sign(one) || sign(next));
        pieces.map(|piece| str::from_utf8(piece).unwrap_or_default()).collect()
    }

    /// The picture of a story, if there is room for it.
    fn strip(&self) -> Option<Strip> {
        let story = self.test.result.facts.story.as_ref()?;
        let tape: Tape = story.tape.parse().ok()?;
        if !story.holds || story.small < 2 || story.small > MOST_CELLS {
            return None;
        }
        let width = 1.0 / story.small as f64;
        let drawn = |(place, word): (usize, &u64)| {
            (*word != 0).then_some((100.0 * (place as f64 * width), 100.0 * width))
        };
        let decider = |part: &Decider| {
            let width = 1.0 / story.draws.max(1) as f64;
            let count = part.last.saturating_sub(part.first) + 1;
            let share = part.passed as f64 / part.redrawn.max(1) as f64;
            let start = (part.first.max(1) - 1) as f64 * width;
            (100.0 * start, 100.0 * (count as f64 * width), share)
        };
        Some(Strip {
            draws: tape.words().iter().enumerate().filter_map(drawn).collect(),
            deciders: story.deciders.iter().map(decider).collect(),
            words: one_line(&story.words, DETAILS),
        })
    }

    fn charts(&self) -> Vec<Chart> {
        let facts = &self.test.result.facts;
        let labels = facts.labels.iter().take(MOST_CHARTS);
        labels.map(|label| Chart::new(label, facts.executed)).collect()
    }

    /// The picture of an interval, on a logarithmic scale from 10^-6 to 1.
    fn scale(&self) -> Option<Scale> {
        let rate = self.test.result.rate.as_ref()?;
        let (low, high) = rate.interval?;
        let place = |rate: f64| (100.0 + rate.max(1e-6).log10() * 100.0 / 6.0).clamp(0.0, 100.0);
        let p = self.test.result.claim.p.as_ref();
        let words = p.map(|p| format!("; p is {p}")).unwrap_or_default();
        Some(Scale {
            from: place(low),
            width: (place(high) - place(low)).max(0.5),
            p: p.map(|p| place(p.as_f64())),
            words: format!("rates that fit: {}{words}", rate.range()?),
        })
    }
}

/// Which draws of the small execution aren't zero, and how much each examined part of the draws
/// decides.
struct Strip {
    /// Start and width in percent.
    draws: Vec<(f64, f64)>,
    /// The same, and how much it decides, from 0 to 1.
    deciders: Vec<(f64, f64, f64)>,
    words: String,
}

/// Positions in percent.
struct Scale {
    from: f64,
    width: f64,
    p: Option<f64>,
    words: String,
}

pub fn html(suite: &Suite) -> Result<String, Failure> {
    let headline = suite.headline();
    let (first, rest) = headline.split_at(1);
    let card = |(rank, test)| Card { test, rank, name: view::id(test) };
    let left_out = suite.tests.len().saturating_sub(MOST_CARDS);
    render(&ReportPage {
        policy: policy(),
        style: STYLE,
        script: SCRIPT,
        suite,
        headline: first.to_uppercase() + rest,
        counts: counts(suite),
        totals: [
            ("tests", grouped(suite.tests.len() as u64)),
            ("executions", grouped(suite.totals.executed)),
            ("rejected", grouped(suite.totals.rejected)),
            ("time of executions", duration(suite.totals.seconds)),
        ],
        promise: Promise::of(suite).sentences(),
        cards: suite.tests.iter().take(MOST_CARDS).enumerate().map(card).collect(),
        // Tests that need the least attention come last.
        left_out: (left_out > 0).then(|| format!(
            "Counted but not listed: {}. This page lists the {} tests that most need attention; the text and JSON reports list all of them.",
            plural(left_out as u64, "more test"),
            grouped(MOST_CARDS as u64)
        )),
        history: evidence::by_test(&suite.evidence).map(Chart::over_time).collect(),
        planner: Planner::of(suite),
        version: env!("CARGO_PKG_VERSION"),
    })
}

pub fn render(page: &impl Template) -> Result<String, Failure> {
    let page = page.render().map(|page| page + "\n");
    page.map_err(unfinished("the page cannot be written"))
}

pub fn policy() -> String {
    format!(
        "default-src 'none'; script-src '{SCRIPT_HASH}'; style-src '{STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
}

fn counts(suite: &Suite) -> Vec<Count> {
    let percent = |tests: usize| 100.0 * tests as f64 / suite.tests.len() as f64;
    let mut before = 0;
    let mut counts = Vec::new();
    for status in Status::all() {
        let number = count(&suite.tests, status);
        if number > 0 {
            counts.push(Count { status, number, start: percent(before), share: percent(number) });
            before += number;
        }
    }
    counts
}

/// Shares as a chart, with their intervals: of labels, and of violations over time.
struct Chart {
    words: String,
    bars: Vec<Bar>,
}

/// A value, or adjacent values; shares from 0 to 1.
struct Bar {
    value: String,
    share: f64,
    low: f64,
    high: f64,
    words: String,
    /// Whether the execution that violated had it.
    own: bool,
}

impl Chart {
    fn new(label: &LabelFacts, executed: u64) -> Self {
        let mut words = one_line(&label.name, NAME);
        if let Some(share) = label.at_least {
            words.push_str(&format!(", required in at least {share} of the executions"));
        }
        let own = label.of_violation.as_deref();
        let groups = groups(&label.shares);
        if groups.len() > MOST_BARS {
            let all = groups.len();
            words.push_str(&format!(", the {MOST_BARS} most frequent values of {all}"));
        }
        let bar = |group: &[LabelShare]| Bar::new(group, executed, own);
        Chart { words, bars: groups.into_iter().take(MOST_BARS).map(bar).collect() }
    }

    /// How the violation rate of a test changed with its code.
    fn over_time(codes: &[EvidenceFacts]) -> Self {
        let (test, claim) = (one_line(&codes[0].test, NAME), &codes[0].claim_words);
        let most = codes.iter().filter_map(|code| code.high).fold(0.0, f64::max);
        let part = |rate: f64| if most > 0.0 { rate / most } else { 0.0 };
        let bar = |code: &EvidenceFacts| Bar {
            value: short_name(code.code.as_deref().unwrap_or("?"), evidence::CODE),
            share: part(code.violated as f64 / code.executed.max(1) as f64),
            low: part(code.low.unwrap_or(0.0)),
            high: part(code.high.unwrap_or(0.0)),
            words: evidence::brief(code),
            own: code.change.is_some(),
        };
        Chart {
            words: format!("{test}: {claim}; {}", codes[codes.len() - 1].words),
            bars: codes.iter().map(bar).collect(),
        }
    }
}

/// The values that share a bar: with many numbers, those in one part of their range.
fn groups(shares: &[LabelShare]) -> Vec<&[LabelShare]> {
    let number = |share: &LabelShare| share.value.parse::<f64>().ok().filter(|n| n.is_finite());
    let ends = shares.first().and_then(number).zip(shares.last().and_then(number));
    let part = |share: &LabelShare| {
        let (least, largest) = ends?;
        let place = (number(share)? - least) / (largest - least);
        Some(((place * MOST_BARS as f64) as usize).min(MOST_BARS - 1))
    };
    let many = shares.len() > MOST_BARS && shares.iter().all(|share| part(share).is_some());
    shares.chunk_by(|one, other| many && part(one) == part(other)).collect()
}

/// A value, with only the first digits if it is a fraction.
fn brief(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if number.is_finite() && number.fract() != 0.0 => {
            format!("{number:.3e}").parse().unwrap_or(number).to_string()
        }
        _ => value.to_owned(),
    }
}

impl Bar {
    fn new(group: &[LabelShare], executed: u64, own: Option<&str>) -> Self {
        let value = match group {
            [first, .., last] => format!("{} to {}", brief(&first.value), brief(&last.value)),
            _ => group.first().map_or_else(String::new, |one| brief(&one.value)),
        };
        // A file may contain anything.
        let seen = group.iter().flat_map(|share| [share.passed, share.violated]);
        let executed = executed.max(1);
        let seen = seen.fold(0, u64::saturating_add).min(executed);
        let (low, high) = clopper_pearson(seen, executed, CONFIDENCE).unwrap_or((0.0, 1.0));
        let share = seen as f64 / executed as f64;
        let own = own.is_some_and(|own| group.iter().any(|share| share.value == own));
        let violated = if own { ", violated" } else { "" };
        let [part, from, to] = [share, low, high].map(|share| 100.0 * share);
        let words = format!("{part:.1} % ({from:.1} to {to:.1}){violated}");
        Bar { value: short_name(&value, VALUE), share, low, high, words, own }
    }
}

/// Executions for values of p and epsilon to choose from. The page doesn't compute plans: it shows
/// the library's.
struct Planner {
    /// The values of epsilon, as columns, largest first.
    epsilons: Vec<PlannerChoice>,
    /// For each p, largest first, the executions for each epsilon, for programs and for people;
    /// empty for programs if there is no plan.
    rows: Vec<(PlannerChoice, Vec<(String, String)>)>,
    /// The initial time of one execution in seconds: the mean of the suite.
    seconds: String,
}

struct PlannerChoice {
    p: Probability,
    text: String,
    /// Whether a claim of the suite has it.
    own: bool,
    chosen: bool,
}

impl Planner {
    fn of(suite: &Suite) -> Planner {
        let claims = || suite.tests.iter().map(|test| &test.result.claim);
        let epsilons =
            merged(&EPSILON, claims().filter_map(|claim| claim.epsilon.as_ref()), "0.05");
        let all_p = merged(&P, claims().filter_map(|claim| claim.p.as_ref()), "0.01");
        let planned = |value: PlannerChoice| {
            let row = epsilons.iter().map(|epsilon| executions(&value.p, &epsilon.p)).collect();
            (value, row)
        };
        let rows = all_p.into_iter().map(planned).collect();
        Planner { rows, epsilons, seconds: mean(suite) }
    }
}

fn executions(p: &Probability, epsilon: &Probability) -> (String, String) {
    let claim = Claim::detect(p, epsilon).ok();
    match claim.and_then(|claim| Plan::new(&claim).ok()) {
        Some(plan) => (plan.executions().to_string(), grouped(plan.executions())),
        None => (String::new(), "> 2^63".into()),
    }
}

/// The listed values and the suite's own, without duplicates, largest first.
fn merged<'a>(
    listed: &[&str],
    own: impl Iterator<Item = &'a Probability>,
    chosen: &str,
) -> Vec<PlannerChoice> {
    let mut distinct: Vec<&Probability> = Vec::new();
    for p in own {
        // A long fraction would be too wide for the table.
        if distinct.len() < OWN && !distinct.contains(&p) && p.to_string().len() <= 12 {
            distinct.push(p);
        }
    }
    let value = |text: &str| Some((Probability::parse(text).ok()?, text.to_owned(), false));
    let listed = listed.iter().filter_map(|text| value(text));
    let own = distinct.into_iter().map(|p| (p.clone(), p.to_string(), true));
    let mut all: Vec<PlannerChoice> = Vec::new();
    for (p, text, own) in listed.chain(own) {
        match all.iter_mut().find(|known| known.p == p) {
            Some(known) => known.own |= own,
            None => all.push(PlannerChoice { p, chosen: text == chosen, text, own }),
        }
    }
    all.sort_by(|one, two| two.p.cmp(&one.p));
    all
}

/// The mean time of an execution with two digits; one second if it isn't known.
fn mean(suite: &Suite) -> String {
    let mean = suite.totals.seconds / suite.totals.executed as f64;
    if !(1e-6..1e6).contains(&mean) {
        return "1".into();
    }
    let digits = (1 - mean.log10().floor() as i32).max(0);
    format!("{mean:.*}", digits as usize)
}
