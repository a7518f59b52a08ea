//! What is told of a test.

use probtest_facts::{AuditCause, AuditOutcome, AuditedTest};

use super::{Apart, AuditSettings, Randomness, Sample, Tried};
use crate::report::audit_summary;
use crate::seed::RunSeed;

impl Tried {
    pub(in crate::audit) fn facts(&self, settings: &AuditSettings) -> AuditedTest {
        let (counted, _) = self.counting();
        let expects_values = self.expects_values();
        let cause = match expects_values {
            Some(true) => Some(AuditCause::ExpectedValues),
            _ => self.cause(),
        };
        let rate = self.rate(settings.confidence);
        let is_mixed = self.failing.is_some()
            && self.passing.is_some()
            && cause != Some(AuditCause::EarlierExecutions);
        let outcome = match (&self.named.apart, counted.executed, counted.failed) {
            (Some(Apart::Claimed), ..) => AuditOutcome::Claimed,
            (Some(Apart::Ignored(_)), ..) => AuditOutcome::Skipped,
            (Some(Apart::Unlisted(_)), ..) => AuditOutcome::CouldNotRun,
            (None, 0, _) if self.not_run > 0 => AuditOutcome::CouldNotRun,
            (None, 0, _) if self.only_skips() => AuditOutcome::Skipped,
            (None, 0, _) if self.is_cut => AuditOutcome::Unfinished,
            (None, 0, _) => AuditOutcome::NotReached,
            // What does not count has shown that it fails, or passes.
            _ if is_mixed => AuditOutcome::Fails,
            (None, _, 0) => AuditOutcome::NeverFailed,
            (None, executed, failed) if executed == failed && self.own.same == 0 => {
                AuditOutcome::FailsAlways
            }
            (None, ..) => AuditOutcome::Fails,
        };
        let message = match &self.named.apart {
            Some(Apart::Ignored(why) | Apart::Unlisted(why)) => Some(why.clone()),
            _ if self.uncollected.len() as u64 == self.executions && self.executions > 0 => {
                Some("no interpreter has collected it".into())
            }
            _ => self.message.clone(),
        };
        let seed = self.failing.as_ref().map(Sample::seed);
        let mut facts = AuditedTest {
            test: self.named.test.clone(),
            package: self.named.package.clone(),
            target: self.named.target.clone(),
            outcome,
            depends_on: cause,
            executed: counted.executed,
            failed: counted.failed,
            expected: counted.expected,
            skipped: self.skipped,
            not_run: self.not_run,
            repeated: self.repeated,
            unended: (self.unended.len() + self.hung.len()) as u64,
            unended_seconds: (self.unended.iter().map(|left| left.seconds))
                .chain(self.hung.iter().copied())
                .fold(0.0, f64::max),
            // Where each process is an interpreter of its own, nobody counts them.
            interpreters: (self.interpreters.range(1..).count() - self.uncollected.len()) as u64,
            uncollected: self.uncollected.len() as u64,
            unnoticed: self.unnoticed.0,
            unnoticed_message: self.unnoticed.1.clone(),
            rate,
            decided: self.is_decided(settings),
            known: false,
            limit: None,
            seed: seed.map(|seed| RunSeed(seed).to_string()),
            replay: None,
            message,
            own_seeds: match self.own {
                own if own.other > 0 => Some(false),
                own => (own.same > 0).then_some(true),
            },
            fixed_seeds: match &self.randomness {
                Some(Randomness::Fixed(places)) => places.clone(),
                _ => Vec::new(),
            },
            seconds: self.seconds,
            summary: String::new(),
        };
        facts.summary = audit_summary(&facts);
        facts
    }
}
