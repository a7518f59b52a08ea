//! The same facts for programs, as the types of `probtest-facts`.

use probtest_facts as form;
use probtest_facts::json::ToJson;
use probtest_facts::{PlanFacts, ReasonKind, TestFacts};

use super::reasons::reason_kind;
use super::returned::{change_facts, impossible};
use super::suite_text::shares_facts;
use super::violations::smallest_seen;
use super::words::words;
use super::{Note, Rate, Remembered, Report};
use crate::claim::{Claim, ClaimKind, Error, Probability};
use crate::judge::{Direction, Doubt, Extreme, Finding, Observed, Verdict};
use crate::plan::{Certainty, Chance, Plan};
use crate::run::Violation;
use crate::seed::RunSeed;

impl Report {
    /// Returns the facts for programs, described in `docs/reference/json.md`.
    pub fn facts(&self) -> TestFacts {
        let words = words(self.claim());
        TestFacts {
            probtest: form::Version,
            kind: Some(self.claim().kind().to_owned().into()),
            test: self.test.clone(),
            verdict: verdict_facts(&self.verdict),
            claim: claim_facts(self.claim()),
            claim_words: words.claim_line(),
            planned: Some(self.counts.planned),
            miss: self.claim().is_achieved_in_part().then(|| self.plan.miss().value()),
            false_alarm: self.plan.false_alarm().map(|chance| chance.value()),
            rate: self.rate().map(Rate::facts),
            observed: self.observed_facts(words.observed(self)),
            executed: self.counts.executed,
            passed: self.counts.passed,
            violated: self.counts.violated,
            rejected: self.counts.rejected,
            not_executed: self.counts.not_executed(),
            unavailable: self
                .unavailable
                .iter()
                .map(|(kind, count)| form::Unavailable { kind: kind.clone(), count: *count })
                .collect(),
            cost: self.cost.map(|(spent, max)| form::Cost { spent, max }),
            // Together with `index` this names the execution: a remembered one has the seed of its
            // own run.
            seed: Some(match &self.remembered {
                Remembered::Again(address) => address.seed.to_string(),
                _ => self.seed.to_string(),
            }),
            index: self.violating_index().or(self.address.map(|address| address.index)),
            address: self.address.map(|address| address.to_string()),
            replay: self.replay.clone(),
            rerun: self.rerun.clone(),
            finding: self.finding_facts(),
            reason: self.reason().map(|reason| {
                let (message, help) = self.why(reason);
                form::Reason { kind: reason_kind(reason), message, help }
            }),
            attained: self.attained_facts(words.achieved(self).or_else(|| words.observed(self))),
            suite: shares_facts(&self.suite),
            remembered: self.remembered.facts(),
            notes: self.notes.iter().map(Note::facts).collect(),
            doubts: self.doubts.iter().map(Doubt::facts).collect(),
            confirmed: self.confirmed,
            labels: self.label_forms(),
            unusual: self.unusual(),
            inputs: self.violation().map_or_else(Vec::new, |_| self.inputs.clone()),
            story: self.story.clone(),
            part: self.part.as_ref().map(|(_, part)| (**part).clone()),
            hoeffding: self.plan.aimed().map(|aimed| aimed.hoeffding()),
            seconds: self.elapsed.as_secs_f64(),
            summary: self.summary(),
            meaning: words.meaning(self).map(|meaning| meaning.replace('\n', "; ")),
            ..TestFacts::default()
        }
    }

    /// Writes the facts as one JSON object, on one line.
    pub fn to_json(&self) -> String {
        self.facts().to_json().to_string()
    }

    /// The verdict as one word.
    pub fn verdict_name(&self) -> String {
        verdict_facts(&self.verdict).into()
    }

