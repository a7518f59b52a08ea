//! What additional workers gain: the machine, driven by simulated workers.
//!
//! The machine is the real one; only time is simulated. A worker takes one of the recorded times
//! for an execution, and the one process that hands out ranges takes some time for each, one after
//! the other. So the table says what a cluster of any size gains before there is one, and what is
//! lost when a violation ends the test.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use probtest::machine::{Chunks, Next, Range, RangeRecord, TestRun};
use probtest::run::{Observation, Violation};
use probtest::{Claim, Settings};

/// The cost of one way of handing out ranges: its name, the time to hand out a range and to take
/// the answer, and how long a range should take.
const ENGINES: [(&str, f64, f64); 3] =
    [("forked", 0.000_2, 0.02), ("Ray", 0.000_8, 0.25), ("Dask", 0.002, 0.25)];
const WORKERS: [u64; 5] = [1, 2, 16, 100, 1000];
const BODIES: [f64; 3] = [0.001, 0.1, 10.0];
/// How many execution times there are, as shares of their mean, in order. They vary as in most
/// simulations (`recorded` below makes them).
const QUANTILES: usize = 101;

/// Seconds as a whole number of nanoseconds, which can be sorted.
type Nanos = u64;

fn nanos(seconds: f64) -> Nanos {
    (seconds * 1e9) as Nanos
}

/// The lengths of episodes that end with chance 1/20 at each step, up to 100 steps: quantiles
/// over their mean.
fn recorded() -> Vec<f64> {
    let quantile = |share: f64| ((1.0 - share).ln() / (0.95_f64).ln()).ceil().clamp(1.0, 100.0);
    let lengths: Vec<f64> =
        (0..QUANTILES).map(|i| quantile((i as f64 + 0.5) / QUANTILES as f64)).collect();
    let mean = lengths.iter().sum::<f64>() / QUANTILES as f64;
    lengths.into_iter().map(|length| length / mean).collect()
}

/// The time of one execution: always the same for the same execution, wherever it runs.
fn time_of(index: u64, body: f64, recorded: &[f64]) -> f64 {
    let mixed = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    body * recorded[mixed as usize % recorded.len()]
}

struct Simulated {
    /// When the verdict was known.
    end: f64,
    /// When the last needed execution had ended.
    known: f64,
    made: u64,
}

/// Runs a plan on this many workers; execution number `bad` violates.
fn simulate(claim: &Claim, workers: u64, engine: (f64, f64), body: f64, bad: u64) -> Simulated {
    let (cost, aim) = engine;
    let recorded = recorded();
    let settings = Settings::new("workers").seed(7).confirm(false);
    let mut run = TestRun::begin(claim, settings).expect("the claim has a plan");
    let mut chunks = Chunks::new(Duration::from_secs_f64(aim));
    // The first executions run where the test was started, and are measured.
    chunks.begin_with(Duration::from_secs_f64(body));
    // Ends of running ranges, earliest first.
    let mut under_way: BinaryHeap<Reverse<(Nanos, u64)>> = BinaryHeap::new();
    let mut ranges: Vec<Option<(Range, f64)>> = Vec::new();
    let (mut now, mut free, mut made, mut known) = (0.0_f64, workers, 0, 0.0_f64);
    loop {
        while free > 0 {
            let Next::Attempt(range) = run.next_range(chunks.next(run.left(), workers)) else {
                break;
            };
            // One after the other: this limits a thousand workers.
            now += cost / 2.0;
            let times = (range.first..=range.last).map(|index| time_of(index, body, &recorded));
            let took: f64 = times.sum();
            if (range.first..=range.last).contains(&bad) {
                known = now + (range.first..=bad).map(|i| time_of(i, body, &recorded)).sum::<f64>();
            }
            under_way.push(Reverse((nanos(now + took), ranges.len() as u64)));
            ranges.push(Some((range, took)));
            free -= 1;
        }
        let Some(Reverse((end, number))) = under_way.pop() else {
            break;
        };
        now = now.max(end as f64 / 1e9) + cost / 2.0;
        free += 1;
        let Some((range, took)) = ranges[number as usize].take() else {
            continue;
        };
        let mut work = RangeRecord::new(&range);
        for attempt in range.attempts() {
            let observation = match attempt.index == bad {
                true => Observation::Violated(Box::new(Violation::new("simulated"))),
                false => Observation::Passed,
            };
            work.add(attempt.did(observation, true));
        }
        made += work.made();
        chunks.learn(work.made(), Duration::from_secs_f64(took));
        if run.take(work).is_done() {
            break;
        }
    }
    assert_eq!(run.finish().passed(), bad == 0);
    Simulated { end: now, known, made }
}

fn main() {
    let claim = Claim::detect(0.001, 0.05).expect("a claim");
    let recorded = recorded();
    let planned = 2995;
    println!("| engine | body | workers | time | speed-up | of ideal | lost to an early stop |");
    println!("|---|---|---|---|---|---|---|");
    for (name, cost, aim) in ENGINES {
        for body in BODIES {
            let alone: f64 = (1..=planned).map(|i| time_of(i, body, &recorded)).sum();
            for workers in WORKERS {
                let whole = simulate(&claim, workers, (cost, aim), body, 0);
                let cut = simulate(&claim, workers, (cost, aim), body, 1500);
                let speed_up = alone / whole.end;
                println!(
                    "| {name} | {body} s | {workers} | {:.3} s | {speed_up:.1} | {:.0} % | {:.3} s, {} executions |",
                    whole.end,
                    100.0 * speed_up / workers as f64,
                    cut.end - cut.known,
                    cut.made.saturating_sub(1500),
                );
            }
        }
    }
}
