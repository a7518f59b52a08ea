//! Figure 3: how does the violation probability fall while an agent learns?
//!
//! Everything here is exact; [`super::study`] measures the same for the paper's
//! numbers of episodes.

use probtest::seed::RunSeed;

use super::study::{Case, World};
use super::{Agent, Demand};

/// An agent after some training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How long it was trained.
    pub episodes: u64,
    /// The exact probability that an episode violates the property.
    pub violation: f64,
    /// The exact probability that probtest finds it.
    pub found: f64,
}

/// Follows one agent through its training: that it never falls, within 100 steps
/// on a lake, is looked at after each of the numbers of episodes, in order.
///
/// ```
/// use probtest_studies::reinforcement::{curve::follow, study::World};
///
/// let lake = World::SmallLake;
/// let curve = follow(lake, &[10, 100], lake.paper_seed());
/// assert_eq!((curve[0].episodes, curve[1].episodes), (10, 100));
/// assert!(curve[1].violation < curve[0].violation);
/// ```
///
/// # Panics
///
/// Never: a policy fits the world that it was learned in.
pub fn follow(world: World, episodes: &[u64], seed: RunSeed) -> Vec<Point> {
    let dynamics = world.dynamics();
    let mut learner = world.learner(&dynamics, seed);
    let mut points = Vec::new();
    for case in Case::of(world, episodes) {
        let property = case.property();
        if property.demand != Demand::NeverFalls || property.steps > 100 {
            continue;
        }
        while learner.episodes() < case.episodes() {
            learner.episode();
        }
        let agent = Agent::new(&dynamics, learner.policy()).expect("a policy fits its world");
        let violation = property.violation(&agent);
        let misses = (-violation).ln_1p() * case.executions() as f64;
        points.push(Point {
            episodes: case.episodes(),
            violation,
            found: -misses.exp_m1(),
        });
    }
    points
}

/// The columns of [`csv`].
pub const COLUMNS: &str = "environment,episodes,violation,found";

/// Writes curves as comma-separated values.
pub fn csv(curves: &[(World, Vec<Point>)]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for (world, points) in curves {
        for point in points {
            text.push_str(&format!(
                "{},{},{:.9},{:.9}\n",
                world.name(),
                point.episodes,
                point.violation,
                point.found
            ));
        }
    }
    text
}
