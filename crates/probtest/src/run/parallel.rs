//! Executions on several threads, delivered as if there were one.
//!
//! Workers take chunks of consecutive executions. The calling thread puts the
//! chunks back into index order and hands the records to the sink, so that the
//! sink sees the same records in the same order as from [`super::serial`]. What
//! lies beyond the record that ends the work is thrown away.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::execute;
use super::{Observation, Record, Sink, Work, serial};
use crate::seed::TestRng;

/// A chunk grows until it takes this long: long enough to hide the hand-over,
/// short enough that little work is thrown away.
const CHUNK_TIME: Duration = Duration::from_millis(1);
const LARGEST_CHUNK: u64 = 1 << 14;
/// Finished chunks, and records in them, that may wait for an earlier one. They
/// bound the memory when one execution takes much longer than the others.
const WAITING_CHUNKS: usize = 1024;
const WAITING_RECORDS: usize = 1 << 18;
/// How often the sink is asked while nothing finishes.
const TICK: Duration = Duration::from_millis(50);

/// Executes the work on `jobs` threads until it ends or the sink says stop.
pub fn parallel<B>(work: &Work, jobs: usize, body: &B, sink: &mut impl Sink)
where
    B: Fn(&mut TestRng) -> Observation + Sync,
{
    let (first, last) = (*work.indices.start(), *work.indices.end());
    if jobs <= 1 || first >= last {
        return serial(work, &mut &*body, sink);
    }
    let board = Board::new(work);
    let jobs = u64::try_from(jobs)
        .unwrap_or(u64::MAX)
        .min(last - first + 1);
    std::thread::scope(|scope| {
        // Also when the sink panics: the scope waits for the workers.
        let _stop = StopOnDrop(&board);
        for worker in 0..jobs {
            board.lock().workers += 1;
            let thread = std::thread::Builder::new().name(format!("probtest-{}", worker + 1));
            let board = &board;
            if thread
                .spawn_scoped(scope, move || board.work_off(jobs, body))
                .is_err()
            {
                // The system gives no more threads. Those that run do the work;
                // without any, this thread does.
                board.lock().workers -= 1;
                if worker == 0 {
                    serial(work, &mut &*body, sink);
                    return;
                }
                break;
            }
        }
        board.deliver(sink);
    });
}

/// Finished executions: all that is not in `records` passed without rejections.
struct Chunk {
    last: u64,
    /// Whether any of those that passed drew from its source.
    drew: bool,
    records: Vec<Record>,
}

struct State {
    next: u64,
    finished: BTreeMap<u64, Chunk>,
    waiting_records: usize,
    workers: usize,
}

/// What workers and the calling thread share.
struct Board<'a> {
    work: &'a Work,
    state: Mutex<State>,
    /// Tells the calling thread that a chunk or a worker has finished.
    finished: Condvar,
    /// Tells workers that there is room for more.
    room: Condvar,
    /// No execution after this one is needed.
    horizon: AtomicU64,
    stop: AtomicBool,
}

struct StopOnDrop<'a, 'b>(&'a Board<'b>);

impl Drop for StopOnDrop<'_, '_> {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::SeqCst);
        // Taking the lock makes sure that no worker is between its look at
        // `stop` and its wait.
        drop(self.0.lock());
        self.0.room.notify_all();
    }
}

/// Tells that a worker is gone, also when it panicked: the calling thread waits
/// for as many as there are.
struct LeaveOnDrop<'a, 'b>(&'a Board<'b>);

impl Drop for LeaveOnDrop<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().workers -= 1;
        self.0.finished.notify_one();
    }
}

