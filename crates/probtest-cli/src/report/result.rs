//! One result: one run of a test to its verdict, and how to interpret the verdict.
//!
//! Claims that the library knows are read exactly. Of others only the text is shown, and nothing is
//! computed from what isn't understood.

use std::rc::Rc;

use probtest::claim::{Claim, Outcomes, Probability, detect};
use probtest::judge::interval::{clopper_pearson, first_violation};
use probtest::plan::Plan;
use probtest::report::claim_line;
use probtest_facts::json::Value;
use probtest_facts::{Kind, ReasonKind, Remembered, TestFacts, Verdict};

use super::input::AS_WRITTEN;
use super::suite::Identity;
use super::words::{DETAILS, NAME, one_line, plural, round_down, round_up};
use crate::output::Failure;

/// The most seconds that the executions of one test may have taken: a longer time than any computer
/// has run is a broken number, and sums of it could be infinite.
const MOST_SECONDS: f64 = 1e12;
/// The confidence of the intervals for rates.
const CONFIDENCE: f64 = 0.95;

/// A wrong field: its name, its value, and what it should be.
type WrongField = (&'static str, String, &'static str);

/// How the reader should interpret the verdict of a test, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// There is evidence against the claim.
    Violated,
    /// No verdict: fewer executions than planned.
    Inconclusive,
    /// A verdict that this version doesn't know.
    Unknown,
    /// One shard of a test: no verdict until all of them are merged.
    Partial,
    /// Passed, but there is a reason to doubt it.
    Doubtful,
    /// A limit was reached before the plan was finished, and the test accepts that: it proves less
    /// than its claim.
    WithinBudget,
    /// Nothing was claimed; a rate was estimated.
    Estimated,
    Passed,
}

/// Each status in order, with a word for programs and style sheets, its name for people, and a
/// symbol, since not everyone can see colours.
const STATUSES: [(Status, &str, &str, &str); 8] = [
    (Status::Violated, "violated", "violated", "\u{2715}"),
    (Status::Inconclusive, "inconclusive", "inconclusive", "\u{25d0}"),
    (Status::Unknown, "unknown", "unknown verdict", "?"),
    (Status::Partial, "partial", "partial", "\u{25cb}"),
    (Status::Doubtful, "doubtful", "in doubt", "!"),
    (Status::WithinBudget, "within_budget", "passed within budget", "\u{25d4}"),
    (Status::Estimated, "estimated", "estimated", "\u{2248}"),
    (Status::Passed, "passed", "passed", "\u{2713}"),
];

impl Status {
    pub fn all() -> impl Iterator<Item = Status> {
        STATUSES.into_iter().map(|(status, ..)| status)
    }

    /// The status of a verdict that nothing contradicts.
    fn of(verdict: &Verdict) -> Status {
        match verdict {
            Verdict::Violated => Status::Violated,
            Verdict::Inconclusive => Status::Inconclusive,
            Verdict::Passed => Status::Passed,
            Verdict::PassedWithinBudget => Status::WithinBudget,
            Verdict::Estimated => Status::Estimated,
            Verdict::Partial => Status::Partial,
            _ => Status::Unknown,
        }
    }

    pub fn name(self) -> &'static str {
        STATUSES[self as usize].1
    }

    pub fn words(self) -> &'static str {
        STATUSES[self as usize].2
    }

    pub fn sign(self) -> &'static str {
        STATUSES[self as usize].3
    }

    /// Whether the reader should look at it.
    pub fn needs_attention(self) -> bool {
        self < Status::Estimated
    }

    /// Whether it is a failure. A pass within budget was accepted by its test.
    pub fn fails(self) -> bool {
        self < Status::WithinBudget
    }
}

pub struct TestResult {
    pub facts: TestFacts,
    pub identity: Identity,
    /// How the reader should interpret the verdict.
    pub status: Status,
    pub claim: TestedClaim,
    /// Reasons to doubt a pass.
    pub doubts: Vec<String>,
    /// What else the reader should know.
    pub notes: Vec<String>,
    /// The violation rates that fit.
    pub rate: Option<SeenRate>,
    pub source: Rc<str>,
    /// The object as it was written, on one line.
    pub object: Value,
}

