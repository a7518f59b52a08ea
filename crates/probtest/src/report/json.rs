//! The same facts for programs: the types of `probtest-facts`, filled.

use probtest_facts::{
    Claim as ClaimFacts, Finding as FindingFacts, Kind, Note as NoteFacts, NoteKind, PlanFacts,
    Reason as ReasonFacts, ReasonKind, Remembered as RememberedFacts, TestFacts,
    Verdict as VerdictFacts, Version, Violation as ViolationFacts,
};
use serde_json::Value;

use super::plan_text::claim_line;
use super::suite_text::shares_facts;
use super::{Note, Remembered, Report};
use crate::claim::{Claim, Probability};
use crate::judge::{Finding, Reason, Verdict};
use crate::plan::{Certainty, Chance, Plan};
use crate::run::Violation;

pub use probtest_facts::FORMAT;

impl Report {
    /// Returns the facts for programs, described in `docs/reference/json.md`.
    pub fn facts(&self) -> TestFacts {
        let deciding = self.address.map(|address| address.index);
        TestFacts {
            probtest: Version,
            kind: Some(kind(self.plan.claim())),
            test: self.test.clone(),
            verdict: verdict_facts(&self.verdict),
            claim: claim_facts(self.plan.claim()),
            claim_words: claim_line(self.plan.claim()),
            planned: Some(self.counts.planned),
            miss: Some(self.plan.miss().value()),
            false_alarm: self.plan.false_alarm().map(|chance| chance.value()),
            rate: self.rate().map(|rate| rate.facts()),
            executed: self.counts.executed,
            passed: self.counts.passed,
            violated: self.counts.violated,
            rejected: self.counts.rejected,
            not_executed: self.counts.not_executed(),
            seed: Some(self.seed.to_string()),
            index: self.index().or(deciding),
            address: self.address.map(|address| address.to_string()),
            replay: self.address.and(self.replay.clone()),
            rerun: self.rerun().map(str::to_owned),
            finding: self.finding_facts(),
            reason: self.reason_facts(),
            attained: self.attained_by_cut(),
            suite: shares_facts(&self.suite),
            remembered: remembered_facts(&self.remembered),
            notes: notes_facts(&self.notes),
            seconds: self.elapsed.as_secs_f64(),
            summary: self.summary(),
            meaning: self.meaning(),
            ..TestFacts::default()
        }
    }

    /// Writes the facts as one JSON object.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self.facts()).unwrap_or_default()
    }

    fn finding_facts(&self) -> Option<FindingFacts> {
        let Verdict::Violated(finding) = &self.verdict else {
            return None;
        };
        Some(match finding {
            Finding::Execution { violation, .. } => {
                FindingFacts::Execution(violation_facts(violation))
            }
            Finding::Rate {
                violation, first, ..
            } => FindingFacts::Rate {
                first: Some(*first),
                violation: violation_facts(violation),
            },
            Finding::Unseen { outcomes } => FindingFacts::Unseen {
                outcomes: outcomes.iter().map(|outcome| *outcome as u64).collect(),
            },
        })
    }

    fn reason_facts(&self) -> Option<ReasonFacts> {
        match &self.verdict {
            Verdict::Inconclusive(reason) | Verdict::WithinBudget(reason) => {
                Some(reason_facts(reason_kind(reason), self.why(reason)))
            }
            _ => None,
        }
    }
}

fn kind(claim: &Claim) -> Kind {
    match claim {
        Claim::Detect { .. } => Kind::Detect,
        Claim::Cover { .. } => Kind::Cover,
        Claim::Tolerate { .. } => Kind::Tolerate,
    }
}

pub(super) fn violation_facts(violation: &Violation) -> ViolationFacts {
    ViolationFacts {
        message: violation.message.clone(),
        location: violation.location.clone(),
        details: violation.details.clone(),
    }
}

pub(super) fn notes_facts(notes: &[Note]) -> Vec<NoteFacts> {
    let fact = |note: &Note| NoteFacts {
        kind: match note {
            Note::OwnRandomness => NoteKind::OwnRandomness,
            Note::NeverDrew => NoteKind::NeverDrew,
            Note::LargeP => NoteKind::LargeP,
            Note::Reseeds => NoteKind::Reseeds,
            Note::Copies => NoteKind::Copies,
        },
        words: note.words().into(),
    };
    notes.iter().map(fact).collect()
}

