//! What an execution costs in addition to its body. `make bench` runs it.
//!
//! Each line is a ratio or a difference within one run: absolute numbers from two machines, or from
//! one machine on two days, say little.
//!
//! With the arguments `count N` it runs N trivial executions and prints nothing, to count
//! instructions under callgrind.

use std::hint::black_box;
use std::time::Instant;

use probtest::seed::{RunSeed, Stream};
use probtest::{Claim, Settings, TestRng};

const EXECUTIONS: u64 = 3_000_000;
const ROUNDS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, count] = &arguments[..]
        && word == "count"
    {
        harness(count.parse().expect("a number of executions"), 1, small);
        return;
    }
    overhead();
    speed_up();
    memory();
}

/// The smallest body that is still random.
fn small(rng: &mut TestRng) -> bool {
    black_box(rng.draw_u64()) != 7
}

/// A body of about a microsecond.
fn large(rng: &mut TestRng) -> bool {
    let sum = (0..240).fold(0_u64, |sum, _| sum.wrapping_add(rng.draw_u64()));
    black_box(sum) != 7
}

fn bare(executions: u64, body: fn(&mut TestRng) -> bool) -> f64 {
    let mut rng = Stream::new(RunSeed(1), "bare").execution(1);
    let began = Instant::now();
    for _ in 0..executions {
        assert!(body(&mut rng));
    }
    began.elapsed().as_secs_f64()
}

fn harness(executions: u64, jobs: usize, body: fn(&mut TestRng) -> bool) -> f64 {
    let claim = Claim::detect(1e-12, 0.05).expect("a valid claim");
    let settings = Settings::new("harness").seed(1).jobs(jobs).max_executions(executions);
    let began = Instant::now();
    let report = probtest::check(&claim, settings, body).expect("a plan");
    assert_eq!(report.counts().executed, executions);
    began.elapsed().as_secs_f64()
}

/// Alternates between the two, so that a slow moment hits both, and keeps the best of each.
fn best(mut one: impl FnMut() -> f64, mut other: impl FnMut() -> f64) -> (f64, f64) {
    let mut best = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        best = (best.0.min(one()), best.1.min(other()));
    }
    best
}

fn verdict(good: bool) -> &'static str {
    if good { "ok" } else { "MISSED" }
}

fn overhead() {
    let (loop_time, with_harness) =
        best(|| bare(EXECUTIONS, small), || harness(EXECUTIONS, 1, small));
    let each = 1e9 / EXECUTIONS as f64;
    let added = (with_harness - loop_time) * each;
    println!(
        "harness  {:.1} ns per execution, {:.1} ns in a bare loop: {added:.1} ns added (at most 60): {}",
        with_harness * each,
        loop_time * each,
        verdict(added <= 60.0)
    );
}

fn speed_up() {
    let executions = EXECUTIONS / 4;
    let (one, two) = best(|| harness(executions, 1, large), || harness(executions, 2, large));
    let faster = one / two;
    println!(
        "jobs     {:.2} us per body, two jobs are {faster:.2} times one job (at least 1.8 on two idle cores): {}",
        one * 1e6 / executions as f64,
        verdict(faster >= 1.8)
    );
}

fn memory() {
    let after = |executions: u64| {
        for jobs in [1, 2] {
            harness(executions, jobs, small);
        }
        peak()
    };
    let (Some(tenth), Some(all)) = (after(10_000_000), after(100_000_000)) else {
        println!("memory   not measured: no /proc/self/status here");
        return;
    };
    let grown = all - tenth;
    println!(
        "memory   {grown} KiB more after 10^8 executions than after 10^7 (at most 1024): {}",
        verdict(grown <= 1024)
    );
}

/// Returns the peak memory of this process, in KiB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
