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
        let interval = match written(fields)? {
            Some(interval) => Some(interval),
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
        }))
    }

    /// The counts and the interval, in words.
    pub fn words(&self) -> String {
        let counts = format!("{} of {}", self.violated, self.executed);
        match self.range() {
            Some(range) => format!("{counts}; {range} fits (95 % interval)"),
            None => counts,
        }
    }

    /// The interval alone, rounded outward.
    pub fn range(&self) -> Option<String> {
        let (low, high) = self.interval?;
        Some(format!("{} to {}", round_down(low), round_up(high)))
    }
}

/// An interval that the file brings: `[low, high]`, or an object with both.
fn written(fields: &Fields) -> Result<Option<(f64, f64)>, Failure> {
    let Some(value) = fields.map.get("interval").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let end = |place: usize, key: &str| {
        let end = match value {
            Value::Array(ends) => ends.get(place),
            other => other.get(key),
        };
        end.and_then(Value::as_f64)
    };
    match (end(0, "low"), end(1, "high")) {
        (Some(low), Some(high)) if 0.0 <= low && low <= high && high <= 1.0 => {
            Ok(Some((low, high)))
        }
        _ => Err(fields.wrong("interval", "two numbers from 0 to 1, the lower one first")),
    }
}
