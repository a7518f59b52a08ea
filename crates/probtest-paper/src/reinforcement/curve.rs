//! Figure 3: how does the violation probability fall while agents learn?
//!
//! One agent tells little: with a constant learning rate its policy keeps
//! changing, and the violation probability jumps. So this is the mean of many
//! agents, each computed exactly; [`super::study`] measures one of them for the
//! paper's numbers of episodes.

use probtest::seed::RunSeed;

use super::Demand;
use super::World;
use super::study::Case;
use super::trained::{Exact, Trainees, follow};
use crate::counting::Done;

/// The steps that the agents are looked at for, as the published numbers were.
pub const STEPS: u32 = 100;

/// Agents after some training.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// How long they were trained.
    pub episodes: u64,
    /// The probability that an episode violates the property, mean of the agents.
    pub violation: f64,
    /// The probability that probtest finds it, mean of the agents.
    pub found: f64,
}

impl Point {
    /// Where nothing is added yet.
    fn of(case: &Case) -> Point {
        Point {
            episodes: case.episodes(),
            ..Point::default()
        }
    }
}

/// The mean of some agents of one world.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Where they act.
    pub world: World,
    /// How many there are.
    pub agents: u64,
    /// The means, in the order of training.
    pub points: Vec<Point>,
    /// The same of one agent alone, the one that the study tests.
    pub one: Vec<Point>,
}

/// The numbers of episodes of the figure: fifty, up to the paper's last.
pub fn episodes(world: World) -> Vec<u64> {
    let last = world.paper_episodes().into_iter().max().unwrap_or(50);
    (1..=50).map(|step| last * step / 50).collect()
}

/// Trains so many agents, each with a seed of its own, and computes for each how
/// likely it falls within [`STEPS`] steps and how likely probtest finds that.
/// Nothing when `done` ended it before; it is called once for each agent.
///
/// ```
/// use std::ops::ControlFlow;
/// use probtest_paper::reinforcement::{World, curve::mean};
///
/// let lake = World::SmallLake;
/// let go_on = || ControlFlow::Continue(());
/// let curve = mean(lake, &[10, 100], lake.paper_seed(), 20, 2, &go_on).unwrap();
/// assert_eq!((curve.points[0].episodes, curve.points[1].episodes), (10, 100));
/// assert!(curve.points[1].violation < curve.points[0].violation);
/// ```
///
/// # Panics
///
/// Never: a policy fits the world that it was learned in.
pub fn mean(
    world: World,
    episodes: &[u64],
    seed: RunSeed,
    agents: u64,
    jobs: usize,
    done: &Done<'_>,
) -> Option<Curve> {
    let cases = looked_at(world, episodes);
    let trainees = Trainees {
        world,
        seed,
        part: "curve",
        agents,
    };
    let mut points: Vec<Point> = cases.iter().map(Point::of).collect();
    // Added in the order of the agents, so that the last digit is the same for
    // any number of threads.
    for of_agent in trainees.follow(&cases, jobs, done)? {
        for (sum, exact) in points.iter_mut().zip(of_agent) {
            sum.violation += exact.violation / agents as f64;
            sum.found += exact.found / agents as f64;
        }
    }
    let of_one = follow(world, &cases, seed);
    let one = |(case, exact): (&Case, Exact)| Point {
        violation: exact.violation,
        found: exact.found,
        ..Point::of(case)
    };
    Some(Curve {
        world,
        agents,
        points,
        one: cases.iter().zip(of_one).map(one).collect(),
    })
}

/// The property that forbids falls, as the published numbers were made.
fn looked_at(world: World, episodes: &[u64]) -> Vec<Case> {
    let mut cases = Case::of(world, episodes);
    cases.retain(|case| {
        let property = case.property();
        property.demand == Demand::NeverFalls && property.steps <= STEPS
    });
    cases
}

/// The columns of [`csv`].
pub const COLUMNS: &str = "environment,agents,episodes,violation,found";

/// Writes curves as comma-separated values: the means, then the one agent.
pub fn csv(curves: &[Curve]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for curve in curves {
        for (agents, points) in [(curve.agents, &curve.points), (1, &curve.one)] {
            for point in points {
                text.push_str(&format!(
                    "{},{agents},{},{:.9},{:.9}\n",
                    curve.world.name(),
                    point.episodes,
                    point.violation,
                    point.found
                ));
            }
        }
    }
    text
}
