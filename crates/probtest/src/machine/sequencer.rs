//! Puts records back into index order.
//!
//! Executions are handed out in order and answered in any order. Early records wait, up to a bound;
//! rejected executions are handed out again; duplicates are compared.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Next, Range, is_too_often};
use crate::run::{Observation, Record};
use crate::seed::Stream;
use crate::settings::Shard;

/// Entries that may wait for an earlier one. This bounds the memory when one execution takes much
/// longer than the others.
const MOST_WAITING: usize = 1 << 16;
/// How many results are kept to compare with duplicates.
const KEPT: u64 = 1024;
/// About how many blocks of executions each shard has.
const BLOCKS: u64 = 64;

pub(super) struct Sequencer {
    stream: Stream,
    /// The first execution that was never handed out.
    next: u64,
    /// All executions up to this one have been delivered or belong to another shard.
    pub(super) delivered: u64,
    /// The blocks of this shard; `None` if it isn't a shard.
    blocks: Option<Blocks>,
    /// No execution after this one is needed.
    pub(super) last: u64,
    /// The same, for executors to check while they work.
    pub(super) horizon: Arc<AtomicU64>,
    redraws: Ordered<Redraw>,
    /// Ranges whose executor was lost; they are handed out again.
    lost: Vec<Range>,
    /// The last execution with a known result.
    known: u64,
    waiting: Ordered<WaitingResult>,
    /// The latest results, except passes in the first attempt, by index modulo their number.
    kept: Vec<KeptResult>,
}

struct Redraw {
    attempt: u64,
    /// Whether an earlier attempt drew from its source.
    has_drawn: bool,
    handed_out: bool,
}

#[derive(Clone, Copy, Default)]
struct KeptResult {
    index: u64,
    attempt: u64,
    fingerprint: u64,
}

pub(super) enum WaitingResult {
    /// Plain passes up to this one, and how many of them drew from their source.
    Passes { last: u64, drew: u64 },
    /// One execution.
    Record(Record),
}

pub(super) enum SortedRecord {
    /// It is the next one: deliver it, then what waits for it.
    Now(Record),
    /// It waits, is drawn again, or says nothing new.
    Kept,
    /// The same execution gave two results.
    Contradiction,
}

impl Sequencer {
    pub(super) fn new(stream: Stream, last: u64, blocks: Option<Blocks>) -> Self {
        Sequencer {
            stream,
            next: 1,
            delivered: blocks.map_or(0, |blocks| blocks.first_own(1) - 1),
            blocks,
            last,
            horizon: Arc::new(AtomicU64::new(last)),
            redraws: Ordered::default(),
            lost: Vec::new(),
            known: 0,
            waiting: Ordered::default(),
            kept: Vec::new(),
        }
    }

    pub(super) fn owns(&self, index: u64) -> bool {
        self.blocks.is_none_or(|blocks| blocks.owns(index))
    }

    pub(super) fn left(&self) -> u64 {
        if let Some(blocks) = &self.blocks {
            let handed_out = blocks.own_up_to(self.next - 1);
            return blocks.own_up_to(self.last).saturating_sub(handed_out);
        }
        // Not `last + 1`, which would overflow if an estimate plans `u64::MAX` executions.
        self.last.saturating_sub(self.next - 1)
    }

    /// Marks all executions up to this one as delivered.
    #[inline]
    pub(super) fn deliver(&mut self, index: u64) {
        self.delivered = index;
        if let Some(blocks) = &self.blocks {
            self.delivered = blocks.first_own(index.saturating_add(1)) - 1;
        }
    }

    #[inline]
    pub(super) fn next(&mut self, most: u64) -> Next<Range> {
        if !self.redraws.is_empty()
            && let Some(range) = self.next_redraw()
        {
            return Next::Attempt(range);
        }
        if !self.lost.is_empty()
            && let Some(range) = self.next_lost(most)
        {
            return Next::Attempt(range);
        }
        if self.known.max(self.delivered) >= self.next || self.blocks.is_some() {
            self.skip_known();
        }
        if self.next > self.last || self.waiting.len() >= MOST_WAITING {
            return Next::Wait;
        }
        let first = self.next;
        let mut last = first.saturating_add(most - 1).min(self.last);
        if self.known > first {
            last = self.before_known(first, last);
        }
        if let Some(blocks) = &self.blocks {
            last = last.min(blocks.last_beside(first));
        }
        self.next = last + 1;
        Next::Attempt(Range { stream: self.stream, first, last, attempt: 0 })
    }

