//! Executions of concurrent bodies under schedules that are drawn: one thread of a body runs at a
//! time, and which one is decided here, from the stream of the execution.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread::Result;

use probtest_syntax::{Error, Probability};
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, Runner};

use super::{Observation, once, panics};
use crate::seed::{RunSeed, Stream, TestRng};

/// How many executions tell how many threads and steps there are.
const MEASURED: u64 = 16;
/// The largest depth that is sensible: each step of it multiplies the executions by the steps.
const DEEPEST: u32 = 10;

/// How the threads of a concurrent body take turns: see [`pct`] and [`random`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedules {
    depth: Option<u32>,
}

/// Draws schedules by probabilistic concurrency testing, which finds a bug of this depth with a
/// probability that is known.
///
/// The depth of a bug is the number of ordering constraints between steps of different threads
/// that are enough to make it happen: 1 for "the reader comes before the writer", 2 for a write
/// between a check and the act that depends on it. The first executions measure the number of
/// threads `n` and of steps `k`. A bug of depth `d` then shows in one execution with probability
/// at least `1 / (n k^(d - 1))`, which is the `p` of the test; you give only `epsilon`.
///
/// ```
/// use probtest::Probtest;
/// use probtest::schedules::pct;
/// use shuttle::sync::atomic::{AtomicU32, Ordering};
/// use std::sync::Arc;
///
/// let report = Probtest::new("two increments").schedules(pct(2)).report(|_| {
///     let counter = Arc::new(AtomicU32::new(0));
///     let other = counter.clone();
///     let increment = |counter: &AtomicU32| {
///         let before = counter.load(Ordering::SeqCst);
///         counter.store(before + 1, Ordering::SeqCst);
///     };
///     let thread = shuttle::thread::spawn(move || increment(&other));
///     increment(&counter);
///     thread.join().unwrap();
///     assert_eq!(counter.load(Ordering::SeqCst), 2);
/// })?;
/// assert!(!report.passed());
/// # Ok::<(), probtest::Error>(())
/// ```
pub const fn pct(depth: u32) -> Schedules {
    Schedules { depth: Some(depth) }
}

/// Draws at each step which thread goes on, all with the same probability. Nothing is known about
/// the probability of a bug then, so you say with `p` what must not go unnoticed.
pub const fn random() -> Schedules {
    Schedules { depth: None }
}

/// How large the executions of a test are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The depth of the bugs that are looked for.
    pub depth: u32,
    /// The most threads that an execution had, the first one included.
    pub threads: u64,
    /// The most steps at which several threads could go on.
    pub steps: u64,
    /// Whether an execution violated while it was measured: then all run as it did.
    violated: bool,
}

impl Measured {
    /// The probability with which a bug of this depth shows at least.
    pub(crate) fn p(&self) -> std::result::Result<Probability, Error> {
        let steps = u128::from(self.steps);
        let mut all = Some(u128::from(self.threads));
        for _ in 1..self.depth {
            all = all.and_then(|all| all.checked_mul(steps));
        }
        let given = format!(
            "pct(depth = {}): {} threads, {} steps",
            self.depth, self.threads, self.steps
        );
        let all = all.filter(|all| *all <= 1 << 60).ok_or_else(|| {
            Error::new(
                "bugs of this depth are too rare to look for in executions of this size",
                given.clone(),
                "give a smaller depth, or make the body shorter",
            )
        })?;
        if all < 2 {
            return Err(Error::new(
                "the body never has two threads that could go on, so there is nothing to schedule",
                given,
                "start threads by shuttle::thread::spawn and let them meet in shuttle's primitives",
            ));
        }
        Probability::parse(&format!("1/{all}"))
    }
}

/// How many executions had more threads or more steps than were measured, and the most of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Larger {
    /// The executions.
    pub executions: u64,
    /// The most threads.
    pub threads: u64,
    /// The most steps at which several threads could go on.
    pub steps: u64,
}

type SharedBody = Arc<dyn Fn(&mut TestRng) -> Observation + Send + Sync>;

/// A body, and how its threads take turns.
pub(crate) struct Scheduled {
    schedules: Schedules,
    test: String,
    body: SharedBody,
    /// By run seed: a counterexample of another run needs what was measured there.
    measured: Mutex<HashMap<RunSeed, Measured>>,
    larger: Mutex<Larger>,
}

