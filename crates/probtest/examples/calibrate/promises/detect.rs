//! Claims that a violation must not go unnoticed.

use probtest::TestRng;
use rand::RngExt;

use super::library::{self, is_right, tested};
use super::{Case, Section};

const SIMULATIONS: u64 = 100_000;

pub(super) fn section() -> Section {
    let mut cases = Vec::new();
    for (p, epsilon) in [
        (0.5, 0.05),
        (0.1, 0.05),
        (0.1, 1e-6),
        (0.01, 0.05),
        (0.01, 0.02),
        (0.001, 0.05),
        (0.001, 1e-6),
    ] {
        for times in [1.0, 2.0] {
            if times * p < 1.0 {
                cases.push(computed(p, epsilon, times * p));
            }
        }
    }
    cases.push(simulated(0.1, 0.05));
    cases.push(simulated(0.01, 0.02));
    Section {
        title: "Failures that must be caught",
        about: "Computed by showing the judge all ways in which executions can turn out, and by the formula (1 - rate)^k.",
        cases,
    }
}

fn names(p: f64, epsilon: f64, rate: f64) -> (String, String) {
    (format!("p = {p}, epsilon = {epsilon}"), format!("violates at {rate}"))
}

fn computed(p: f64, epsilon: f64, rate: f64) -> Case {
    Case::computed(names(p, epsilon, rate), ("passes", epsilon), move || {
        let plan = library::detect(p, epsilon);
        let ended = library::of_rate(&plan, rate);
        let formula = (plan.executions() as f64 * (-rate).ln_1p()).exp();
        let library = plan.chance_of_passing(rate).unwrap_or(f64::NAN);
        vec![ended.passed + ended.other, formula, library]
    })
}

fn simulated(p: f64, epsilon: f64) -> Case {
    let plan = library::detect(p, epsilon);
    let executions = plan.executions() as f64;
    let exact = move || (executions * (-p).ln_1p()).exp();
    let wrong = move |number| {
        let passes = |rng: &mut TestRng| rng.random::<f64>() >= p;
        !is_right(tested(plan.claim(), "detect", number, passes), false)
    };
    Case::simulated(names(p, epsilon, p), ("passes", epsilon), SIMULATIONS, wrong).with_exact(exact)
}