impl TestResult {
    /// Checks what a file says.
    ///
    /// # Errors
    /// When the facts contradict each other, or a number is invalid.
    pub fn new(facts: TestFacts, source: &Rc<str>, object: String) -> Result<TestResult, Failure> {
        let wrong = |(field, given, expected): WrongField| {
            let name = one_line(facts.name(), NAME);
            Failure::given(
                format!("`{field}` of the test {name} is not {expected}"),
                format!("{} in {source}", one_line(&given, NAME)),
                AS_WRITTEN,
            )
        };
        checked(&facts).map_err(wrong)?;
        let claim = TestedClaim::read(&facts).map_err(wrong)?;
        // How many violated says nothing about numbers and labels.
        let rate = match facts.observed.is_some() || is_numeric(&facts) {
            true => None,
            false => SeenRate::of(&facts, claim.exact.is_some()).map_err(wrong)?,
        };
        // The verdicts that a doubt takes something away from.
        let good = [Verdict::Passed, Verdict::PassedWithinBudget, Verdict::Estimated];
        let mut notes: Vec<String> = facts.notes.iter().map(|note| note.words.clone()).collect();
        let mut doubts: Vec<String> =
            facts.doubts.iter().map(|doubt| doubt.words.clone()).collect();
        if good.contains(&facts.verdict) {
            doubts.extend(contradictions(&facts, &claim));
        } else {
            notes.append(&mut doubts);
        }
        let remembered = facts.remembered.as_ref().and_then(Remembered::words);
        notes.extend(remembered.map(Into::into));
        Ok(TestResult {
            identity: Identity::of(&facts),
            status: match doubts.is_empty() {
                true => Status::of(&facts.verdict),
                false => Status::Doubtful,
            },
            source: Rc::clone(source),
            doubts,
            notes,
            claim,
            rate,
            object: Value::Written(object),
            facts,
        })
    }

    /// Whether the claim is about what executions return.
    pub fn is_numeric(&self) -> bool {
        is_numeric(&self.facts)
    }

    /// Whether the claim compares two versions.
    pub fn compares(&self) -> bool {
        self.facts.kind == Some(Kind::Compare)
    }

    /// The summary without the word that starts every line of probtest.
    pub fn summary(&self) -> &str {
        let summary = &self.facts.summary;
        summary.strip_prefix("probtest: ").unwrap_or(summary)
    }

    /// How many executions ran, of how many, in words.
    pub fn executions(&self) -> String {
        let executed = self.facts.executed;
        let mut words = match self.facts.planned {
            // Other claims decide as soon as they can.
            Some(most) if self.claim.exact.is_none() => format!("{executed} of at most {most}"),
            Some(planned) if planned != executed => format!("{executed} of {planned} planned"),
            _ => executed.to_string(),
        };
        if self.facts.rejected > 0 {
            words.push_str(&format!(", {} rejected", self.facts.rejected));
        }
        words
    }
}

/// Finds what contradicts a pass or an estimate.
fn contradictions(facts: &TestFacts, claim: &TestedClaim) -> Vec<String> {
    let (executed, violated) = (facts.executed, facts.violated);
    let is_whole = facts.verdict == Verdict::Passed;
    let mut found = Vec::new();
    if executed == 0 {
        found.push("no execution was counted".to_owned());
    }
    // An estimate claims nothing, and what a new kind needs isn't known here.
    match (&facts.kind, &claim.exact) {
        _ if facts.verdict == Verdict::Estimated || !facts.claim.unknown.is_empty() => {}
        (None, _) => found.push("the claim is missing".to_owned()),
        (Some(kind), None) if kind.has_counterexamples() => {
            found.push("the claim is not complete".to_owned());
        }
        (_, Some(exact)) => {
            match (facts.planned, Plan::new(exact).map(|plan| plan.executions())) {
                (Some(planned), _) if is_whole && executed < planned => {
                    found.push(format!("{executed} of {planned} planned executions ran"));
                }
                // If the file only has rounded numbers, a difference of one proves nothing.
                (_, Ok(needed)) if is_whole && executed.saturating_add(1) < needed => {
                    let executions = plural(executed, "execution");
                    found.push(format!("{executions}, but the claim needs {needed}"));
                }
                (_, Err(_)) if is_whole => {
                    found.push("the claim needs more executions than can be planned".to_owned());
                }
                _ => {}
            }
            if violated > 0 {
                found.push(format!("{violated} of the executions violated"));
            }
        }
        // If at least half of the programs at p fail, none passes far above the mean.
        (Some(Kind::Tolerate), None) => {
            let most = claim.p.as_ref().map_or(1.0, Probability::as_f64) * executed as f64 + 1.0;
            let is_usual = claim.epsilon.as_ref().is_some_and(|epsilon| epsilon.as_f64() <= 0.5);
            if is_usual && violated as f64 > most {
                found.push(format!("{violated} of {executed} executions violated"));
            }
        }
        // Other claims may pass early, or in spite of violations.
        _ => {}
    }
    found.iter().map(|words| format!("{words}, yet the verdict is {}", said(facts))).collect()
}

