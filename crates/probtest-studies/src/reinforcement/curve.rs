//! Figure 3: how does the violation probability fall while agents learn?
//!
//! One agent tells little: with a constant learning rate its policy keeps
//! changing, and the violation probability jumps. So this is the mean of many
//! agents, each computed exactly; [`super::study`] measures one of them for the
//! paper's numbers of episodes.

use std::ops::ControlFlow;
use std::sync::Mutex;

use probtest::seed::{RunSeed, Stream};

use super::World;
use super::study::Case;
use super::{Agent, Demand};
use crate::counting::{Done, sum};

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
/// use probtest_studies::reinforcement::{World, curve::mean};
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
    let stream = Stream::new(seed, &format!("{}/curve", world.name()));
    let followed = Mutex::new(vec![Vec::new(); agents as usize]);
    sum(agents, jobs, done, |agent| {
        let points = follow(
            world,
            episodes,
            RunSeed(stream.execution(agent).execution_seed()),
        );
        let mut followed = followed.lock().expect("no agent panics");
        followed[agent as usize - 1] = points;
        1
    })?;
    // Added in the order of the agents, so that the last digit is the same for
    // any number of threads.
    let mut points = vec![Point::default(); episodes.len()];
    for of_agent in followed.into_inner().expect("no agent panics") {
        for (sum, point) in points.iter_mut().zip(of_agent) {
            sum.episodes = point.episodes;
            sum.violation += point.violation / agents as f64;
            sum.found += point.found / agents as f64;
        }
    }
    Some(Curve {
        world,
        agents,
        points,
        one: follow(world, episodes, seed),
    })
}

/// Follows one agent through its training, which takes a fraction of a second.
fn follow(world: World, episodes: &[u64], seed: RunSeed) -> Vec<Point> {
    let dynamics = world.dynamics();
    let policies = world.train(&dynamics, episodes, seed, &|| ControlFlow::Continue(()));
    let policies = policies.expect("nobody ends it");
    let cases = Case::of(world, episodes);
    let looked_at = cases.iter().filter(|case| {
        let property = case.property();
        property.demand == Demand::NeverFalls && property.steps <= STEPS
    });
    let point = |case: &Case| {
        let policy = policies[&case.episodes()].clone();
        let agent = Agent::new(&dynamics, policy).expect("a policy fits its world");
        let violation = case.property().violation(&agent);
        let misses = (-violation).ln_1p() * case.executions() as f64;
        Point {
            episodes: case.episodes(),
            violation,
            found: -misses.exp_m1(),
        }
    };
    looked_at.map(point).collect()
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
