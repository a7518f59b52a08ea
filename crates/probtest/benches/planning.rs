//! How long does planning take?
//!
//!     cargo bench --bench planning
//!
//! Prints one line per case: the shortest time of several batches, the target, and whether it is
//! met. Ends with an error if one is missed. With the arguments `count P EPSILON N` it plans N
//! times and prints nothing, to count instructions under callgrind.

use probtest::claim::{Claim, Outcomes, Probability};
use probtest::judge::interval::clopper_pearson;
use probtest::plan::{Plan, smallest_p};
use std::hint::black_box;
use std::time::{Duration, Instant};

const TWO_MICROSECONDS: u64 = 2_000;
const ONE_MILLISECOND: u64 = 1_000_000;
/// Both boundaries of a test for a tolerated rate.
const CALIBRATION: u64 = 50_000_000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, p, epsilon, count] = &arguments[..]
        && word == "count"
    {
        let claim = Claim::detect(p.as_str(), epsilon.as_str()).expect("a valid claim");
        for _ in 0..count.parse::<u64>().expect("a number of plans") {
            let _ = black_box(Plan::new(black_box(&claim)));
        }
        return;
    }
    let mut missed = 0;
    for (name, p, epsilon, target) in two_outcomes() {
        let claim = Claim::detect(p.as_str(), epsilon.as_str()).expect("a valid claim");
        missed += measure(name, target, || {
            let _ = black_box(Plan::new(black_box(&claim)));
        });
    }
    let epsilon = Probability::from_f64(0.05).expect("a probability");
    missed += measure("smallest p for 10^6 executions", ONE_MILLISECOND, || {
        let _ = black_box(smallest_p(black_box(1_000_000), &epsilon));
    });
    for (violations, executions) in
        [(3, 300), (1000, 1_000_000_000), (1 << 62, u64::MAX), (1, u64::MAX)]
    {
        let name = format!("interval of {violations} in {executions}");
        missed += measure(&name, 5 * ONE_MILLISECOND, || {
            let _ = black_box(clopper_pearson(black_box(violations), executions, 0.95));
        });
    }
    for (tolerate, p, false_alarm) in tolerated() {
        // Plans are cached by claim, so each iteration uses another claim.
        let mut number = 0;
        let name = format!("tolerate = {tolerate}, p = {p}, false_alarm = {false_alarm}");
        missed += measure(&name, CALIBRATION, || {
            number += 1;
            let epsilon = format!("0.05{number:06}");
            let claim = Claim::tolerate(tolerate, p, epsilon.as_str(), false_alarm);
            let _ = black_box(Plan::new(&claim.expect("a valid claim")));
        });
    }
    for (name, list, target) in many_outcomes() {
        missed += measure(&name, target, || {
            let outcomes = Outcomes::new(black_box(&list).iter().copied()).expect("outcomes");
            let claim = Claim::cover(outcomes, 0.05).expect("a valid claim");
            let _ = black_box(Plan::new(&claim));
        });
    }
    if missed > 0 {
        eprintln!("{missed} targets missed");
        std::process::exit(1);
    }
}

