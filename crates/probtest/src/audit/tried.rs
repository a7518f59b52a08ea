//! What is known of one test, and what is wanted to know more.

use probtest_facts::{AuditCause, AuditLimit, AuditOutcome, AuditedTest, Rate};
use serde::{Deserialize, Serialize};

use super::{ALONE, Apart, AuditSettings, FIRST, MOST, Made, Named, Outcome, Randomness, TOGETHER};
use crate::judge::confidence::ConfidenceSequence;
use crate::report::audit_summary;
use crate::seed::RunSeed;

/// Why a test is executed once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Wanted {
    /// With new seeds, for its rate.
    New,
    /// With a seed that failed, or one that passed, alone.
    Alone { failed: bool },
    /// The same after all that came before it.
    Together { failed: bool },
}

/// Executions with a seed of their own.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    executed: u64,
    failed: u64,
    expected: u64,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        self.executed += 1;
        self.failed += u64::from(matches!(outcome, Outcome::Failed(_)));
        self.expected += u64::from(*outcome == Outcome::Expected);
    }
}

/// One seed that failed, or one that passed, with what it did when it was executed again.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// The seeds that came before it in its process, and its own.
    seeds: Vec<u64>,
    failed: bool,
    /// Alone in a process: how often it did the same as at first, and something else.
    alone: Agreement,
    /// After all that came before it.
    together: Agreement,
}

/// How often an execution did what it had done at first.
#[derive(Clone, Copy, Debug, Default)]
struct Agreement {
    same: u64,
    other: u64,
    under_way: u64,
}

impl Agreement {
    fn made(&self) -> u64 {
        self.same + self.other
    }

    fn is_mixed(&self) -> bool {
        self.same > 0 && self.other > 0
    }
}

impl Sample {
    fn new(seeds: &[u64], failed: bool) -> Self {
        let is_alone = seeds.len() == 1;
        Sample {
            seeds: seeds.to_vec(),
            failed,
            alone: Agreement {
                same: u64::from(is_alone),
                ..Agreement::default()
            },
            together: Agreement {
                same: u64::from(!is_alone),
                ..Agreement::default()
            },
        }
    }

    fn is_alone(&self) -> bool {
        self.seeds.len() == 1
    }

    fn seed(&self) -> u64 {
        self.seeds[self.seeds.len() - 1]
    }

    /// The seed, where it alone makes the execution fail again.
    pub(super) fn replayable(&self) -> Option<u64> {
        (self.failed && self.alone.same > 0 && self.alone.other == 0).then(|| self.seed())
    }

    /// Whether one seed had different results under the same circumstances.
    fn varies(&self) -> bool {
        self.alone.is_mixed() || self.together.is_mixed()
    }

    /// Whether it did something else alone each time.
    fn differs_alone(&self) -> bool {
        self.alone.other > ALONE - 1 && self.alone.same == 0
    }

    /// What is to be executed again, as far as it is not under way.
    fn wanted(&self) -> Option<Wanted> {
        let failed = self.failed;
        if self.alone.made() + self.alone.under_way <= ALONE - u64::from(!self.is_alone()) {
            return Some(Wanted::Alone { failed });
        }
        let left = self.together.made() + self.together.under_way <= TOGETHER;
        (self.differs_alone() && left).then_some(Wanted::Together { failed })
    }

    /// Whether enough of it was executed again.
    fn is_known(&self) -> bool {
        self.wanted().is_none() && self.alone.under_way + self.together.under_way == 0
    }
}

/// One test of an audit.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) named: Named,
    /// The executions with a seed of their own that were handed out.
    pub(super) handed: u64,
    pub(super) under_way: u64,
    pub(super) executions: u64,
    pub(super) failing: Option<Sample>,
    /// Whether enough executions in one process were looked at for where their randomness comes from.
    pub(super) is_watched: bool,
    /// Whether somebody was told that it is decided.
    pub(super) is_told: bool,
    passing: Option<Sample>,
    all: Tally,
    /// Those of them that came first in their process.
    alone: Tally,
    skipped: u64,
    repeated: u64,
    seconds: f64,
    message: Option<String>,
    randomness: Option<Randomness>,
    shares: bool,
    is_cut: bool,
}

impl Tried {
    pub(super) fn new(named: Named) -> Self {
        Tried {
            named,
            handed: 0,
            under_way: 0,
            executions: 0,
            failing: None,
            is_watched: false,
            is_told: false,
            passing: None,
            all: Tally::default(),
            alone: Tally::default(),
            skipped: 0,
            repeated: 0,
            seconds: 0.0,
            message: None,
            randomness: None,
            shares: false,
            is_cut: false,
        }
    }

    fn sample(&mut self, failed: bool) -> Option<&mut Sample> {
        match failed {
            true => self.failing.as_mut(),
            false => self.passing.as_mut(),
        }
    }

