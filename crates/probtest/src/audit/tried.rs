//! What is known of one test, and what is wanted to know more.

use std::collections::{BTreeMap, BTreeSet};

use probtest_facts::{AuditCause, Rate};
use serde::{Deserialize, Serialize};

use super::sample::{Agreement, Sample, Tally};
use super::{
    ALONE, Apart, AuditSettings, FIRST, MOST, Made, NEARLY, Named, Order, Outcome, Randomness,
};
use crate::judge::confidence::ConfidenceSequence;

mod next;
mod told;

/// Why a test is executed once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Wanted {
    /// With the seeds that its code sets, alone.
    Own,
    /// With new seeds, for its rate.
    New,
    /// With a seed that failed, or one that passed, alone.
    Alone { failed: bool },
    /// The same after all that came before it.
    Together { failed: bool },
}

/// So many executions tell a rate above [`NEARLY`] from a lower one without an interval.
const SURE: u64 = 64;

/// So many orders go to one interpreter before others have seen the test.
const MOST_WITHIN: u64 = 32;
/// How many times longer than its repetition an execution ran that may hang.
const HANGS: f64 = 10.0;

/// One test of an audit.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) named: Named,
    /// How many interpreters must have agreed.
    wide: u64,
    /// The executions with a seed of their own that were handed out.
    pub(super) handed: u64,
    pub(super) under_way: u64,
    pub(super) executions: u64,
    /// The orders with new seeds that have ended.
    orders: u64,
    pub(super) failing: Option<Sample>,
    /// Whether enough executions in one process were looked at for where their randomness comes from.
    pub(super) is_watched: bool,
    /// Whether somebody was told that it is decided.
    pub(super) is_told: bool,
    passing: Option<Sample>,
    counted: Tally,
    /// The first one of these in each interpreter.
    firsts: Tally,
    /// The failure rates that fit each of the two.
    intervals: [(f64, f64); 2],
    /// How many orders with new seeds each interpreter has made, and those that have not collected it.
    interpreters: BTreeMap<u64, u64>,
    uncollected: BTreeSet<u64>,
    /// With the seeds that its code sets: how often it passed, and failed.
    own: Agreement,
    skipped: u64,
    not_run: u64,
    repeated: u64,
    seconds: f64,
    message: Option<String>,
    randomness: Option<Randomness>,
    shares: bool,
    is_cut: bool,
    /// New seeds whose execution the audit has ended, behind those that came before in its process: what
    /// they do is not known.
    unended: Vec<Unended>,
    /// Of those that are executed again: the seed, and how long it had been running.
    retried: BTreeMap<u64, f64>,
    /// How long executions had been running whose seed was done much sooner when it was executed again:
    /// they may hang, for a reason that is not the seed.
    hung: Vec<f64>,
    /// Executions in which something failed that did not fail them, and what was the first.
    unnoticed: (u64, Option<String>),
}

/// The seeds of a process that the audit has ended, and how long it had been running.
#[derive(Debug)]
struct Unended {
    seeds: Vec<u64>,
    seconds: f64,
}

impl Tried {
    pub(super) fn new(named: Named, settings: &AuditSettings) -> Self {
        Tried {
            named,
            wide: settings.interpreters,
            handed: 0,
            under_way: 0,
            executions: 0,
            orders: 0,
            failing: None,
            is_watched: false,
            is_told: false,
            passing: None,
            counted: Tally::default(),
            firsts: Tally::default(),
            intervals: [(0.0, 1.0); 2],
            interpreters: BTreeMap::new(),
            uncollected: BTreeSet::new(),
            own: Agreement::default(),
            skipped: 0,
            not_run: 0,
            repeated: 0,
            seconds: 0.0,
            message: None,
            randomness: None,
            shares: false,
            is_cut: false,
            unended: Vec::new(),
            retried: BTreeMap::new(),
            hung: Vec::new(),
            unnoticed: (0, None),
        }
    }

