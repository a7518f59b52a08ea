//! Random schedules for concurrent bodies: one thread of the body runs at a time, and probtest
//! draws which one goes next.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

use probtest_syntax::{Error, Probability, duration_text};
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, Runner};

use super::{Observation, lock, once, panics};
use crate::seed::{BLOCK_WORDS, RunSeed, Stream, TestRng};
use crate::settings::TimeLimit;

/// How many executions tell how many threads and steps there are.
const MEASURED: u64 = 50;
/// How many inputs may be rejected in a row while executions are measured.
const MOST_INPUTS: u64 = 1000;
/// The largest depth that is sensible: each step of it multiplies the executions by the steps.
const DEEPEST: u32 = 10;

/// Why there is no story of a violation that shuttle finds itself.
const NO_STORY: &str = "a deadlock, or a panic outside the first thread, is not shrunk";

/// How the threads of a concurrent body are scheduled: see [`pct`] and [`random`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedules {
    depth: Option<u32>,
}

/// Draws schedules with probabilistic concurrency testing, which finds a bug of this depth with a
/// known probability.
///
/// The depth of a bug is the number of ordering constraints between steps of different threads that
/// are enough to trigger it: 1 for "the reader comes before the writer", 2 for a write between a
/// check and the act that depends on it. 50 executions measure the number of threads `n` and the
/// most steps; `k` is that plus a quarter. A bug of depth `d` then shows in one execution with
/// probability at least `1 / (n k^(d - 1))`, which is the `p` of the test; you set only `epsilon`.
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

/// Draws at each step which thread goes on, all with the same probability. This gives no bound on
/// the probability of a bug, so you set the `p` to catch.
pub const fn random() -> Schedules {
    Schedules { depth: None }
}

/// How many threads and steps the executions of a test have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// The depth of the bugs to find.
    pub depth: u32,
    /// The most threads of an execution, including the first one.
    pub threads: u64,
    /// The most steps of an execution, plus a quarter.
    pub steps: u64,
    /// The execution that violated while it was measured, if one did: then all run as it did, and
    /// the test comes to it.
    pub(crate) violated: Option<u64>,
    /// How long it took.
    pub(crate) time: Duration,
    /// What it cost.
    pub(crate) cost: f64,
}

/// What measuring may take: it is part of the test.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeasuringLimits {
    pub(crate) inputs: Option<u64>,
    /// The time that ends first, and what is left of it.
    pub(crate) time: Option<(TimeLimit, Duration)>,
    pub(crate) cost: Option<f64>,
    pub(crate) rejections: Option<u64>,
    /// The time between two starts.
    pub(crate) interval: Duration,
}

impl MeasuringLimits {
    /// Refuses another execution where a limit is reached.
    fn check(&self, (made, rejected): (u64, u64), measured: &Measured) -> Result<(), Error> {
        let time = self.time.filter(|(_, left)| measured.time >= *left).map(|(limit, _)| {
            let name = if limit.of_suite { "suite_max_time" } else { "max_time" };
            (name, duration_text(limit.duration))
        });
        let rejections = self.rejections.filter(|most| rejected > *most);
        let rejections = rejections.map(|most| ("max_rejections", most.to_string()));
        let cost = self.cost.filter(|most| measured.cost >= *most);
        let cost = cost.map(|most| ("max_cost", most.to_string()));
        let Some((name, value)) = time.or(rejections).or(cost) else {
            return Ok(());
        };
        let rejected = match rejected {
            0 => String::new(),
            1 => ", 1 attempt rejected".to_owned(),
            rejected => format!(", {rejected} attempts rejected"),
        };
        Err(Error::new(
            format!(
                "{name} is too small for the {MEASURED} executions that measure how many threads and steps there are"
            ),
            format!("{name} = {value}, {made} executions made{rejected}"),
            format!("raise {name}, or write `schedules = random`, which measures nothing"),
        ))
    }
}