    fn agreement(&mut self, wanted: Wanted) -> Option<&mut Agreement> {
        match wanted {
            Wanted::New => None,
            Wanted::Alone { failed } => Some(&mut self.sample(failed)?.alone),
            Wanted::Together { failed } => Some(&mut self.sample(failed)?.together),
        }
    }

    pub(super) fn begin(&mut self, wanted: Wanted) {
        if let Some(agreement) = self.agreement(wanted) {
            agreement.under_way += 1;
        }
    }

    pub(super) fn end(&mut self, wanted: Wanted) {
        if let Some(agreement) = self.agreement(wanted) {
            agreement.under_way = agreement.under_way.saturating_sub(1);
        }
    }

    /// The seeds that are executed again; none for new ones.
    pub(super) fn again(&mut self, wanted: Wanted) -> Option<Vec<u64>> {
        match wanted {
            Wanted::New => None,
            Wanted::Alone { failed } => Some(vec![self.sample(failed)?.seed()]),
            Wanted::Together { failed } => Some(self.sample(failed)?.seeds.clone()),
        }
    }

    /// How many executions the next order has.
    pub(super) fn length(&self, settings: &AuditSettings) -> u64 {
        if !settings.chains || self.shares || self.cause() == Some(AuditCause::EarlierExecutions) {
            return 1;
        }
        // As many again as there were: what one process has done is not most of the whole.
        self.executions.clamp(FIRST, MOST)
    }

    /// Takes what came of an order.
    pub(super) fn take(&mut self, wanted: Wanted, seeds: &[u64], made: Made) {
        self.executions += made.seen.len() as u64;
        self.seconds += made.seconds;
        self.shares |= made.shares;
        self.is_watched |= self.shares || made.seen.len() as u64 >= FIRST;
        self.is_cut |= made.cut;
        match wanted {
            // Those that share what was drawn for the first one are no new ones.
            Wanted::New if made.shares => {
                self.take_new(seeds, made.seen.get(..1).unwrap_or_default())
            }
            Wanted::New => self.take_new(seeds, &made.seen),
            Wanted::Alone { failed } | Wanted::Together { failed } => {
                self.repeated += made.seen.len() as u64;
                // One that ended before its last execution has not come to it.
                let last = made.seen.get(seeds.len() - 1);
                if made.cut && last.is_none() {
                    return;
                }
                let same = match last {
                    Some(Outcome::Failed(_)) => failed,
                    Some(Outcome::Passed | Outcome::Expected) => !failed,
                    Some(Outcome::Skipped(_)) | None => false,
                };
                if let Some(agreement) = self.agreement(wanted) {
                    match same {
                        true => agreement.same += 1,
                        false => agreement.other += 1,
                    }
                }
            }
        }
        if made.randomness.is_some() {
            self.randomness = made.randomness;
        }
    }

    fn take_new(&mut self, seeds: &[u64], seen: &[Outcome]) {
        for (place, outcome) in seen.iter().enumerate() {
            let failed = match outcome {
                Outcome::Skipped(why) => {
                    self.skipped += 1;
                    if self.failing.is_none() {
                        self.message.get_or_insert_with(|| why.clone());
                    }
                    continue;
                }
                Outcome::Failed(why) => {
                    if self.failing.is_none() {
                        self.message = Some(why.clone());
                    }
                    true
                }
                Outcome::Passed | Outcome::Expected => false,
            };
            self.all.add(outcome);
            if place == 0 {
                self.alone.add(outcome);
            }
            let before = &seeds[..=place];
            let slot = match failed {
                true => &mut self.failing,
                false => &mut self.passing,
            };
            // One that was alone says more, as long as nothing was done with the other.
            let is_better = |old: &Sample| {
                place == 0 && !old.is_alone() && old.alone.made() + old.alone.under_way == 0
            };
            if slot.as_ref().is_none_or(is_better) {
                *slot = Some(Sample::new(before, failed));
            }
        }
    }

    /// What the result depends on, as far as it is known.
    pub(super) fn cause(&self) -> Option<AuditCause> {
        let is_same = self.all.failed == 0 || self.all.failed == self.all.executed;
        let (Some(failing), Some(passing)) = (&self.failing, &self.passing) else {
            let copies = self.randomness.is_some() && is_same && self.all.executed >= FIRST;
            return copies.then_some(AuditCause::Nothing);
        };
        let samples = [failing, passing];
        if samples.iter().any(|sample| sample.varies()) {
            return Some(AuditCause::SomethingElse);
        }
        if !samples.iter().all(|sample| sample.is_known()) {
            return None;
        }
        match samples.iter().any(|sample| sample.differs_alone()) {
            true => Some(AuditCause::EarlierExecutions),
            false => Some(AuditCause::Seed),
        }
    }

