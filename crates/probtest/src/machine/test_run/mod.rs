//! One test, from its first execution to its report.

mod alone;
mod ending;
mod pacing;
mod story;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use probtest_facts::TestFacts;

use self::alone::{EarlierExecutions, SingleExecution};
use self::pacing::Pacing;
use self::story::Explanation;

use super::ledger::{Header, Ledger};
use super::sequencer::{Blocks, Sequencer, SortedRecord, WaitingResult};
use super::timing::Lookout;
use super::{Flow, Next, Range, RangeRecord};
use crate::claim::{Claim, Error};
use crate::judge::{self, Counts, Doubt, Finding, Judge, LabelTally, Reason, Verdict};
use crate::plan::Plan;
use crate::report::{Input, Remembered, unfinished_facts};
use crate::run::{self, Label, Observation, Record};
use crate::seed::{Address, KnownInputs, RunSeed, Stream, Tape};
use crate::settings::{OnBudget, Settings, Suite};

/// How often one execution may be rejected and retried.
///
/// A test that accepts one execution in 100 reaches this by chance with probability 0.99^1000 =
/// 4e-5, one that accepts one in 10 with 2e-46.
pub const REJECTIONS_IN_A_ROW: u64 = 1000;

/// The message for an execution that arrives at another input than those that share it.
const DISAGREES: &str = "executions with the same input disagree on whether it applies, so something that the seed does not control decides that; make `assume` depend on the input alone, or draw what decides from the test's random source";

/// Whether an execution that reaches this attempt was rejected too often to go on.
pub fn is_too_often(stream: &Stream, attempt: u64) -> bool {
    let (program, input) = stream.parts(attempt);
    program.max(input) >= REJECTIONS_IN_A_ROW
}

/// A running test: says what to run next, takes what executions did in any order, judges them in
/// index order, and ends with a report.
///
/// It alone knows about rejections, remembered counterexamples, replays and budgets, and when to
/// stop. An [`Executor`](super::Executor) only answers [`TestRun::next`] with [`TestRun::observe`].
#[must_use = "a run has no verdict until an executor has run it and you call `finish`"]
pub struct TestRun<'a> {
    pub(super) settings: Settings<'a>,
    /// What was observed, for a journal or a shard.
    pub(super) ledger: Option<Box<Ledger>>,
    plan: Plan,
    judge: Box<dyn Judge>,
    pub(super) counts: Counts,
    /// How many executions that count drew from their source.
    drew: u64,
    /// Of inputs that executions share, how many attempts were rejected before the applicable one;
    /// those whose first attempt is applicable are not in it.
    rejected_inputs: BTreeMap<u64, u64>,
    /// Keeps what executors know of them.
    _known_inputs: Option<KnownInputs>,
    most: u64,
    /// How many of those belong to this shard.
    own: u64,
    max_rejections: u64,
    /// What is played in the execution that runs alone, or was in the one that violated again.
    tape: Option<Tape>,
    /// Why violations are not explained, where an executor says so.
    untold: Option<&'static str>,
    /// The inputs of the last execution outside of the plan.
    inputs: Vec<Input>,
    /// The time until there was something to explain.
    took: Option<Duration>,
    /// Whether the execution that decided did so again; none where it was not tried.
    confirmed: Option<bool>,
    pub(super) doubts: Vec<Doubt>,
    tally: LabelTally,
    stream: Stream,
    sequencer: Sequencer,
    /// The last execution that was judged.
    judged: u64,
    /// Violations of a shard that may decide.
    violations: VecDeque<u64>,
    passes_wait: bool,
    phase: Phase,
    remembered: Remembered,
    returned: Option<String>,
    address: Option<Address>,
    verdict: Option<Verdict>,
    stopped: bool,
    lookout: Lookout<'a>,
    /// Rate, retries and cost, once there is one of them.
    pacing: Option<Box<Pacing>>,
}

enum Phase {
    /// Counterexamples from earlier runs, before the plan.
    Remembered(EarlierExecutions),
    /// The plan.
    Plan,
    /// One execution alone.
    Alone(SingleExecution),
    /// The execution that has decided, once more, before it is reported; in a shard, each that
    /// may decide.
    Again { single: SingleExecution, others: VecDeque<u64>, verdict: Verdict },
    /// Executions that explain it.
    Story(Box<Explanation>),
}

