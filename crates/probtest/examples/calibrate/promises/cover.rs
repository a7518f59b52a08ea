//! Claims that every listed outcome is seen.

use probtest::TestRng;
use probtest::plan::Plan;
use rand::RngExt;

use super::library::{self, is_right, tested};
use super::{Case, Section};

const SIMULATIONS: u64 = 100_000;
const FAILS: &str = "fails: an outcome was never seen";

pub(super) fn section() -> Section {
    let mut cases = Vec::new();
    for (list, epsilon) in [
        ("1/2, 1/2", 0.05),
        ("1/6x6", 0.05),
        ("0.5, 0.3, 0.2", 0.01),
        ("0.4, 0.3, 0.2, 0.05", 1e-6),
        ("0.01, 0.02", 0.05),
    ] {
        cases.push(computed(list, epsilon));
        cases.push(lacking(list, epsilon));
    }
    cases.push(simulated("1/6x6", 0.05));
    cases.push(simulated("1/52x52", 0.05));
    cases.push(simulated("0.01, 0.02", 0.05));
    Section {
        title: "Every outcome is seen",
        about: "A program with the listed outcomes may fail with probability epsilon at most; one that lacks an outcome never passes. Computed with the judge, and by inclusion and exclusion.",
        cases,
    }
}

fn listed(plan: &Plan) -> Vec<f64> {
    let outcomes = plan.claim().outcomes();
    outcomes.map_or(Vec::new(), |outcomes| outcomes.iter().map(|p| p.as_f64()).collect())
}

fn claim(list: &str, epsilon: f64) -> String {
    format!("outcomes = {list}, epsilon = {epsilon}")
}

fn computed(list: &'static str, epsilon: f64) -> Case {
    let names = (claim(list, epsilon), "as listed".to_owned());
    Case::computed(names, (FAILS, epsilon), move || {
        let plan = library::cover(list, epsilon);
        let shown = listed(&plan);
        let ended = library::of_outcomes(&plan, &shown);
        vec![ended.violated + ended.other, unseen(&shown, plan.executions()), plan.miss().value()]
    })
}

fn lacking(list: &'static str, epsilon: f64) -> Case {
    let names = (claim(list, epsilon), "lacks the last outcome".to_owned());
    Case::computed(names, ("passes", 0.0), move || {
        let plan = library::cover(list, epsilon);
        let mut shown = listed(&plan);
        if let Some(last) = shown.last_mut() {
            *last = 0.0;
        }
        let ended = library::of_outcomes(&plan, &shown);
        vec![ended.passed + ended.other]
    })
}

/// The chance that some outcome isn't seen, over all sets of outcomes.
fn unseen(shown: &[f64], executions: u64) -> f64 {
    let mut sum = 0.0;
    for set in 1_u32..1 << shown.len() {
        let inside = shown.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        let together: f64 = inside.map(|(_, p)| p).sum();
        let none = (1.0 - together).max(0.0).powi(executions as i32);
        sum += if set.count_ones() % 2 == 1 { none } else { -none };
    }
    sum
}

fn simulated(list: &'static str, epsilon: f64) -> Case {
    let plan = library::cover(list, epsilon);
    let miss = plan.miss().value();
    let shown = listed(&plan);
    let names = (claim(list, epsilon), "as listed".to_owned());
    let wrong = move |number| {
        let outcome = |rng: &mut TestRng| {
            let mut left = rng.random::<f64>();
            shown.iter().position(|p| {
                left -= p;
                left < 0.0
            })
        };
        !is_right(tested(plan.claim(), "cover", number, outcome), true)
    };
    Case::simulated(names, (FAILS, epsilon), SIMULATIONS, wrong).with_exact(move || miss)
}
