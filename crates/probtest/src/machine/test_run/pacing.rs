//! When executions may start, which ones run again later, and what they cost.
//!
//! Three things affect how many executions there are and when they start, but never which: failing
//! infrastructure, a rate of starts, and a cost budget. A run without any of them has no
//! [`Pacing`], and only pays for checking a pointer.

use std::time::Duration;

use super::{Phase, TestRun};
use crate::judge::{Doubt, Reason, Verdict};
use crate::machine::sequencer::Ordered;
use crate::machine::{Next, Range};
use crate::math::binomial::{self, PreciseRate};
use crate::run::{Observation, Record};
use crate::seed::RunSeed;
use crate::settings::Settings;

/// How often the same attempt may fail because of its infrastructure.
const UNAVAILABLE_IN_A_ROW: u64 = 10;
/// The smallest limit on such failures, over all executions together.
const FEWEST_UNAVAILABLE: u64 = 100;
/// The longest delay before an attempt runs again.
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);
/// The longest delay between two starts while nothing answers.
const LONGEST_HOLD: Duration = Duration::from_secs(2);
/// How far starts may catch up after a late one: timers are this coarse.
const CATCH_UP: Duration = Duration::from_millis(5);
/// How many kinds of failures are counted separately.
const MOST_KINDS: usize = 16;
/// The chance of a doubt if executions record the same in half of the pairs.
const FALSE_ALARM: f64 = 1e-6;

/// What an execution that isn't judged yet said about itself.
#[derive(Clone, Copy, Default)]
struct PendingStatements {
    cost: f64,
    /// The part of the cost that was spent on rejected attempts.
    rejected: f64,
    recorded: Option<u64>,
}

struct Retry {
    due: Duration,
    range: Range,
    planned: bool,
}

#[derive(Default)]
pub(super) struct Pacing {
    /// The time between two starts, and when the next one is allowed.
    interval: Option<Duration>,
    next_start: Option<Duration>,
    backoff: Duration,
    retries: Vec<Retry>,
    /// How often in a row an execution has failed.
    tries: Ordered<u64>,
    most: u64,
    failed: u64,
    kinds: Vec<(String, u64)>,
    /// How often infrastructure has failed since the last answer: from the second failure on,
    /// executions start one at a time, not before this moment.
    streak: u32,
    hold: Option<Duration>,
    /// When to ask again, if nothing could be handed out.
    until: Option<Duration>,
    max_cost: Option<f64>,
    /// The cost of everything that ran, of the judged executions, and of those waiting for an
    /// earlier one.
    spent: f64,
    judged: f64,
    waiting: f64,
    said: Ordered<PendingStatements>,
    pub(super) copies: Copies,
}

impl Pacing {
    /// Whether the settings need any of this from the start.
    pub(super) fn is_needed(settings: &Settings<'_>) -> bool {
        settings.rate.is_some() || settings.max_cost.is_some() || settings.spent > 0.0
    }

    pub(super) fn new(settings: &Settings<'_>, planned: u64) -> Self {
        Pacing {
            interval: settings.rate.as_ref().map(|rate| rate.interval()),
            backoff: settings.backoff,
            most: settings.max_unavailable.unwrap_or(planned.max(FEWEST_UNAVAILABLE)),
            max_cost: settings.max_cost,
            spent: settings.spent,
            judged: settings.spent,
            ..Pacing::default()
        }
    }