impl<'a> Board<'a> {
    fn new(work: &'a Work) -> Self {
        Board {
            work,
            state: Mutex::new(State {
                next: *work.indices.start(),
                finished: BTreeMap::new(),
                waiting_records: 0,
                workers: 0,
            }),
            finished: Condvar::new(),
            room: Condvar::new(),
            horizon: AtomicU64::new(*work.indices.end()),
            stop: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn work_off<B>(&self, jobs: u64, body: &B)
    where
        B: Fn(&mut TestRng) -> Observation + Sync,
    {
        let _leave = LeaveOnDrop(self);
        let mut size = 1;
        while let Some((first, last)) = self.claim(size, jobs) {
            let began = Instant::now();
            let chunk = self.execute(first, last, &mut &*body);
            if began.elapsed() < CHUNK_TIME {
                size = (size * 2).min(LARGEST_CHUNK);
            } else {
                size = (size / 2).max(1);
            }
            let mut state = self.lock();
            state.waiting_records += chunk.records.len();
            state.finished.insert(first, chunk);
            self.finished.notify_one();
        }
    }

    /// Takes the next chunk, or none when there is nothing more to do.
    fn claim(&self, size: u64, jobs: u64) -> Option<(u64, u64)> {
        let mut state = self.lock();
        loop {
            let end = self.horizon.load(Ordering::SeqCst);
            if self.stopped() || state.next > end {
                return None;
            }
            if state.finished.len() < WAITING_CHUNKS && state.waiting_records < WAITING_RECORDS {
                let left = end - state.next + 1;
                // Towards the end chunks get small, so that all finish together.
                let size = size.min((left / (2 * jobs)).max(1));
                let first = state.next;
                state.next += size;
                return Some((first, first + size - 1));
            }
            state = self
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn execute(
        &self,
        first: u64,
        last: u64,
        body: &mut impl FnMut(&mut TestRng) -> Observation,
    ) -> Chunk {
        let mut chunk = Chunk {
            last: first - 1,
            drew: false,
            records: Vec::new(),
        };
        for index in first..=last {
            if self.stopped() || index > self.horizon.load(Ordering::Relaxed) {
                break;
            }
            let record = execute::count(&self.work.stream, index, body);
            chunk.last = index;
            let ends = self.work.ends_with(&record.observation);
            if record.observation == Observation::Passed && record.rejected == 0 {
                chunk.drew |= record.drew;
            } else {
                chunk.records.push(record);
            }
            if ends {
                self.horizon.fetch_min(index, Ordering::SeqCst);
                break;
            }
        }
        chunk
    }

    /// Hands records to the sink in index order.
    fn deliver(&self, sink: &mut impl Sink) {
        let mut next = *self.work.indices.start();
        let mut ticked = Instant::now();
        if sink.tick().is_break() {
            return;
        }
        while next <= self.horizon.load(Ordering::SeqCst) {
            if ticked.elapsed() >= TICK {
                if sink.tick().is_break() {
                    return;
                }
                ticked = Instant::now();
            }
            let state = self.lock();
            let Some(chunk) = self.take(state, next) else {
                if self.is_over(next) {
                    return;
                }
                continue;
            };
            let after = chunk.last + 1;
            if hand_on(next, chunk, sink).is_break() {
                return;
            }
            next = after;
        }
    }

    /// Takes the chunk that begins at `next`, waiting a moment for it.
    fn take(&self, mut state: MutexGuard<'_, State>, next: u64) -> Option<Chunk> {
        if !state.finished.contains_key(&next) && state.workers > 0 {
            (state, _) = self
                .finished
                .wait_timeout(state, TICK)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let chunk = state.finished.remove(&next)?;
        state.waiting_records -= chunk.records.len();
        drop(state);
        self.room.notify_all();
        Some(chunk)
    }

    /// Says whether no worker is left that could finish the chunk at `next`.
    fn is_over(&self, next: u64) -> bool {
        let state = self.lock();
        state.workers == 0 && !state.finished.contains_key(&next)
    }
}

fn hand_on(first: u64, chunk: Chunk, sink: &mut impl Sink) -> ControlFlow<()> {
    let mut index = first;
    for record in chunk.records {
        while index < record.index {
            sink.record(passed(index, chunk.drew))?;
            index += 1;
        }
        sink.record(record)?;
        index += 1;
    }
    while index <= chunk.last {
        sink.record(passed(index, chunk.drew))?;
        index += 1;
    }
    ControlFlow::Continue(())
}

fn passed(index: u64, drew: bool) -> Record {
    Record {
        index,
        rejected: 0,
        drew,
        observation: Observation::Passed,
    }
}