    /// Hands out only executions that were started and must run again, nothing new.
    pub(super) fn next_again(&mut self, most: u64) -> Next<Range> {
        let again = self.next_redraw().or_else(|| self.next_lost(most));
        again.map_or(Next::Wait, Next::Attempt)
    }

    /// Whether this attempt is still unanswered.
    pub(super) fn is_open(&self, index: u64, attempt: u64) -> bool {
        let expected = self.redraws.get(index).map_or(0, |redraw| redraw.attempt);
        index > self.delivered
            && index <= self.last
            && attempt >= expected
            && self.waiting_at(index).is_none()
    }

    /// Hands out again what an executor lost and what isn't known by now.
    #[cold]
    fn next_lost(&mut self, most: u64) -> Option<Range> {
        while let Some(mut range) = self.lost.pop() {
            range.first = self.first_unknown(range.first);
            let end = range.last.min(self.last);
            if range.first > end {
                continue;
            }
            let last = range.first.saturating_add(most - 1).min(end);
            let last = self.before_known(range.first, last);
            if last < end {
                let first = last + 1;
                self.lost.push(Range { first, ..range });
            }
            return Some(Range { last, ..range });
        }
        None
    }

    /// Marks a range that won't be answered, to be handed out again.
    pub(super) fn lose(&mut self, range: Range) {
        match range.attempt {
            0 => self.lost.push(range),
            attempt => {
                for (index, redraw) in self.redraws.iter_mut() {
                    let own = (range.first..=range.last).contains(index);
                    redraw.handed_out &= !(own && redraw.attempt == attempt);
                }
            }
        }
    }

    /// Skips executions that were answered before they were asked for, and those of other shards.
    #[cold]
    fn skip_known(&mut self) {
        self.next = self.first_unknown(self.next);
        while let Some(blocks) = self.blocks.filter(|blocks| !blocks.owns(self.next)) {
            self.next = self.first_unknown(blocks.first_own(self.next));
        }
    }

    /// The first execution from this one on whose result isn't known.
    fn first_unknown(&self, index: u64) -> u64 {
        let mut index = index.max(self.delivered + 1);
        loop {
            match self.waiting_at(index) {
                Some(WaitingResult::Passes { last, .. }) => index = last + 1,
                Some(WaitingResult::Record(_)) => index += 1,
                // A rejected execution is redrawn separately.
                None if self.redraws.get(index).is_some() => index += 1,
                None => return index,
            }
        }
    }

    /// The first of these executions with a known result.
    fn first_known(&self, first: u64, last: u64) -> Option<u64> {
        let waiting = self.waiting.first_at(first, last);
        let redraw = self.redraws.first_at(first, last);
        waiting.into_iter().chain(redraw).min()
    }

    /// The end of the run of executions from `first` on that aren't known.
    #[cold]
    fn before_known(&self, first: u64, last: u64) -> u64 {
        self.first_known(first, last).map_or(last, |known| known - 1)
    }

    /// Takes back the executions from this one on, the last ones handed out.
    pub(super) fn take_back(&mut self, first: u64) {
        if self.delivered < first {
            self.next = self.next.min(first);
        }
    }

    #[cold]
    fn next_redraw(&mut self) -> Option<Range> {
        for (index, redraw) in self.redraws.iter_mut() {
            if *index > self.last {
                break;
            }
            if !redraw.handed_out {
                redraw.handed_out = true;
                return Some(Range::one(self.stream, *index, redraw.attempt));
            }
        }
        None
    }

    /// How often the execution that is judged next was rejected.
    pub(super) fn rejected_first(&self) -> u64 {
        let redraw = self.redraws.get(self.delivered + 1);
        redraw.map_or(0, |redraw| self.stream.rejections(redraw.attempt))
    }