fn said(facts: &TestFacts) -> &'static str {
    if facts.verdict == Verdict::Estimated { "an estimate" } else { "a pass" }
}

fn is_numeric(facts: &TestFacts) -> bool {
    facts.kind.as_ref().is_some_and(Kind::is_about_returned)
}

fn checked(facts: &TestFacts) -> Result<(), WrongField> {
    if facts.name().trim().is_empty() {
        return Err(("test", "nothing".into(), "the id of a test"));
    }
    if facts.violated > facts.executed {
        return Err(("violated", facts.violated.to_string(), "at most the number of executions"));
    }
    match (0.0..=MOST_SECONDS).contains(&facts.seconds) {
        true => Ok(()),
        false => Err(("seconds", facts.seconds.to_string(), "a number from 0 to 1e12")),
    }
}

pub struct TestedClaim {
    /// The claim, written as options.
    pub line: String,
    /// The claim, if its test ends at the first violation.
    pub exact: Option<Claim>,
    /// The violation probability to catch.
    pub p: Option<Probability>,
    /// The chance of missing it.
    pub epsilon: Option<Probability>,
    /// The chance of failing a program that keeps the claim.
    pub false_alarm: Option<f64>,
    /// Whether a pass bounds the chance of a miss by `epsilon`.
    pub bounds_misses: bool,
}

impl TestedClaim {
    fn read(facts: &TestFacts) -> Result<TestedClaim, WrongField> {
        let claim = &facts.claim;
        // An unknown field could change the meaning of the others.
        let kind = facts.kind.as_ref().filter(|_| claim.unknown.is_empty());
        let p = probability("claim.p", claim.p_exact.as_ref(), claim.p)?;
        let epsilon = probability("claim.epsilon", claim.epsilon_exact.as_ref(), claim.epsilon)?;
        let false_alarm =
            probability("claim.false_alarm", claim.false_alarm_exact.as_ref(), claim.false_alarm)?;
        let exact = match (kind, &p, &epsilon) {
            (Some(Kind::Detect), Some(p), Some(epsilon)) => {
                let terms = detect(p).epsilon(epsilon);
                let terms = match claim.inputs {
                    Some(inputs) => terms.inputs(inputs),
                    None => terms,
                };
                terms.claim().ok()
            }
            (Some(Kind::Cover), _, Some(epsilon)) => {
                outcomes(facts)?.and_then(|outcomes| Claim::cover(outcomes, epsilon).ok())
            }
            _ => None,
        };
        let line = match &exact {
            Some(claim) => claim_line(claim),
            None if facts.claim_words.is_empty() => "not written down".into(),
            None => one_line(&facts.claim_words, DETAILS),
        };
        let bounds_misses = match kind {
            Some(kind) if kind.has_counterexamples() => exact.is_some(),
            Some(kind) if kind.is_about_returned() || *kind == Kind::Compare => epsilon.is_some(),
            Some(kind) => kind.bounds_false_alarms() && p.is_some() && epsilon.is_some(),
            None => false,
        };
        Ok(TestedClaim {
            line,
            exact,
            p,
            epsilon,
            false_alarm: false_alarm.map(|chance| chance.as_f64()),
            bounds_misses,
        })
    }
}