/// Two rates to tell apart, and the chance of a false alarm.
fn tolerated() -> [(&'static str, &'static str, &'static str); 6] {
    [
        ("0.001", "0.01", "0.05"),
        ("0.001", "0.01", "1e-6"),
        ("1e-5", "1e-4", "1e-6"),
        ("2e-5", "1e-4", "1e-9"),
        ("5e-5", "1e-4", "1e-6"),
        ("0.1", "0.2", "1e-6"),
    ]
}

/// Name, p, epsilon and target.
type Case = (&'static str, String, String, u64);

fn two_outcomes() -> Vec<Case> {
    let wide_tie = format!("1/{}", dashu_int::UBig::ONE << 3300);
    // A thousand digits, as close to a tie as possible.
    let almost_half = format!("0.5{}1", "0".repeat(990));
    let nines = format!("1 - 9.{}e-9991", "9".repeat(990));
    let digits = format!("0.{}", "123456789".repeat(110));
    let more_digits = format!("0.0{}", "987654321".repeat(110));
    let close = close_call();
    let quick = [
        ("p = 0.5", "0.5", "0.05"),
        ("p = 0.01", "0.01", "0.05"),
        ("p = 1e-6", "1e-6", "0.05"),
        ("p = 1e-12", "1e-12", "0.05"),
        ("p = 1e-12, epsilon = 1e-9", "1e-12", "1e-9"),
        ("p = 0.01, epsilon = 1 - 1e-17", "0.01", "1 - 1e-17"),
        ("p = 1/2 + 1e-17", "0.50000000000000001", "0.05"),
        ("p = 1 - 1e-12", "1 - 1e-12", "0.05"),
        ("a tie: p = 0.3, epsilon = 0.37", "0.3", "0.37"),
    ];
    let bounded = [
        ("p = 1e-15, epsilon = 0.01", "1e-15", "0.01"),
        ("p = 1e-18, epsilon = 0.01", "1e-18", "0.01"),
        ("p = 1 - 1e-17", "1 - 1e-17", "0.05"),
        ("p = 1e-300, epsilon = 1e-300 (infeasible)", "1e-300", "1e-300"),
        ("p = 1e-300, epsilon = 1 - 1e-290", "1e-300", "1 - 1e-290"),
        ("p = 1e-10000, epsilon = 1 - 1e-9990", "1e-10000", "1 - 1e-9990"),
        ("p = 1e-10000, 1 - epsilon below 1e-9990", "1e-10000", &nines),
        ("p = 0.5, epsilon = 1e-10000", "0.5", "1e-10000"),
        ("a tie of 3301 executions", "1/2", &wide_tie),
        ("almost a tie: p = 1/2 + 1e-991", &almost_half, &wide_tie),
        ("a close call of 990 digits, k = 6e17", "1e-17", &close),
        ("1000 digits each", &digits, &more_digits),
    ];
    let case = |target| {
        move |(name, p, epsilon): (&'static str, &str, &str)| {
            (name, p.to_owned(), epsilon.to_owned(), target)
        }
    };
    let quick = quick.into_iter().map(case(TWO_MICROSECONDS));
    quick.chain(bounded.into_iter().map(case(ONE_MILLISECOND))).collect()
}

/// An epsilon that agrees with the tail at 6e17 executions of p = 1e-17 in 990 digits.
fn close_call() -> String {
    use dashu_float::DBig;
    let base: DBig = "0.99999999999999999".parse().expect("a number");
    let mut square = base.with_precision(1100).value();
    let mut tail: DBig = DBig::ONE.with_precision(1100).value();
    let mut exponent = 600_000_000_000_000_000u64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            tail = &tail * &square;
        }
        square = &square * &square;
        exponent /= 2;
    }
    tail.with_precision(990).value().to_string()
}

fn many_outcomes() -> Vec<(String, Vec<f64>, u64)> {
    let mut cases = Vec::new();
    for (n, target) in [(10_000usize, 20 * ONE_MILLISECOND), (1_000_000, 2_000 * ONE_MILLISECOND)] {
        let m = n as f64;
        let equal = vec![1.0 / m; n];
        let total: f64 = (0..n).map(|i| 1.0 + i as f64 / m).sum();
        let distinct = (0..n).map(|i| (1.0 + i as f64 / m) / total * 0.999).collect();
        let unequal =
            (0..n).map(|i| 10f64.powf(-12.0 + 12.0 * i as f64 / m) / (m / 10.0)).collect();
        cases.push((format!("{n} equal outcomes"), equal, target));
        cases.push((format!("{n} different outcomes"), distinct, target));
        cases.push((format!("{n} outcomes over twelve decades"), unequal, target));
    }
    cases
}

/// Prints the shortest time of several batches; returns 1 if the target is missed.
fn measure(name: &str, target: u64, mut run: impl FnMut()) -> u32 {
    let once = time(1, &mut run);
    let size = (2_000_000 / once.as_nanos().max(1)).clamp(1, 10_000) as u32;
    let batches = if once > Duration::from_millis(100) { 2 } else { 15 };
    let nanoseconds = (0..batches)
        .map(|_| time(size, &mut run).as_nanos() as u64 / u64::from(size))
        .min()
        .unwrap_or(u64::MAX);
    let met = nanoseconds <= target;
    println!(
        "{nanoseconds:>12} ns  {}  {name} (target {target} ns)",
        if met { "met   " } else { "MISSED" }
    );
    u32::from(!met)
}

fn time(size: u32, run: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..size {
        run();
    }
    start.elapsed()
}
