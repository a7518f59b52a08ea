//! Executions that count, and a seed that is executed again: is its result the same?

use std::collections::BTreeMap;

use super::tried::OrderPurpose;
use super::{ALONE, ELSEWHERE, Outcome, TOGETHER};

/// Executions that count: each has its own seed and is the first in its process. Later ones may
/// depend on what the first left behind, and nothing can rule that out, so each process is one
/// observation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExecutionTally {
    pub(super) executed: u64,
    pub(super) failed: u64,
    pub(super) expected: u64,
}

impl ExecutionTally {
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.executed += 1;
        self.failed += u64::from(matches!(outcome, Outcome::Failed(_)));
        self.expected += u64::from(*outcome == Outcome::Expected);
    }
}

/// One seed that failed, or one that passed, with what it did when executed again.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// The seeds that came before it in its process, and its own.
    pub(super) seeds: Vec<u64>,
    failed: bool,
    /// The interpreter in which it was seen.
    pub(super) interpreter: u64,
    /// Alone in a process: how often the result was the same as at first, and how often it
    /// differed.
    pub(super) alone: Repeats,
    /// After all that came before it.
    pub(super) together: Repeats,
}

/// How often an execution did what it had done at first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Agreement {
    pub(super) same: u64,
    pub(super) other: u64,
    pub(super) under_way: u64,
}

impl Agreement {
    pub(super) fn made(&self) -> u64 {
        self.same + self.other
    }

    pub(super) fn add(&mut self, same: bool) {
        if same { self.same += 1 } else { self.other += 1 }
    }

    pub(super) fn begun(&self) -> u64 {
        self.made() + self.under_way
    }

    pub(super) fn is_mixed(&self) -> bool {
        self.same > 0 && self.other > 0
    }
}

/// The same, for each interpreter.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeats {
    by: BTreeMap<u64, Agreement>,
}

impl Repeats {
    pub(super) fn within(&mut self, interpreter: u64) -> &mut Agreement {
        self.by.entry(interpreter).or_default()
    }

    fn count(&self, interpreter: u64) -> Agreement {
        self.by.get(&interpreter).copied().unwrap_or_default()
    }

    /// All of them, except those of one interpreter.
    fn but(&self, interpreter: Option<u64>) -> Agreement {
        let others = self.by.iter().filter(|(at, _)| Some(**at) != interpreter);
        others.fold(Agreement::default(), |sum, (_, one)| Agreement {
            same: sum.same + one.same,
            other: sum.other + one.other,
            under_way: sum.under_way + one.under_way,
        })
    }

    pub(super) fn all(&self) -> Agreement {
        self.but(None)
    }

    /// Whether it had different results in one interpreter.
    fn is_mixed(&self) -> bool {
        self.by.values().any(Agreement::is_mixed)
    }

    /// If different interpreters gave different results: one for each result, the one with the most
    /// executions.
    fn split(&self) -> Option<[u64; 2]> {
        let most = |count: fn(&Agreement) -> u64| {
            let with = self.by.iter().filter(|(_, one)| count(one) > 0);
            let most = with.max_by_key(|(at, one)| (count(one), std::cmp::Reverse(**at)));
            most.map(|(at, _)| *at)
        };
        Some([most(|one| one.same)?, most(|one| one.other)?])
    }
}

impl Sample {
    pub(super) fn new(seeds: &[u64], failed: bool, interpreter: u64) -> Self {
        let mut sample = Sample {
            seeds: seeds.to_vec(),
            failed,
            interpreter,
            alone: Repeats::default(),
            together: Repeats::default(),
        };
        let first = if sample.is_alone() { &mut sample.alone } else { &mut sample.together };
        first.within(interpreter).same = 1;
        sample
    }

    pub(super) fn is_alone(&self) -> bool {
        self.seeds.len() == 1
    }

    pub(super) fn seed(&self) -> u64 {
        self.seeds[self.seeds.len() - 1]
    }

    /// The seed, if it alone makes the execution fail again, at least in the same interpreter.
    pub(super) fn replayable(&self) -> Option<u64> {
        let own = self.alone.count(self.interpreter);
        (self.failed && own.same > 0 && own.other == 0).then(|| self.seed())
    }

    /// Whether one seed had different results under the same circumstances.
    pub(super) fn varies(&self) -> bool {
        self.alone.is_mixed() || self.together.is_mixed()
    }

    /// Whether it is known that the result of one seed depends on the interpreter.
    pub(super) fn is_split(&self) -> bool {
        let is_sure = |at: &u64| self.alone.count(*at).made() > ALONE;
        self.alone.split().is_some_and(|both| both.iter().all(is_sure))
    }

    /// Whether the result differed every time it ran alone.
    pub(super) fn differs_alone(&self) -> bool {
        let alone = self.alone.all();
        alone.other >= ALONE && alone.same == 0
    }

    /// The only interpreters it must be executed in; `opposite` is the one in which the other
    /// result was seen.
    pub(super) fn targets(&self, opposite: u64) -> impl Iterator<Item = u64> {
        let (both, least) = match self.alone.split() {
            Some(both) => (both, ALONE + 1),
            None => ([opposite; 2], 1),
        };
        let alone = both.into_iter().filter(move |at| self.alone.count(*at).begun() < least);
        alone.chain(self.wants_together().then_some(self.interpreter))
    }

    /// Whether to execute it after everything that came before it. Only its own interpreter shows
    /// whether that matters: elsewhere, the result may depend on the interpreter.
    fn wants_together(&self) -> bool {
        self.differs_alone() && self.together.all().begun() <= TOGETHER
    }

    /// What to execute again in an interpreter, apart from what is already running; `wide` is how
    /// many interpreters must agree.
    pub(super) fn wanted(
        &self,
        interpreter: u64,
        opposite: u64,
        wide: u64,
    ) -> Option<OrderPurpose> {
        let failed = self.failed;
        let here = self.alone.count(interpreter).begun();
        let elsewhere = self.alone.but(Some(self.interpreter)).begun();
        let is_short = self.alone.all().begun() < self.enough();
        let again = match self.alone.split() {
            Some(both) => both.contains(&interpreter) && here <= ALONE,
            None if wide < 2 => is_short,
            None if interpreter == opposite && here == 0 => true,
            None if interpreter == self.interpreter => here + ELSEWHERE < self.enough(),
            None => (is_short || elsewhere < ELSEWHERE) && here < ELSEWHERE.div_ceil(wide - 1),
        };
        if again {
            return Some(OrderPurpose::Alone { failed });
        }
        let is_here = wide < 2 || interpreter == self.interpreter;
        (is_here && self.wants_together()).then_some(OrderPurpose::Together { failed })
    }

    /// How many executions alone are enough, counting the original one if it was alone.
    fn enough(&self) -> u64 {
        ALONE + u64::from(self.is_alone())
    }

    /// Whether it was executed again often enough, with nothing still running; `wide` is how many
    /// interpreters must agree.
    pub(super) fn is_known(&self, opposite: u64, wide: u64) -> bool {
        let (alone, together) = (self.alone.all(), self.together.all());
        let elsewhere = self.alone.but(Some(self.interpreter)).made();
        let is_wide = elsewhere >= ELSEWHERE && self.alone.count(opposite).made() > 0;
        alone.made() >= self.enough()
            && (wide < 2 || is_wide)
            && self.alone.split().is_none()
            && alone.under_way + together.under_way == 0
            && (!self.differs_alone() || together.made() > TOGETHER)
    }
}