    fn observed_facts(&self, words: Option<String>) -> Option<form::Observed> {
        let extreme =
            |extreme: Extreme| form::Extreme { index: extreme.index, value: extreme.value };
        match &self.observed {
            Observed::Numbers { mean, interval, extremes } => Some(form::Observed {
                mean: words.is_some().then_some(*mean),
                low: Some(interval.0),
                high: Some(interval.1),
                confidence: Some(0.95),
                least: extremes.map(|(least, _)| extreme(least)),
                largest: extremes.map(|(_, largest)| extreme(largest)),
                words,
                ..form::Observed::default()
            }),
            Observed::Labels(counts) => Some(form::Observed {
                words,
                counts: Some(counts.clone()),
                ..form::Observed::default()
            }),
            Observed::Change(_) => Some(form::Observed {
                words: words.map(|words| words.replace('\n', "; ")),
                change: change_facts(self),
                ..form::Observed::default()
            }),
            Observed::Nothing | Observed::NoOutcome | Observed::Rate { .. } => None,
        }
    }

    fn finding_facts(&self) -> Option<form::Finding> {
        let finding = match (&self.verdict, &self.observed) {
            (Verdict::Violated(finding), _) => finding,
            // For an estimate: the first violation.
            (_, Observed::Rate { first, .. }) => {
                let (_, violation) = first.as_ref()?;
                return Some(form::Finding::Execution(violation_facts(violation)));
            }
            _ => return None,
        };
        let message = words(self.claim()).missed(self).unwrap_or_default();
        Some(match finding {
            Finding::Execution { violation, .. } => {
                form::Finding::Execution(violation_facts(violation))
            }
            Finding::Rate { violation, first, .. } => {
                form::Finding::Rate { first: Some(*first), violation: violation_facts(violation) }
            }
            Finding::Unseen { outcomes } => form::Finding::Unseen {
                outcomes: outcomes.iter().map(|outcome| *outcome as u64).collect(),
            },
            Finding::Impossible { label, .. } => form::Finding::Impossible {
                message: impossible(label.as_deref()),
                label: label.clone(),
            },
            Finding::Mean { direction } => {
                form::Finding::Mean { direction: side(*direction), message }
            }
            Finding::Worse => {
                let shown = match &self.observed {
                    Observed::Change(change) => change.shown.as_ref(),
                    _ => None,
                };
                let violation = shown.and_then(|(_, violation)| violation.as_deref());
                form::Finding::Worse { message, violation: violation.map(violation_facts) }
            }
            Finding::Label { label, direction } => form::Finding::Label {
                direction: side(*direction),
                message,
                label: match &self.claim().0 {
                    ClaimKind::Fit { fit, .. } => {
                        fit.labels().get(*label).map(|(name, _)| name.clone())
                    }
                    _ => None,
                },
            },
        })
    }

    fn attained_facts(&self, words: Option<String>) -> Option<form::Attained> {
        self.reason()?;
        let (executed, in_part) = (self.counts.executed, self.claim().is_achieved_in_part());
        if !in_part && executed == 0 {
            return None;
        }
        let (p, epsilon) = match &self.claim().0 {
            ClaimKind::Detect { epsilon, .. } => {
                let seen = smallest_seen(self.claim(), epsilon, executed);
                (seen.as_ref().map(Probability::as_f64), seen.and(Some(epsilon.as_f64())))
            }
            ClaimKind::Tolerate { chances, .. } => {
                let caught = self.plan.rate_caught_within(executed);
                (caught, caught.and(Some(chances.epsilon.as_f64())))
            }
            _ => (None, None),
        };
        Some(form::Attained {
            executions: executed,
            miss: in_part.then(|| self.plan.miss_within(executed).value()),
            p,
            epsilon,
            words: words.unwrap_or_default().replace('\n', "; "),
        })
    }
}

pub(crate) fn verdict_facts(verdict: &Verdict) -> form::Verdict {
    match verdict {
        Verdict::Passed => form::Verdict::Passed,
        Verdict::Violated(_) => form::Verdict::Violated,
        Verdict::Inconclusive(_) => form::Verdict::Inconclusive,
        Verdict::WithinBudget(_) => form::Verdict::PassedWithinBudget,
        Verdict::Estimated => form::Verdict::Estimated,
        Verdict::Partial => form::Verdict::Partial,
    }
}

