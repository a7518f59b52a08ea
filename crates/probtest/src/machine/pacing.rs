//! When executions may start, which are made again after a while, and what they cost.
//!
//! Three things decide how many executions there are and when, never which: infrastructure
//! that fails, a rate of starts, and a budget of cost. A run without any of them has no
//! [`Pacing`], and pays one look at a pointer for that.

use std::time::Duration;

use super::Range;
use super::copies::Copies;
use super::ordered::Ordered;
use crate::run::Number;
use crate::settings::Settings;

/// How often the same attempt may fail by its infrastructure.
pub(super) const UNAVAILABLE_IN_A_ROW: u64 = 10;
/// The fewest such failures of all executions together that end a test.
const FEWEST_UNAVAILABLE: u64 = 100;
/// The longest time before an attempt is made again.
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);
/// The longest time between two starts while nothing answers.
const LONGEST_HOLD: Duration = Duration::from_secs(2);
/// How far starts may catch up after one that came late: timers are this coarse.
const CATCH_UP: Duration = Duration::from_millis(5);
/// How many kinds of failures are told apart.
const MOST_KINDS: usize = 16;

/// What an execution said about itself, besides what the claim is about.
#[derive(Clone, Copy, Default)]
pub(super) struct Said {
    cost: f64,
    /// What of that was spent on attempts that were rejected.
    rejected: f64,
    recorded: Option<u64>,
}

impl Said {
    /// What one attempt said.
    pub(super) fn new(cost: Option<Number>, recorded: Option<u64>, is_rejected: bool) -> Self {
        let cost = cost.map_or(0.0, |cost| cost.0);
        Said { cost, rejected: if is_rejected { cost } else { 0.0 }, recorded }
    }
}

/// An attempt that is made again.
struct Retry {
    due: Duration,
    range: Range,
    planned: bool,
}

pub(super) struct Pacing {
    /// The time between two starts, and when the next one may be.
    interval: Option<Duration>,
    next_start: Option<Duration>,
    backoff: Duration,
    retries: Vec<Retry>,
    /// How often an execution has failed in a row.
    tries: Ordered<u64>,
    most: u64,
    failed: u64,
    kinds: Vec<(String, u64)>,
    /// How often infrastructure has failed since anything was answered: from the second time
    /// on one execution starts after the other, not before this moment.
    streak: u32,
    hold: Option<Duration>,
    /// When to ask again, where nothing could be handed out.
    until: Option<Duration>,
    max_cost: Option<f64>,
    /// The cost of everything that was made, of the executions that were judged, and of
    /// those that wait for an earlier one.
    spent: f64,
    judged: f64,
    waiting: f64,
    /// What was said by executions that were not judged yet.
    said: Ordered<Said>,
    pub(super) copies: Copies,
}

impl Pacing {
    /// Whether the settings ask for any of this from the beginning.
    pub(super) fn is_needed(settings: &Settings<'_>) -> bool {
        settings.rate.is_some() || settings.max_cost.is_some() || settings.spent > 0.0
    }

    pub(super) fn new(settings: &Settings<'_>, planned: u64) -> Self {
        Pacing {
            interval: settings.rate.as_ref().map(|rate| rate.interval()),
            next_start: None,
            backoff: settings.backoff,
            retries: Vec::new(),
            tries: Ordered::new(),
            most: settings.max_unavailable.unwrap_or(planned.max(FEWEST_UNAVAILABLE)),
            failed: 0,
            kinds: Vec::new(),
            streak: 0,
            hold: None,
            until: None,
            max_cost: settings.max_cost,
            spent: settings.spent,
            judged: settings.spent,
            waiting: 0.0,
            said: Ordered::new(),
            copies: Copies::default(),
        }
    }