impl Phase {
    /// The execution outside of the plan that is next or under way.
    fn single(&mut self) -> Option<&mut SingleExecution> {
        match self {
            Phase::Alone(single) | Phase::Again { single, .. } => Some(single),
            Phase::Remembered(queue) => queue.front_mut().map(|(single, _)| single),
            Phase::Plan | Phase::Story(_) => None,
        }
    }
}

impl<'a> TestRun<'a> {
    /// Plans the claim, with its chances lowered to the test's share of the suite's, and starts.
    ///
    /// # Errors
    /// When the claim has no plan or a setting is out of range.
    pub fn begin(claim: &Claim, mut settings: Settings<'a>) -> Result<Self, Error> {
        if claim.epsilon().is_none() {
            // An estimate promises nothing that a suite could share.
            settings.suite = Suite::default();
        }
        let claim = settings.suite.limit(claim.clone());
        settings.check(&claim)?;
        run::belong_to_this_process();
        let plan = Plan::new(&claim)?;
        let counts = Counts::of(&plan);
        // A replay is no part of a shard.
        settings.shard = settings.shard.filter(|_| settings.replay.is_none());
        let judge = judge::judge_of(&plan, !settings.unreported_outcomes, settings.shard.is_some());
        let given = settings.replay.map(|address| address.seed).or(settings.seed);
        let stream = Stream::new(given.unwrap_or_else(RunSeed::fresh), &settings.test)
            .with_inputs(claim.inputs());
        let most = settings.max_executions.unwrap_or(u64::MAX).min(counts.planned);
        let usual = counts.planned.saturating_mul(10).max(1000);
        let phase = match settings.replay {
            Some(address) => Phase::Alone(SingleExecution::new(stream, address.index)),
            None if claim.has_counterexamples()
                && !settings.own_randomness
                && settings.shard.is_none()
                && !settings.remembered.is_empty() =>
            {
                Phase::Remembered(alone::queue(&settings, claim.inputs()))
            }
            None => Phase::Plan,
        };
        // A replay is no part of the suite.
        let over = settings.times.iter().find(|(limit, left)| limit.of_suite && left.is_zero());
        let over = over.filter(|_| settings.replay.is_none());
        let mut verdict =
            over.map(|(limit, _)| Verdict::Inconclusive(Reason::NotReached { limit: *limit }));
        let blocks = (settings.shard).map(|shard| Blocks::new(shard, most, settings.batch));
        let own = blocks.map_or(most, |blocks| blocks.own_up_to(most));
        if own == 0 {
            // There are more shards than blocks.
            verdict = verdict.or(Some(Verdict::Partial));
        }
        let ledger = |_| Box::new(Ledger::new(Header::of(&claim, &settings, stream.seed())));
        Ok(TestRun {
            ledger: settings.shard.map(ledger),
            own,
            violations: VecDeque::new(),
            // From here on time counts, also that of remembered executions.
            lookout: Lookout::new(&mut settings),
            passes_wait: judge.passes_wait(),
            judge,
            counts,
            drew: 0,
            rejected_inputs: BTreeMap::new(),
            _known_inputs: KnownInputs::of(&stream),
            most,
            max_rejections: settings.max_rejections.unwrap_or(usual),
            tape: settings.tape.take(),
            untold: None,
            inputs: Vec::new(),
            took: None,
            confirmed: None,
            doubts: Vec::new(),
            tally: LabelTally::default(),
            sequencer: Sequencer::new(stream, most, blocks),
            judged: 0,
            stream,
            plan,
            phase,
            remembered: Remembered::None,
            returned: None,
            address: None,
            verdict,
            stopped: false,
            pacing: Pacing::is_needed(&settings).then(|| Box::new(Pacing::new(&settings, most))),
            settings,
        })
    }

    /// The claim, with its chances lowered to the test's share of the suite's.
    pub fn claim(&self) -> &Claim {
        self.plan.claim()
    }