impl Rate {
    fn facts(self) -> form::Rate {
        form::Rate {
            seen: (self.executions > 0).then(|| self.seen()),
            low: self.low,
            high: self.high,
            confidence: self.confidence,
        }
    }
}

/// Returns the facts of a test that starts. They stay in place until it ends, or for good if its
/// process dies.
pub fn unfinished_facts(test: &str, plan: &Plan, seed: RunSeed) -> TestFacts {
    TestFacts {
        kind: Some(plan.claim().kind().to_owned().into()),
        test: test.to_owned(),
        claim: claim_facts(plan.claim()),
        claim_words: words(plan.claim()).claim_line(),
        planned: Some(plan.executions()),
        not_executed: plan.executions(),
        seed: Some(seed.to_string()),
        reason: Some(form::Reason {
            kind: ReasonKind::Unfinished,
            message: "the test started but did not finish".into(),
            help: "its process was killed, aborted or exited; run the test again to find out"
                .into(),
        }),
        summary: "probtest: inconclusive: started but not finished".into(),
        ..TestFacts::default()
    }
}

/// Returns the facts of a test that couldn't be started.
pub fn refusal_facts(test: &str, error: &Error) -> TestFacts {
    TestFacts {
        test: test.to_owned(),
        claim_words: "not testable".into(),
        reason: Some(form::Reason {
            kind: ReasonKind::Setup,
            message: format!("{}; given {}", error.what(), error.given()),
            help: error.help().to_owned(),
        }),
        summary: "probtest: inconclusive: the test could not be started".into(),
        ..TestFacts::default()
    }
}

/// Returns the facts of a claim: its numbers as floats and as exact text.
pub(super) fn claim_facts(claim: &Claim) -> form::Claim {
    let number = |value: Option<&Probability>| value.map(Probability::as_f64);
    let exact = |value: Option<&Probability>| value.map(ToString::to_string);
    let outcomes = claim.outcomes();
    words(claim).facts(form::Claim {
        p: number(claim.p()),
        p_exact: exact(claim.p()),
        inputs: claim.inputs(),
        tolerate: number(claim.tolerated()),
        tolerate_exact: exact(claim.tolerated()),
        outcomes: outcomes.map(|all| all.iter().map(Probability::as_f64).collect()),
        outcomes_exact: outcomes.map(|all| all.iter().map(ToString::to_string).collect()),
        epsilon: number(claim.epsilon()),
        epsilon_exact: exact(claim.epsilon()),
        false_alarm: number(claim.false_alarm()),
        false_alarm_exact: exact(claim.false_alarm()),
        ..form::Claim::default()
    })
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
    let Some(test) = plan.sequential() else {
        return facts;
    };
    let expected = |p: Option<&Probability>| p.and_then(|p| plan.expected_executions(p.as_f64()));
    PlanFacts {
        fewest_executions: Some(test.fewest()),
        allowed_violations: Some(test.allowed()),
        expected_at_tolerate: expected(plan.claim().tolerated()),
        expected_at_p: expected(plan.claim().p()),
        false_alarm_attained: Some(test.false_alarm()),
        fixed_executions: Some(test.fixed().executions),
        fixed_allowed: Some(test.fixed().allowed),
        ..facts
    }
}

/// The logarithm of a chance that is too small for a double.
pub(super) fn log10(chance: &Chance) -> Option<f64> {
    (chance.value() < f64::MIN_POSITIVE).then(|| chance.log10())
}

/// The side, for programs.
fn side(direction: Direction) -> form::Direction {
    match direction {
        Direction::Low => form::Direction::Low,
        Direction::High => form::Direction::High,
    }
}

pub(super) fn violation_facts(violation: &Violation) -> form::Violation {
    form::Violation {
        message: violation.message.clone(),
        location: violation.location.clone(),
        details: violation.details.clone(),
    }
}