impl Measured {
    /// The probability with which a bug of this depth shows at least.
    pub(crate) fn p(&self) -> Result<Probability, Error> {
        let steps = u128::from(self.steps);
        let mut all =
            (1..self.depth).try_fold(u128::from(self.threads), |all, _| all.checked_mul(steps));
        let given =
            format!("pct(depth = {}): threads {}, steps {}", self.depth, self.threads, self.steps);
        // The plan has to come to the execution that is known to violate.
        if self.violated.is_some() {
            let (fewest, most) = (u128::from(MEASURED) * 20, 1 << 60);
            all = Some(all.unwrap_or(most).clamp(fewest, most));
        }
        let all = all.filter(|all| *all <= 1 << 60).ok_or_else(|| {
            Error::new(
                "bugs of this depth are too rare to find in executions of this size",
                given.clone(),
                "give a smaller depth, or make the body shorter",
            )
        })?;
        if self.threads == 0 {
            return Err(Error::new(
                format!("all {MEASURED} executions that were measured were rejected"),
                given,
                "draw inputs that the body accepts",
            ));
        }
        if self.threads < 2 && self.violated.is_none() {
            return Err(Error::new(
                "the body has one thread, so there is nothing to schedule",
                given,
                "start threads with shuttle::thread::spawn and synchronize them with shuttle's primitives",
            ));
        }
        Probability::parse(&format!("1/{all}"))
    }
}

type ConcurrentBody = Arc<dyn Fn(&mut TestRng) -> Observation + Send + Sync>;

/// A body, and how its threads take turns.
pub(crate) struct ScheduledBody {
    schedules: Schedules,
    test: String,
    body: ConcurrentBody,
    /// By run seed: a counterexample of another run needs what was measured there.
    measured: Mutex<HashMap<RunSeed, Measured>>,
}

impl fmt::Debug for ScheduledBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScheduledBody").field("schedules", &self.schedules).finish_non_exhaustive()
    }
}

impl ScheduledBody {
    pub(crate) fn new(schedules: Schedules, test: String, body: ConcurrentBody) -> Self {
        ScheduledBody { schedules, test, body, measured: Mutex::default() }
    }

    /// Measures the executions of a run, where the probability of a bug follows from that.
    pub(crate) fn measured(
        &self,
        seed: RunSeed,
        limits: MeasuringLimits,
    ) -> Result<Option<Measured>, Error> {
        let Some(depth) = self.schedules.depth else {
            return Ok(None);
        };
        if !(1..=DEEPEST).contains(&depth) {
            return Err(Error::new(
                "the depth of a bug must be a small number",
                format!("pct(depth = {depth})"),
                format!("write a depth from 1 to {DEEPEST}; most known bugs have 1 or 2"),
            ));
        }
        if let Some(known) = lock(&self.measured).get(&seed) {
            return Ok(Some(*known));
        }
        let began = Instant::now();
        let mut measured = Measured { depth, ..Measured::default() };
        let stream = Stream::new(seed, &self.test).with_inputs(limits.inputs);
        let (mut index, mut attempt, mut rejected) = (1, stream.applicable(1, 0), 0);
        while index <= MEASURED && measured.violated.is_none() {
            limits.check((index - 1, rejected), &measured)?;
            if index > 1 || rejected > 0 {
                thread::sleep(limits.interval);
            }
            let mut size = ScheduleSize::default();
            let mut rng = stream.attempt(index, attempt);
            let observation = once(&mut rng, &mut |rng| {
                let result;
                (size, result) = self.run(rng, None);
                result.unwrap_or_else(|payload| resume_unwind(payload))
            });
            measured.time = began.elapsed();
            if let Observation::Noted { cost: Some(cost), .. } = &observation {
                measured.cost += cost.0;
            }
            if observation.is_rejected() {
                rejected += 1;
                // Executions that share an input take the first one that applies.
                let by_input = stream.inputs().is_some() && !rng.has_drawn();
                if by_input && stream.parts(attempt).1 < MOST_INPUTS {
                    attempt = stream.after_rejection(attempt, false);
                    stream.learn(index, attempt);
                    continue;
                }
            } else {
                // One that is rejected may have ended before its threads began.
                measured.threads = measured.threads.max(size.threads);
                measured.steps = measured.steps.max(size.steps);
                measured.violated = observation.is_violated().then_some(index);
            }
            index += 1;
            attempt = stream.applicable(index, 0);
        }
        // Programs that try again, or wait, take more steps now and then.
        measured.steps += measured.steps.div_ceil(4);
        lock(&self.measured).insert(seed, measured);
        Ok(Some(measured))
    }

