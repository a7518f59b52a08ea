//! How many pairs it takes to compare two versions, next to Fisher's test with a fixed number.
//!
//! Writes the table of `docs/explanation/compare.md`.

use probtest::judge::{Finding, Verdict};
use probtest::run::both;
use probtest::{Settings, TestRng, check, compare};
use rand::RngExt;

const SEEDS: u64 = 400;
const P_CHANGE: f64 = 0.01;
const FALSE_ALARM: f64 = 0.01;
const EPSILON: f64 = 0.05;

fn main() {
    println!(
        "| old | new | pairs, same seeds | called worse | pairs, own seeds | called worse | Fisher's test |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (old, new) in [
        (0.0, 0.0),
        (0.01, 0.01),
        (0.1, 0.1),
        (0.0, 0.01),
        (0.01, 0.02),
        (0.1, 0.11),
        (0.01, 0.05),
        (0.05, 0.01),
    ] {
        let [same, own] = [true, false].map(|same| {
            let (pairs, worse) = mean(old, new, same);
            format!("{pairs:.0} | {worse} of {SEEDS}")
        });
        let fisher = match old < new {
            true => fixed(old, new).to_string(),
            false => fixed(old.max(1e-4), old.max(1e-4) + P_CHANGE).to_string(),
        };
        println!("| {old} | {new} | {same} | {own} | {fisher} |");
    }
}

/// The average number of pairs in a comparison, and how often the new version is called worse.
fn mean(old: f64, new: f64, same: bool) -> (f64, u64) {
    let (mut pairs, mut worse) = (0, 0);
    let violates = |rng: &mut TestRng, rate: f64| rng.random::<f64>() >= rate;
    for seed in 1..=SEEDS {
        let settings = Settings::new("versions").seed(seed).confirm(false);
        let terms = compare(P_CHANGE).epsilon(EPSILON).false_alarm(FALSE_ALARM);
        let report = check(terms, settings, |rng| {
            both(
                rng,
                |rng| violates(rng, old),
                |rng| {
                    if !same {
                        rng.random::<f64>();
                    }
                    violates(rng, new)
                },
            )
        });
        let report = report.expect("a claim that can be planned");
        pairs += report.counts().executed;
        worse += u64::from(*report.verdict() == Verdict::Violated(Finding::Worse));
    }
    (pairs as f64 / SEEDS as f64, worse)
}

/// The executions of each version after which Fisher's one-sided test catches the change as often
/// as a comparison does.
fn fixed(old: f64, new: f64) -> usize {
    let (mut too_few, mut enough) = (1, 2);
    while power(old, new, enough) < 1.0 - EPSILON {
        (too_few, enough) = (enough, 2 * enough);
    }
    while enough - too_few > 1 {
        let middle = too_few.midpoint(enough);
        match power(old, new, middle) < 1.0 - EPSILON {
            true => too_few = middle,
            false => enough = middle,
        }
    }
    enough
}

/// The chance that Fisher's one-sided test calls the new version worse.
fn power(old: f64, new: f64, n: usize) -> f64 {
    let factorials: Vec<f64> = (0..=2 * n)
        .scan(0.0, |sum, k| {
            *sum += (k.max(1) as f64).ln();
            Some(*sum)
        })
        .collect();
    let chosen = |n: usize, k: usize| factorials[n] - factorials[k] - factorials[n - k];
    let binomial = |rate: f64, k: usize| match rate {
        0.0 => f64::from(u8::from(k == 0)),
        rate => (chosen(n, k) + k as f64 * rate.ln() + (n - k) as f64 * (-rate).ln_1p()).exp(),
    };
    // All but a negligible chance.
    let most = |rate: f64| {
        let mean = rate * n as f64;
        ((mean + 9.0 * mean.sqrt() + 9.0) as usize).min(n)
    };
    let mut sum = 0.0;
    for violations in 0..=most(old) + most(new) {
        let range = violations.saturating_sub(n)..violations.min(n) + 1;
        let (mut tail, mut least) = (0.0, range.end);
        for seen in range.rev() {
            let log = chosen(n, seen) + chosen(n, violations - seen) - chosen(2 * n, violations);
            tail += log.exp();
            if tail > FALSE_ALARM {
                break;
            }
            least = seen;
        }
        let counts = (least..=violations.min(n)).take_while(|seen| *seen <= most(new));
        sum +=
            counts.map(|seen| binomial(new, seen) * binomial(old, violations - seen)).sum::<f64>();
    }
    sum
}
