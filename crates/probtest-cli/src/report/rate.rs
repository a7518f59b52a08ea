//! Which violation rates fit what was seen?
//!
//! An interval must fit the way in which the executions came to their end. A
//! test that ends at the first violation has one of its own; a fixed number of
//! executions has Clopper and Pearson's. For every other ending the file has to
//! bring the interval, or there is none.

use probtest::judge::interval::{clopper_pearson, first_violation};
use probtest_facts::{ReasonKind, Remembered, TestFacts};

use super::claim::WrongField;
use super::words::{round_down, round_up};

/// The share of such intervals that hold the true rate.
const CONFIDENCE: f64 = 0.95;

/// Violations of executions, and the rates that fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenRate {
    /// Executions that violated.
    pub violated: u64,
    /// Executions that count.
    pub executed: u64,
    /// The lowest and the highest rate that fit, where that is known.
    pub interval: Option<(f64, f64)>,
    /// The share of such intervals that hold the true rate.
    pub confidence: f64,
}

impl SeenRate {
    /// Finds the rate of a result; `first_decides` says that its test ends at the first
    /// violation. None where nothing was executed at random, as for a remembered
    /// counterexample.
    ///
    /// # Errors
    ///
    /// When the file brings an interval that is none.
    pub fn of(facts: &TestFacts, first_decides: bool) -> Result<Option<SeenRate>, WrongField> {
        let again = matches!(facts.remembered, Some(Remembered::Again { .. }));
        let reason = facts.reason.as_ref().map(|reason| &reason.kind);
        if facts.executed == 0 || again || reason == Some(&ReasonKind::Replayed) {
            return Ok(None);
        }
        let (violated, executed) = (facts.violated, facts.executed);
        let interval = match &facts.rate {
            Some(rate) => {
                let (low, high) = (rate.low, rate.high);
                if !(0.0 <= low && low <= high && high <= 1.0) {
                    let expected = "an interval from `low` to `high` within 0 and 1";
                    return Err(("rate", format!("{low} to {high}"), expected));
                }
                Some((low, high))
            }
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
        let counts = format!("{} of {}", self.violated, self.executed);
        // In percent, without digits that say nothing.
        let percent = (self.confidence * 1e8).round() / 1e6;
        match self.range() {
            Some(range) => format!("{counts}; {range} fits ({percent} % interval)"),
            None => counts,
        }
    }

    /// The interval alone, rounded outward.
    pub fn range(&self) -> Option<String> {
        let (low, high) = self.interval?;
        Some(format!("{} to {}", round_down(low), round_up(high)))
    }
}
