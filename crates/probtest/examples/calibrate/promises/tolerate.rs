//! Claims that tolerate a rate.

use probtest::plan::Plan;
use probtest::report::Report;
use probtest::{Claim, TestRng};
use rand::RngExt;

use super::library::{self, TwoSided, is_right, tested};
use super::{Case, Section, walk};

const SIMULATIONS: u64 = 100_000;
/// The same is promised for programs better than `tolerate` and worse than `p`.
const BETTER: f64 = 0.5;
const WORSE: f64 = 1.5;

/// The claims of the grid: tolerate, p, false_alarm, epsilon.
const CLAIMS: [[f64; 4]; 9] = [
    [0.005, 0.01, 0.05, 0.05],
    [0.001, 0.01, 0.05, 0.05],
    [0.05, 0.1, 0.01, 0.01],
    [1e-4, 1e-3, 0.05, 0.05],
    [0.001, 0.01, 1e-6, 0.05],
    [0.01, 0.1, 1e-6, 0.05],
    [0.1, 0.2, 0.01, 0.001],
    [0.1, 0.5, 0.05, 0.05],
    [0.3, 0.6, 1e-3, 0.1],
];

/// Those that are also simulated.
const SIMULATED: [[f64; 4]; 3] =
    [[0.001, 0.01, 0.05, 0.05], [0.05, 0.1, 0.01, 0.01], [0.1, 0.5, 0.05, 0.05]];

pub(super) fn section() -> Section {
    let mut cases = Vec::new();
    for claim in CLAIMS.map(two_sided) {
        for rate in [claim.tolerate * BETTER, claim.tolerate] {
            cases.push(computed(claim, rate));
        }
        for rate in [claim.p, claim.p * WORSE] {
            cases.push(computed(claim, rate));
        }
    }
    for claim in SIMULATED.map(two_sided) {
        for rate in [claim.tolerate, claim.p] {
            cases.push(simulated(claim, rate));
        }
    }
    Section {
        title: "Tolerated rates",
        about: "Computed from the boundary alone, execution by execution; by showing the judge all ways in which executions can turn out; and by the plan itself. The three must agree to nine digits.",
        cases,
    }
}

pub(super) fn two_sided([tolerate, p, false_alarm, epsilon]: [f64; 4]) -> TwoSided {
    TwoSided { tolerate, p, false_alarm, epsilon }
}

pub(super) fn name(claim: TwoSided) -> String {
    let TwoSided { tolerate, p, false_alarm, epsilon } = claim;
    format!("tolerate = {tolerate}, p = {p}, false_alarm = {false_alarm:?}, epsilon = {epsilon}")
}

pub(super) fn program(rate: f64) -> String {
    // A product such as 1.5 * 0.1 may print with 17 digits.
    let rate = format!("{rate:.6e}").parse::<f64>().unwrap_or(rate);
    format!("violates at {rate}")
}

/// The wrong answer for a program with this rate, and the promise about it.
fn error(claim: TwoSided, rate: f64) -> (&'static str, f64) {
    if rate <= claim.tolerate { ("fails", claim.false_alarm) } else { ("passes", claim.epsilon) }
}

fn computed(claim: TwoSided, rate: f64) -> Case {
    let names = (name(claim), program(rate));
    Case::computed(names, error(claim, rate), move || ways(&claim.plan(), claim, rate))
}

fn ways(plan: &Plan, claim: TwoSided, rate: f64) -> Vec<f64> {
    let good = rate <= claim.tolerate;
    let Some(test) = plan.sequential() else {
        return Vec::new();
    };
    let by_boundary = walk::chance(&walk::stops(test, rate), !good);
    let ended = library::of_rate(plan, rate);
    let by_judge = ended.other + if good { ended.violated } else { ended.passed };
    let passing = plan.chance_of_passing(rate).unwrap_or(f64::NAN);
    let by_plan = if good { 1.0 - passing } else { passing };
    let mut ways = vec![by_boundary, by_judge, by_plan];
    // What the plan says about its own errors.
    if rate == claim.tolerate {
        ways.push(test.false_alarm());
    }
    if rate == claim.p {
        ways.push(test.miss());
    }
    ways
}

fn simulated(claim: TwoSided, rate: f64) -> Case {
    let plan = claim.plan();
    let good = rate <= claim.tolerate;
    let exact = move || {
        let plan = claim.plan();
        let stops = plan.sequential().map(|test| walk::stops(test, rate));
        stops.map_or(f64::NAN, |stops| walk::chance(&stops, !good))
    };
    let wrong = move |number| {
        let report = tested_at(rate, plan.claim(), number);
        !is_right(report, good)
    };
    let names = (name(claim), program(rate));
    Case::simulated(names, error(claim, rate), SIMULATIONS, wrong).with_exact(exact)
}

/// Tests a program that violates at this rate.
pub(super) fn tested_at(rate: f64, claim: &Claim, seed: u64) -> Option<Report> {
    let passes = |rng: &mut TestRng| rng.random::<f64>() >= rate;
    tested(claim, "tolerate", seed, passes)
}