    /// Executes the body once.
    pub(crate) fn execute(&self, rng: &mut TestRng) -> Observation {
        let address = rng.selection().address;
        let limits = MeasuringLimits { inputs: rng.shared_inputs(), ..MeasuringLimits::default() };
        let measured = match self.measured(address.seed, limits) {
            Ok(measured) => measured,
            Err(error) => return Observation::Broken(error.what()),
        };
        let violated = measured.and_then(|measured| measured.violated);
        let measured = measured.filter(|_| violated.is_none());
        let (size, result) = self.run(rng, measured);
        let passes = result.as_ref().is_ok_and(|observation| !observation.is_violated());
        if violated == Some(address.index) && !rng.is_seen() && passes {
            return Observation::Broken(
                "it violated while threads and steps were measured, but not now: something other than the schedule and the seed decides".into(),
            );
        }
        let observation = result.unwrap_or_else(|payload| resume_unwind(payload));
        let fits =
            measured.is_none_or(|most| size.threads <= most.threads && size.steps <= most.steps);
        if fits || observation.is_rejected() {
            return observation;
        }
        let ScheduleSize { threads, steps, .. } = size;
        Observation::Larger { threads, steps, otherwise: Box::new(observation) }
    }

    /// Runs the body to its end, by this much of probabilistic concurrency testing.
    fn run(
        &self,
        rng: &mut TestRng,
        pct: Option<Measured>,
    ) -> (ScheduleSize, thread::Result<Observation>) {
        let turns = Turns::draw(rng, pct);
        // What the schedule takes is not what the program draws.
        rng.begin_program();
        let (size, result) = self.run_by(rng, turns);
        if size.chosen {
            rng.take_input();
        }
        (size, result)
    }

    /// Runs the body to its end, in this order.
    fn run_by(
        &self,
        rng: &mut TestRng,
        turns: Turns,
    ) -> (ScheduleSize, thread::Result<Observation>) {
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
        *rng = lent.unwrap_or_else(|| {
            let mut lost = rng.lent();
            lost.take_input();
            lost
        });
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
}

/// How large an execution was.
#[derive(Clone, Copy, Debug, Default)]
struct ScheduleSize {
    threads: u64,
    steps: u64,
    /// Whether the body has ended by a panic, so that no thread goes on.
    stops: bool,
    /// Whether several threads could have gone on at a step: only then is a schedule random.
    chosen: bool,
}

/// Who goes next in one execution. All that it needs is drawn before the body begins.
#[derive(Debug, Default)]
struct Turns {
    size: Arc<Mutex<ScheduleSize>>,
    begun: bool,
    /// By thread; those at a change point sink below all others, and threads that yield below these.
    priorities: Option<Vec<i64>>,
    /// The steps at which the thread that would go next sinks. The first of them in this list, not in
    /// time, sinks deepest: a thread that was stopped may go on before one that was stopped earlier.
    changes: Vec<u64>,
    /// How often a thread has yielded.
    yields: i64,
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
        // Whole blocks: the program begins with one of its own.
        let taken = pct.map_or(0, |pct| pct.threads + u64::from(pct.depth) - 1) + 2;
        for _ in taken..taken.next_multiple_of(BLOCK_WORDS) {
            rng.draw_u64();
        }
        let numbers = ["the order of threads", "the seed of shuttle::rand"].map(|what| {
            let number = rng.draw_u64();
            rng.name_last(what, None);
            number
        });
        Turns { priorities, changes, numbers, ..Turns::default() }
    }

