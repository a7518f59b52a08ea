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
const MEASURED: u64 = 50;
/// The largest depth that is sensible: each step of it multiplies the executions by the steps.
const DEEPEST: u32 = 10;

/// Why there is no story of a violation that shuttle finds itself.
const NO_STORY: &str = "a deadlock, or a panic outside of the first thread, is not made smaller";

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
/// between a check and the act that depends on it. 50 executions measure the number of
/// threads `n` and of steps, of which `k` is a quarter more than the most. A bug of depth `d` then shows in one execution with probability
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
    /// The steps that an execution has at most, with a quarter to spare.
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
            "pct(depth = {}): threads {}, steps {}",
            self.depth, self.threads, self.steps
        );
        let all = all.filter(|all| *all <= 1 << 60).ok_or_else(|| {
            Error::new(
                "bugs of this depth are too rare to look for in executions of this size",
                given.clone(),
                "give a smaller depth, or make the body shorter",
            )
        })?;
        if self.threads < 2 {
            return Err(Error::new(
                "the body has one thread, so there is nothing to schedule",
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
    /// The most steps.
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
        // Programs that try again, or wait, take more steps now and then.
        measured.steps += measured.steps.div_ceil(4);
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
        let turns = Turns::draw(rng, pct);
        self.run_by(rng, turns)
    }

    fn run_by(&self, rng: &mut TestRng, turns: Turns) -> (Size, Result<Observation>) {
        get_ready();
        let size = turns.size.clone();
        // A body whose other thread panics is never finished: nothing waits for what it was lent.
        let lent = Arc::new(Mutex::new((Some(rng.lent()), None)));
        let (body, lent_to, stopping) = (self.body.clone(), lent.clone(), size.clone());
        let runner = Runner::new(turns, config());
        let ended = catch_unwind(AssertUnwindSafe(|| {
            runner.run(move || {
                let Some(mut rng) = lock(&lent_to).0.take() else {
                    return;
                };
                // Shuttle would print a line for each panic that it sees.
                let result = catch_unwind(AssertUnwindSafe(|| body(&mut rng)));
                lock(&stopping).stops = result.is_err();
                *lock(&lent_to) = (Some(rng), Some(result));
            })
        }));
        let (lent, result) = std::mem::take(&mut *lock(&lent));
        *rng = lent.unwrap_or_else(|| rng.lent());
        let size = *lock(&size);
        let result = match (result, ended) {
            (Some(Err(payload)), _) => Err(payload),
            (_, Err(payload)) => {
                // It prints a line each time, and a story takes hundreds of executions.
                rng.hide(NO_STORY);
                Err(payload)
            }
            (Some(Ok(returned)), Ok(_)) => Ok(returned),
            // Shuttle ends an execution early only where something panics.
            (None, Ok(_)) => Ok(Observation::Rejected),
        };
        (size, result)
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
    /// Whether the body has ended by a panic, so that no thread goes on.
    stops: bool,
}

/// Who goes next in one execution. All that it needs is drawn before the body begins.
#[derive(Debug, Default)]
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
    fn draw(rng: &mut TestRng, pct: Option<Measured>) -> Self {
        let (mut priorities, mut changes) = (None, Vec::new());
        if let Some(pct) = pct {
            let drawn = (0..pct.threads).map(|thread| {
                let word = rng.draw_u64();
                rng.name_last(&format!("the priority of thread {thread}"), None);
                (word >> 1) as i64
            });
            priorities = Some(drawn.collect());
            for _ in 1..pct.depth {
                let step = 1 + below(rng.draw_u64(), pct.steps);
                rng.name_last("the change of priorities", Some(format!("step {step}")));
                changes.push(step);
            }
        }
        let mut numbers = [0; 2];
        for (number, what) in numbers
            .iter_mut()
            .zip(["the order of threads", "the seed of shuttle::rand"])
        {
            *number = rng.draw_u64();
            rng.name_last(what, None);
        }
        Turns {
            priorities,
            changes,
            numbers,
            ..Turns::default()
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
            self.priorities.get_or_insert_default().push(more);
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
            size.steps += 1;
            if size.stops {
                return None;
            }
            size.steps
        };
        if self.priorities.is_none() {
            let chosen = match runnable.len() {
                1 => 0,
                many => below(self.number(0), many as u64),
            };
            return Some(runnable[chosen as usize].into());
        }
        if let Some(current) = current.filter(|_| yields) {
            self.sink(current.into());
        }
        let changes = self.changes.iter().filter(|at| **at == step).count();
        for _ in 0..changes {
            let next = self.first(&runnable);
            self.sink(next);
        }
        Some(self.first(&runnable).into())
    }

    fn next_u64(&mut self) -> u64 {
        self.number(1)
    }
}

/// A number below another one, from one of 64 bits.
fn below(word: u64, most: u64) -> u64 {
    ((u128::from(word) * u128::from(most)) >> 64) as u64
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
        Runner::new(Turns::default(), config()).run(|| ());
        panics::keep_quiet();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use shuttle::sync::Mutex as Lock;
    use shuttle::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use shuttle::thread;

    /// All orders of so many threads.
    fn orders(threads: usize) -> Vec<Vec<i64>> {
        let Some(fewer) = threads.checked_sub(1) else {
            return vec![vec![]];
        };
        let with = |order: Vec<i64>| {
            (0..threads).map(move |place| {
                let mut order = order.clone();
                order.insert(place, fewer as i64);
                order
            })
        };
        orders(fewer).into_iter().flat_map(with).collect()
    }

    /// All choices of the steps at which priorities change.
    fn choices(steps: u64, changes: u32) -> Vec<Vec<u64>> {
        (0..changes).fold(vec![vec![]], |shorter, _| {
            let longer = |choice: Vec<u64>| {
                (1..=steps).map(move |step| [choice.as_slice(), &[step]].concat())
            };
            shorter.into_iter().flat_map(longer).collect()
        })
    }

    /// The exact share of the schedules that violate, and the one that is promised.
    fn shares(depth: u32, body: fn(&mut TestRng)) -> (f64, f64) {
        let body = move |rng: &mut TestRng| {
            body(rng);
            Observation::Passed
        };
        let scheduled = Scheduled::new(pct(depth), "shares".into(), Arc::new(body));
        let rng = || Stream::new(RunSeed(1), "shares").execution(1);
        // The size over all schedules, not over those that happen to be drawn.
        let mut size = Size::default();
        for seed in 0..200 {
            let turns = Turns {
                numbers: [seed, 0],
                ..Turns::default()
            };
            let seen = once_by(&scheduled, &mut rng(), turns).0;
            size.threads = size.threads.max(seen.threads);
            size.steps = size.steps.max(seen.steps);
        }
        let (mut all, mut violated) = (0, 0);
        for order in orders(size.threads as usize) {
            for changes in choices(size.steps, depth - 1) {
                let turns = Turns {
                    priorities: Some(order.clone()),
                    changes,
                    ..Turns::default()
                };
                all += 1;
                violated += u32::from(once_by(&scheduled, &mut rng(), turns).1);
            }
        }
        let promised = (size.threads * size.steps.pow(depth - 1)) as f64;
        (f64::from(violated) / f64::from(all), 1.0 / promised)
    }

    fn once_by(scheduled: &Scheduled, rng: &mut TestRng, turns: Turns) -> (Size, bool) {
        let (mut size, mut turns) = (Size::default(), Some(turns));
        let observation = once(rng, &mut |rng| {
            let result;
            (size, result) = scheduled.run_by(rng, turns.take().unwrap());
            result.unwrap_or_else(|payload| std::panic::resume_unwind(payload))
        });
        (size, matches!(observation, Observation::Violated(_)))
    }

    /// The flag is read before it is written: one order of two steps.
    fn too_early(_: &mut TestRng) {
        let flag = Arc::new(AtomicU32::new(0));
        let other = flag.clone();
        let thread = thread::spawn(move || other.store(1, SeqCst));
        assert_eq!(flag.load(SeqCst), 1);
        thread.join().unwrap();
    }

    /// A write between a read and the write that depends on it: two orders.
    fn lost_update(_: &mut TestRng) {
        let counter = Arc::new(AtomicU32::new(0));
        let other = counter.clone();
        let increment = |counter: &AtomicU32| {
            let before = counter.load(SeqCst);
            counter.store(before + 1, SeqCst);
        };
        let thread = thread::spawn(move || increment(&other));
        increment(&counter);
        thread.join().unwrap();
        assert_eq!(counter.load(SeqCst), 2);
    }

    /// Two locks in two orders: two orders of steps as well.
    fn deadlock(_: &mut TestRng) {
        let locks = Arc::new((Lock::new(()), Lock::new(())));
        let other = locks.clone();
        let thread = thread::spawn(move || {
            let _second = other.1.lock().unwrap();
            let _first = other.0.lock().unwrap();
        });
        {
            let _first = locks.0.lock().unwrap();
            let _second = locks.1.lock().unwrap();
        }
        thread.join().unwrap();
    }

    /// The main thread has to stop twice: three orders.
    fn handed_over_twice(_: &mut TestRng) {
        let shared = Arc::new(AtomicU32::new(0));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            if other.load(SeqCst) == 1 {
                other.store(2, SeqCst);
                if other.load(SeqCst) == 3 {
                    other.store(4, SeqCst);
                }
            }
        });
        shared.store(1, SeqCst);
        if shared.load(SeqCst) == 2 {
            shared.store(3, SeqCst);
        }
        thread.join().unwrap();
        assert_ne!(shared.load(SeqCst), 4);
    }

    #[test]
    fn over_all_schedules_a_bug_is_as_frequent_as_promised_at_least() {
        for (depth, body) in [
            (1, too_early as fn(&mut TestRng)),
            (2, lost_update),
            (2, deadlock),
            (3, handed_over_twice),
        ] {
            let (share, promised) = shares(depth, body);
            assert!(share >= promised, "depth {depth}: {share} < {promised}");
            // One less is not enough: the depth is what it is said to be.
            if depth > 1 {
                assert_eq!(shares(depth - 1, body).0, 0.0, "depth {depth}");
            }
        }
    }
}