    fn sample(&mut self, failed: bool) -> Option<&mut Sample> {
        match failed {
            true => self.failing.as_mut(),
            false => self.passing.as_mut(),
        }
    }

    fn agreement(&mut self, wanted: Wanted, interpreter: u64) -> Option<&mut Agreement> {
        match wanted {
            Wanted::New => None,
            Wanted::Own => Some(&mut self.own),
            Wanted::Alone { failed } => Some(self.sample(failed)?.alone.within(interpreter)),
            Wanted::Together { failed } => Some(self.sample(failed)?.together.within(interpreter)),
        }
    }

    pub(super) fn begin(&mut self, wanted: Wanted, interpreter: u64) {
        self.under_way += 1;
        if let Some(agreement) = self.agreement(wanted, interpreter) {
            agreement.under_way += 1;
        }
    }

    pub(super) fn end(&mut self, order: &Order) {
        self.under_way = self.under_way.saturating_sub(1);
        if let Some(agreement) = self.agreement(order.wanted, order.interpreter) {
            agreement.under_way = agreement.under_way.saturating_sub(1);
        }
    }

    /// The seeds that are executed again, if any are.
    pub(super) fn again(&mut self, wanted: Wanted) -> Option<Vec<u64>> {
        match wanted {
            Wanted::Own => None,
            // One that would have counted comes first: to leave it out would be to count those alone that end.
            Wanted::New => {
                let first = self.unended.iter().position(|left| left.seeds.len() == 1)?;
                let left = self.unended.remove(first);
                self.retried.insert(left.seeds[0], left.seconds);
                Some(left.seeds)
            }
            Wanted::Alone { failed } => Some(vec![self.sample(failed)?.seed()]),
            Wanted::Together { failed } => Some(self.sample(failed)?.seeds.clone()),
        }
    }

    /// How many executions the next order has.
    pub(super) fn length(&self, settings: &AuditSettings) -> u64 {
        let is_alone = matches!(
            self.cause(),
            Some(AuditCause::EarlierExecutions | AuditCause::Interpreter | AuditCause::Nothing)
        );
        if !settings.chains || self.shares || is_alone {
            return 1;
        }
        // Later executions show what a process keeps. They do not count, so few orders have them.
        let orders = self.orders + self.under_way + 1;
        match orders.is_power_of_two() {
            true => orders.clamp(FIRST, MOST),
            false => 1,
        }
    }

