//! Many agents in one world, each trained with its own seed: what do they show that one agent
//! doesn't?
//!
//! [`curve`] is figure 3: how the violation probability falls while agents learn. One agent says
//! little: with a constant learning rate its policy keeps changing, and the violation probability
//! jumps.
//!
//! [`averages`] asks whether the published numbers of the cliff fit agents that were trained like
//! the paper's. Each number is a mean: of 100 agents, each with 2995 episodes. Exploration had no
//! seed, so those agents can't be trained again. But agents with the same slips and parameters are
//! draws from the same distribution, and their mean can be compared.
//!
//! Both are computed, agent by agent, without sampling.

use std::ops::ControlFlow;

use probtest::seed::{RunSeed, Stream};

use super::paper::fits;
use super::study::Case;
use super::{Agent, Demand, PublishedShares, World};
use crate::counting::{OnPiece, collect};
use crate::table;

/// An agent after some training, or the mean of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CurvePoint {
    pub episodes: u64,
    /// The exact probability that an episode violates the property.
    pub violation: f64,
    /// The exact probability that probtest finds it.
    pub found: f64,
}

/// Trains this many agents, and computes the answers of each to the cases, in the order of the
/// agents. `part` separates the agents of different questions. `done` is called once for each
/// agent.
fn train(
    (world, part): (World, &str),
    cases: &[Case],
    seed: RunSeed,
    agents: u64,
    jobs: usize,
    done: &OnPiece<'_>,
) -> Option<Vec<Vec<CurvePoint>>> {
    let stream = Stream::new(seed, &format!("{}/{part}", world.name()));
    collect(agents, jobs, done, |agent| {
        train_one(world, cases, RunSeed(stream.execution(agent).execution_seed()))
    })
}

/// Follows one agent through its training, which takes a fraction of a second.
fn train_one(world: World, cases: &[Case], seed: RunSeed) -> Vec<CurvePoint> {
    let dynamics = world.dynamics();
    let episodes: Vec<u64> = cases.iter().map(|case| case.episodes).collect();
    let policies = world.train(&dynamics, &episodes, seed, &|| ControlFlow::Continue(()));
    let policies = policies.expect("nothing ends it");
    let answer = |case: &Case| {
        let agent = Agent::new(&dynamics, policies[&case.episodes].clone());
        let violation = case.property.violation(&agent);
        CurvePoint { episodes: case.episodes, violation, found: case.found(violation) }
    };
    cases.iter().map(answer).collect()
}

/// The number of steps considered, as for the published numbers.
pub const STEPS: u32 = 100;

#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub world: World,
    pub agents: u64,
    /// The means, in the order of training.
    pub points: Vec<CurvePoint>,
    /// The same for one agent alone, the one that the study tests.
    pub one: Vec<CurvePoint>,
}

/// The numbers of episodes in the figure: fifty, up to the paper's last.
pub fn curve_episodes(world: World) -> Vec<u64> {
    let last = world.paper_episodes().into_iter().max().unwrap_or(50);
    (1..=50).map(|step| last * step / 50).collect()
}

/// Trains this many agents, and computes for each how likely it falls within [`STEPS`] steps and
/// how likely probtest finds that. `done` is called once for each agent.
pub fn curve(
    world: World,
    episodes: &[u64],
    seed: RunSeed,
    agents: u64,
    jobs: usize,
    done: &OnPiece<'_>,
) -> Option<Curve> {
    let mut cases = Case::of(world, episodes);
    cases.retain(|case| case.property.demand == Demand::NeverFalls && case.property.steps <= STEPS);
    let point = |case: &Case| CurvePoint { episodes: case.episodes, ..CurvePoint::default() };
    let mut points: Vec<CurvePoint> = cases.iter().map(point).collect();
    // Added in the order of the agents, so that the last digit is the same for any number of
    // threads.
    for of_agent in train((world, "curve"), &cases, seed, agents, jobs, done)? {
        for (sum, exact) in points.iter_mut().zip(of_agent) {
            sum.violation += exact.violation / agents as f64;
            sum.found += exact.found / agents as f64;
        }
    }
    Some(Curve { world, agents, points, one: train_one(world, &cases, seed) })
}