    /// The facts to keep for this test until it ends.
    pub fn unfinished_facts(&self) -> TestFacts {
        unfinished_facts(&self.settings.test, &self.plan, self.seed())
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The run seed.
    pub fn seed(&self) -> RunSeed {
        self.stream.seed()
    }

    /// The index of the last execution there can be.
    pub fn last(&self) -> u64 {
        self.most
    }

    /// How many executions haven't been handed out.
    pub fn left(&self) -> u64 {
        self.sequencer.left()
    }

    /// The last execution that is needed, as known so far, for executors to check while they work.
    pub fn horizon(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.sequencer.horizon)
    }

    /// Whether executions of the plan are running, and not one of an earlier run.
    pub fn is_planned(&self) -> bool {
        matches!(self.phase, Phase::Plan)
    }

    /// Whether passes alone decide nothing before the last execution: then an executor may report
    /// many at once, with [`TestRun::observe_passes`].
    pub fn passes_wait(&self) -> bool {
        self.passes_wait && self.is_planned()
    }

    /// Says which attempt to run next.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "there is more to say than an item or none")]
    pub fn next(&mut self) -> Next {
        match self.next_range(1) {
            Next::Attempt(range) => Next::Attempt(range.attempt_at(range.first)),
            Next::Wait => Next::Wait,
            Next::Done => Next::Done,
        }
    }

    /// Says which consecutive executions to run next, at most this many.
    #[inline]
    pub fn next_range(&mut self, most: u64) -> Next<Range> {
        if self.verdict.is_some() || self.stopped || self.looked_up() {
            return Next::Done;
        }
        if self.pacing.is_some() {
            return self.next_paced(most.max(1));
        }
        self.next_of_phase(most)
    }

    #[inline]
    fn next_of_phase(&mut self, most: u64) -> Next<Range> {
        if self.is_planned() {
            return self.sequencer.next(most.max(1));
        }
        if matches!(self.phase, Phase::Story(_)) {
            return self.next_of_story();
        }
        match self.phase.single() {
            Some(single) => single.next(),
            None => {
                self.phase = Phase::Plan;
                self.sequencer.next(most.max(1))
            }
        }
    }

    /// Says which consecutive executions to run next, as many as may run before the machine has to
    /// check the clock again. For an executor that runs one after the other.
    pub fn next_stride(&mut self) -> Next<Range> {
        if self.verdict.is_some() || self.is_stopped() {
            return Next::Done;
        }
        let stride = match &self.ledger {
            // What is known is written down in time, however long the next one takes.
            Some(ledger) if ledger.journal.is_some() => 1,
            _ => self.lookout.stride(),
        };
        self.next_range(stride)
    }

    /// Takes back the executions from this one on, of the last range that was handed out: the
    /// executor hasn't started them.
    pub fn take_back(&mut self, first: u64) {
        self.sequencer.take_back(first);
    }

    /// Looks at the clock, the switch and the observer; says whether that ends the test.
    #[inline]
    fn looked_up(&mut self) -> bool {
        if let Some(limit) = self.lookout.time_is_over()
            && !self.is_decided()
            && (self.counts.executed > 0 || self.count_only_rejected())
        {
            // At least one attempt is made in any case.
            self.verdict = Some(self.out_of_budget(Reason::Time { limit }));
            return true;
        }
        self.lookout.is_due() && self.is_stopped()
    }

    #[cold]
    fn is_stopped(&mut self) -> bool {
        self.stopped |= self.lookout.is_cancelled();
        if !self.stopped {
            self.lookout.report_progress(&self.counts, (self.own, !self.passes_wait), false);
        }
        self.stopped
    }

    /// Ends the test, without a verdict if it has none yet.
    pub fn stop(&mut self) {
        self.stopped = true;
        if !self.is_decided() {
            self.verdict = Some(Verdict::Inconclusive(Reason::Cancelled));
        }
    }

    /// Whether the plan has come to a verdict; the execution that decided may still run again.
    pub(super) fn is_decided(&self) -> bool {
        self.verdict.is_some() || matches!(self.phase, Phase::Again { .. } | Phase::Story(_))
    }