    /// Whether a record can be delivered immediately, since it is in order.
    #[inline]
    pub(super) fn is_next(&self, record: &Record) -> bool {
        record.index == self.delivered + 1
            && record.attempt == 0
            && !matches!(record.observation, Observation::Rejected)
            && self.redraws.is_empty()
    }

    /// Sorts a record that is early, late, a duplicate or rejected.
    #[cold]
    pub(super) fn sort(&mut self, mut record: Record, decides: bool) -> SortedRecord {
        let index = record.index;
        if index <= self.delivered {
            return self.compare(&record);
        }
        self.known = self.known.max(index);
        match self.waiting_at(index) {
            Some(WaitingResult::Passes { .. }) => {
                return repeated(&record, 0, &Observation::Passed);
            }
            Some(WaitingResult::Record(other)) => {
                return repeated(&record, other.attempt, &other.observation);
            }
            None => {}
        }
        let redraw = self.redraws.get(index);
        let expected = redraw.map_or(0, |redraw| redraw.attempt);
        if record.attempt < expected {
            // This attempt was already rejected.
            return match record.observation {
                Observation::Rejected => SortedRecord::Kept,
                _ => SortedRecord::Contradiction,
            };
        }
        let drew_before = redraw.is_some_and(|redraw| redraw.has_drawn);
        if record.observation == Observation::Rejected {
            record.attempt = (self.stream).after_rejection(record.attempt, record.has_drawn);
            self.stream.learn(index, record.attempt);
            if !is_too_often(&self.stream, record.attempt) {
                let redraw = Redraw {
                    attempt: record.attempt,
                    has_drawn: record.has_drawn || drew_before,
                    handed_out: false,
                };
                self.redraws.insert(index, redraw);
                return SortedRecord::Kept;
            }
        }
        record.has_drawn |= drew_before;
        self.redraws.remove(index);
        if decides {
            self.lower(index);
        }
        if index == self.delivered + 1 {
            return SortedRecord::Now(record);
        }
        self.waiting.insert(index, WaitingResult::Record(record));
        SortedRecord::Kept
    }

    pub(super) fn wait(&mut self, first: u64, last: u64, drew: u64) {
        self.known = self.known.max(last);
        self.waiting.insert(first, WaitingResult::Passes { last, drew });
    }

    #[inline]
    pub(super) fn take_next(&mut self) -> Option<WaitingResult> {
        if self.waiting.is_empty() {
            return None;
        }
        self.waiting.remove(self.delivered + 1)
    }

    /// Whether something is known about one of these executions, so that the passes can't be taken
    /// in bulk.
    pub(super) fn knows(&self, first: u64, last: u64) -> bool {
        first <= self.delivered
            || self.waiting_at(first).is_some()
            || self.first_known(first, last).is_some()
    }

    fn waiting_at(&self, index: u64) -> Option<&WaitingResult> {
        let (first, waiting) = self.waiting.at_or_before(index)?;
        let last = match waiting {
            WaitingResult::Passes { last, .. } => last,
            WaitingResult::Record(_) => first,
        };
        (index <= *last).then_some(waiting)
    }

    pub(super) fn lower(&mut self, index: u64) {
        self.last = self.last.min(index);
        self.horizon.fetch_min(index, Ordering::SeqCst);
    }

    #[inline]
    pub(super) fn keep(&mut self, record: &Record) {
        if matches!(record.observation, Observation::Passed) && record.attempt == 0 {
            return;
        }
        if self.kept.is_empty() {
            self.kept = vec![KeptResult::default(); KEPT as usize];
        }
        self.kept[(record.index % KEPT) as usize] = KeptResult {
            index: record.index,
            attempt: record.attempt,
            fingerprint: fingerprint(&record.observation),
        };
    }

    fn compare(&self, record: &Record) -> SortedRecord {
        let index = record.index;
        if index + KEPT <= self.delivered {
            // Too long ago to tell.
            return SortedRecord::Kept;
        }
        let kept = self.kept.get((index % KEPT) as usize);
        match kept.filter(|kept| kept.index == index) {
            Some(kept) => compared(record, kept.attempt, kept.fingerprint),
            None => repeated(record, 0, &Observation::Passed),
        }
    }
}