/// Why there is no verdict, with its words.
pub(super) fn reason_facts(kind: ReasonKind, (message, help): (String, String)) -> ReasonFacts {
    ReasonFacts {
        kind,
        message,
        help,
    }
}

/// Returns the facts of a claim: numbers to compute with, text that is exact.
pub fn claim_facts(claim: &Claim) -> ClaimFacts {
    let number = |value: &Probability| Some(value.as_f64());
    let exact = |value: &Probability| Some(value.to_string());
    let facts = ClaimFacts {
        epsilon: number(claim.epsilon()),
        epsilon_exact: exact(claim.epsilon()),
        ..ClaimFacts::default()
    };
    match claim {
        Claim::Detect { p, .. } => ClaimFacts {
            p: number(p),
            p_exact: exact(p),
            ..facts
        },
        Claim::Tolerate {
            tolerate,
            p,
            false_alarm,
            ..
        } => ClaimFacts {
            p: number(p),
            p_exact: exact(p),
            tolerate: number(tolerate),
            tolerate_exact: exact(tolerate),
            false_alarm: number(false_alarm),
            false_alarm_exact: exact(false_alarm),
            ..facts
        },
        Claim::Cover { outcomes, .. } => ClaimFacts {
            outcomes: Some(outcomes.iter().map(Probability::as_f64).collect()),
            outcomes_exact: Some(outcomes.iter().map(ToString::to_string).collect()),
            ..facts
        },
    }
}

/// Returns the facts of a plan.
pub fn plan_facts(plan: &Plan) -> PlanFacts {
    let (miss, before) = (plan.miss(), plan.miss_before());
    let facts = PlanFacts {
        executions: plan.executions(),
        claim: claim_facts(plan.claim()),
        miss: miss.value(),
        miss_log10: log10(&miss),
        miss_before: Some(before.value()),
        miss_before_log10: log10(&before),
        lowest_executions: Some(match plan.certainty() {
            Certainty::Exact => plan.executions(),
            Certainty::Between { lowest } => lowest,
        }),
        ..PlanFacts::default()
    };
    match plan.sequential() {
        Some(test) => super::rate_text::sequential_facts(plan, test, facts),
        None => facts,
    }
}

/// The logarithm of a chance that a double cannot hold.
pub(super) fn log10(chance: &Chance) -> Option<f64> {
    (chance.value() < f64::MIN_POSITIVE).then(|| chance.log10())
}

fn verdict_facts(verdict: &Verdict) -> VerdictFacts {
    match verdict {
        Verdict::Passed => VerdictFacts::Passed,
        Verdict::Violated(_) => VerdictFacts::Violated,
        Verdict::Inconclusive(_) => VerdictFacts::Inconclusive,
        Verdict::WithinBudget(_) => VerdictFacts::PassedWithinBudget,
    }
}

/// Writes a verdict as one word.
pub fn verdict_name(verdict: &Verdict) -> String {
    verdict_facts(verdict).into()
}

pub(super) fn reason_kind(reason: &Reason) -> ReasonKind {
    match reason {
        Reason::Budget { .. } => ReasonKind::Budget,
        Reason::Time { .. } => ReasonKind::Time,
        Reason::Cancelled => ReasonKind::Cancelled,
        Reason::Rejections { .. } => ReasonKind::Rejections,
        Reason::Replayed { .. } => ReasonKind::Replayed,
        Reason::Broken { .. } => ReasonKind::Broken,
        Reason::UnknownOutcome { .. } => ReasonKind::UnknownOutcome,
    }
}

fn remembered_facts(remembered: &Remembered) -> Option<RememberedFacts> {
    match remembered {
        Remembered::None => None,
        Remembered::Again(address) => Some(RememberedFacts::Again {
            address: address.to_string(),
        }),
        Remembered::Mended(addresses) => Some(RememberedFacts::Fixed {
            addresses: addresses.iter().map(ToString::to_string).collect(),
        }),
    }
}
