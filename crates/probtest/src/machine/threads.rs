//! Executions on several threads.
//!
//! Workers take ranges of consecutive executions. The calling thread owns the run: it
//! takes ranges for the workers and observes what they did.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Chunks, Executor, Next, Range, Serial, SharedBody, TICK, TestRun, Work};
use crate::run::{Violation, Watched, once};
use crate::seed::TestRng;

/// A range grows until it takes this long: long enough to hide the hand-over,
/// short enough that little work is thrown away.
const RANGE_TIME: Duration = Duration::from_millis(1);
/// Ranges that wait for each worker, so that none waits for the calling thread, even on a busy machine.
const AHEAD: u64 = 8;

/// Calls a body on several threads.
pub struct Threads<'a> {
    jobs: usize,
    body: SharedBody<'a>,
}

impl<'a> Threads<'a> {
    /// Prepares to call a body on this many threads.
    pub fn new(jobs: usize, body: SharedBody<'a>) -> Self {
        Threads { jobs, body }
    }
}

impl Executor for Threads<'_> {
    fn execute(&mut self, run: &mut TestRun<'_>) {
        let (jobs, body) = ((self.jobs as u64).min(run.left()), self.body);
        let mut alone = |rng: &mut TestRng| body(rng);
        let mut serial = Serial::new(&mut alone);
        if jobs <= 1 {
            return serial.execute(run);
        }
        // Executions of earlier runs come one after the other, whatever their index.
        {
            let _watched = Watched::new();
            while !run.is_planned() {
                if !serial.step(run) {
                    return;
                }
            }
        }
        let desk = Desk { horizon: run.horizon(), ..Desk::default() };
        std::thread::scope(|scope| {
            // The scope waits for the workers.
            let _stop = OnDrop(|| {
                desk.lock().stop = true;
                desk.horizon.store(0, Ordering::SeqCst);
                desk.ranges.notify_all();
            });
            for worker in 0..jobs {
                desk.lock().workers += 1;
                let thread = std::thread::Builder::new().name(format!("probtest-{}", worker + 1));
                let desk = &desk;
                let spawned = thread.spawn_scoped(scope, move || desk.work(body));
                if spawned.is_err() {
                    // The system gives no more threads. Those that run do the work;
                    // without any, this thread does.
                    desk.lock().workers -= 1;
                    if worker == 0 {
                        return serial.execute(run);
                    }
                    break;
                }
            }
            desk.serve(run, jobs);
        });
        for panic in desk.lock().late.drain(..) {
            run.doubt_panic(panic);
        }
        // What is left is made alone.
        serial.execute(run);
    }
}

#[derive(Default)]
struct State {
    open: VecDeque<Range>,
    done: Vec<Work>,
    /// Panics of threads that came after the last execution of the worker that started them.
    late: Vec<Violation>,
    /// Workers that run, and those of them that wait for a range.
    workers: u64,
    idle: u64,
    /// Executions that were rejected and are not open again yet. They are drawn again
    /// before later ones begin: a program may take long, or wait for an earlier one.
    rejected: u64,
    stop: bool,
}

#[derive(Default)]
struct Desk {
    state: Mutex<State>,
    /// Tells the calling thread that work is done, or a worker is idle or gone.
    news: Condvar,
    /// Tells workers that there is a range, or nothing more.
    ranges: Condvar,
    /// No execution after this one is needed.
    horizon: Arc<AtomicU64>,
}

/// Does something in any case, even if the thread panics.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One worker: takes ranges until there are no more.
    fn work(&self, body: SharedBody<'_>) {
        // The calling thread waits for as many as there are.
        let _leave = OnDrop(|| {
            self.lock().workers -= 1;
            self.news.notify_one();
        });
        let watched = Watched::new();
        let mut state = self.lock();
        loop {
            while (state.open.is_empty() || state.rejected > 0) && !state.stop {
                state.idle += 1;
                self.news.notify_one();
                state = self.ranges.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
            let Some(range) = state.open.pop_front().filter(|_| !state.stop) else {
                state.late.extend(watched.late());
                return;
            };
            drop(state);
            let work = self.make(range, body);
            state = self.lock();
            state.rejected += u64::from(work.is_rejected());
            state.done.push(work);
            self.news.notify_one();
        }
    }

    fn make(&self, range: Range, body: SharedBody<'_>) -> Work {
        let began = Instant::now();
        let mut work = Work::new(&range);
        for attempt in range.attempts() {
            if attempt.index > self.horizon.load(Ordering::Relaxed) {
                break;
            }
            let mut rng = attempt.rng();
            let observation = once(&mut rng, &mut |rng| body(rng));
            work.add(attempt.did(observation, rng.has_drawn()));
        }
        work.took = began.elapsed();
        work
    }

    /// The calling thread: hands out ranges and observes what was done with them.
    fn serve(&self, run: &mut TestRun<'_>, jobs: u64) {
        let (mut chunks, mut rejected) = (Chunks::new(RANGE_TIME), 0);
        loop {
            let waiting = self.lock().open.len() as u64;
            let wanted = (AHEAD * jobs).saturating_sub(waiting) + rejected;
            let mut open = Vec::new();
            for _ in 0..wanted {
                match run.next_range(chunks.next(run.left(), jobs)) {
                    Next::Attempt(range) => open.push(range),
                    Next::Wait => break,
                    Next::Done => return,
                }
            }
            let mut state = self.lock();
            for range in open {
                match range.attempt {
                    0 => state.open.push_back(range),
                    _ => state.open.push_front(range),
                }
            }
            state.rejected -= std::mem::take(&mut rejected);
            if !state.open.is_empty() && state.idle > 0 {
                self.ranges.notify_all();
            }
            if state.done.is_empty() {
                if state.workers == 0 {
                    return;
                }
                (state, _) = self
                    .news
                    .wait_timeout(state, run.pause().map_or(TICK, |pause| pause.min(TICK)))
                    .unwrap_or_else(PoisonError::into_inner);
            }
            let done = std::mem::take(&mut state.done);
            drop(state);
            for work in done {
                chunks.learn(work.made(), work.took);
                rejected += u64::from(work.is_rejected());
                if run.take(work).is_done() {
                    return;
                }
            }
        }
    }
}
