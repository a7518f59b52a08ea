//! Executions one after the other on the calling thread, or on several threads.
//!
//! Workers take ranges of consecutive executions. The calling thread owns the run: it hands out
//! ranges and observes the results.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Chunks, Executor, Next, Range, RangeRecord, SharedBody, TICK, TestRun};
use crate::run::{Observation, Violation, Watched, once, uncaught};
use crate::seed::TestRng;

/// A range grows until it takes this long: long enough to hide the hand-over, short enough that
/// little work is wasted.
const RANGE_TIME: Duration = Duration::from_millis(1);
/// Queued ranges per worker, so that none waits for the calling thread, even on a busy machine.
const AHEAD: u64 = 8;

/// Calls a body on this thread. The body may keep state.
pub struct Serial<'a> {
    body: &'a mut dyn FnMut(&mut TestRng) -> Observation,
    /// Whether panics of the body are left uncaught outside the plan.
    uncaught: bool,
}

impl<'a> Serial<'a> {
    /// Prepares to call a body.
    pub fn new(body: &'a mut dyn FnMut(&mut TestRng) -> Observation) -> Self {
        Serial { body, uncaught: false }
    }

    /// Leaves a panic of the body an ordinary panic, for a replayed execution.
    pub(crate) fn uncaught(body: &'a mut dyn FnMut(&mut TestRng) -> Observation) -> Self {
        Serial { body, uncaught: true }
    }
}

impl Executor for Serial<'_> {
    fn execute(&mut self, run: &mut TestRun<'_>) {
        let watched = Watched::new();
        while self.step(run) {}
        run.doubt_panics(watched.late());
    }
}

impl Serial<'_> {
    /// Runs the next executions, and says whether there is more to do.
    pub(super) fn step(&mut self, run: &mut TestRun<'_>) -> bool {
        match run.next_stride() {
            Next::Attempt(range) => self.make(range, run),
            Next::Wait => {
                let Some(pause) = run.pause() else {
                    return false;
                };
                // When asked again, the run checks whether it was stopped.
                std::thread::sleep(pause.min(TICK));
            }
            Next::Done => return false,
        }
        true
    }

    /// Runs an execution outside the plan and records its inputs and draws.
    #[cold]
    fn make_seen(&mut self, range: Range, run: &mut TestRun<'_>) {
        for attempt in range.attempts() {
            let mut rng = run.open(&attempt);
            let made = match self.uncaught {
                false => Ok(once(&mut rng, self.body)),
                true => uncaught(&mut rng, self.body),
            };
            let (has_drawn, drawn) = (rng.has_drawn(), rng.drawn());
            let observation = made.unwrap_or_else(|payload| {
                run.keep_inputs(&drawn);
                std::panic::resume_unwind(payload)
            });
            let record = attempt.did(observation, has_drawn);
            if run.observe_seen(record, drawn).is_done() {
                return;
            }
        }
    }

    /// Runs the executions of a range until one is rejected, which is drawn again first.
    fn make(&mut self, range: Range, run: &mut TestRun<'_>) {
        if !run.is_planned() {
            return self.make_seen(range, run);
        }
        let at_once = run.passes_wait();
        // Passes not yet reported to the run, and how many of them drew.
        let (mut passes, mut drew) = (0, 0);
        for attempt in range.attempts() {
            let mut rng = attempt.rng();
            let observation = once(&mut rng, self.body);
            if at_once && attempt.attempt == 0 && matches!(observation, Observation::Passed) {
                // It owns nothing, and checking that on drop takes as long as the rest of this
                // loop.
                std::mem::forget(observation);
                passes += 1;
                drew += u64::from(rng.has_drawn());
                continue;
            }
            let told = run.observe_passes(attempt.index - passes, passes, drew);
            (passes, drew) = (0, 0);
            let rejected = observation.is_rejected();
            let record = attempt.did(observation, rng.has_drawn());
            if told.is_done() || run.observe(record).is_done() {
                return;
            }
            if rejected {
                run.take_back(attempt.index + 1);
                return;
            }
        }
        // The next call says whether more is needed.
        let _ = run.observe_passes(range.last + 1 - passes, passes, drew);
    }
}

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
        // Executions of earlier runs run one after the other, whatever their index.
        {
            let _watched = Watched::new();
            while !run.is_planned() {
                if !serial.step(run) {
                    return;
                }
            }
        }
        let desk = RangeQueue { horizon: run.horizon(), ..RangeQueue::default() };
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
                    // The system can't start more threads. The running ones do the work; without
                    // any, this thread does it.
                    desk.lock().workers -= 1;
                    if worker == 0 {
                        return serial.execute(run);
                    }
                    break;
                }
            }
            desk.serve(run, jobs);
        });
        run.doubt_panics(desk.lock().late.drain(..));
        // Run the rest on this thread.
        serial.execute(run);
    }
}

#[derive(Default)]
struct State {
    open: VecDeque<Range>,
    done: Vec<RangeRecord>,
    /// Panics of threads after the last execution of the worker that started them.
    late: Vec<Violation>,
    /// The number of workers, and how many of them wait for a range.
    workers: u64,
    idle: u64,
    /// Rejected executions that aren't open again yet. They are drawn again before later ones
    /// start: a program may take long, or wait for an earlier one.
    rejected: u64,
    stop: bool,
}

#[derive(Default)]
struct RangeQueue {
    state: Mutex<State>,
    /// Signals the calling thread that work is done, or that a worker is idle or gone.
    news: Condvar,
    /// Signals workers that there is a range, or nothing more.
    ranges: Condvar,
    /// No execution after this one is needed.
    horizon: Arc<AtomicU64>,
}

/// Does something on drop, even if the thread panics.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl RangeQueue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker: takes ranges until there are no more.
    fn work(&self, body: SharedBody<'_>) {
        // The calling thread waits for the number of running workers.
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

    fn make(&self, range: Range, body: SharedBody<'_>) -> RangeRecord {
        let began = Instant::now();
        let mut work = RangeRecord::new(&range);
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

    /// The calling thread: hands out ranges and observes their results.
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
