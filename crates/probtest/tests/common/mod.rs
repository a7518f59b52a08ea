//! What several test files need: all possible sequences of executions, and a program for each kind
//! of claim.
#![allow(dead_code, reason = "no file needs all of it")]

use probtest::plan::SequentialTest;
use probtest::run::{Number, Observation, Violation};
use probtest::{Claim, Report, TestRng};
use probtest_facts::TestFacts;
use rand::RngExt;

/// The JSON form of a report, for inspection.
pub fn as_json(report: &Report) -> serde_json::Value {
    serde_json::from_str(&report.to_json()).expect("a report is written as JSON")
}

/// The probability that `lost` ever holds for the ones among the executions so far. Each of at most
/// `most` executions is a one with probability `p`.
pub fn ever(p: f64, most: usize, lost: impl Fn(usize, usize) -> bool) -> f64 {
    let mut inside = vec![1.0];
    let mut total = 0.0;
    for n in 1..=most {
        let mut next = vec![0.0; n + 1];
        for (x, chance) in inside.iter().enumerate() {
            next[x] += chance * (1.0 - p);
            next[x + 1] += chance * p;
        }
        for (x, chance) in next.iter_mut().enumerate() {
            if *chance > 0.0 && lost(x, n) {
                total += *chance;
                *chance = 0.0;
            }
        }
        inside = next;
    }
    total
}

/// Every way in which a test ends by its `last` execution, one execution at a time, from its public
/// answers: after how many executions and violations, whether it passed if it decided, and with
/// which probability.
pub fn endings(test: &SequentialTest, rate: f64, last: u64) -> Vec<(u64, u64, Option<bool>, f64)> {
    let mut going = vec![1.0];
    let mut found = Vec::new();
    for n in 1..=last {
        let mut next = vec![0.0; going.len() + 1];
        for (x, chance) in going.iter().enumerate() {
            next[x] += chance * (1.0 - rate);
            match test.fails(n, x as u64 + 1) {
                true => found.push((n, x as u64 + 1, Some(false), chance * rate)),
                false => next[x + 1] += chance * rate,
            }
        }
        for (x, chance) in next.iter_mut().enumerate() {
            let passed = test.passes(n, x as u64);
            if *chance > 0.0 && (passed || n == last) {
                found.push((n, x as u64, passed.then_some(true), std::mem::take(chance)));
            }
        }
        while next.last() == Some(&0.0) {
            next.pop();
        }
        going = next;
    }
    found
}

/// What a program does in one execution.
pub type Body = fn(&mut TestRng) -> Observation;

/// A claim of each kind, and a program close to it on either side, so that verdicts depend on the
/// seed.
pub fn cases() -> [(Claim, Body); 6] {
    let rate = probtest::tolerate(0.02).p(0.1).claim();
    let mean = probtest::mean().between(0, 1).below(0.42).margin(0.1);
    let coin = probtest::fit().label("heads", 0.5).label("tails", 0.5);
    [
        (Claim::detect(0.02, 0.05).unwrap(), |rng| violated_in(rng, 100)),
        (probtest::cover([0.1, 0.4, 0.4]).claim().unwrap(), |rng| {
            match rng.random_range(0..20_usize) {
                0 => Observation::Outcome(0),
                face => Observation::Outcome(1 + face % 2),
            }
        }),
        (rate.unwrap(), |rng| violated_in(rng, 20)),
        (mean.claim().unwrap(), |rng| Observation::Number(Number(rng.random()))),
        (coin.distance(0.2).claim().unwrap(), |rng| {
            Observation::Label(["heads", "heads", "tails"][rng.random_range(0..3)].into())
        }),
        (probtest::estimate(0.2).claim().unwrap(), |rng| violated_in(rng, 10)),
    ]
}

/// One execution in `odds` violates.
fn violated_in(rng: &mut TestRng, odds: u64) -> Observation {
    match rng.random_range(0..odds) {
        0 => violation(),
        _ => Observation::Passed,
    }
}

pub fn violation() -> Observation {
    Observation::Violated(Box::new(Violation::new("no luck")))
}

/// Every fact of a report except how long it took.
pub fn facts(report: &Report) -> TestFacts {
    TestFacts { seconds: 0.0, ..report.facts() }
}
