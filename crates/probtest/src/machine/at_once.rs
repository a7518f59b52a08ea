//! Executions of an async body that wait at the same time, on one thread and one runtime.
//!
//! Each is its own future with its own random source. Woken futures are polled, then the runtime
//! gets its turn; a future that is no longer needed is dropped, which ends it.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use super::{Attempt, Executor, Next, Serial, TICK, TestRun};
use crate::run::{Observation, Pending, Watched, execution};
use crate::seed::TestRng;

/// An async body.
pub type AsyncBody<'a> = &'a dyn for<'r> Fn(&'r mut TestRng) -> Pending<'r>;

/// Runs several executions of an async body at the same time.
pub struct AtOnce<'a> {
    most: usize,
    body: AsyncBody<'a>,
}

impl<'a> AtOnce<'a> {
    /// Prepares to run at most this many executions at the same time.
    pub fn new(most: usize, body: AsyncBody<'a>) -> Self {
        AtOnce { most, body }
    }
}

impl Executor for AtOnce<'_> {
    fn execute(&mut self, run: &mut TestRun<'_>) {
        let body = self.body;
        let mut alone = |rng: &mut TestRng| on_a_runtime(body(rng));
        let mut serial = Serial::new(&mut alone);
        let watched = Watched::new();
        while !run.is_planned() {
            if !serial.step(run) {
                return;
            }
        }
        let mut under_way = UnderWay::new(self.most.max(1), body);
        on_a_runtime(poll_fn(|context| under_way.poll(run, context)));
        drop(under_way);
        run.doubt_panics(watched.late());
        drop(watched);
        // The execution that decided runs again alone.
        serial.execute(run);
    }
}

/// Runs a future on a fresh current-thread runtime, so that no task outlives its execution.
pub(crate) fn on_a_runtime<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system gives a Tokio runtime its event queue");
    runtime.block_on(future)
}

/// A running attempt.
type Slot<'a> = (Attempt, Pin<Box<dyn Future<Output = (Observation, bool)> + 'a>>);

/// The woken slots, and the waker to call when one is added.
type Woken = (VecDeque<usize>, Option<Waker>);

struct WakesSlot {
    place: usize,
    woken: Arc<Mutex<Woken>>,
}

impl Wake for WakesSlot {
    fn wake(self: Arc<Self>) {
        let mut woken = lock(&self.woken);
        if !woken.0.contains(&self.place) {
            woken.0.push_back(self.place);
        }
        let waker = woken.1.take();
        drop(woken);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

fn lock(woken: &Mutex<Woken>) -> MutexGuard<'_, Woken> {
    woken.lock().unwrap_or_else(PoisonError::into_inner)
}

struct UnderWay<'a> {
    body: AsyncBody<'a>,
    slots: Vec<Option<Slot<'a>>>,
    wakers: Vec<Waker>,
    free: Vec<usize>,
    woken: Arc<Mutex<Woken>>,
    tick: Option<Pin<Box<tokio::time::Sleep>>>,
}

impl<'a> UnderWay<'a> {
    fn new(most: usize, body: AsyncBody<'a>) -> Self {
        let woken = Arc::default();
        let waker = |place| Arc::new(WakesSlot { place, woken: Arc::clone(&woken) }).into();
        UnderWay {
            body,
            slots: (0..most).map(|_| None).collect(),
            wakers: (0..most).map(waker).collect(),
            free: (0..most).rev().collect(),
            woken,
            tick: None,
        }
    }

    /// Starts what the run asks for, polls what was woken, and is ready once the plan is finished.
    fn poll(&mut self, run: &mut TestRun<'_>, context: &mut Context<'_>) -> Poll<()> {
        let woken = std::mem::take(&mut lock(&self.woken).0);
        for place in woken {
            self.poll_slot(place, run);
            if !run.is_planned() {
                break;
            }
        }
        let mut pause = None;
        while run.is_planned()
            && let Some(place) = self.free.last().copied()
        {
            match run.next() {
                Next::Attempt(attempt) => {
                    self.free.pop();
                    let future = Box::pin(execution(attempt.rng(), self.body));
                    self.slots[place] = Some((attempt, future));
                    lock(&self.woken).0.push_back(place);
                }
                Next::Wait => {
                    pause = run.pause();
                    break;
                }
                Next::Done => return self.end(),
            }
        }
        if !run.is_planned() || self.free.len() == self.slots.len() && pause.is_none() {
            return self.end();
        }
        // The runtime gets its turn before futures that were woken in the meantime.
        let mut woken = lock(&self.woken);
        woken.1 = Some(context.waker().clone());
        let goes_on = !woken.0.is_empty();
        drop(woken);
        if goes_on {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut tick = Box::pin(tokio::time::sleep(pause.map_or(TICK, |pause| pause.min(TICK))));
        if tick.as_mut().poll(context).is_ready() {
            context.waker().wake_by_ref();
        }
        self.tick = Some(tick);
        Poll::Pending
    }

    fn poll_slot(&mut self, place: usize, run: &mut TestRun<'_>) {
        let Some((attempt, future)) = &mut self.slots[place] else {
            return;
        };
        let mut context = Context::from_waker(&self.wakers[place]);
        let Poll::Ready((observation, has_drawn)) = future.as_mut().poll(&mut context) else {
            return;
        };
        let record = attempt.did(observation, has_drawn);
        self.slots[place] = None;
        self.free.push(place);
        let _ = run.observe(record);
        let needed = run.horizon().load(Ordering::Relaxed);
        for (place, slot) in self.slots.iter_mut().enumerate() {
            if slot.as_ref().is_some_and(|(attempt, _)| attempt.index > needed) {
                *slot = None;
                self.free.push(place);
            }
        }
    }

    fn end(&mut self) -> Poll<()> {
        self.slots.fill_with(|| None);
        Poll::Ready(())
    }
}