/// Writes curves as comma-separated values: the means, then the one agent.
pub fn curves_csv(curves: &[Curve]) -> String {
    let cells = |world: World, agents: u64, point: &CurvePoint| {
        vec![
            ("environment", world.name().to_owned()),
            ("agents", agents.to_string()),
            ("episodes", point.episodes.to_string()),
            ("violation", format!("{:.9}", point.violation)),
            ("found", format!("{:.9}", point.found)),
        ]
    };
    table::csv(curves.iter().flat_map(|curve| {
        let means = curve.points.iter().map(|point| cells(curve.world, curve.agents, point));
        means.chain(curve.one.iter().map(|point| cells(curve.world, 1, point)))
    }))
}

/// The agents behind each mean, as many as in the paper: one per test.
pub const AGENTS: u64 = 100;
/// A published violation probability has three digits.
const ROUNDING: f64 = 0.0005;
/// This many standard deviations cover 99.9 % of a normal distribution.
const DEVIATIONS: f64 = 3.2905;

/// A published row of the cliff, and the mean of many agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    pub case: Case,
    pub published: PublishedShares,
    pub agents: u64,
    /// The exact probability that an episode violates the property, mean of the agents.
    pub violation: f64,
    /// How much agents differ in it: their standard deviation.
    pub deviation: f64,
    /// The exact probability that probtest finds a violation, mean of the agents.
    pub found: f64,
    /// How many agents can't violate the property at all.
    pub never: u64,
}

impl Average {
    fn new(case: Case, answers: &[CurvePoint]) -> Average {
        let count = answers.len() as f64;
        let mean = |of: fn(&CurvePoint) -> f64| answers.iter().map(of).sum::<f64>() / count;
        let violation = mean(|exact| exact.violation);
        let squares = answers.iter().map(|e| (e.violation - violation).powi(2));
        Average {
            case,
            published: case.published().expect("the paper has this row"),
            agents: answers.len() as u64,
            violation,
            deviation: (squares.sum::<f64>() / (count - 1.0)).sqrt(),
            found: mean(|exact| exact.found),
            never: answers.iter().filter(|e| e.violation == 0.0).count() as u64,
        }
    }

    pub fn error(&self) -> f64 {
        self.deviation / (self.agents as f64).sqrt()
    }

    /// How far a published violation probability may be from the mean: by its rounding, and by
    /// 99.9 % of the random variation of both, which comes from our agents, the paper's agents, and
    /// the episodes sampled with them.
    pub fn margin(&self) -> f64 {
        let published = AGENTS as f64;
        let episodes = published * self.case.executions() as f64;
        let variance = self.error().powi(2)
            + self.deviation.powi(2) / published
            + self.violation * (1.0 - self.violation) / episodes;
        ROUNDING + DEVIATIONS * variance.sqrt()
    }

    pub fn violation_fits(&self) -> bool {
        (self.published.violation - self.violation).abs() <= self.margin()
    }

    /// Whether the 99.9 % interval of the published share of tests, each with its own agent,
    /// contains the mean.
    pub fn found_fits(&self) -> bool {
        fits(self.published.found, 0.0, AGENTS, self.found)
    }

    pub fn agrees(&self) -> bool {
        self.violation_fits() && self.found_fits()
    }

    pub fn why(&self) -> &'static str {
        match (self.agrees(), self.case.property.demand) {
            (true, _) => "the published numbers lie within the margins of the means",
            (false, Demand::NeverFalls) => {
                "the published numbers count falls after the goal was reached; this property ends there"
            }
            (false, _) => "the published numbers lie outside the margins of the means",
        }
    }
}

/// Trains [`AGENTS`] agents along the cliff, and compares their means with the published rows: for
/// the property as in the text, and as the numbers were made. `done` is called once for each agent.
/// The rows depend only on the seed.
pub fn averages(seed: RunSeed, jobs: usize, done: &OnPiece<'_>) -> Option<Vec<Average>> {
    let world = World::Cliff;
    let cases = Case::of(world, &world.paper_episodes());
    let answers = train((world, "average"), &cases, seed, AGENTS, jobs, done)?;
    let row = |(place, &case): (usize, &Case)| {
        let of_case: Vec<CurvePoint> = answers.iter().map(|of_agent| of_agent[place]).collect();
        Average::new(case, &of_case)
    };
    Some(cases.iter().enumerate().map(row).collect())
}