/// Reads the exact text of a probability, or its number if there is no text.
fn probability(
    field: &'static str,
    exact: Option<&String>,
    number: Option<f64>,
) -> Result<Option<Probability>, WrongField> {
    let text = exact.cloned().or(number.map(|number| number.to_string()));
    let expected = "a probability strictly between 0 and 1";
    text.map(|text| Probability::parse(&text).map_err(|_| (field, text, expected))).transpose()
}

fn outcomes(facts: &TestFacts) -> Result<Option<Outcomes>, WrongField> {
    let claim = &facts.claim;
    let numbers = claim.outcomes.as_ref();
    let numbers = numbers.map(|all| all.iter().map(ToString::to_string).collect());
    let Some(texts) = claim.outcomes_exact.clone().or(numbers) else {
        return Ok(None);
    };
    let all: Result<Vec<Probability>, _> = texts.iter().map(|p| Probability::parse(p)).collect();
    let expected = "a list of probabilities that sum to at most 1";
    all.and_then(Outcomes::new)
        .map(Some)
        .map_err(|_| ("claim.outcomes", texts.join(", "), expected))
}

/// Violations in executions, and the rates that fit.
///
/// An interval must suit the way the executions ended. A test that ends at the first violation has
/// its own interval; a fixed number of executions has Clopper and Pearson's. For any other ending
/// the file must provide the interval, or there is none.
pub struct SeenRate {
    violated: u64,
    executed: u64,
    /// The lowest and the highest rate that fit, if known.
    pub interval: Option<(f64, f64)>,
    confidence: f64,
}

impl SeenRate {
    /// Finds the rate of a result; `first_decides` says that its test ends at the first violation.
    /// `None` if nothing was executed at random, as for a remembered counterexample.
    fn of(facts: &TestFacts, first_decides: bool) -> Result<Option<SeenRate>, WrongField> {
        let again = matches!(facts.remembered, Some(Remembered::Again { .. }));
        let reason = facts.reason.as_ref().map(|reason| &reason.kind);
        if facts.executed == 0 || again || reason == Some(&ReasonKind::Replayed) {
            return Ok(None);
        }
        let (violated, executed) = (facts.violated, facts.executed);
        let interval = match facts.rate.map(|rate| (rate.low, rate.high)) {
            Some((low, high)) if !(0.0 <= low && low <= high && high <= 1.0) => {
                let expected = "an interval from `low` to `high` within 0 and 1";
                return Err(("rate", format!("{low} to {high}"), expected));
            }
            Some(interval) => Some(interval),
            None if !first_decides => None,
            None if violated == 0 => clopper_pearson(0, executed, CONFIDENCE).ok(),
            None if violated == 1 && facts.index == Some(executed) => {
                first_violation(executed, CONFIDENCE).ok()
            }
            None => None,
        };
        Ok(Some(SeenRate {
            violated,
            executed,
            interval,
            confidence: facts.rate.map_or(CONFIDENCE, |rate| rate.confidence),
        }))
    }

    /// The counts and the interval, in words.
    pub fn words(&self) -> String {
        // In percent, without meaningless digits.
        let percent = (self.confidence * 1e8).round() / 1e6;
        let range = self.range().map(|range| format!("; {range} fits ({percent} % interval)"));
        format!("{} of {}{}", self.violated, self.executed, range.unwrap_or_default())
    }

    /// The interval alone, rounded outward.
    pub fn range(&self) -> Option<String> {
        let (low, high) = self.interval?;
        Some(format!("{} to {}", round_down(low), round_up(high)))
    }
}

#[cfg(test)]
mod tests {
    use super::Status;
    use crate::report::STYLE;

    #[test]
    fn every_status_has_its_colours() {
        for status in Status::all() {
            for rule in ["is", "fill"].map(|prefix| format!(".{prefix}-{}", status.name())) {
                assert!(STYLE.contains(&rule), "{rule}");
            }
        }
    }
}
