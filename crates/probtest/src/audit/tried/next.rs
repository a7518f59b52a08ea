//! What is to be executed next of a test.

use probtest_facts::AuditCause;

use super::{ALONE, AuditSettings, MOST_WITHIN, Sample, Tried, Wanted};

impl Tried {
    /// Whether something may be executed next, in one interpreter or other.
    pub(in crate::audit) fn is_open(&self, settings: &AuditSettings) -> bool {
        !self.is_decided(settings) && (self.executions > 0 || self.under_way == 0)
    }

    /// Whether it is to be found out if it has expected values.
    fn confirms(&self) -> bool {
        self.expects_values().is_none() && self.fails_nearly_always()
    }

    /// What is to be executed next in an interpreter to find out what the result depends on.
    pub(in crate::audit) fn explaining(
        &self,
        settings: &AuditSettings,
        interpreter: u64,
    ) -> Option<Wanted> {
        if self.uncollected.contains(&interpreter) {
            return None;
        }
        let enough = if self.confirms() { ALONE } else { 1 };
        let is_fit = settings.varies && self.skipped == 0 && self.own.other == 0;
        if is_fit && self.own.begun() < enough {
            return Some(Wanted::Own);
        }
        if self.is_explained(settings) {
            return None;
        }
        let (failing, passing) = (self.failing.as_ref()?, self.passing.as_ref()?);
        let again =
            |one: &Sample, other: &Sample| one.wanted(interpreter, other.interpreter, self.wide);
        again(failing, passing).or_else(|| again(passing, failing))
    }

    /// Whether it is to be executed with new seeds in an interpreter.
    pub(in crate::audit) fn wants_new(&self, settings: &AuditSettings, interpreter: u64) -> bool {
        let made = self.interpreters.get(&interpreter).copied().unwrap_or(0);
        let is_narrow = self.is_narrow();
        let is_measured = self.is_measured(settings);
        if self.uncollected.contains(&interpreter) || self.is_decided(settings) {
            return false;
        }
        // Each interpreter says one thing, or enough was seen in this one.
        let is_same = matches!(self.cause(), Some(AuditCause::Interpreter | AuditCause::Nothing));
        let is_enough =
            is_same || is_measured || self.only_skips() || is_narrow && made >= MOST_WITHIN;
        if made > 0 && self.wide > 1 && is_enough {
            return false;
        }
        // What is under way may decide it.
        let is_one = self.failing.is_none() || self.passing.is_none();
        let is_open = (self.cause().is_some() || is_one) && !self.confirms();
        is_open || !is_measured
    }

    /// The interpreters that one of its seeds has to be executed in.
    pub(in crate::audit) fn targets(&self) -> impl Iterator<Item = u64> {
        let both = self.failing.as_ref().zip(self.passing.as_ref());
        both.into_iter().flat_map(|(failing, passing)| {
            let (at, opposite) = (failing.interpreter, passing.interpreter);
            failing.targets(opposite).chain(passing.targets(at))
        })
    }

    /// Orders tests: those that nothing is known of, then those that had least time.
    pub(in crate::audit) fn urgency(&self) -> f64 {
        match self.executions {
            0 => 0.0,
            _ => f64::MIN_POSITIVE + self.seconds * (1 + self.under_way) as f64,
        }
    }
}
