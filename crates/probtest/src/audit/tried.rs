//! What is known of one test, and what is wanted to know more.

use std::collections::{BTreeMap, BTreeSet};

use probtest_facts::{AuditCause, AuditOutcome, AuditedTest, Rate, json_variants};

use super::sample::{Agreement, ExecutionTally, Sample};
use super::{
    ALONE, AuditSettings, Exclusion, FIRST, MOST, NEARLY, NamedTest, Order, OrderResult, Outcome,
    Randomness,
};
use crate::judge::confidence::ConfidenceSequence;
use crate::report::audit_summary;
use crate::seed::RunSeed;

/// Why a test is executed once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrderPurpose {
    /// With the seeds that its code sets, alone.
    Own,
    /// With new seeds, for its rate.
    New,
    /// With a seed that failed, or one that passed, alone.
    Alone { failed: bool },
    /// The same after all that came before it.
    Together { failed: bool },
}

json_variants!(OrderPurpose {
    "own" => Own,
    "new" => New,
    "alone" => Alone { failed },
    "together" => Together { failed },
});

/// So many executions tell a rate above [`NEARLY`] from a lower one without an interval.
const SURE: u64 = 64;

/// So many orders go to one interpreter before others have seen the test.
const MOST_WITHIN: u64 = 32;
/// How many times longer than its repetition an execution ran that may hang.
const HANGS: f64 = 10.0;

/// One test of an audit.
#[derive(Debug, Default)]
pub(super) struct TriedTest {
    pub(super) named: NamedTest,
    /// How many interpreters must have agreed.
    wide: u64,
    /// The executions with a seed of their own that were handed out.
    pub(super) handed: u64,
    pub(super) under_way: u64,
    pub(super) executions: u64,
    /// The orders with new seeds that have ended.
    orders: u64,
    pub(super) failing: Option<Sample>,
    /// Whether enough executions in one process were watched for the source of their randomness.
    pub(super) is_watched: bool,
    /// Whether it was reported as decided.
    pub(super) is_told: bool,
    passing: Option<Sample>,
    counted: ExecutionTally,
    /// The first one of these in each interpreter.
    firsts: ExecutionTally,
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
    /// New seeds whose execution the audit has ended, each after those that came before it in its process.
    unended: Vec<UnendedProcess>,
    /// Of those that are executed again: the seed, and how long it had been running.
    retried: BTreeMap<u64, f64>,
    /// How long executions ran that ended much sooner when repeated: they may hang, but not because of
    /// the seed.
    hung: Vec<f64>,
    /// Executions in which something failed that did not fail them, and what was the first.
    unnoticed: (u64, Option<String>),
}

/// The seeds of a process that the audit has ended, and how long it had been running.
#[derive(Debug)]
struct UnendedProcess {
    seeds: Vec<u64>,
    seconds: f64,
}

impl TriedTest {
    pub(super) fn new(named: NamedTest, settings: &AuditSettings) -> Self {
        TriedTest {
            named,
            wide: settings.interpreters,
            intervals: [(0.0, 1.0); 2],
            ..TriedTest::default()
        }
    }

    fn sample(&mut self, failed: bool) -> &mut Option<Sample> {
        if failed { &mut self.failing } else { &mut self.passing }
    }

    fn agreement(&mut self, wanted: OrderPurpose, interpreter: u64) -> Option<&mut Agreement> {
        match wanted {
            OrderPurpose::New => None,
            OrderPurpose::Own => Some(&mut self.own),
            OrderPurpose::Alone { failed } => {
                Some(self.sample(failed).as_mut()?.alone.within(interpreter))
            }
            OrderPurpose::Together { failed } => {
                Some(self.sample(failed).as_mut()?.together.within(interpreter))
            }
        }
    }