impl fmt::Debug for Scheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduled")
            .field("schedules", &self.schedules)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic leaves behind is whole: nothing is changed in several steps.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Scheduled {
    pub(crate) fn new(schedules: Schedules, test: String, body: SharedBody) -> Self {
        Scheduled {
            schedules,
            test,
            body,
            measured: Mutex::default(),
            larger: Mutex::default(),
        }
    }

    /// Measures the executions of a run, where the probability of a bug follows from that.
    pub(crate) fn measured(&self, seed: RunSeed) -> std::result::Result<Option<Measured>, Error> {
        let Some(depth) = self.schedules.depth else {
            return Ok(None);
        };
        if !(1..=DEEPEST).contains(&depth) {
            return Err(Error::new(
                "the depth of a bug is a small number",
                format!("pct(depth = {depth})"),
                format!("write a depth from 1 to {DEEPEST}; most known bugs have 1 or 2"),
            ));
        }
        Ok(Some(self.measure(seed, depth)))
    }

    fn measure(&self, seed: RunSeed, depth: u32) -> Measured {
        if let Some(known) = lock(&self.measured).get(&seed) {
            return *known;
        }
        let mut measured = Measured {
            depth,
            threads: 0,
            steps: 0,
            violated: false,
        };
        let stream = Stream::new(seed, &self.test);
        for index in 1..=MEASURED {
            let mut size = Size::default();
            let observation = once(&mut stream.execution(index), &mut |rng| {
                let result;
                (size, result) = self.run(rng, None);
                result.unwrap_or_else(|payload| std::panic::resume_unwind(payload))
            });
            measured.threads = measured.threads.max(size.threads);
            measured.steps = measured.steps.max(size.steps);
            measured.violated = matches!(observation.plain(), Observation::Violated(_));
            if measured.violated {
                break;
            }
        }
        lock(&self.measured).insert(seed, measured);
        measured
    }

    /// Executes the body once.
    pub(crate) fn execute(&self, rng: &mut TestRng) -> Observation {
        let measured = self.schedules.depth.map(|depth| {
            let seed = rng.selection().address.seed;
            self.measure(seed, depth)
        });
        let measured = measured.filter(|measured| !measured.violated);
        let (size, result) = self.run(rng, measured);
        if let Some(measured) = measured
            && !rng.is_seen()
            && (size.threads > measured.threads || size.steps > measured.steps)
        {
            let mut larger = lock(&self.larger);
            larger.executions += 1;
            larger.threads = larger.threads.max(size.threads);
            larger.steps = larger.steps.max(size.steps);
        }
        result.unwrap_or_else(|payload| std::panic::resume_unwind(payload))
    }

    /// Runs the body to its end, by this much of probabilistic concurrency testing.
    fn run(&self, rng: &mut TestRng, pct: Option<Measured>) -> (Size, Result<Observation>) {
        get_ready();
        let size = Arc::new(Mutex::new(Size::default()));
        let scheduler = Turns::draw(rng, pct, size.clone());
        // A body whose other thread panics is never finished: nothing waits for what it was lent.
        let lent = Arc::new(Mutex::new((Some(rng.lent()), None)));
        let (body, lent_to) = (self.body.clone(), lent.clone());
        let runner = Runner::new(scheduler, config());
        let result = catch_unwind(AssertUnwindSafe(|| {
            runner.run(move || {
                let Some(mut rng) = lock(&lent_to).0.take() else {
                    return;
                };
                let returned = body(&mut rng);
                *lock(&lent_to) = (Some(rng), Some(returned));
            })
        }));
        let (lent, returned) = std::mem::take(&mut *lock(&lent));
        *rng = lent.unwrap_or_else(|| rng.lent());
        let size = *lock(&size);
        // Shuttle stops an execution only where it panics.
        let ended = |_| returned.unwrap_or(Observation::Rejected);
        (size, result.map(ended))
    }

    /// How many executions were larger than what was measured.
    pub(crate) fn larger(&self) -> Larger {
        *lock(&self.larger)
    }
}

/// How large an execution was.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    threads: u64,
    steps: u64,
}