/// Compares a record with what is known: the attempt that counted, and its result.
fn repeated(record: &Record, attempt: u64, counted: &Observation) -> SortedRecord {
    compared(record, attempt, fingerprint(counted))
}

fn compared(record: &Record, attempt: u64, counted: u64) -> SortedRecord {
    let same = match record.attempt < attempt {
        // Every attempt before the one that counted was rejected.
        true => record.observation == Observation::Rejected,
        false => record.attempt == attempt && fingerprint(&record.observation) == counted,
    };
    if same { SortedRecord::Kept } else { SortedRecord::Contradiction }
}

/// What distinguishes results. Not the text of a violation, which may contain a memory address or a
/// time.
fn fingerprint(observation: &Observation) -> u64 {
    let observation = observation.plain();
    let mut hasher = DefaultHasher::new();
    std::mem::discriminant(observation).hash(&mut hasher);
    match observation {
        Observation::Outcome(outcome) => outcome.hash(&mut hasher),
        Observation::Number(number) => number.0.to_bits().hash(&mut hasher),
        Observation::Pair(pair) => {
            let values = [&pair.old, &pair.new].map(|did| did.value().to_bits());
            values.hash(&mut hasher);
        }
        Observation::Label(label) => label.hash(&mut hasher),
        _ => {}
    }
    hasher.finish()
}

/// Entries ordered by execution.
///
/// Entries are inserted near the end and removed near the start, so a queue is enough. A `BTreeMap`
/// made up a tenth of what the library adds to a debug build.
pub(super) struct Ordered<T> {
    entries: VecDeque<(u64, T)>,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered { entries: VecDeque::new() }
    }
}

impl<T> Ordered<T> {
    fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The position of the entry, or where it belongs.
    fn place(&self, index: u64) -> Result<usize, usize> {
        match self.entries.back() {
            Some((last, _)) if *last >= index => {
                self.entries.binary_search_by_key(&index, |(other, _)| *other)
            }
            _ => Err(self.entries.len()),
        }
    }

    /// Inserts an entry, replacing an existing one.
    pub(super) fn insert(&mut self, index: u64, entry: T) {
        match self.place(index) {
            Ok(place) => self.entries[place].1 = entry,
            Err(place) => self.entries.insert(place, (index, entry)),
        }
    }

    pub(super) fn get(&self, index: u64) -> Option<&T> {
        self.place(index).ok().map(|place| &self.entries[place].1)
    }

    pub(super) fn remove(&mut self, index: u64) -> Option<T> {
        self.entries.remove(self.place(index).ok()?).map(|(_, entry)| entry)
    }

    fn first_at(&self, first: u64, last: u64) -> Option<u64> {
        let place = self.place(first).unwrap_or_else(|place| place);
        let (index, _) = self.entries.get(place)?;
        (*index <= last).then_some(*index)
    }

    fn at_or_before(&self, index: u64) -> Option<&(u64, T)> {
        match self.place(index) {
            Ok(place) => self.entries.get(place),
            Err(place) => self.entries.get(place.checked_sub(1)?),
        }
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut (u64, T)> {
        self.entries.iter_mut()
    }
}

/// Which executions belong to a shard.
///
/// Blocks of consecutive executions are dealt out in turn. They consist of whole batches, about 64
/// blocks for each shard, so that shards take equally long even if later executions take longer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    shard: Shard,
    size: u64,
}

impl Blocks {
    pub(super) fn new(shard: Shard, executions: u64, batch: u64) -> Self {
        let size = executions.div_ceil(shard.of() * BLOCKS).max(1);
        let size = size.div_ceil(batch).saturating_mul(batch);
        Blocks { shard, size }
    }

    fn block(&self, index: u64) -> u64 {
        (index - 1) / self.size
    }

    pub(super) fn owns(&self, index: u64) -> bool {
        self.block(index) % self.shard.of() == self.shard.number() - 1
    }

