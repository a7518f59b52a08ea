//! Executions of concurrent bodies under schedules that are drawn: one thread of a body runs at a
//! time. Here is what is measured beforehand, and what runs; `turns` decides which thread goes next.

mod turns;

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Result;
use std::time::{Duration, Instant};

use probtest_syntax::{Error, Probability, duration_text};
use shuttle::Runner;
use turns::{Size, Turns, config, get_ready};

use super::{Observation, once};
use crate::seed::{RunSeed, Stream, TestRng};
use crate::settings::TimeLimit;

/// How many executions tell how many threads and steps there are.
const MEASURED: u64 = 50;
/// How many inputs may be rejected in a row while executions are measured.
const MOST_INPUTS: u64 = 1000;
/// The largest depth that is sensible: each step of it multiplies the executions by the steps.
const DEEPEST: u32 = 10;

/// Why there is no story of a violation that shuttle finds itself.
const NO_STORY: &str = "a deadlock, or a panic outside the first thread, is not shrunk";

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
/// the probability of a bug then, so you say with `p` what to catch.
pub const fn random() -> Schedules {
    Schedules { depth: None }
}

/// How large the executions of a test are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The depth of the bugs that are looked for.
    pub depth: u32,
    /// The most threads that an execution had, the first one included.
    pub threads: u64,
    /// The steps that an execution has at most, with a quarter to spare.
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
pub(crate) struct Limits {
    pub(crate) inputs: Option<u64>,
    /// The time that ends first, and what is left of it.
    pub(crate) time: Option<(TimeLimit, Duration)>,
    pub(crate) cost: Option<f64>,
    pub(crate) rejections: Option<u64>,
    /// The time between two starts.
    pub(crate) interval: Duration,
}

impl Limits {
    /// Refuses another execution where a limit is reached.
    fn check(
        &self,
        (made, rejected): (u64, u64),
        measured: &Measured,
    ) -> std::result::Result<(), Error> {
        let reached = |name: &str, value: String| {
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
        };
        if let Some((limit, _)) = self.time.filter(|(_, left)| measured.time >= *left) {
            let name = if limit.of_suite { "suite_max_time" } else { "max_time" };
            return reached(name, duration_text(limit.duration));
        }
        if let Some(most) = self.rejections.filter(|most| rejected > *most) {
            return reached("max_rejections", most.to_string());
        }
        match self.cost.filter(|most| measured.cost >= *most) {
            Some(most) => reached("max_cost", most.to_string()),
            None => Ok(()),
        }
    }
}

impl Measured {
    /// The probability with which a bug of this depth shows at least.
    pub(crate) fn p(&self) -> std::result::Result<Probability, Error> {
        let steps = u128::from(self.steps);
        let mut all = Some(u128::from(self.threads));
        for _ in 1..self.depth {
            all = all.and_then(|all| all.checked_mul(steps));
        }
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
                "start threads with shuttle::thread::spawn and synchronise them with shuttle's primitives",
            ));
        }
        Probability::parse(&format!("1/{all}"))
    }
}

type SharedBody = Arc<dyn Fn(&mut TestRng) -> Observation + Send + Sync>;

/// A body, and how its threads take turns.
pub(crate) struct Scheduled {
    schedules: Schedules,
    test: String,
    body: SharedBody,
    /// By run seed: a counterexample of another run needs what was measured there.
    measured: Mutex<HashMap<RunSeed, Measured>>,
}

impl fmt::Debug for Scheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduled").field("schedules", &self.schedules).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic leaves behind is whole: nothing is changed in several steps.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Scheduled {
    pub(crate) fn new(schedules: Schedules, test: String, body: SharedBody) -> Self {
        Scheduled { schedules, test, body, measured: Mutex::default() }
    }

    /// Measures the executions of a run, where the probability of a bug follows from that.
    pub(crate) fn measured(
        &self,
        seed: RunSeed,
        limits: Limits,
    ) -> std::result::Result<Option<Measured>, Error> {
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
        self.measure(seed, depth, limits).map(Some)
    }

    fn measure(
        &self,
        seed: RunSeed,
        depth: u32,
        limits: Limits,
    ) -> std::result::Result<Measured, Error> {
        if let Some(known) = lock(&self.measured).get(&seed) {
            return Ok(*known);
        }
        let began = Instant::now();
        let mut measured = Measured {
            depth,
            threads: 0,
            steps: 0,
            violated: None,
            time: Duration::ZERO,
            cost: 0.0,
        };
        let stream = Stream::new(seed, &self.test).with_inputs(limits.inputs);
        let (mut index, mut attempt, mut rejected) = (1, stream.applicable(1, 0), 0);
        while index <= MEASURED && measured.violated.is_none() {
            limits.check((index - 1, rejected), &measured)?;
            if index > 1 || rejected > 0 {
                std::thread::sleep(limits.interval);
            }
            let mut size = Size::default();
            let mut rng = stream.attempt(index, attempt);
            let observation = once(&mut rng, &mut |rng| {
                let result;
                (size, result) = self.run(rng, None);
                result.unwrap_or_else(|payload| std::panic::resume_unwind(payload))
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
                let violates = matches!(observation.plain(), Observation::Violated(_));
                measured.violated = violates.then_some(index);
            }
            index += 1;
            attempt = stream.applicable(index, 0);
        }
        // Programs that try again, or wait, take more steps now and then.
        measured.steps += measured.steps.div_ceil(4);
        lock(&self.measured).insert(seed, measured);
        Ok(measured)
    }

    /// Executes the body once.
    pub(crate) fn execute(&self, rng: &mut TestRng) -> Observation {
        let address = rng.selection().address;
        let measured = self.schedules.depth.map(|depth| {
            let limits = Limits { inputs: rng.shared_inputs(), ..Limits::default() };
            self.measure(address.seed, depth, limits)
        });
        let measured = match measured.transpose() {
            Ok(measured) => measured,
            Err(error) => return Observation::Broken(error.what()),
        };
        let violated = measured.and_then(|measured| measured.violated);
        let measured = measured.filter(|_| violated.is_none());
        let (size, result) = self.run(rng, measured);
        if violated == Some(address.index) && !rng.is_seen() && result.is_ok() {
            return Observation::Broken(
                "it violated while executions were measured, but not now: something other than the schedule and the seed decides".into(),
            );
        }
        let observation = result.unwrap_or_else(|payload| std::panic::resume_unwind(payload));
        let fits =
            measured.is_none_or(|most| size.threads <= most.threads && size.steps <= most.steps);
        if fits || observation.is_rejected() {
            return observation;
        }
        Observation::Larger {
            threads: size.threads,
            steps: size.steps,
            otherwise: Box::new(observation),
        }
    }

    /// Runs the body to its end, by this much of probabilistic concurrency testing.
    fn run(&self, rng: &mut TestRng, pct: Option<Measured>) -> (Size, Result<Observation>) {
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