    /// Takes what an attempt did, and says whether more is needed.
    #[inline]
    pub fn observe(&mut self, record: Record) -> Flow {
        if let Some(ledger) = &mut self.ledger
            && matches!(self.phase, Phase::Plan)
            && self.verdict.is_none()
            && record.seed == self.stream.seed()
            && !matches!(record.observation, Observation::Unavailable { .. })
        {
            ledger.add(&record);
        }
        self.observe_attempt(record)
    }

    #[inline]
    fn observe_attempt(&mut self, mut record: Record) -> Flow {
        if self.verdict.is_some() {
            self.add_late(&record);
            return Flow::Done;
        }
        if matches!(
            record.observation,
            Observation::Panicked { .. }
                | Observation::Labelled(_)
                | Observation::Larger { .. }
                | Observation::Noted { .. }
                | Observation::Unavailable { .. }
        ) {
            match self.unfold(record) {
                Some(unfolded) => record = unfolded,
                None => return self.flow(),
            }
        }
        if let Some(pacing) = &mut self.pacing {
            pacing.answered(record.index);
        }
        if !matches!(self.phase, Phase::Plan) {
            return self.observe_single(record);
        }
        if record.seed != self.stream.seed() {
            // A late answer to a remembered execution.
            return Flow::Continue;
        }
        if self.sequencer.is_next(&record) {
            self.deliver(record);
        } else {
            self.sort(record);
        }
        self.flow()
    }

    #[cold]
    fn sort(&mut self, record: Record) {
        let index = record.index;
        let decides = match record.observation.plain() {
            Observation::Violated(_) => self.claim().first_violation_decides(),
            Observation::Rejected => {
                let next = (self.stream).after_rejection(record.attempt, record.has_drawn);
                is_too_often(&self.stream, next)
            }
            Observation::Broken(_) => true,
            _ => false,
        };
        let last = self.sequencer.last;
        match self.sequencer.sort(record, decides) {
            SortedRecord::Now(record) => self.deliver(record),
            SortedRecord::Kept if self.sequencer.last < last => self.tell_decided(index),
            SortedRecord::Kept => _ = self.end_if_spent(),
            SortedRecord::Contradiction => {
                self.verdict = Some(Verdict::Inconclusive(Reason::TwoResults { index }));
            }
        }
    }

