//! The scheduler: which thread of a body goes next, in one execution.
//!
//! Everything that it needs is drawn before the body begins. It measures how large the execution was
//! and knows no claim.

use std::sync::{Arc, Mutex, Once};

use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, Runner};

use super::{DEEPEST, Measured, lock};
use crate::run::panics;
use crate::seed::{BLOCK_WORDS, TestRng};

/// How large an execution was.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) threads: u64,
    pub(super) steps: u64,
    /// Whether the body has ended by a panic, so that no thread goes on.
    pub(super) stops: bool,
    /// Whether several threads could have gone on at a step: only then is a schedule random.
    pub(super) chosen: bool,
}

/// Who goes next in one execution. All that it needs is drawn before the body begins.
#[derive(Debug, Default)]
pub(super) struct Turns {
    pub(super) size: Arc<Mutex<Size>>,
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
    pub(super) fn draw(rng: &mut TestRng, pct: Option<Measured>) -> Self {
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
        let mut numbers = [0; 2];
        for (number, what) in
            numbers.iter_mut().zip(["the order of threads", "the seed of shuttle::rand"])
        {
            *number = rng.draw_u64();
            rng.name_last(what, None);
        }
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

pub(super) fn config() -> Config {
    let mut config = Config::new();
    // An assertion that fails needs more than shuttle gives a thread.
    config.stack_size = 1 << 19;
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    config
}

/// Lets the panic hook of probtest come before that of shuttle, which prints at each panic.
pub(super) fn get_ready() {
    static READY: Once = Once::new();
    READY.call_once(|| {
        Runner::new(Turns::default(), config()).run(|| ());
        panics::keep_quiet();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::schedules::{Scheduled, pct};
    use crate::run::{Observation, once};
    use crate::seed::{RunSeed, Stream};
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