    /// Why executions aren't repeated just to explain one, if they aren't.
    pub(super) fn why_not_repeated(&self) -> Option<&'static str> {
        if self.interval.is_some() {
            Some("a rate limits how often executions start")
        } else if self.max_cost.is_some() || self.spent > 0.0 {
            Some("executions cost something")
        } else {
            (self.failed > 0).then_some("executions depend on infrastructure that fails")
        }
    }

    /// Takes a retry that is due, of the plan or of a single execution.
    fn due(&mut self, now: Duration, planned: bool) -> Option<Range> {
        // Retries of another phase are no longer needed.
        self.retries.retain(|retry| retry.planned == planned);
        let first = self.retries.iter().position(|retry| retry.due <= now)?;
        Some(self.retries.swap_remove(first).range)
    }

    fn may_start(&mut self, now: Duration) -> u64 {
        if let Some(until) = self.hold.filter(|until| now < *until) {
            self.until = Some(until);
            return 0;
        }
        let most = if self.hold.is_some() { 1 } else { u64::MAX };
        let Some(interval) = self.interval else {
            return most;
        };
        let next = self.next_start.unwrap_or(now).max(now.saturating_sub(CATCH_UP));
        self.next_start = Some(next);
        let Some(late) = now.checked_sub(next) else {
            self.until = Some(next);
            return 0;
        };
        most.min(1 + (late.as_nanos() / interval.as_nanos().max(1)) as u64)
    }

    fn started(&mut self, count: u64, now: Duration) {
        if self.hold.is_some() {
            self.hold = Some(self.held_until(now));
        }
        if let (Some(interval), Some(next)) = (self.interval, self.next_start) {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            self.next_start = Some(next.saturating_add(interval.saturating_mul(count)));
        }
        self.until = None;
    }

    /// Whether executions of the plan have used up the budget although an earlier one is missing:
    /// then nothing new starts.
    fn is_spent(&self) -> bool {
        let waits = !self.said.is_empty();
        self.max_cost.is_some_and(|most| waits && self.judged + self.waiting >= most)
    }

    /// The budget, if it was used up by the judged executions and the rejected attempts at the next
    /// one.
    fn exhausted(&self, next: u64) -> Option<f64> {
        let rejected = self.said.get(next).map_or(0.0, |said| said.rejected);
        self.max_cost.filter(|most| self.judged + rejected >= *most)
    }

    fn doubled(&self, times: u32, longest: Duration) -> Duration {
        self.backoff.saturating_mul(1 << times.min(20)).min(longest)
    }

    /// How long to wait for an answer before trying another execution.
    fn held_until(&self, now: Duration) -> Duration {
        now.saturating_add(self.doubled(self.streak - 2, LONGEST_HOLD))
    }

    fn fail(&mut self, kind: &str, now: Duration) {
        self.failed += 1;
        self.streak = self.streak.saturating_add(1);
        if self.streak == 2 || self.hold.is_some_and(|until| now >= until) {
            self.hold = Some(self.held_until(now));
        }
        if let Some((_, count)) = self.kinds.iter_mut().find(|(known, _)| known == kind) {
            *count += 1;
        } else if self.kinds.len() < MOST_KINDS {
            self.kinds.push((kind.to_owned(), 1));
        } else if let Some((last, count)) = self.kinds.last_mut() {
            "others".clone_into(last);
            *count += 1;
        }
    }

    /// Schedules an attempt to run again later; false if it failed too often.
    fn retry(&mut self, range: Range, planned: bool, now: Duration) -> bool {
        if self.retries.iter().any(|retry| retry.range == range) {
            // A duplicate report.
            return true;
        }
        let index = range.first;
        let tries = self.tries.get(index).copied().unwrap_or(0) + 1;
        if tries > UNAVAILABLE_IN_A_ROW {
            return false;
        }
        self.tries.insert(index, tries);
        let wait = self.doubled(tries as u32 - 1, LONGEST_BACKOFF);
        // Between half and all of it, so that attempts that failed together don't retry together.
        let part = (mixed(index, tries) >> 40) as f64 / f64::from(1 << 24);
        let due = now.saturating_add(wait.mul_f64(0.5 + part / 2.0));
        self.retries.push(Retry { due, range, planned });
        true
    }

    pub(super) fn answered(&mut self, index: u64) {
        (self.streak, self.hold) = (0, None);
        if !self.tries.is_empty() {
            self.tries.remove(index);
        }
    }

    /// Adds up what an execution said, in the order of judging.
    pub(super) fn judge(&mut self, index: u64) {
        let Some(said) = self.said.remove(index) else {
            return;
        };
        self.judged += said.cost;
        self.waiting -= said.cost;
        if self.said.is_empty() {
            // Clear the rounding error.
            self.waiting = 0.0;
        }
        if let Some(recorded) = said.recorded {
            self.copies.add(index, recorded);
        }
    }

    pub(super) fn kinds(&mut self) -> Vec<(String, u64)> {
        let mut kinds = std::mem::take(&mut self.kinds);
        kinds.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        kinds
    }

    /// How much was spent, and the budget; `None` if no execution reported a cost.
    pub(super) fn cost(&self) -> Option<(f64, Option<f64>)> {
        (self.spent > 0.0 || self.max_cost.is_some()).then_some((self.spent, self.max_cost))
    }
}

