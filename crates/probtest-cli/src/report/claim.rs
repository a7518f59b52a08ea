//! Which claim was tested?
//!
//! Claims that the core knows are read exactly. Of others their fields are
//! shown, and nothing is computed from what is not understood.

use std::fmt::Write;

use probtest::claim::{Claim, Outcomes, Probability};
use probtest::plan::Plan;
use probtest::report::claim_line;
use serde_json::{Map, Value};

use crate::failure::Failure;

use super::fields::Fields;
use super::words::{DETAILS, one_line};

/// Fields of the claims that end at the first violation.
const KNOWN: [&str; 6] = [
    "p",
    "p_exact",
    "outcomes",
    "outcomes_exact",
    "epsilon",
    "epsilon_exact",
];

/// Fields of the claims that tolerate some violations.
const TOLERANT: [&str; 4] = [
    "tolerate",
    "tolerate_exact",
    "false_alarm",
    "false_alarm_exact",
];

/// Fields of the claims on a mean or on labels.
const NUMERIC: [&str; 11] = [
    "between",
    "low",
    "high",
    "margin",
    "labels",
    "others",
    "distance",
    "epsilon",
    "epsilon_exact",
    "false_alarm",
    "false_alarm_exact",
];

/// A claim of a file.
#[derive(Clone, Debug)]
pub struct TestedClaim {
    /// The claim as the options that make it.
    pub line: String,
    /// The claim, where a test for it ends at the first violation.
    pub exact: Option<Claim>,
    /// The violation probability that must not go unnoticed.
    pub p: Option<Probability>,
    /// The chance of missing it.
    pub epsilon: Option<Probability>,
    /// The chance of failing a program that keeps the claim.
    pub false_alarm: Option<f64>,
    /// Whether it is on a mean or on labels, and all of it is understood.
    pub is_numeric: bool,
    fields: Map<String, Value>,
}

impl TestedClaim {
    /// What is shown where nothing was claimed.
    pub fn none(line: String) -> TestedClaim {
        TestedClaim {
            line,
            exact: None,
            p: None,
            epsilon: None,
            false_alarm: None,
            is_numeric: false,
            fields: Map::new(),
        }
    }

    /// Reads the claim of a result, whose `kind` and words for it stand beside it.
    ///
    /// # Errors
    ///
    /// When a number is no probability.
    pub fn read(
        fields: &Fields,
        kind: Option<&str>,
        words: Option<String>,
    ) -> Result<TestedClaim, Failure> {
        let map = fields.map;
        let is_numeric = matches!(kind, Some("mean" | "fit"))
            && map.keys().all(|key| NUMERIC.contains(&key.as_str()));
        let p = probability(fields, "p")?;
        let epsilon = probability(fields, "epsilon")?;
        let false_alarm = probability(fields, "false_alarm")?.map(|chance| chance.as_f64());
        let only_known = map.keys().all(|key| KNOWN.contains(&key.as_str()));
        let outcomes = if only_known { outcomes(fields)? } else { None };
        let exact = match (&p, outcomes, &epsilon) {
            (Some(p), None, Some(epsilon)) if only_known => {
                Some(Claim::detect(p.clone(), epsilon.clone())?)
            }
            (None, Some(outcomes), Some(epsilon)) => Some(Claim::cover(outcomes, epsilon.clone())?),
            _ => None,
        };
        let line = match (&exact, words) {
            (Some(claim), _) => claim_line(claim),
            (None, Some(words)) => one_line(&words, DETAILS),
            (None, None) => listed(map),
        };
        Ok(TestedClaim {
            line,
            p,
            epsilon,
            false_alarm,
            is_numeric,
            // Of a claim that is known exactly nothing else is asked.
            fields: if exact.is_some() {
                Map::new()
            } else {
                map.clone()
            },
            exact,
        })
    }

    /// Says whether two claims are one.
    pub fn is_same(&self, other: &TestedClaim) -> bool {
        match (&self.exact, &other.exact) {
            (Some(one), Some(two)) => one == two,
            _ => self.fields == other.fields && self.line == other.line,
        }
    }

    /// The executions that it needs, where one violation probability decides.
    pub fn needs(&self) -> Option<u64> {
        let claim = self.exact.as_ref().filter(|_| self.p.is_some())?;
        Plan::new(claim).ok().map(|plan| plan.executions())
    }

    /// Says whether a pass bounds the chance of a miss by `epsilon`. A field that is
    /// not known could change what the others mean.
    pub fn bounds_misses(&self) -> bool {
        let mut keys = self.fields.keys().map(String::as_str);
        let known = keys.all(|key| KNOWN.contains(&key) || TOLERANT.contains(&key));
        let numeric = self.is_numeric && self.epsilon.is_some();
        self.exact.is_some() || numeric || (known && self.p.is_some() && self.epsilon.is_some())
    }
}

/// Reads `key_exact`, or `key` where that is not there.
fn probability(fields: &Fields, key: &str) -> Result<Option<Probability>, Failure> {
    let exact = format!("{key}_exact");
    let read = match (fields.map.get(&exact), fields.map.get(key)) {
        (Some(Value::String(text)), _) => Probability::parse(text),
        (_, Some(Value::Number(number))) => Probability::parse(&number.to_string()),
        (_, None | Some(Value::Null)) => return Ok(None),
        _ => return Err(fields.wrong(key, "a number")),
    };
    read.map(Some)
        .map_err(|_| fields.wrong(key, "a probability strictly between 0 and 1"))
}

fn outcomes(fields: &Fields) -> Result<Option<Outcomes>, Failure> {
    let list = match (fields.map.get("outcomes_exact"), fields.map.get("outcomes")) {
        (Some(Value::Array(list)), _) | (None, Some(Value::Array(list))) => list,
        (None, None) => return Ok(None),
        _ => return Err(fields.wrong("outcomes", "a list of probabilities")),
    };
    let texts = list.iter().map(|entry| match entry {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    let read: Result<Vec<Probability>, _> = texts.map(|text| Probability::parse(&text)).collect();
    read.and_then(Outcomes::new)
        .map(Some)
        .map_err(|_| fields.wrong("outcomes", "a list of probabilities that sum to at most 1"))
}

/// Lists the fields of a claim: exact texts where there are some.
fn listed(map: &Map<String, Value>) -> String {
    // The order in which a claim is spoken; what is not known here comes last.
    let place = |key: &str| {
        let known = ["tolerate", "p", "outcomes", "epsilon", "false_alarm"];
        known
            .iter()
            .position(|name| *name == key)
            .unwrap_or(known.len())
    };
    let mut fields: Vec<(&String, &Value)> = map.iter().collect();
    fields.sort_by_key(|(key, _)| place(key));
    let mut line = String::new();
    for (key, value) in fields {
        if key.ends_with("_exact") || value.is_null() {
            continue;
        }
        let value = match map.get(&format!("{key}_exact")) {
            Some(Value::String(text)) => text.clone(),
            _ => value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        };
        let comma = if line.is_empty() { "" } else { ", " };
        let (key, value) = (one_line(key, 80), one_line(&value, 80));
        let _ = write!(line, "{comma}{key} = {value}");
    }
    if line.is_empty() {
        line.push_str("none that is written");
    }
    line
}
