//! Which violation rates fit what was seen?
//!
//! An interval must fit the way in which the executions came to their end. A
//! test that ends at the first violation has one of its own; a fixed number of
//! executions has Clopper and Pearson's. For every other ending the file has to
//! bring the interval, or there is none.

use probtest::judge::interval::{clopper_pearson, first_violation};
use serde_json::Value;

use crate::failure::Failure;

use super::facts::Facts;
use super::fields::Fields;
use super::words::{round_down, round_up};

/// The share of such intervals that hold the true rate.
const CONFIDENCE: f64 = 0.95;

/// Violations of executions, and the rates that fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Executions that violated.
    pub violated: u64,
    /// Executions that count.
    pub executed: u64,
    /// The lowest and the highest rate that fit, where that is known.
    pub interval: Option<(f64, f64)>,
    /// The share of such intervals that hold the true rate.
    pub confidence: f64,
}

impl Rate {
    /// Finds the rate of a result. None where nothing was executed at random, as
    /// for a remembered counterexample.
    ///
    /// # Errors
    ///
    /// When the file brings an interval that is none.
    pub fn of(facts: &Facts, fields: &Fields) -> Result<Option<Rate>, Failure> {
        let alone = ["remembered", "reason"].iter().any(|key| {
            let kind = fields.map.get(*key).and_then(|object| object.get("kind"));
            matches!(kind.and_then(Value::as_str), Some("again" | "replayed"))
        });
        if facts.executed == 0 || alone {
            return Ok(None);
        }
        let (violated, executed) = (facts.violated, facts.executed);
        let index = fields.count("index")?;
        let written = written(fields)?;
        let confidence = written.map_or(CONFIDENCE, |(_, _, confidence)| confidence);
        let interval = match written {
            Some((low, high, _)) => Some((low, high)),
            None if facts.claim.exact.is_none() => None,
            None => match violated {
                0 => clopper_pearson(0, executed, CONFIDENCE).ok(),
                1 if index == Some(executed) => first_violation(executed, CONFIDENCE).ok(),
                _ => None,
            },
        };
        Ok(Some(Rate {
            violated,
            executed,
            interval,
            confidence,
        }))
    }

    /// The counts and the interval, in words.
    pub fn words(&self) -> String {
        let counts = format!("{} of {}", self.violated, self.executed);
        match self.range() {
            Some(range) => format!("{counts}; {range} fits ({} % interval)", self.percent()),
            None => counts,
        }
    }

    /// The confidence in percent, without digits that say nothing.
    fn percent(&self) -> f64 {
        (self.confidence * 1e8).round() / 1e6
    }

    /// The interval alone, rounded outward.
    pub fn range(&self) -> Option<String> {
        let (low, high) = self.interval?;
        Some(format!("{} to {}", round_down(low), round_up(high)))
    }
}

/// An interval that the file brings, and its confidence: in the object `rate`, or
/// beside it, as for an estimate.
fn written(fields: &Fields) -> Result<Option<(f64, f64, f64)>, Failure> {
    let rate = fields.map.get("rate").and_then(Value::as_object);
    let from = rate.unwrap_or(fields.map);
    let number = |key: &str| from.get(key).filter(|value| !value.is_null());
    let (Some(low), Some(high)) = (number("low"), number("high")) else {
        return Ok(None);
    };
    let confidence = number("confidence").map_or(Some(CONFIDENCE), Value::as_f64);
    match (low.as_f64(), high.as_f64(), confidence) {
        (Some(low), Some(high), Some(confidence))
            if 0.0 <= low && low <= high && high <= 1.0 && 0.0 < confidence && confidence < 1.0 =>
        {
            Ok(Some((low, high, confidence)))
        }
        _ => Err(fields.wrong("rate", "an interval from `low` to `high` within 0 and 1")),
    }
}
