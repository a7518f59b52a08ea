//! Estimates: does the interval contain the rate once it is narrow enough?

use probtest::judge::Verdict;
use probtest::plan::Plan;
use probtest::run::Observation;
use probtest::{Settings, TestRng};
use rand::RngExt;

use super::library::Judging;
use super::{Case, Section};

const SIMULATIONS: u64 = 5_000;
pub(super) const LOSES: &str = "loses the rate";

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
        about: "A wide interval takes so few executions that the estimator can be shown every sequence of passes and violations. Narrower ones are simulated with `probtest::check`.",
        cases,
    }
}

fn names(width: f64, confidence: f64, rate: f64) -> (String, String) {
    (format!("width = {width}, confidence = {confidence}"), format!("violates at {rate}"))
}

/// The error probability, without the rounding of the difference.
fn left(confidence: f64) -> f64 {
    ((1.0 - confidence) * 1e12).round() / 1e12
}

fn computed(width: f64, confidence: f64, rate: f64) -> Case {
    let promised = left(confidence);
    let names = names(width, confidence, rate);
    Case::computed(names, (LOSES, promised), move || {
        let claim = probtest::estimate(width).confidence(confidence).claim();
        let plan = Plan::new(&claim.expect("a width and a confidence"));
        let begun = Judging::new(&plan.expect("a feasible estimate"));
        vec![lost(&begun, rate, 1.0)]
    })
}

/// The chance that the interval doesn't contain the rate, over all sequences that start with what
/// was shown so far.
fn lost(judging: &Judging, rate: f64, chance: f64) -> f64 {
    let violation = Observation::Violated(Box::default());
    let events = [(1.0 - rate, Observation::Passed), (rate, violation)];
    let mut lost = 0.0;
    for (part, observation) in events {
        lost += match judging.shown(observation) {
            (next, None) => self::lost(&next, rate, chance * part),
            (mut next, Some(_)) => match next.interval() {
                Some((low, high)) if low <= rate && rate <= high => 0.0,
                _ => chance * part,
            },
        };
    }
    lost
}

fn simulated(width: f64, confidence: f64, rate: f64) -> Case {
    let names = names(width, confidence, rate);
    let wrong = move |number| {
        let settings = Settings::new("estimate").seed(number);
        loses(rate, (width, confidence), settings, |rng| rng.random::<f64>() >= rate)
    };
    Case::simulated(names, (LOSES, left(confidence)), SIMULATIONS, wrong)
}

/// Whether an estimate doesn't contain the rate of its program, or there is none.
pub(super) fn loses(
    rate: f64,
    (width, confidence): (f64, f64),
    settings: Settings,
    passes: impl Fn(&mut TestRng) -> bool + Sync,
) -> bool {
    let claim = probtest::estimate(width).confidence(confidence);
    let found = probtest::check(claim, settings, passes);
    !found.is_ok_and(|found| {
        let holds = found.rate().is_some_and(|found| found.low <= rate && rate <= found.high);
        *found.verdict() == Verdict::Estimated && holds
    })
}