    /// Takes what came of an order.
    pub(super) fn take(&mut self, order: &Order, made: Made, sequence: &ConfidenceSequence) {
        let (wanted, seeds) = (order.wanted, &order.seeds[..]);
        if made.uncollected {
            self.skipped += 1;
            self.executions += 1;
            self.interpreters.insert(order.interpreter, 1);
            self.uncollected.insert(order.interpreter);
            return;
        }
        let ran = |outcome: &&Outcome| !matches!(outcome, Outcome::NotRun(_));
        self.executions += made.seen.iter().filter(ran).count() as u64;
        self.seconds += made.seconds;
        self.shares |= made.shares;
        self.is_watched |= self.shares || made.seen.len() as u64 >= FIRST;
        self.is_cut |= made.cut;
        self.unnoticed.0 += made.unnoticed.len() as u64;
        self.unnoticed.1 = self.unnoticed.1.take().or(made.unnoticed.into_iter().next());
        self.orders += u64::from(wanted == Wanted::New);
        match wanted {
            Wanted::Own => {
                for outcome in made.seen {
                    match outcome {
                        Outcome::Passed | Outcome::Expected => self.own.same += 1,
                        Outcome::Failed(why) => {
                            self.own.other += 1;
                            self.message.get_or_insert(why);
                        }
                        Outcome::Skipped(why) => self.skip(&why),
                        Outcome::NotRun(why) => self.miss(&why),
                    }
                }
            }
            // Those that share what was drawn for the first one are no new ones.
            Wanted::New => {
                let most = if made.shares { 1 } else { made.seen.len() };
                self.take_new(order, made.seen.get(..most).unwrap_or_default());
                for left in (self.unended).extract_if(.., |left| left.seeds[..] == seeds[..1]) {
                    self.retried.insert(seeds[0], left.seconds);
                }
                let before = self.retried.remove(&seeds[0]).unwrap_or_default();
                if !made.cut && before > HANGS * made.seconds + 1.0 {
                    self.hung.push(before);
                }
                if let (true, Some(left)) = (made.cut, seeds.get(..=made.seen.len())) {
                    self.unended.push(Unended { seeds: left.to_vec(), seconds: made.seconds });
                }
                self.intervals =
                    [self.counted, self.firsts].map(|tally| self.fitting(tally, sequence));
            }
            Wanted::Alone { failed } | Wanted::Together { failed } => {
                self.repeated += made.seen.len() as u64;
                // One that ended before its last execution has not come to it.
                let last = made.seen.get(seeds.len() - 1);
                if made.cut && last.is_none() {
                    return;
                }
                if let Some(Outcome::NotRun(why)) = last {
                    self.miss(why);
                    return;
                }
                let same = match last {
                    Some(Outcome::Failed(_)) => failed,
                    Some(Outcome::Passed | Outcome::Expected) => !failed,
                    Some(Outcome::Skipped(_) | Outcome::NotRun(_)) | None => false,
                };
                if let Some(agreement) = self.agreement(wanted, order.interpreter) {
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

    /// The rates that fit, whatever those would have done that were ended.
    fn fitting(&self, tally: Tally, sequence: &ConfidenceSequence) -> (f64, f64) {
        let Tally { executed, failed, .. } = tally;
        let unended = (self.unended.len() + self.hung.len()) as u64;
        let (low, high) = sequence.interval(failed, executed + unended);
        match unended {
            0 => (low, high),
            _ => (low, sequence.interval(failed + unended, executed + unended).1),
        }
    }

    fn only_skips(&self) -> bool {
        self.skipped > 0 && self.failing.is_none() && self.passing.is_none()
    }

    fn skip(&mut self, why: &str) {
        self.skipped += 1;
        if self.failing.is_none() {
            self.message.get_or_insert_with(|| why.to_owned());
        }
    }

    /// Notes an execution that could not run.
    fn miss(&mut self, why: &str) {
        self.not_run += 1;
        if self.failing.is_none() {
            self.message.get_or_insert_with(|| why.to_owned());
        }
    }

    fn take_new(&mut self, order: &Order, seen: &[Outcome]) {
        let mut is_first = false;
        if !seen.is_empty() {
            let made = self.interpreters.entry(order.interpreter).or_default();
            (is_first, *made) = (*made == 0, *made + 1);
        }
        for (place, outcome) in seen.iter().enumerate() {
            let failed = match outcome {
                Outcome::Skipped(why) => {
                    self.skip(why);
                    continue;
                }
                Outcome::NotRun(why) => {
                    self.miss(why);
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
            if place == 0 {
                self.counted.add(outcome);
            }
            if place == 0 && is_first {
                self.firsts.add(outcome);
            }
            let before = &order.seeds[..=place];
            let slot = match failed {
                true => &mut self.failing,
                false => &mut self.passing,
            };
            // One that was alone says more, as long as nothing was done with the other.
            let is_better =
                |old: &Sample| place == 0 && !old.is_alone() && old.alone.all().begun() == 0;
            if slot.as_ref().is_none_or(is_better) {
                *slot = Some(Sample::new(before, failed, order.interpreter));
            }
        }
    }

    /// What the results with varied seeds depend on, as far as it is known.
    pub(super) fn cause(&self) -> Option<AuditCause> {
        let (Some(failing), Some(passing)) = (&self.failing, &self.passing) else {
            let is_same = self.failing.is_none() || self.own.same == 0;
            let is_seen =
                self.executions >= FIRST && self.unended.is_empty() && self.hung.is_empty();
            let copies = self.randomness.is_some() && is_same && is_seen;
            return copies.then_some(AuditCause::Nothing);
        };
        let samples = [failing, passing];
        if samples.iter().any(|sample| sample.varies()) {
            return Some(AuditCause::SomethingElse);
        }
        let splits = samples.map(Sample::is_split);
        if splits.contains(&Some(true)) {
            return Some(AuditCause::Interpreter);
        }
        let is_known = |one: &Sample, other: &Sample| one.is_known(other.interpreter, self.wide);
        if !is_known(failing, passing) || !is_known(passing, failing) {
            return None;
        }
        match samples.iter().any(|sample| sample.differs_alone()) {
            true => Some(AuditCause::EarlierExecutions),
            false => Some(AuditCause::Seed),
        }
    }

    /// Whether it passes with its own seeds and fails with nearly all others; none while that is
    /// not known.
    fn expects_values(&self) -> Option<bool> {
        let has_other = matches!(
            self.cause(),
            Some(
                AuditCause::EarlierExecutions | AuditCause::SomethingElse | AuditCause::Interpreter
            )
        );
        let Tally { executed, failed, .. } = self.counted;
        // A rate in the middle of what is left above: one that is nearer takes long to tell apart.
        let middle = (1.0 + NEARLY) / 2.0;
        let is_lower = self.intervals[0].1 < middle
            || executed >= SURE && (failed as f64) < middle * executed as f64;
        if has_other || !self.passes_itself() || is_lower {
            return Some(false);
        }
        (self.own.same >= ALONE && self.fails_nearly_always()).then_some(true)
    }

    fn passes_itself(&self) -> bool {
        self.own.same > 0 && self.own.other == 0
    }

    fn fails_nearly_always(&self) -> bool {
        self.intervals[0].0 > NEARLY
    }

    /// The executions that count, and the rates that fit them.
    ///
    /// Those of one interpreter share its hash seed and what was drawn on import. Where that
    /// decides, each interpreter is one observation.
    fn counting(&self) -> (Tally, (f64, f64)) {
        match self.cause() {
            Some(AuditCause::Interpreter) => (self.firsts, self.intervals[1]),
            _ => (self.counted, self.intervals[0]),
        }
    }

    fn rate(&self, confidence: f64) -> Option<Rate> {
        let (tally, (low, high)) = self.counting();
        if tally.executed == 0 || self.cause() == Some(AuditCause::Nothing) {
            return None;
        }
        Some(Rate {
            seen: Some(tally.failed as f64 / tally.executed as f64),
            low,
            high,
            confidence,
        })
    }

    /// Whether it is known what its result depends on, as far as it was not always the same.
    pub(super) fn is_explained(&self, settings: &AuditSettings) -> bool {
        let is_one = self.failing.is_none() || self.passing.is_none();
        let is_asked = !settings.varies || self.own.made() > 0;
        (is_one && is_asked || self.cause().is_some()) && self.expects_values().is_some()
    }

    /// Whether all is known that was asked for.
    pub(super) fn is_decided(&self, settings: &AuditSettings) -> bool {
        // What could not run a few times will not run.
        if self.named.apart.is_some() || self.not_run >= FIRST {
            return true;
        }
        if self.is_narrow() {
            return false;
        }
        if self.cause() == Some(AuditCause::Nothing) {
            return true;
        }
        if self.counted.executed == 0 {
            return self.skipped >= FIRST && self.only_skips();
        }
        let is_one = self.failing.is_none() || self.passing.is_none();
        if !is_one && !self.is_explained(settings) || self.expects_values().is_none() {
            return false;
        }
        self.is_measured(settings)
    }

    /// Whether fewer interpreters than must agree have collected it, while some may.
    fn is_narrow(&self) -> bool {
        let (all, without) = (self.interpreters.len(), self.uncollected.len());
        let is_hopeless = all == without && without as u64 >= self.wide;
        ((all - without) as u64) < self.wide && !is_hopeless
    }

    fn is_measured(&self, settings: &AuditSettings) -> bool {
        let Some(rate) = self.rate(settings.confidence) else {
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
}