    pub(super) fn begin(&mut self, wanted: OrderPurpose, interpreter: u64) {
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
    pub(super) fn again(&mut self, wanted: OrderPurpose) -> Option<Vec<u64>> {
        match wanted {
            OrderPurpose::Own => None,
            // One that would have counted comes first: else only those that end would count.
            OrderPurpose::New => {
                let first = self.unended.iter().position(|left| left.seeds.len() == 1)?;
                let left = self.unended.remove(first);
                self.retried.insert(left.seeds[0], left.seconds);
                Some(left.seeds)
            }
            OrderPurpose::Alone { failed } => Some(vec![self.sample(failed).as_ref()?.seed()]),
            OrderPurpose::Together { failed } => Some(self.sample(failed).as_ref()?.seeds.clone()),
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
        if orders.is_power_of_two() { orders.clamp(FIRST, MOST) } else { 1 }
    }

    /// Takes what came of an order.
    pub(super) fn take(&mut self, order: &Order, made: OrderResult, sequence: &ConfidenceSequence) {
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
        self.orders += u64::from(wanted == OrderPurpose::New);
        match wanted {
            OrderPurpose::Own => {
                for outcome in &made.seen {
                    if let Some(failed) = self.failed(outcome) {
                        self.own.add(!failed);
                    }
                }
            }
            // Those that share what was drawn for the first one are no new ones.
            OrderPurpose::New => {
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
                    self.unended
                        .push(UnendedProcess { seeds: left.to_vec(), seconds: made.seconds });
                }
                self.intervals =
                    [self.counted, self.firsts].map(|tally| self.fitting(tally, sequence));
            }
            OrderPurpose::Alone { failed } | OrderPurpose::Together { failed } => {
                self.repeated += made.seen.len() as u64;
                let same = match made.seen.get(seeds.len() - 1) {
                    // It ended before its last execution.
                    None if made.cut => None,
                    Some(missed @ Outcome::NotRun(_)) => self.failed(missed),
                    Some(Outcome::Failed(_)) => Some(failed),
                    Some(Outcome::Passed | Outcome::Expected) => Some(!failed),
                    Some(Outcome::Skipped(_)) | None => Some(false),
                };
                if let (Some(same), Some(agreement)) =
                    (same, self.agreement(wanted, order.interpreter))
                {
                    agreement.add(same);
                }
            }
        }
        if made.randomness.is_some() {
            self.randomness = made.randomness;
        }
    }

    /// The rates that fit, whatever those would have done that were ended.
    fn fitting(&self, tally: ExecutionTally, sequence: &ConfidenceSequence) -> (f64, f64) {
        let ExecutionTally { executed, failed, .. } = tally;
        let unended = self.open().count() as u64;
        let (low, high) = sequence.interval(failed, executed + unended);
        match unended {
            0 => (low, high),
            _ => (low, sequence.interval(failed + unended, executed + unended).1),
        }
    }

    /// How long those had been running of which it is not known what they would have done.
    fn open(&self) -> impl Iterator<Item = f64> {
        let unended = self.unended.iter().map(|left| left.seconds);
        unended.chain(self.hung.iter().copied())
    }

    /// The samples, where it has failed and passed.
    fn both(&self) -> Option<[&Sample; 2]> {
        Some([self.failing.as_ref()?, self.passing.as_ref()?])
    }

    fn only_skips(&self) -> bool {
        self.skipped > 0 && self.failing.is_none() && self.passing.is_none()
    }

    /// Whether an execution failed. One that was skipped or could not run is counted apart.
    fn failed(&mut self, outcome: &Outcome) -> Option<bool> {
        let (apart, why) = match outcome {
            Outcome::Passed | Outcome::Expected => return Some(false),
            Outcome::Failed(why) => {
                if self.failing.is_none() {
                    self.message = Some(why.clone());
                }
                return Some(true);
            }
            Outcome::Skipped(why) => (&mut self.skipped, why),
            Outcome::NotRun(why) => (&mut self.not_run, why),
        };
        *apart += 1;
        if self.failing.is_none() {
            self.message.get_or_insert_with(|| why.clone());
        }
        None
    }

    fn take_new(&mut self, order: &Order, seen: &[Outcome]) {
        let mut is_first = false;
        if !seen.is_empty() {
            let made = self.interpreters.entry(order.interpreter).or_default();
            (is_first, *made) = (*made == 0, *made + 1);
        }
        for (place, outcome) in seen.iter().enumerate() {
            let Some(failed) = self.failed(outcome) else {
                continue;
            };
            if place == 0 {
                self.counted.add(outcome);
                if is_first {
                    self.firsts.add(outcome);
                }
            }
            let sample = self.sample(failed);
            // One that was alone says more, as long as nothing was done with the other.
            let is_better =
                |old: &Sample| place == 0 && !old.is_alone() && old.alone.all().begun() == 0;
            if sample.as_ref().is_none_or(is_better) {
                *sample = Some(Sample::new(&order.seeds[..=place], failed, order.interpreter));
            }
        }
    }

    /// What the results with varied seeds depend on, as far as it is known.
    pub(super) fn cause(&self) -> Option<AuditCause> {
        let Some(samples @ [failing, passing]) = self.both() else {
            let is_same = self.failing.is_none() || self.own.same == 0;
            let is_seen = self.executions >= FIRST && self.open().next().is_none();
            let copies = self.randomness.is_some() && is_same && is_seen;
            return copies.then_some(AuditCause::Nothing);
        };
        if samples.iter().any(|sample| sample.varies()) {
            return Some(AuditCause::SomethingElse);
        }
        if samples.iter().any(|sample| sample.is_split()) {
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

    /// Whether it passes with its own seeds but fails with nearly all others; none while that is
    /// not known.
    fn expects_values(&self) -> Option<bool> {
        let has_other = matches!(
            self.cause(),
            Some(
                AuditCause::EarlierExecutions | AuditCause::SomethingElse | AuditCause::Interpreter
            )
        );
        let ExecutionTally { executed, failed, .. } = self.counted;
        // A rate in the middle of what is left above: one that is nearer takes long to tell apart.
        let middle = (1.0 + NEARLY) / 2.0;
        let is_lower = self.intervals[0].1 < middle
            || executed >= SURE && (failed as f64) < middle * executed as f64;
        if has_other || self.own.same == 0 || self.own.other > 0 || is_lower {
            return Some(false);
        }
        (self.own.same >= ALONE && self.fails_nearly_always()).then_some(true)
    }

    fn fails_nearly_always(&self) -> bool {
        self.intervals[0].0 > NEARLY
    }

    /// The executions that count, and the rates that fit them.
    ///
    /// Those of one interpreter share its hash seed and what was drawn on import. Where that
    /// decides, each interpreter is one observation.
    fn counting(&self) -> (ExecutionTally, (f64, f64)) {
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
        let is_asked = !settings.varies || self.own.made() > 0;
        let is_known = self.both().is_none() && is_asked || self.cause().is_some();
        is_known && self.expects_values().is_some()
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
        (self.both().is_none() || self.is_explained(settings))
            && self.expects_values().is_some()
            && self.is_measured(settings)
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

    /// Whether something may be executed next, in one interpreter or other.
    pub(super) fn is_open(&self, settings: &AuditSettings) -> bool {
        !self.is_decided(settings) && (self.executions > 0 || self.under_way == 0)
    }

    /// Whether it is to be found out if it has expected values.
    fn confirms(&self) -> bool {
        self.expects_values().is_none() && self.fails_nearly_always()
    }

    /// What is to be executed next in an interpreter to find out what the result depends on.
    pub(super) fn explaining(
        &self,
        settings: &AuditSettings,
        interpreter: u64,
    ) -> Option<OrderPurpose> {
        if self.uncollected.contains(&interpreter) {
            return None;
        }
        let enough = if self.confirms() { ALONE } else { 1 };
        let is_fit = settings.varies && self.skipped == 0 && self.own.other == 0;
        if is_fit && self.own.begun() < enough {
            return Some(OrderPurpose::Own);
        }
        if self.is_explained(settings) {
            return None;
        }
        let [failing, passing] = self.both()?;
        let again =
            |one: &Sample, other: &Sample| one.wanted(interpreter, other.interpreter, self.wide);
        again(failing, passing).or_else(|| again(passing, failing))
    }

    /// Whether it is to be executed with new seeds in an interpreter.
    pub(super) fn wants_new(&self, settings: &AuditSettings, interpreter: u64) -> bool {
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
        let is_open = self.cause().is_some() || self.both().is_none();
        is_open && !self.confirms() || !is_measured
    }

    /// The interpreters that one of its seeds has to be executed in.
    pub(super) fn targets(&self) -> impl Iterator<Item = u64> {
        self.both().into_iter().flat_map(|[failing, passing]| {
            let (at, opposite) = (failing.interpreter, passing.interpreter);
            failing.targets(opposite).chain(passing.targets(at))
        })
    }

    /// Orders tests: those that nothing is known of, then those that had least time.
    pub(super) fn urgency(&self) -> f64 {
        match self.executions {
            0 => 0.0,
            _ => f64::MIN_POSITIVE + self.seconds * (1 + self.under_way) as f64,
        }
    }

    pub(super) fn facts(&self, settings: &AuditSettings) -> AuditedTest {
        let (counted, _) = self.counting();
        let cause = match self.expects_values() {
            Some(true) => Some(AuditCause::ExpectedValues),
            _ => self.cause(),
        };
        let is_mixed = self.both().is_some() && cause != Some(AuditCause::EarlierExecutions);
        let outcome = match (&self.named.apart, counted.executed, counted.failed) {
            (Some(Exclusion::Claimed), ..) => AuditOutcome::Claimed,
            (Some(Exclusion::Ignored(_)), ..) => AuditOutcome::Skipped,
            (Some(Exclusion::Unlisted(_)), ..) => AuditOutcome::CouldNotRun,
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
            Some(Exclusion::Ignored(why) | Exclusion::Unlisted(why)) => Some(why.clone()),
            _ if self.uncollected.len() as u64 == self.executions && self.executions > 0 => {
                Some("no interpreter has collected it".into())
            }
            _ => self.message.clone(),
        };
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
            unended: self.open().count() as u64,
            unended_seconds: self.open().fold(0.0, f64::max),
            // Number 0 is every process that is an interpreter of its own.
            interpreters: (self.interpreters.range(1..).count() - self.uncollected.len()) as u64,
            uncollected: self.uncollected.len() as u64,
            unnoticed: self.unnoticed.0,
            unnoticed_message: self.unnoticed.1.clone(),
            rate: self.rate(settings.confidence),
            decided: self.is_decided(settings),
            known: false,
            limit: None,
            seed: self.failing.as_ref().map(|sample| RunSeed(sample.seed()).to_string()),
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