    /// The last execution of a block.
    pub(super) fn last_beside(&self, index: u64) -> u64 {
        (self.block(index) + 1).saturating_mul(self.size)
    }

    /// The first execution from this one on that belongs to the shard.
    pub(super) fn first_own(&self, index: u64) -> u64 {
        let (block, of) = (self.block(index), self.shard.of());
        let ahead = (self.shard.number() - 1 + of - block % of) % of;
        match ahead {
            0 => index,
            _ => (block + ahead).saturating_mul(self.size).saturating_add(1),
        }
    }

    /// How many of the executions up to this one belong to the shard.
    pub(super) fn own_up_to(&self, last: u64) -> u64 {
        let (round, before) = (
            self.size.saturating_mul(self.shard.of()),
            (self.shard.number() - 1).saturating_mul(self.size),
        );
        let rest = (last % round).saturating_sub(before).min(self.size);
        (last / round).saturating_mul(self.size).saturating_add(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::RunSeed;

    #[test]
    fn as_many_executions_as_there_are_numbers_can_be_left() {
        let stream = Stream::new(RunSeed(1), "test");
        let mut sequencer = Sequencer::new(stream, u64::MAX, None);
        assert_eq!(sequencer.left(), u64::MAX);
        let _ = sequencer.next(2);
        assert_eq!(sequencer.left(), u64::MAX - 2);
    }

    #[test]
    fn entries_are_found_by_their_execution_in_whatever_order_they_came() {
        let mut ordered = Ordered::default();
        for index in [5, 9, 2, 7, u64::MAX] {
            ordered.insert(index, index ^ 1);
        }
        ordered.insert(7, 1);
        assert_eq!((ordered.len(), ordered.is_empty()), (5, false));
        assert_eq!((ordered.get(7), ordered.get(8)), (Some(&1), None));
        let before = |index| ordered.at_or_before(index).map(|(index, _)| *index);
        assert_eq!([1, 2, 8, 9, 10].map(before), [None, Some(2), Some(7), Some(9), Some(9)]);
        assert_eq!(before(u64::MAX), Some(u64::MAX));
        let first = |first, last| ordered.first_at(first, last);
        assert_eq!([first(3, 5), first(0, u64::MAX)], [Some(5), Some(2)]);
        assert_eq!([first(3, 4), first(0, 1), first(10, 11)], [None; 3]);
        assert_eq!((ordered.remove(8), ordered.remove(5)), (None, Some(4)));
        let indices: Vec<u64> = ordered.iter_mut().map(|(index, _)| *index).collect();
        assert_eq!(indices, [2, 7, 9, u64::MAX]);
    }

    #[test]
    fn every_execution_belongs_to_one_shard_and_batches_stay_whole() {
        for (executions, of, batch) in
            [(390, 3, 1), (390, 16, 7), (5, 16, 1), (1, 1, 1), (10_000, 3, 1), (1000, 2, 64)]
        {
            let shards: Vec<Blocks> = (1..=of)
                .map(|number| format!("{number}/{of}").parse().unwrap())
                .map(|shard| Blocks::new(shard, executions, batch))
                .collect();
            let mut own = vec![0; shards.len()];
            for index in 1..=executions {
                let owners: Vec<usize> =
                    (0..shards.len()).filter(|place| shards[*place].owns(index)).collect();
                assert_eq!(owners.len(), 1, "execution {index} of {executions} in {of}");
                own[owners[0]] += 1;
                let first_of_batch = index - (index - 1) % batch;
                assert!(shards[owners[0]].owns(first_of_batch));
                for (blocks, own) in shards.iter().zip(&own) {
                    assert_eq!(blocks.own_up_to(index), *own);
                    let next = blocks.first_own(index);
                    assert!(next >= index && blocks.owns(next));
                    assert!((index..next).all(|index| !blocks.owns(index)));
                    assert!(blocks.block(blocks.last_beside(index)) == blocks.block(index));
                    assert!(blocks.block(blocks.last_beside(index) + 1) > blocks.block(index));
                }
            }
        }
    }
}