    /// Takes what the executions of a range did, and says whether more is needed.
    ///
    /// ```
    /// use probtest::machine::{Next, RangeRecord, TestRun};
    /// use probtest::run::Observation;
    /// use probtest::{Claim, Settings};
    ///
    /// let mut run = TestRun::begin(&Claim::detect(0.1, 0.05)?, Settings::new("far away").seed(7))?;
    /// while let Next::Attempt(range) = run.next_range(10) {
    ///     // Elsewhere, perhaps in another process:
    ///     let mut work = RangeRecord::new(&range);
    ///     for attempt in range.attempts() {
    ///         work.add(attempt.did(Observation::Passed, true));
    ///     }
    ///     let sent = work.to_string();
    ///     // And here again:
    ///     let _ = run.take(sent.parse()?);
    /// }
    /// assert_eq!(run.finish().counts().executed, 29);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take(&mut self, work: RangeRecord) -> Flow {
        if work.seed != self.stream.seed() {
            return self.flow();
        }
        let (mut passed, mut drew) = (work.first, work.drew);
        for record in work.records {
            let index = record.index;
            let count = index.saturating_sub(passed);
            // Those that drew are counted with the first passes.
            if count > 0 && self.observe_passes(passed, count, std::mem::take(&mut drew)).is_done()
            {
                return Flow::Done;
            }
            if self.observe(record).is_done() {
                return Flow::Done;
            }
            passed = index.saturating_add(1);
        }
        let left = work.last.saturating_add(1).saturating_sub(passed);
        self.observe_passes(passed, left, drew)
    }

    /// Hands out these executions again: they were handed out before, and won't be answered.
    pub fn lose(&mut self, range: Range) {
        match &mut self.phase {
            Phase::Plan => self.sequencer.lose(range),
            Phase::Story(telling) => telling.handed_out = false,
            phase => {
                if let Some(single) = phase.single() {
                    single.handed_out = false;
                }
            }
        }
    }

    /// Takes consecutive executions of the plan that all passed in their first attempt; `drew` is
    /// how many of them drew from their source.
    pub fn observe_passes(&mut self, first: u64, count: u64, drew: u64) -> Flow {
        if self.is_decided() || count == 0 {
            self.drew += if count == 0 { drew } else { 0 };
            return self.flow();
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.add_passes(first, count, drew);
        }
        let last = first.saturating_add(count - 1);
        if let Some(pacing) = &mut self.pacing {
            pacing.answered(last);
        }
        if self.sequencer.knows(first, last) {
            return self.observe_each(first, last, drew);
        }
        if first == self.sequencer.delivered + 1 {
            self.deliver_passes(last, drew);
            self.deliver_waiting();
        } else {
            self.sequencer.wait(first, last, drew);
        }
        self.flow()
    }

    /// Takes passes one by one, since something is known about some of them.
    #[cold]
    fn observe_each(&mut self, first: u64, last: u64, drew: u64) -> Flow {
        for index in first..=last {
            if self.observe_attempt(self.pass(index, index - first < drew)).is_done() {
                break;
            }
        }
        self.flow()
    }

    fn pass(&self, index: u64, has_drawn: bool) -> Record {
        let (seed, observation) = (self.stream.seed(), Observation::Passed);
        Record { seed, index, attempt: 0, has_drawn, observation }
    }

    fn flow(&self) -> Flow {
        match &self.phase {
            _ if self.verdict.is_some() => Flow::Done,
            // Whatever was in hand, the one to run again is next.
            Phase::Again { single, .. } if !single.handed_out => Flow::Done,
            Phase::Story(telling) if !telling.handed_out => Flow::Done,
            _ => Flow::Continue,
        }
    }

    /// Judges a record that is next, and what waits for it.
    #[inline]
    fn deliver(&mut self, record: Record) {
        self.judge(record);
        self.deliver_waiting();
    }

    #[inline]
    fn deliver_waiting(&mut self) {
        while !self.is_decided()
            && let Some(waiting) = self.sequencer.take_next()
        {
            match waiting {
                WaitingResult::Record(record) => self.judge(record),
                WaitingResult::Passes { last, drew } => self.deliver_passes(last, drew),
            }
        }
    }

    fn deliver_passes(&mut self, last: u64, drew: u64) {
        let last = last.min(self.most);
        self.drew += drew;
        // One that rejected no input may contradict one that did.
        if self.passes_wait && self.rejected_inputs.is_empty() {
            let count = last - self.sequencer.delivered;
            self.sequencer.deliver(last);
            self.judged = last;
            self.counts.executed += count;
            self.counts.passed += count;
            self.end_if_last();
            return;
        }
        while !self.is_decided() && self.sequencer.delivered < last {
            self.judge(self.pass(self.sequencer.delivered + 1, false));
        }
    }

    #[inline]
    fn judge(&mut self, record: Record) {
        let index = record.index;
        if record.attempt > 0 && self.end_if_spent() {
            return;
        }
        self.judged = index;
        self.sequencer.deliver(index);
        self.sequencer.keep(&record);
        self.drew += u64::from(record.has_drawn);
        if let Some(pacing) = &mut self.pacing {
            pacing.judge(index);
        }
        if (record.attempt > 0 || !self.rejected_inputs.is_empty())
            && let Some(reason) = self.count_rejections(index, record.attempt)
        {
            return self.decide(Verdict::Inconclusive(reason));
        }
        let verdict = match record.observation {
            Observation::Passed if self.passes_wait => {
                self.counts.pass();
                None
            }
            Observation::Labelled(labelled) => self.count(index, *labelled),
            observation => self.look_closer(index, observation),
        };
        match verdict {
            Some(verdict) => self.decide(verdict),
            None => self.end_if_last(),
        }
    }

    #[cold]
    fn count(&mut self, index: u64, labelled: (Observation, Vec<Label>)) -> Option<Verdict> {
        let (observation, labels) = labelled;
        let violated = observation.is_violated();
        let added = self.tally.add(labels, violated);
        self.look_closer(index, added.map_or_else(Observation::Broken, |()| observation))
    }

    fn look_closer(&mut self, index: u64, observation: Observation) -> Option<Verdict> {
        match observation {
            Observation::Rejected => Some(Verdict::Inconclusive(Reason::Rejections {
                allowed: REJECTIONS_IN_A_ROW,
                in_a_row: true,
            })),
            Observation::Broken(message) => {
                Some(Verdict::Inconclusive(Reason::Broken { index, message }))
            }
            observation => {
                if self.settings.shard.is_some() && observation.is_violated() {
                    self.violations.push_back(index);
                }
                self.judge.observe(index, observation, &mut self.counts)
            }
        }
    }

    /// Ends the test after the last execution of the plan or of its budget.
    #[inline]
    fn end_if_last(&mut self) {
        if self.counts.executed < self.own {
            self.end_if_spent();
            return;
        }
        let verdict = match self.most < self.counts.planned && self.settings.shard.is_none() {
            true => self.out_of_budget(Reason::Budget { max_executions: self.most }),
            false => self.judge.end(&self.counts),
        };
        self.decide(verdict);
    }

    fn out_of_budget(&mut self, reason: Reason) -> Verdict {
        if let Some(verdict) = self.judge.cut(&self.counts) {
            return verdict;
        }
        let asked = self.settings.on_budget == OnBudget::Pass;
        match asked && self.judge.accepts(&self.plan, &self.counts) {
            true => Verdict::WithinBudget(reason),
            false => Verdict::Inconclusive(reason),
        }
    }

    #[cold]
    fn decide(&mut self, verdict: Verdict) {
        let index = self.judged;
        self.sequencer.lower(index);
        self.tell_decided(index);
        let mut others = match verdict {
            Verdict::Violated(Finding::Execution { .. } | Finding::Rate { .. }) => [index].into(),
            // Any of them may be the one that decides; only all shards together know.
            Verdict::Partial if self.claim().tolerated().is_some() => {
                std::mem::take(&mut self.violations)
            }
            Verdict::Violated(Finding::Worse) | Verdict::Passed | Verdict::Partial => {
                self.judge.again().into()
            }
            _ => VecDeque::new(),
        };
        let confirm = self.settings.confirm && !self.settings.own_randomness;
        match others.pop_front().filter(|_| confirm) {
            Some(index) => {
                let single = SingleExecution::new(self.stream, index);
                self.phase = Phase::Again { single, others, verdict };
            }
            None => self.verdict = Some(verdict),
        }
    }

    /// The executions of this test under a seed that may be that of another run.
    fn stream_of(&self, seed: RunSeed) -> Stream {
        Stream::new(seed, &self.settings.test).with_inputs(self.stream.inputs())
    }

    /// Counts what was rejected before this attempt, each input once for all that share it; says
    /// why the test ends where that was too much.
    #[cold]
    pub(super) fn count_rejections(&mut self, index: u64, attempt: u64) -> Option<Reason> {
        let (rejected, input) = match self.stream.inputs() {
            None => (attempt, 0),
            Some(_) => self.stream.parts(attempt),
        };
        self.counts.rejected += rejected;
        let number = self.stream.input_number(index);
        let known = self.rejected_inputs.get(&number).copied();
        // Whether an execution that was judged before has the same input.
        let is_shared = || {
            let inputs = self.stream.inputs()?;
            let mut rounds = 1..=(index - 1) / inputs;
            rounds.any(|round| self.sequencer.owns(index - round * inputs)).then_some(0)
        };
        match known.or_else(is_shared) {
            Some(known) if known != input => {
                return Some(Reason::Broken { index, message: DISAGREES.into() });
            }
            None if input > 0 => {
                self.counts.rejected += input;
                self.rejected_inputs.insert(number, input);
                self.stream.learn(index, attempt);
            }
            _ => {}
        }
        (self.counts.rejected > self.max_rejections)
            .then_some(Reason::Rejections { allowed: self.max_rejections, in_a_row: false })
    }

    /// Counts the rejected attempts of a test that ends before an execution was judged; says
    /// whether there were any.
    #[cold]
    pub(super) fn count_only_rejected(&mut self) -> bool {
        let rejected = self.sequencer.rejected_first();
        self.counts.rejected += rejected;
        rejected > 0
    }

    fn tell_decided(&mut self, index: u64) {
        if let Some(observer) = &mut self.settings.decided {
            observer(index);
        }
    }
}
