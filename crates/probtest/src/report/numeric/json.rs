//! The same facts for programs.

use probtest_facts::{
    Attained, Claim, Direction, Extreme, Finding, Kind, LabelClaim, Observed, Reason, ReasonKind,
    TestFacts, Version,
};
use serde_json::Value;

use super::NumericReport;
use super::claim_text::numeric_claim_line;
use crate::claim::numeric::NumericClaim;
use crate::judge::numeric::{NumericReason, NumericVerdict, Seen};
use crate::report::json::{notes_facts, reason_facts, reason_kind, violation_facts};
use crate::report::suite_text::shares_facts;

impl NumericReport {
    /// Returns the facts for programs, described in `docs/reference/json.md`.
    pub fn facts(&self) -> TestFacts {
        TestFacts {
            probtest: Version,
            kind: Some(match self.plan.claim() {
                NumericClaim::Mean(_) => Kind::Mean,
                NumericClaim::Fit(_) => Kind::Fit,
            }),
            test: self.test.clone(),
            verdict: self.verdict_name().to_owned().into(),
            claim: self.claim_facts(),
            claim_words: numeric_claim_line(self.plan.claim()),
            planned: Some(self.counts.planned),
            executed: self.counts.executed,
            passed: self.counts.passed,
            violated: self.counts.violated,
            rejected: self.counts.rejected,
            not_executed: self.counts.not_executed(),
            observed: Some(self.observed_facts()),
            seed: Some(self.seed.to_string()),
            index: self.address.map(|address| address.index),
            address: self.address.map(|address| address.to_string()),
            replay: self.address.and(self.replay.clone()),
            rerun: self.replay.clone().filter(|_| self.address.is_none()),
            finding: self.finding_facts(),
            reason: self.reason_facts(),
            attained: self.attained_facts(),
            suite: shares_facts(&self.suite),
            meaning: self.meaning().or_else(|| self.pass_meaning()),
            notes: notes_facts(&self.notes),
            seconds: self.elapsed.as_secs_f64(),
            summary: self.summary(),
            ..TestFacts::default()
        }
    }

    /// Writes the facts as one JSON object.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self.facts()).unwrap_or_default()
    }

    /// What is known of a test that was not decided.
    fn attained_facts(&self) -> Option<Attained> {
        match self.verdict {
            NumericVerdict::Inconclusive(_) if self.counts.executed > 0 => Some(Attained {
                executions: self.counts.executed,
                words: self.observed(),
                ..Attained::default()
            }),
            _ => None,
        }
    }

    fn claim_facts(&self) -> Claim {
        let claim = self.plan.claim();
        let facts = Claim {
            epsilon: Some(claim.epsilon().as_f64()),
            epsilon_exact: Some(claim.epsilon().to_string()),
            false_alarm: Some(claim.false_alarm().as_f64()),
            false_alarm_exact: Some(claim.false_alarm().to_string()),
            ..Claim::default()
        };
        match claim {
            NumericClaim::Mean(mean) => Claim {
                between: Some([mean.between().0, mean.between().1]),
                low: mean.wanted().low(),
                high: mean.wanted().high(),
                margin: Some(mean.margin()),
                ..facts
            },
            NumericClaim::Fit(fit) => {
                let labels = fit.labels().iter().map(|(label, p)| LabelClaim {
                    label: label.to_string(),
                    p: p.as_f64(),
                    p_exact: p.to_string(),
                });
                Claim {
                    labels: Some(labels.collect()),
                    others: Some(fit.rest()),
                    distance: Some(fit.distance()),
                    ..facts
                }
            }
        }
    }

    fn observed_facts(&self) -> Observed {
        let words = self.has_seen().then(|| self.observed());
        let extreme = |number: crate::judge::numeric::Extreme| Extreme {
            index: number.index,
            value: number.value,
        };
        match &self.seen {
            Seen::Numbers {
                mean,
                interval,
                extremes,
            } => Observed {
                words,
                mean: self.has_seen().then_some(*mean),
                low: Some(interval.0),
                high: Some(interval.1),
                confidence: Some(0.95),
                least: extremes.map(|(least, _)| extreme(least)),
                largest: extremes.map(|(_, largest)| extreme(largest)),
                counts: None,
            },
            Seen::Labels(counts) => Observed {
                words,
                counts: Some(counts.clone()),
                ..Observed::default()
            },
        }
    }

    fn finding_facts(&self) -> Option<Finding> {
        let message = || self.missed_words().unwrap_or_default();
        match &self.verdict {
            NumericVerdict::Missed(side) => {
                let direction = match side.mirrored {
                    true => Direction::Low,
                    false => Direction::High,
                };
                Some(match self.missed_label() {
                    None => Finding::Mean {
                        direction,
                        message: message(),
                    },
                    Some(label) => Finding::Label {
                        direction,
                        message: message(),
                        label: Some(label.to_string()),
                    },
                })
            }
            NumericVerdict::Impossible { label, .. } => Some(Finding::Impossible {
                message: message(),
                label: label.as_ref().map(ToString::to_string),
            }),
            NumericVerdict::Violated { violation, .. } => {
                Some(Finding::Execution(violation_facts(violation)))
            }
            _ => None,
        }
    }

    fn reason_facts(&self) -> Option<Reason> {
        let NumericVerdict::Inconclusive(reason) = &self.verdict else {
            return None;
        };
        let kind = match reason {
            NumericReason::Ended(reason) => reason_kind(reason),
            NumericReason::Outside { .. } => ReasonKind::Outside,
            NumericReason::Nothing { .. } => ReasonKind::Nothing,
        };
        Some(reason_facts(kind, self.why(reason)))
    }
}
