//! The same facts for programs.

use serde_json::{Value, json};

use super::NumericReport;
use super::claim_text::numeric_claim_line;
use crate::claim::numeric::NumericClaim;
use crate::judge::numeric::{NumericReason, NumericVerdict, Seen};
use crate::report::json::{FORMAT, reason_json};
use crate::report::suite_text::suite_json;

impl NumericReport {
    /// Writes the facts as one JSON object, described in `docs/reference/json.md`.
    pub fn to_json(&self) -> Value {
        let notes: Vec<_> = self.notes.iter().map(|note| note.words()).collect();
        let deciding = self.address.map(|address| address.index);
        json!({
            "probtest": FORMAT,
            "kind": match self.plan.claim() {
                NumericClaim::Mean(_) => "mean",
                NumericClaim::Fit(_) => "fit",
            },
            "test": self.test,
            "verdict": self.verdict_name(),
            "claim": self.claim_json(),
            "claim_words": numeric_claim_line(self.plan.claim()),
            "planned": self.counts.planned,
            "executed": self.counts.executed,
            "passed": self.counts.passed,
            "violated": self.counts.violated,
            "rejected": self.counts.rejected,
            "not_executed": self.counts.not_executed(),
            "observed": self.seen_json(),
            "seed": self.seed.to_string(),
            "index": deciding,
            "address": self.address.map(|address| address.to_string()),
            "replay": self.address.and(self.replay.as_ref()),
            "rerun": self.replay.as_ref().filter(|_| self.address.is_none()),
            "finding": self.finding_json(),
            "reason": self.reason_json(),
            "attained": self.attained_json(),
            "suite": suite_json(&self.suite),
            "meaning": self.meaning(),
            "remembered": null,
            "notes": notes,
            "seconds": self.elapsed.as_secs_f64(),
            "summary": self.summary(),
        })
    }

    /// What is known of a test that was not decided.
    fn attained_json(&self) -> Value {
        match self.verdict {
            NumericVerdict::Inconclusive(_) if self.counts.executed > 0 => json!({
                "executions": self.counts.executed,
                "words": self.observed(),
            }),
            _ => Value::Null,
        }
    }

    fn claim_json(&self) -> Value {
        let claim = self.plan.claim();
        let mut object = match claim {
            NumericClaim::Mean(mean) => json!({
                "between": [mean.between().0, mean.between().1],
                "low": mean.wanted().low(),
                "high": mean.wanted().high(),
                "margin": mean.margin(),
            }),
            NumericClaim::Fit(fit) => {
                let labels = fit.labels().iter();
                let labels: Vec<Value> = labels
                    .map(|(label, p)| json!({ "label": label, "p": p.as_f64(), "p_exact": p.to_string() }))
                    .collect();
                json!({ "labels": labels, "others": fit.rest(), "distance": fit.distance() })
            }
        };
        object["epsilon"] = json!(claim.epsilon().as_f64());
        object["epsilon_exact"] = json!(claim.epsilon().to_string());
        object["false_alarm"] = json!(claim.false_alarm().as_f64());
        object["false_alarm_exact"] = json!(claim.false_alarm().to_string());
        object
    }

    fn seen_json(&self) -> Value {
        let mut object = self.seen_numbers();
        object["words"] = json!(self.has_seen().then(|| self.observed()));
        object
    }

    fn seen_numbers(&self) -> Value {
        match &self.seen {
            Seen::Numbers {
                mean,
                interval,
                extremes,
            } => json!({
                "mean": self.has_seen().then_some(mean),
                "low": interval.0,
                "high": interval.1,
                "confidence": 0.95,
                "least": extremes.map(|(least, _)| json!({ "index": least.index, "value": least.value })),
                "largest": extremes.map(|(_, most)| json!({ "index": most.index, "value": most.value })),
            }),
            Seen::Labels(counts) => json!({ "counts": counts }),
        }
    }

    fn finding_json(&self) -> Value {
        match &self.verdict {
            NumericVerdict::Missed(side) => json!({
                "kind": if self.missed_label().is_some() { "label" } else { "mean" },
                "direction": if side.mirrored { "low" } else { "high" },
                "message": self.missed_words(),
                "label": self.missed_label(),
            }),
            NumericVerdict::Impossible { label, .. } => json!({
                "kind": "impossible",
                "message": self.missed_words(),
                "label": label,
            }),
            NumericVerdict::Violated { violation, .. } => json!({
                "kind": "execution",
                "message": violation.message,
                "location": violation.location,
                "details": violation.details,
            }),
            _ => Value::Null,
        }
    }

    fn reason_json(&self) -> Value {
        let NumericVerdict::Inconclusive(reason) = &self.verdict else {
            return Value::Null;
        };
        let (message, help) = self.why(reason);
        match reason {
            NumericReason::Ended(reason) => reason_json(reason, (message, help)),
            NumericReason::Outside { .. } => {
                json!({ "kind": "outside", "message": message, "help": help })
            }
            NumericReason::Nothing { .. } => {
                json!({ "kind": "nothing", "message": message, "help": help })
            }
        }
    }
}
