//! Estimates: does the interval hold the rate when it is narrow enough?

use probtest::Options;
use probtest::judge::confidence::AimedSequence;
use probtest::judge::{Estimator, Limits};
use probtest::run::{Observation, Record};
use rand::RngExt;

use super::{Case, Section};

const SIMULATIONS: u64 = 5_000;
const LOSES: &str = "loses the rate";

pub(super) fn section() -> Section {
    let mut cases = Vec::new();
    for rate in [0.05, 0.2, 0.5, 0.8] {
        cases.push(computed(0.6, 0.9, rate));
    }
    for rate in [0.0, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9] {
        cases.push(simulated(0.1, 0.95, rate));
    }
    cases.push(simulated(0.2, 0.8, 0.5));
    Section {
        title: "Estimates",
        about: "A wide interval takes so few executions that the estimator can be shown every sequence of passes and violations. Narrower ones are simulated with `probtest::estimate`.",
        cases,
    }
}

fn names(width: f64, confidence: f64, rate: f64) -> (String, String) {
    (
        format!("width = {width}, confidence = {confidence}"),
        format!("violates at {rate}"),
    )
}

/// What the confidence leaves, without the rounding of the difference.
fn left(confidence: f64) -> f64 {
    ((1.0 - confidence) * 1e12).round() / 1e12
}

fn computed(width: f64, confidence: f64, rate: f64) -> Case {
    let promised = left(confidence);
    let names = names(width, confidence, rate);
    Case::computed(names, (LOSES, promised), move || {
        let sequence = AimedSequence::new(width, confidence).expect("a width and a confidence");
        let estimator = Estimator::new(sequence, Limits::default());
        vec![lost(&estimator, rate, 1, 1.0)]
    })
}

/// The chance that the interval does not hold the rate, over all sequences that
/// begin with what the estimator has seen.
fn lost(estimator: &Estimator, rate: f64, index: u64, chance: f64) -> f64 {
    let violation = || Observation::Violated(Box::default());
    let events = [(1.0 - rate, Observation::Passed), (rate, violation())];
    let mut lost = 0.0;
    for (part, observation) in events {
        let mut next = estimator.clone();
        let record = Record {
            index,
            rejected: 0,
            drew: true,
            observation,
        };
        if next.observe(record).is_continue() {
            lost += self::lost(&next, rate, index + 1, chance * part);
            continue;
        }
        let (low, high) = next.interval();
        if rate < low || high < rate {
            lost += chance * part;
        }
    }
    lost
}

fn simulated(width: f64, confidence: f64, rate: f64) -> Case {
    let names = names(width, confidence, rate);
    let wrong = move |number| {
        let options = Options::new("estimate").seed(number);
        let body = |rng: &mut probtest::TestRng| rng.random::<f64>() >= rate;
        let found = probtest::estimate(width, confidence, options, body);
        !found.is_ok_and(|found| {
            let (low, high) = found.interval;
            found.finished() && low <= rate && rate <= high
        })
    };
    Case::simulated(names, (LOSES, left(confidence)), SIMULATIONS, wrong)
}