    /// Why executions are not repeated only to explain one, where they are not.
    pub(super) fn why_not_repeated(&self) -> Option<&'static str> {
        if self.interval.is_some() {
            Some("a rate limits how often executions start")
        } else if self.max_cost.is_some() || self.spent > 0.0 {
            Some("executions cost something")
        } else {
            (self.failed > 0).then_some("executions depend on infrastructure that fails")
        }
    }

    /// Takes the retries that are due, of the plan or of one execution alone.
    pub(super) fn due(&mut self, now: Duration, planned: bool) -> Option<Range> {
        // What belongs to another phase is not needed any more.
        self.retries.retain(|retry| retry.planned == planned);
        let first = self.retries.iter().position(|retry| retry.due <= now)?;
        Some(self.retries.swap_remove(first).range)
    }

    /// How many executions may start now.
    pub(super) fn may_start(&mut self, now: Duration) -> u64 {
        match self.hold {
            Some(until) if now < until => {
                self.until = Some(until);
                0
            }
            Some(_) => self.may_start_by_rate(now).min(1),
            None => self.may_start_by_rate(now),
        }
    }

    fn may_start_by_rate(&mut self, now: Duration) -> u64 {
        let Some(interval) = self.interval else {
            return u64::MAX;
        };
        let earliest = now.saturating_sub(CATCH_UP);
        let next = self.next_start.unwrap_or(now).max(earliest);
        self.next_start = Some(next);
        match now.checked_sub(next) {
            Some(late) => 1 + (late.as_nanos() / interval.as_nanos().max(1)) as u64,
            None => {
                self.until = Some(next);
                0
            }
        }
    }

    /// Counts starts.
    pub(super) fn started(&mut self, count: u64, now: Duration) {
        if self.hold.is_some() {
            self.hold = Some(now.saturating_add(self.held()));
        }
        if let (Some(interval), Some(next)) = (self.interval, self.next_start) {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            self.next_start = Some(next.saturating_add(interval.saturating_mul(count)));
        }
        self.until = None;
    }

    /// Says that nothing can be handed out before a retry is due or something is observed.
    pub(super) fn idle(&mut self) {
        self.until = self.retries.iter().map(|retry| retry.due).min();
    }

    /// How long to wait before asking again.
    pub(super) fn pause(&self, now: Duration) -> Option<Duration> {
        self.until.map(|until| until.saturating_sub(now))
    }

    /// Whether executions of the plan have used up what they may, though an earlier one is
    /// not there yet: then nothing new begins.
    pub(super) fn is_spent(&self) -> bool {
        let waits = !self.said.is_empty();
        self.max_cost.is_some_and(|most| waits && self.judged + self.waiting >= most)
    }

    /// The budget, where the executions that were judged have used it up, with the attempts at
    /// the next one that were rejected.
    pub(super) fn exhausted(&self, next: u64) -> Option<f64> {
        let rejected = self.said.get(next).map_or(0.0, |said| said.rejected);
        self.max_cost.filter(|most| self.judged + rejected >= *most)
    }

    /// How long to wait for an answer before another execution tries.
    fn held(&self) -> Duration {
        let doubled = self.backoff.saturating_mul(1 << (self.streak - 2).min(20));
        doubled.min(LONGEST_HOLD)
    }

    /// Counts a failure of the infrastructure.
    pub(super) fn fail(&mut self, kind: &str, now: Duration) {
        self.failed += 1;
        self.streak = self.streak.saturating_add(1);
        if self.streak == 2 || self.hold.is_some_and(|until| now >= until) {
            self.hold = Some(now.saturating_add(self.held()));
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

    /// Makes an attempt again after a while; false where that is once too often.
    pub(super) fn retry(&mut self, range: Range, planned: bool, now: Duration) -> bool {
        let index = range.first;
        let same = |retry: &Retry| retry.range == range;
        if self.retries.iter().any(same) {
            // It was told twice.
            return true;
        }
        let tries = self.tries.get(index).copied().unwrap_or(0) + 1;
        if tries > UNAVAILABLE_IN_A_ROW {
            return false;
        }
        self.tries.insert(index, tries);
        let doubled = self.backoff.saturating_mul(1 << (tries - 1).min(20));
        let wait = doubled.min(LONGEST_BACKOFF);
        // Between a half and the whole, so that those that failed together do not come back together.
        let part = (mixed(index, tries) >> 40) as f64 / f64::from(1 << 24);
        let due = now.saturating_add(wait.mul_f64(0.5 + part / 2.0));
        self.retries.push(Retry { due, range, planned });
        true
    }

    /// The limit that failures of all executions together have come to.
    pub(super) fn too_many(&self) -> Option<u64> {
        (self.failed > self.most).then_some(self.most)
    }

    /// Takes what an execution says about itself.
    pub(super) fn hear(&mut self, index: u64, news: Said, kept: bool) {
        self.spent += news.cost;
        if kept {
            let mut said = self.said.get(index).copied().unwrap_or_default();
            said.cost += news.cost;
            said.rejected += news.rejected;
            self.waiting += news.cost;
            said.recorded = news.recorded.or(said.recorded);
            self.said.insert(index, said);
        }
    }

    /// An execution is answered: it fails no more.
    pub(super) fn answered(&mut self, index: u64) {
        (self.streak, self.hold) = (0, None);
        if !self.tries.is_empty() {
            self.tries.remove(index);
        }
    }

    /// Adds up what an execution said, in the order in which they are judged.
    pub(super) fn judge(&mut self, index: u64) {
        let Some(said) = self.said.remove(index) else {
            return;
        };
        self.judged += said.cost;
        self.waiting -= said.cost;
        if self.said.is_empty() {
            // What rounding has left of it.
            self.waiting = 0.0;
        }
        if let Some(recorded) = said.recorded {
            self.copies.add(index, recorded);
        }
    }

    /// How often which infrastructure failed.
    pub(super) fn kinds(&mut self) -> Vec<(String, u64)> {
        let mut kinds = std::mem::take(&mut self.kinds);
        kinds.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        kinds
    }

    /// What was spent, of how much; none where nobody told a cost.
    pub(super) fn cost(&self) -> Option<(f64, Option<f64>)> {
        (self.spent > 0.0 || self.max_cost.is_some()).then_some((self.spent, self.max_cost))
    }
}

/// Spreads two small numbers over 64 bits.
fn mixed(one: u64, other: u64) -> u64 {
    let mut word = one.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(other);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
