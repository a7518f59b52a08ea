//! What an execution that draws an input costs in addition to the draw. `make bench` runs it.
//!
//! With the arguments `count NAME N` it runs N executions of one kind and prints nothing, to count
//! instructions under callgrind.

use std::hint::black_box;
use std::time::Instant;

use probtest::{Claim, Settings};
use proptest::collection::{VecStrategy, vec};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};
use std::ops::Range;

const EXECUTIONS: u32 = 200_000;
const ROUNDS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, name, count] = &arguments[..]
        && word == "count"
    {
        let count = count.parse().expect("a number of executions");
        match name.as_str() {
            "probtest" => executions(count),
            "proptest" => cases(count),
            _ => draws(count),
        };
        return;
    }
    let mut best = [f64::MAX; 3];
    for _ in 0..ROUNDS {
        // In turns, so that a slow moment hits all of them.
        for (place, run) in [draws, cases, executions].into_iter().enumerate() {
            best[place] = best[place].min(run(EXECUTIONS));
        }
    }
    let each = 1e9 / f64::from(EXECUTIONS);
    let [draw, case, execution] = best.map(|seconds| seconds * each);
    let times = execution / draw;
    println!(
        "input    {execution:.0} ns per execution with vec(0..100u32, 0..50), {case:.0} ns in proptest's own loop, {draw:.0} ns to draw: {times:.2} times the draw (at most 1.2): {}",
        if times <= 1.2 { "ok" } else { "MISSED" }
    );
}

fn strategy() -> VecStrategy<Range<u32>> {
    vec(0..100u32, 0..50)
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

/// Only the draws, with one runner.
fn draws(count: u32) -> f64 {
    let (strategy, mut runner) = (strategy(), runner(1));
    let began = Instant::now();
    for _ in 0..count {
        let tree = strategy.new_tree(&mut runner).expect("nothing is refused");
        black_box(tree.current());
    }
    began.elapsed().as_secs_f64()
}

/// proptest's own loop.
fn cases(count: u32) -> f64 {
    let began = Instant::now();
    let run = runner(count).run(&strategy(), |xs| {
        black_box(xs);
        Ok(())
    });
    run.expect("nothing fails");
    began.elapsed().as_secs_f64()
}

/// Executions that draw it.
fn executions(count: u32) -> f64 {
    let claim = Claim::detect(1e-12, 0.05).expect("a valid claim");
    let settings = Settings::new("inputs").seed(1).max_executions(count.into());
    let began = Instant::now();
    let report = probtest::check(&claim, settings, |_| {
        black_box(probtest::draw(strategy()));
    });
    let report = report.expect("a plan");
    assert_eq!(report.counts().executed, u64::from(count));
    began.elapsed().as_secs_f64()
}
