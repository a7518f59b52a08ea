//! The time of 100 000 evaluation episodes on the small lake, and of 25 000
//! training episodes on the large one. One thread.
//!
//! Writes one JSON object, with the policy that was evaluated and the steps that
//! were taken: `benches/rl.py` does the same with Gymnasium and compares.
//! `make bench` runs both.

use std::hint::black_box;
use std::ops::ControlFlow;

use probtest_paper::reinforcement::study::{Case, Effort};
use probtest_paper::reinforcement::{Agent, World, lake};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

const EVALUATED: u64 = 100_000;
const TRAINED: u64 = 25_000;
/// How often each is done; the median counts.
const TIMES: usize = 11;

fn main() {
    let small = World::SmallLake;
    let dynamics = small.dynamics();
    let go_on = || ControlFlow::Continue(());
    let policies = small.train(&dynamics, &[100], small.paper_seed(), &go_on);
    let policy = policies.expect("nothing ends it")[&100].clone();
    let agent = Agent::new(&dynamics, policy);
    let case = Case::of(small, &[100])[0];
    let effort = Effort { seed: small.paper_seed(), samples: EVALUATED, repeats: 1, jobs: 1 };
    let (evaluation, violated) = median(|| case.sample(&agent, &effort, &go_on));

    let large = World::LargeLake;
    let dynamics = large.dynamics();
    let (training, steps) = median(|| {
        let mut learner = large.learner(&dynamics, large.paper_seed());
        (0..TRAINED).map(|_| learner.episode()).sum::<u64>()
    });
    let result = json!({
        "evaluation": {
            "map": lake::SMALL,
            "policy": agent.policy(),
            "episodes": EVALUATED,
            "seconds": evaluation,
            "violated": violated,
            "exact": case.property.violation(&agent),
        },
        "training": {
            "map": lake::LARGE,
            "episodes": TRAINED,
            "seconds": training,
            "steps": steps,
        },
    });
    println!("{result}");
}

/// The median of the seconds that some work takes, and what it returns.
fn median<T>(work: impl Fn() -> T) -> (f64, T) {
    let time = || {
        let began = seconds();
        black_box(work());
        seconds() - began
    };
    let mut times: Vec<f64> = (0..TIMES).map(|_| time()).collect();
    times.sort_by(f64::total_cmp);
    (times[TIMES / 2], work())
}

/// The seconds that this process has been at work: on a busy machine, waiting is
/// not counted.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
