//! Shares as a picture, with the shares that fit: of labels, and of violations over time.

use probtest::judge::interval::clopper_pearson;
use probtest_facts::{EvidenceFacts, LabelFacts, LabelShare};

use super::evidence;
use super::words::{NAME, one_line, short_name};

/// The most labels of a test that have a picture, and the most bars of one.
pub const MOST_CHARTS: usize = 16;
const MOST_BARS: usize = 12;
const CONFIDENCE: f64 = 0.95;
/// The most of a value that has room beside its bar.
const VALUE: usize = 40;

pub struct Chart {
    pub words: String,
    pub bars: Vec<Bar>,
}

/// A value, or values that stand next to each other; shares in percent.
pub struct Bar {
    pub value: String,
    pub share: String,
    pub low: String,
    pub high: String,
    pub words: String,
    /// Whether the execution that violated had it.
    pub own: bool,
}

impl Chart {
    pub fn new(label: &LabelFacts, executed: u64) -> Self {
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
        let bars = groups.into_iter().take(MOST_BARS).map(bar).collect();
        Chart { words, bars }
    }
}

impl Chart {
    /// How the violation rate of a test went from code to code.
    pub fn over_time(codes: &[EvidenceFacts]) -> Self {
        let first = &codes[0];
        let (test, claim) = (one_line(&first.test, NAME), &first.claim_words);
        let most = codes.iter().filter_map(|code| code.high).fold(0.0, f64::max);
        let part = |rate: f64| match most > 0.0 {
            true => percent(rate / most),
            false => percent(0.0),
        };
        let bar = |code: &EvidenceFacts| Bar {
            value: short_name(code.code.as_deref().unwrap_or("?"), evidence::CODE),
            share: part(code.violated as f64 / (code.executed.max(1)) as f64),
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

/// The values that share a bar: of many numbers those of one part of their range.
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

/// A value with the first digits of a number that is not whole.
fn brief(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if number.is_finite() && number.fract() != 0.0 => {
            let rounded = format!("{number:.3e}").parse().unwrap_or(number);
            format!("{rounded}")
        }
        _ => value.to_owned(),
    }
}

fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

impl Bar {
    fn new(group: &[LabelShare], executed: u64, own: Option<&str>) -> Self {
        // A file may say anything.
        let sum = |of: fn(&LabelShare) -> u64| group.iter().map(of).fold(0, u64::saturating_add);
        let (passed, violated) = (sum(|share| share.passed), sum(|share| share.violated));
        let value = match group {
            [first, .., last] => format!("{} to {}", brief(&first.value), brief(&last.value)),
            _ => group.first().map_or_else(String::new, |one| brief(&one.value)),
        };
        let (seen, executed) = (passed.saturating_add(violated), executed.max(1));
        let seen = seen.min(executed);
        let (low, high) = clopper_pearson(seen, executed, CONFIDENCE).unwrap_or((0.0, 1.0));
        let share = seen as f64 / executed as f64;
        let own = own.is_some_and(|own| group.iter().any(|share| share.value == own));
        let mut words =
            format!("{:.1} % ({:.1} to {:.1})", 100.0 * share, 100.0 * low, 100.0 * high);
        if own {
            words.push_str(", violated");
        }
        Bar {
            value: short_name(&value, VALUE),
            share: percent(share),
            low: percent(low),
            high: percent(high),
            words,
            own,
        }
    }
}
