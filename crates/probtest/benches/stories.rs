//! Executions and time to the smallest story, compared with proptest on a vector of booleans.
//! Prints lines for `benches/stories.py`: tool, program, executions until the violation, executions
//! and microseconds after it, and remaining draws that aren't false: the median and the maximum of
//! several runs.

use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::time::{Duration, Instant};

use probtest::{Claim, Settings, TestRng};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

/// A program that tosses coins, and returns whether it keeps its claim.
type Program = fn(&mut dyn FnMut() -> bool) -> bool;

const PROGRAMS: [(&str, Program); 3] =
    [("walk", walk), ("quicksort", quicksort), ("collision", collision)];
/// The most coins that any of them tosses.
const MOST: usize = 64;
/// How often each runs, with different seeds; the median is reported.
const RUNS: u64 = 9;

/// Twenty steps up or down that end below ten.
fn walk(toss: &mut dyn FnMut() -> bool) -> bool {
    let up = (0..20).filter(|_| toss()).count() as i32;
    2 * up - 20 < 10
}

fn number(toss: &mut dyn FnMut() -> bool, bits: usize) -> usize {
    (0..bits).fold(0, |number, _| 2 * number + usize::from(toss()))
}

/// Sorts with random pivots, but loses the pivot if it is the largest of exactly three.
fn quicksort(toss: &mut dyn FnMut() -> bool) -> bool {
    fn sorted(items: &[usize], toss: &mut dyn FnMut() -> bool) -> Vec<usize> {
        if items.len() < 2 {
            return items.to_vec();
        }
        let pivot = items[number(toss, 3) % items.len()];
        let part = |keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
            items.iter().copied().filter(|item| keep(*item)).collect()
        };
        let mut all = sorted(&part(&|item| item < pivot), toss);
        let high = sorted(&part(&|item| item > pivot), toss);
        if items.len() != 3 || !high.is_empty() {
            all.push(pivot);
        }
        all.extend(high);
        all
    }
    sorted(&[0, 1, 2, 3, 4, 5, 6, 7], toss).len() == 8
}

/// Eight six-bit keys; no two of those from five up are equal.
fn collision(toss: &mut dyn FnMut() -> bool) -> bool {
    let keys: Vec<usize> = (0..8).map(|_| number(toss, 6)).collect();
    let high = |at: usize| keys[at] >= 5 && keys[..at].contains(&keys[at]);
    !(0..8).any(high)
}

/// The result of one run: executions until the violation, executions and time after it, what is
/// left.
struct Found {
    until: u64,
    after: u64,
    took: Duration,
    left: usize,
}

/// Counts executions up to the first violation, and records when later ones ended.
#[derive(Default)]
struct Counted {
    until: Cell<u64>,
    after: RefCell<Vec<Instant>>,
}

impl Counted {
    fn take(&self, holds: bool) -> bool {
        let mut after = self.after.borrow_mut();
        if after.is_empty() {
            self.until.set(self.until.get() + 1);
        }
        if !(holds && after.is_empty()) {
            after.push(Instant::now());
        }
        holds
    }

    /// The result with this many executions after the violation.
    fn found(&self, after: usize, left: usize) -> Found {
        let times = self.after.borrow();
        Found {
            until: self.until.get(),
            after: after as u64,
            took: times[after].duration_since(times[0]),
            left,
        }
    }
}

fn by_probtest(program: Program, seed: u64) -> Found {
    let counted = Counted::default();
    let claim = Claim::detect(0.0001, 0.001).expect("a claim");
    let settings = Settings::new("story").seed(seed).shrink_time(Duration::from_secs(60));
    let report = probtest::check_local(&claim, settings, |rng: &mut TestRng| {
        counted.take(black_box(program(&mut || rng.draw_u64() >> 63 == 1)))
    });
    let report = report.expect("a report");
    let story = report.story().expect("a story");
    // One execution confirmed the violation; those after the story searched for the draws that
    // decide.
    counted.found(1 + story.executions as usize, story.matter as usize)
}

fn by_proptest(program: Program, seed: u64) -> Found {
    let counted = Counted::default();
    let config = Config {
        cases: 1_000_000,
        max_shrink_iters: u32::MAX,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(seed),
        ..Config::default()
    };
    let coins = proptest::collection::vec(proptest::bool::ANY, 0..=MOST);
    let ended = TestRunner::new(config).run(&coins, |coins| {
        let mut coins = coins.into_iter();
        match counted.take(black_box(program(&mut || coins.next().unwrap_or(false)))) {
            true => Ok(()),
            false => Err(TestCaseError::fail("violated")),
        }
    });
    match ended {
        Err(TestError::Fail(_, coins)) => {
            let after = counted.after.borrow().len() - 1;
            counted.found(after, coins.iter().filter(|coin| **coin).count())
        }
        _ => panic!("every program is violated"),
    }
}

fn main() {
    for (name, program) in PROGRAMS {
        for (tool, find) in
            [("probtest", by_probtest as fn(Program, u64) -> Found), ("proptest", by_proptest)]
        {
            let mut found: Vec<Found> = (1..=RUNS).map(|seed| find(program, seed)).collect();
            let mut median = |key: fn(&Found) -> u64| {
                found.sort_by_key(key);
                key(&found[found.len() / 2])
            };
            let until = median(|found| found.until);
            let after = median(|found| found.after);
            let took = median(|found| found.took.as_micros() as u64);
            let left = median(|found| found.left as u64);
            let most = found.last().map_or(0, |found| found.left);
            println!("{tool}\t{name}\t{until}\t{after}\t{took}\t{left}\t{most}");
        }
    }
}