fn mixed(one: u64, other: u64) -> u64 {
    let mut word = one.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(other);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Detects executions that record the same far too often.
///
/// A body records what should differ from execution to execution: the answer of a model, a
/// trajectory. Executions 1 and 2 are a pair, 3 and 4 the next. Pairs share no execution, so with
/// independent executions each is equal with the same chance, whatever the others are. If that
/// chance is at most one half, the claim holds: half of the executions aren't copies, and the
/// chance of missing is at most the square root of what was asked for. So there is a doubt if as
/// many equal pairs have a chance below [`FALSE_ALARM`] even at one half: 20 pairs that are all
/// equal, or 32 of 36, or 105 of 150.
///
/// What executions *return* isn't compared. Numbers and labels of a claim may well be the same: a
/// score is 1 in 99 of 100 executions, or 1/3. Independent executions of such a program look like
/// copies, whatever is counted, so a doubt would often be wrong.
#[derive(Clone, Copy, Default)]
pub(super) struct Copies {
    last: Option<(u64, u64)>,
    pairs: u64,
    equal: u64,
}

impl Copies {
    fn add(&mut self, index: u64, recorded: u64) {
        if index.is_multiple_of(2)
            && let Some((before, other)) = self.last
            && before + 1 == index
        {
            self.pairs += 1;
            self.equal += u64::from(other == recorded);
        }
        self.last = Some((index, recorded));
    }

    /// How many pairs are equal, and how many there are, if that is too many.
    pub(super) fn too_many(&self) -> Option<(u64, u64)> {
        let before = self.equal.checked_sub(1)?;
        let chance = binomial::more_than(before, self.pairs, PreciseRate::new(0.5));
        (chance < FALSE_ALARM).then_some((self.equal, self.pairs))
    }
}

impl TestRun<'_> {
    /// How long an executor waits after [`Next::Wait`] before it asks again: until the next start
    /// is allowed, or the retry of an attempt whose infrastructure failed is due. `None` if
    /// something that is running must be observed first.
    ///
    /// ```
    /// use probtest::machine::{Next, TestRun};
    /// use probtest::run::Observation;
    /// use probtest::{Claim, Settings};
    /// use std::cell::Cell;
    /// use std::time::Duration;
    ///
    /// let now = Cell::new(Duration::ZERO);
    /// let settings = Settings::new("polite").rate("20/s".parse()?).clock(|| now.get());
    /// let mut run = TestRun::begin(&Claim::detect(0.5, 0.05)?, settings)?;
    /// loop {
    ///     match run.next() {
    ///         Next::Attempt(attempt) => {
    ///             let _ = run.observe(attempt.did(Observation::Passed, true));
    ///         }
    ///         Next::Wait => now.set(now.get() + run.pause().unwrap()),
    ///         Next::Done => break,
    ///     }
    /// }
    /// assert_eq!(now.get(), Duration::from_millis(5 * 50));
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn pause(&mut self) -> Option<Duration> {
        let now = self.lookout.now();
        let until = self.pacing.as_ref()?.until;
        until.map(|until| until.saturating_sub(now))
    }

    #[cold]
    pub(super) fn next_paced(&mut self, most: u64) -> Next<Range> {
        let (now, planned) = (self.lookout.now(), self.is_planned());
        while let Some(range) = self.pacing().due(now, planned) {
            self.lose(range);
        }
        let (may_start, spent) = (self.pacing().may_start(now), self.pacing().is_spent());
        let next = match may_start.min(most) {
            0 => Next::Wait,
            most if spent && planned => self.sequencer.next_again(most),
            most => self.next_of_phase(most),
        };
        match next {
            Next::Attempt(range) => self.pacing().started(range.last - range.first + 1, now),
            Next::Wait => {
                if may_start > 0 {
                    let pacing = self.pacing();
                    pacing.until = pacing.retries.iter().map(|retry| retry.due).min();
                }
                // An executor that waits asks less often than the machine checks.
                if self.is_stopped() {
                    return Next::Done;
                }
            }
            Next::Done => {}
        }
        next
    }

    fn pacing(&mut self) -> &mut Pacing {
        self.pacing.get_or_insert_with(|| Box::new(Pacing::new(&self.settings, self.most)))
    }

    /// Unwraps an observation: takes off a panic and what the execution said about itself. `None`
    /// if the attempt must run again.
    #[cold]
    pub(super) fn unfold(&mut self, mut record: Record) -> Option<Record> {
        loop {
            let (seed, index, attempt) = (record.seed, record.index, record.attempt);
            match record.observation {
                Observation::Panicked { panic, otherwise } => {
                    record.observation = self.take_panic(index, panic, *otherwise);
                }
                Observation::Larger { threads, steps, otherwise } => {
                    record.observation = *otherwise;
                    if self.waits_for(seed, index, attempt) && !record.observation.is_rejected() {
                        self.doubt(Doubt::Larger { executions: 1, threads, steps });
                    }
                }
                Observation::Noted { cost, recorded, otherwise } => {
                    record.observation = *otherwise;
                    let cost = cost.map_or(0.0, |cost| cost.0);
                    let is_kept = self.waits_for(seed, index, attempt);
                    let pacing = self.pacing();
                    pacing.spent += cost;
                    if is_kept {
                        let mut said = pacing.said.get(index).copied().unwrap_or_default();
                        said.cost += cost;
                        said.rejected += if record.observation.is_rejected() { cost } else { 0.0 };
                        said.recorded = recorded.or(said.recorded);
                        pacing.waiting += cost;
                        pacing.said.insert(index, said);
                    }
                }
                Observation::Unavailable { kind, message } => {
                    let range = Range::one(self.stream_of(seed), index, attempt);
                    self.make_again(range, kind, message);
                    return None;
                }
                Observation::Labelled(labelled) => {
                    let (otherwise, labels) = *labelled;
                    record.observation = otherwise;
                    let mut unfolded = self.unfold(record)?;
                    unfolded.observation = unfolded.observation.with_labels(labels);
                    return Some(unfolded);
                }
                _ => return Some(record),
            }
        }
    }

    /// Whether this attempt belongs to the plan and is still unanswered.
    fn waits_for(&self, seed: RunSeed, index: u64, attempt: u64) -> bool {
        self.is_planned() && seed == self.seed() && self.sequencer.is_open(index, attempt)
    }

    /// Adds the cost of an execution that arrives after the verdict.
    #[cold]
    pub(super) fn add_late(&mut self, record: &Record) {
        if let Observation::Noted { cost: Some(cost), .. } = record.observation {
            self.pacing().spent += cost.0;
        }
    }

    /// Runs an attempt that proves nothing again, or ends the test if that happened too often.
    fn make_again(&mut self, range: Range, kind: String, message: String) {
        let (planned, index) = (self.is_planned(), range.first);
        let waited_for = match self.phase.single() {
            Some(single) => single.is(&range),
            None => self.waits_for(range.stream.seed(), index, range.attempt),
        };
        if !waited_for {
            return;
        }
        let now = self.lookout.now();
        let pacing = self.pacing();
        pacing.fail(&kind, now);
        let (allowed, in_a_row) = if pacing.failed > pacing.most {
            (pacing.most, false)
        } else if pacing.retry(range, planned, now) {
            return;
        } else {
            (UNAVAILABLE_IN_A_ROW, true)
        };
        match &mut self.phase {
            // It decided; whether it would do so again isn't known.
            Phase::Again { verdict, .. } => self.verdict = Some(verdict.clone()),
            // It says nothing, like one that can't run.
            Phase::Remembered(queue) => _ = queue.pop_front(),
            _ => {
                let reason = Reason::Unavailable { index, kind, message, allowed, in_a_row };
                self.verdict = Some(Verdict::Inconclusive(reason));
            }
        }
    }

    /// Ends the test if the budget was used up by its executions and the rejected attempts at the
    /// next one, since drawing again costs again. Says whether it did.
    pub(super) fn end_if_spent(&mut self) -> bool {
        let next = self.sequencer.delivered + 1;
        let Some(max_cost) = self.pacing.as_ref().and_then(|pacing| pacing.exhausted(next)) else {
            return false;
        };
        if self.counts.executed == 0 {
            self.count_only_rejected();
        }
        let verdict = self.out_of_budget(Reason::Cost { max_cost });
        self.decide(verdict);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(equal: u64, pairs: u64) -> bool {
        let mut copies = Copies::default();
        for pair in 0..pairs {
            copies.add(2 * pair + 1, pair);
            copies.add(2 * pair + 2, if pair < equal { pair } else { !pair });
        }
        copies.too_many().is_some()
    }

    #[test]
    fn a_doubt_needs_so_many_equal_pairs() {
        // 2^-20 is the first power below 1e-6.
        assert!(!seen(19, 19) && seen(20, 20));
        assert!(!seen(31, 36) && seen(32, 36));
        assert!(!seen(104, 150) && seen(105, 150));
        assert!(!seen(0, 0) && !seen(500, 1000));
    }

    #[test]
    fn only_neighbours_are_compared() {
        let mut copies = Copies::default();
        for index in (1..=200).filter(|index| index % 4 != 1) {
            copies.add(index, 7);
        }
        // 3 and 4 are a pair; 2 has lost its neighbour.
        assert_eq!((copies.pairs, copies.equal), (50, 50));
    }
}
