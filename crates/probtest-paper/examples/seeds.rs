//! Says how much of a policy is the luck of one training.
//!
//! ```sh
//! cargo run --release -p probtest-paper --example seeds -- 1000
//! ```
//!
//! Trains one agent for each of many seeds, as the paper trains its single one,
//! and shows the quartiles and the mean of their exact violation probabilities,
//! how many of them are below p, and how many are 0.

use std::ops::ControlFlow;
use std::process::ExitCode;

use probtest::seed::RunSeed;
use probtest_paper::reinforcement::study::Case;
use probtest_paper::reinforcement::{Agent, World};

fn main() -> ExitCode {
    let word = std::env::args().nth(1).unwrap_or_else(|| "200".into());
    let seeds = match word.parse() {
        Ok(seeds) if (1..=1_000_000).contains(&seeds) => seeds,
        _ => {
            eprintln!(
                "error: the number of seeds is not a whole number from 1 to 1000000\n  given  {word}\n  help   write how many agents are trained, such as 200"
            );
            return ExitCode::from(2);
        }
    };
    println!(
        "environment  property            s  episodes  first quartile   median  third quartile    mean  below p   zero  paper"
    );
    for world in World::ALL {
        show(world, seeds);
    }
    ExitCode::SUCCESS
}

fn show(world: World, seeds: u64) {
    let dynamics = world.dynamics();
    let stops = world.paper_episodes();
    let cases = Case::of(world, &stops);
    let mut violations = vec![Vec::new(); cases.len()];
    let go_on = || ControlFlow::Continue(());
    for seed in 1..=seeds {
        let policies = world.train(&dynamics, &stops, RunSeed(seed), &go_on);
        let policies = policies.expect("nothing ends it");
        for (case, found) in cases.iter().zip(&mut violations) {
            let policy = policies[&case.episodes].clone();
            let agent = Agent::new(&dynamics, policy);
            found.push(case.property.violation(&agent));
        }
    }
    for (case, mut found) in cases.iter().zip(violations) {
        found.sort_by(f64::total_cmp);
        let at = |quarter: usize| found[(found.len() - 1) * quarter / 4];
        let p: f64 = case.p().parse().expect("p is a decimal");
        let share = |kind: &dyn Fn(f64) -> bool| {
            let counted = found.iter().filter(|q| kind(**q)).count();
            counted as f64 / found.len() as f64
        };
        println!(
            "{:<11}  {:<15}  {:>3}  {:>8}  {:>14.4}  {:>7.4}  {:>14.4}  {:>6.4}  {:>7.3}  {:>5.3}  {:>5.3}",
            world.name(),
            case.name(),
            case.property.steps,
            case.episodes,
            at(1),
            at(2),
            at(3),
            found.iter().sum::<f64>() / found.len() as f64,
            share(&|q| q < p),
            share(&|q| q == 0.0),
            case.published().map_or(f64::NAN, |published| published.violation),
        );
    }
}
