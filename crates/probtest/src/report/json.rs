//! The same facts for programs: one JSON object, with a version.

use serde_json::{Map, Value, json};

use super::budget_text::WITHIN_BUDGET;
use super::plan_text::claim_line;
use super::suite_text::suite_json;
use super::{Remembered, Report};
use crate::claim::{Claim, Probability};
use crate::judge::{Finding, Reason, Verdict};
use crate::plan::{Certainty, Chance, Plan};

/// The version of the JSON form. It grows when a field changes its meaning or
/// goes away; new fields may appear under the same version.
pub const FORMAT: u32 = 1;

impl Report {
    /// Writes the facts as one JSON object, described in `docs/reference/json.md`.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
        put("probtest", json!(FORMAT));
        put("test", json!(self.test));
        put("verdict", json!(verdict_name(&self.verdict)));
        put("claim", Value::Object(claim_json(self.plan.claim())));
        put("claim_words", json!(claim_line(self.plan.claim())));
        put("planned", json!(self.counts.planned));
        put("miss", chance_json(&self.plan.miss()));
        put(
            "false_alarm",
            json!(self.plan.false_alarm().map(|chance| chance.value())),
        );
        put(
            "rate",
            self.rate().map_or(Value::Null, |rate| rate.to_json()),
        );
        put("executed", json!(self.counts.executed));
        put("passed", json!(self.counts.passed));
        put("violated", json!(self.counts.violated));
        put("rejected", json!(self.counts.rejected));
        put("not_executed", json!(self.counts.not_executed()));
        put("seed", json!(self.seed.to_string()));
        let deciding = self.address.map(|address| address.index);
        put("index", json!(self.index().or(deciding)));
        put("address", json!(self.address.map(|a| a.to_string())));
        put("replay", json!(self.address.and(self.replay.as_ref())));
        put("rerun", json!(self.rerun()));
        put("finding", self.finding_json());
        put("reason", self.reason_json());
        put("attained", self.attained_json());
        put("suite", suite_json(&self.suite));
        put("remembered", remembered_json(&self.remembered));
        let notes: Vec<_> = self.notes.iter().map(|note| note.words()).collect();
        put("notes", json!(notes));
        put("seconds", json!(self.elapsed.as_secs_f64()));
        put("summary", json!(self.summary()));
        Value::Object(object)
    }

    fn finding_json(&self) -> Value {
        match &self.verdict {
            Verdict::Violated(Finding::Execution { violation, .. }) => json!({
                "kind": "execution",
                "message": violation.message,
                "location": violation.location,
                "details": violation.details,
            }),
            Verdict::Violated(Finding::Rate {
                violation, first, ..
            }) => json!({
                "kind": "rate",
                "first": first,
                "message": violation.message,
                "location": violation.location,
                "details": violation.details,
            }),
            Verdict::Violated(Finding::Unseen { outcomes }) => json!({
                "kind": "unseen",
                "outcomes": outcomes,
            }),
            _ => Value::Null,
        }
    }

    fn reason_json(&self) -> Value {
        let (Verdict::Inconclusive(reason) | Verdict::WithinBudget(reason)) = &self.verdict else {
            return Value::Null;
        };
        reason_json(reason, self.why(reason))
    }
}

/// Writes why there is no verdict, with its words.
pub(super) fn reason_json(reason: &Reason, (message, help): (String, String)) -> Value {
    json!({ "kind": reason_name(reason), "message": message, "help": help })
}

/// Writes a claim: numbers to compute with, text that is exact.
pub fn claim_json(claim: &Claim) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |key: &str, value: &Probability| {
        object.insert(key.into(), json!(value.as_f64()));
        object.insert(format!("{key}_exact"), json!(value.to_string()));
    };
    match claim {
        Claim::Detect { p, .. } => put("p", p),
        Claim::Tolerate {
            tolerate,
            p,
            false_alarm,
            ..
        } => {
            put("tolerate", tolerate);
            put("p", p);
            put("false_alarm", false_alarm);
        }
        Claim::Cover { outcomes, .. } => {
            let numbers: Vec<f64> = outcomes.iter().map(|p| p.as_f64()).collect();
            let exact: Vec<String> = outcomes.iter().map(ToString::to_string).collect();
            object.insert("outcomes".into(), json!(numbers));
            object.insert("outcomes_exact".into(), json!(exact));
        }
    }
    object.insert("epsilon".into(), json!(claim.epsilon().as_f64()));
    object.insert("epsilon_exact".into(), json!(claim.epsilon().to_string()));
    object
}

/// Writes a plan: `executions`, the claim's fields, `miss`, `miss_before`.
pub fn plan_json(plan: &Plan) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("executions".into(), json!(plan.executions()));
    object.append(&mut claim_json(plan.claim()));
    put_chance(&mut object, "miss", &plan.miss());
    put_chance(&mut object, "miss_before", &plan.miss_before());
    let lowest = match plan.certainty() {
        Certainty::Exact => plan.executions(),
        Certainty::Between { lowest } => lowest,
    };
    object.insert("lowest_executions".into(), json!(lowest));
    if let Some(test) = plan.sequential() {
        let mut facts = super::rate_text::test_json(plan, test);
        object.append(&mut facts);
    }
    object
}

/// Adds a chance, and its logarithm when a double cannot hold it.
pub(super) fn put_chance(object: &mut Map<String, Value>, key: &str, chance: &Chance) {
    object.insert(key.to_owned(), chance_json(chance));
    if chance.value() < f64::MIN_POSITIVE {
        object.insert(format!("{key}_log10"), json!(chance.log10()));
    }
}

fn chance_json(chance: &Chance) -> Value {
    json!(chance.value())
}

/// Writes a verdict as one word.
pub fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Violated(_) => "violated",
        Verdict::Inconclusive(_) => "inconclusive",
        Verdict::WithinBudget(_) => WITHIN_BUDGET,
    }
}

fn reason_name(reason: &Reason) -> &'static str {
    match reason {
        Reason::Budget { .. } => "budget",
        Reason::Time { .. } => "time",
        Reason::Cancelled => "cancelled",
        Reason::Rejections { .. } => "rejections",
        Reason::Replayed { .. } => "replayed",
        Reason::Broken { .. } => "broken",
        Reason::UnknownOutcome { .. } => "unknown_outcome",
    }
}

fn remembered_json(remembered: &Remembered) -> Value {
    match remembered {
        Remembered::None => Value::Null,
        Remembered::Again(address) => {
            json!({ "kind": "again", "address": address.to_string() })
        }
        Remembered::Mended(addresses) => {
            let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
            json!({ "kind": "mended", "addresses": addresses })
        }
    }
}