/// Who goes next in one execution. All that it needs is drawn before the body begins.
#[derive(Debug)]
struct Turns {
    size: Arc<Mutex<Size>>,
    begun: bool,
    /// By thread; threads that yield, and those at a change point, sink below all others.
    priorities: Option<Vec<i64>>,
    /// The steps at which the thread that would go next sinks.
    changes: Vec<u64>,
    sunk: i64,
    /// Numbers for choices that need no draw of their own, and for `shuttle::rand`.
    numbers: [u64; 2],
}

impl Turns {
    fn draw(rng: &mut TestRng, pct: Option<Measured>, size: Arc<Mutex<Size>>) -> Self {
        let (mut priorities, mut changes) = (None, Vec::new());
        if let Some(pct) = pct {
            let drawn = (0..pct.threads).map(|thread| {
                let word = rng.draw_u64();
                rng.name_last(&format!("the priority of thread {thread}"), None);
                (word >> 1) as i64
            });
            priorities = Some(drawn.collect());
            for _ in 1..pct.depth {
                let step = 1 + (u128::from(rng.draw_u64()) * u128::from(pct.steps) >> 64) as u64;
                rng.name_last("the change of priorities", Some(format!("step {step}")));
                changes.push(step);
            }
        }
        Turns {
            size,
            begun: false,
            priorities,
            changes,
            sunk: 0,
            numbers: [rng.draw_u64(), rng.draw_u64()],
        }
    }

    /// The next of the numbers that follow from one that was drawn.
    fn number(&mut self, purpose: usize) -> u64 {
        let number = &mut self.numbers[purpose];
        *number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*number ^ *number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn sink(&mut self, thread: usize) {
        self.sunk -= 1;
        if let Some(priorities) = &mut self.priorities {
            priorities[thread] = self.sunk;
        }
    }

    /// The thread with the highest priority; of equal ones the oldest.
    fn first(&mut self, runnable: &[usize]) -> usize {
        let newest = runnable.iter().max().map_or(0, |newest| newest + 1);
        while self
            .priorities
            .as_ref()
            .is_some_and(|all| all.len() < newest)
        {
            let more = (self.number(0) >> 1) as i64;
            self.priorities.as_mut().map(|all| all.push(more));
        }
        let all = self.priorities.as_deref().unwrap_or_default();
        let best = runnable
            .iter()
            .max_by_key(|thread| (all[**thread], -(**thread as i64)));
        best.copied().unwrap_or_default()
    }
}

impl Scheduler for Turns {
    fn new_execution(&mut self) -> Option<Schedule> {
        // One execution is all.
        (!std::mem::replace(&mut self.begun, true)).then(|| Schedule::new(0))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        yields: bool,
    ) -> Option<TaskId> {
        let runnable: Vec<usize> = runnable.iter().map(|task| task.id().into()).collect();
        let newest = runnable.iter().max().map_or(0, |newest| newest + 1);
        let step = {
            let mut size = lock(&self.size);
            size.threads = size.threads.max(newest as u64);
            size.steps += u64::from(runnable.len() > 1);
            size.steps
        };
        if self.priorities.is_none() {
            let among = runnable.len() as u128;
            let chosen = match runnable.len() {
                1 => 0,
                _ => (u128::from(self.number(0)) * among >> 64) as usize,
            };
            return Some(runnable[chosen].into());
        }
        if let Some(current) = current.filter(|_| yields) {
            self.sink(current.into());
        }
        if runnable.len() > 1 {
            let changes = self.changes.iter().filter(|at| **at == step).count();
            for _ in 0..changes {
                let next = self.first(&runnable);
                self.sink(next);
            }
        }
        Some(self.first(&runnable).into())
    }

    fn next_u64(&mut self) -> u64 {
        self.number(1)
    }
}

fn config() -> Config {
    let mut config = Config::new();
    // An assertion that fails needs more than shuttle gives a thread.
    config.stack_size = 1 << 19;
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    config
}

/// Lets the panic hook of probtest come before that of shuttle, which prints at each panic.
fn get_ready() {
    static READY: Once = Once::new();
    READY.call_once(|| {
        let nothing = Turns {
            size: Arc::default(),
            begun: false,
            priorities: None,
            changes: Vec::new(),
            sunk: 0,
            numbers: [0; 2],
        };
        Runner::new(nothing, config()).run(|| ());
        panics::keep_quiet();
    });
}