    /// The executions that the rate is that of: where they depend on earlier ones, those that
    /// came first.
    fn counted(&self) -> Tally {
        match self.cause() {
            Some(AuditCause::EarlierExecutions) => self.alone,
            _ => self.all,
        }
    }

    fn rate(&self, sequence: &ConfidenceSequence, confidence: f64) -> Option<Rate> {
        let Tally {
            executed, failed, ..
        } = self.counted();
        if executed == 0 || self.cause() == Some(AuditCause::Nothing) {
            return None;
        }
        let (low, high) = sequence.interval(failed, executed);
        Some(Rate {
            seen: Some(failed as f64 / executed as f64),
            low,
            high,
            confidence,
        })
    }

    /// Whether all is known that was asked for.
    pub(super) fn is_decided(
        &self,
        sequence: &ConfidenceSequence,
        settings: &AuditSettings,
    ) -> bool {
        if self.named.apart.is_some() || self.cause() == Some(AuditCause::Nothing) {
            return true;
        }
        if self.all.executed == 0 {
            return self.skipped >= FIRST;
        }
        let is_explained = self.failing.is_none() || self.passing.is_none();
        if !is_explained && self.cause().is_none() {
            return false;
        }
        self.is_measured(sequence, settings)
    }

    fn is_measured(&self, sequence: &ConfidenceSequence, settings: &AuditSettings) -> bool {
        let Some(rate) = self.rate(sequence, settings.confidence) else {
            return false;
        };
        match settings.max_rate {
            Some(most) => rate.high <= most || rate.low > most,
            None => {
                let enough = settings.precision.max(rate.seen.unwrap_or(0.0) / 2.0);
                rate.high - rate.low <= enough
            }
        }
    }

    /// What is to be executed next; none where nothing is, or must be waited for.
    pub(super) fn wanted(
        &self,
        sequence: &ConfidenceSequence,
        settings: &AuditSettings,
    ) -> Option<Wanted> {
        if self.is_decided(sequence, settings) || (self.executions == 0 && self.under_way > 0) {
            return None;
        }
        let cause = self.cause();
        if let (None, Some(failing), Some(passing)) = (&cause, &self.failing, &self.passing) {
            let again = failing.wanted().or_else(|| passing.wanted());
            if again.is_some() {
                return again;
            }
        }
        // What is under way may decide it.
        let is_open = cause.is_some() || self.failing.is_none() || self.passing.is_none();
        (is_open || !self.is_measured(sequence, settings)).then_some(Wanted::New)
    }

    /// Orders what is wanted: tests that nothing is known of, causes, then those that
    /// had least time.
    pub(super) fn urgency(&self, wanted: Wanted) -> f64 {
        match (self.executions, wanted) {
            (0, _) => -2.0,
            (_, Wanted::New) => self.seconds * (1 + self.under_way) as f64,
            _ => -1.0,
        }
    }

    pub(super) fn facts(
        &self,
        sequence: &ConfidenceSequence,
        settings: &AuditSettings,
    ) -> AuditedTest {
        let counted = self.counted();
        let cause = self.cause();
        let rate = self.rate(sequence, settings.confidence);
        let outcome = match (&self.named.apart, counted.executed, counted.failed) {
            (Some(Apart::Claimed), ..) => AuditOutcome::Claimed,
            (Some(Apart::Ignored(_)), ..) => AuditOutcome::Skipped,
            (None, 0, _) if self.skipped > 0 => AuditOutcome::Skipped,
            (None, 0, _) if self.is_cut => AuditOutcome::Unfinished,
            (None, 0, _) => AuditOutcome::NotReached,
            (None, _, 0) => AuditOutcome::NeverFailed,
            (None, executed, failed) if executed == failed => AuditOutcome::FailsAlways,
            (None, ..) => AuditOutcome::Fails,
        };
        let limit = settings.max_rate.and_then(|most| match (&rate, &outcome) {
            (Some(rate), _) if rate.low > most => Some(AuditLimit::Above),
            (Some(rate), _) if rate.high <= most => Some(AuditLimit::Below),
            (Some(_), _) => Some(AuditLimit::Undecided),
            (None, AuditOutcome::FailsAlways) => Some(AuditLimit::Above),
            (None, AuditOutcome::NeverFailed) => Some(AuditLimit::Below),
            (None, AuditOutcome::NotReached | AuditOutcome::Unfinished) => {
                Some(AuditLimit::Undecided)
            }
            (None, _) => None,
        });
        let message = match &self.named.apart {
            Some(Apart::Ignored(why)) => Some(why.clone()),
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
            repeated: self.repeated,
            rate,
            decided: self.is_decided(sequence, settings),
            known: settings.known.contains(&self.named.test),
            limit,
            seed: seed.map(|seed| RunSeed(seed).to_string()),
            replay: None,
            message,
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