    /// The next of the numbers that follow from one that was drawn.
    fn number(&mut self, purpose: usize) -> u64 {
        let number = &mut self.numbers[purpose];
        *number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*number ^ *number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn sink(&mut self, thread: usize, to: i64) {
        if let Some(priorities) = &mut self.priorities {
            priorities[thread] = to;
        }
    }

    /// The thread with the highest priority; of equal ones the oldest.
    fn first(&mut self, runnable: &[usize]) -> usize {
        let newest = runnable.iter().max().map_or(0, |newest| newest + 1);
        while self.priorities.as_ref().is_some_and(|all| all.len() < newest) {
            let more = (self.number(0) >> 1) as i64;
            self.priorities.get_or_insert_default().push(more);
        }
        let all = self.priorities.as_deref().unwrap_or_default();
        let best = runnable.iter().max_by_key(|thread| (all[**thread], -(**thread as i64)));
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
            size.chosen |= runnable.len() > 1;
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
            self.yields += 1;
            self.sink(current.into(), -i64::from(DEEPEST) - self.yields);
        }
        for change in 0..self.changes.len() {
            if self.changes[change] == step {
                let next = self.first(&runnable);
                self.sink(next, change as i64 - i64::from(DEEPEST));
            }
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
        let scheduled = ScheduledBody::new(pct(depth), "shares".into(), Arc::new(body));
        let rng = || Stream::new(RunSeed(1), "shares").execution(1);
        // The size over all schedules, not over those that happen to be drawn.
        let mut size = ScheduleSize::default();
        for seed in 0..200 {
            let turns = Turns { numbers: [seed, 0], ..Turns::default() };
            let seen = once_by(&scheduled, &mut rng(), turns).0;
            size.threads = size.threads.max(seen.threads);
            size.steps = size.steps.max(seen.steps);
        }
        let (mut all, mut violated) = (0, 0);
        for order in orders(size.threads as usize) {
            for changes in choices(size.steps, depth - 1) {
                let turns = Turns { priorities: Some(order.clone()), changes, ..Turns::default() };
                all += 1;
                violated += u32::from(once_by(&scheduled, &mut rng(), turns).1);
            }
        }
        let promised = (size.threads * size.steps.pow(depth - 1)) as f64;
        (f64::from(violated) / f64::from(all), 1.0 / promised)
    }

    fn once_by(scheduled: &ScheduledBody, rng: &mut TestRng, turns: Turns) -> (ScheduleSize, bool) {
        let (mut size, mut turns) = (ScheduleSize::default(), Some(turns));
        let observation = once(rng, &mut |rng| {
            let result;
            (size, result) = scheduled.run_by(rng, turns.take().unwrap());
            result.unwrap_or_else(|payload| resume_unwind(payload))
        });
        (size, observation.is_violated())
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

    /// One thread has to stop at its first step and another at its second, and the one that was
    /// stopped first goes on last: two moments, in an order that a later change must not turn round.
    fn stopped_first_goes_on_last(_: &mut TestRng) {
        type Log = (AtomicU32, std::sync::Mutex<Vec<&'static str>>);
        let log = Arc::new((AtomicU32::new(0), std::sync::Mutex::new(Vec::new())));
        let step = |log: &Log, name| {
            log.0.fetch_add(1, SeqCst);
            log.1.lock().unwrap().push(name);
        };
        let (ready, wait) = shuttle::sync::mpsc::channel();
        let logs = [log.clone(), log.clone(), log.clone()];
        let [x, y, z] = logs;
        let threads = [
            thread::spawn(move || ["x1", "x2"].map(|name| step(&x, name)).len()),
            thread::spawn(move || {
                wait.recv().unwrap();
                ["y1", "y2"].map(|name| step(&y, name)).len()
            }),
            thread::spawn(move || {
                step(&z, "w");
                ready.send(()).unwrap();
                step(&z, "z");
                1
            }),
        ];
        for thread in threads {
            thread.join().unwrap();
        }
        let log = log.1.lock().unwrap();
        let at = |name| log.iter().position(|known| *known == name);
        let order = ["x1", "w", "y1", "z", "y2", "x2"].map(at);
        assert!(!order.is_sorted(), "{log:?}");
    }

    #[test]
    fn over_all_schedules_a_bug_is_as_frequent_as_promised_at_least() {
        for (depth, body) in [
            (1, too_early as fn(&mut TestRng)),
            (2, lost_update),
            (2, deadlock),
            (3, handed_over_twice),
            (3, stopped_first_goes_on_last),
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
