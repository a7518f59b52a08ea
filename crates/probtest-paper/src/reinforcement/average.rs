//! The cliff: do the published numbers fit agents that were trained as the
//! paper's?
//!
//! A published number of the cliff is a mean: of 100 agents, each with 2995
//! episodes. Exploration had no seed, so nobody can train those agents again. But
//! agents with the same slips and parameters, and with exploration from any other
//! generator, are draws from the same distribution, and their mean can be
//! compared. It is computed, agent by agent, and nothing is sampled.

pub mod table;

use probtest::seed::RunSeed;

use super::paper::fits;
use super::study::Case;
use super::trained::{Exact, Trainees};
use super::{Demand, Published, World};
use crate::counting::Done;

/// The agents behind each mean: as many as in the paper.
pub const AGENTS: u64 = 100;
/// The agents behind each published number, one for each test.
const PUBLISHED_AGENTS: u64 = 100;
/// A published violation probability has three digits.
const ROUNDING: f64 = 0.0005;
/// So many standard deviations are 99.9 % of a normal distribution.
const DEVIATIONS: f64 = 3.2905;

/// A published row of the cliff, and the mean of many agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// What it is about.
    pub case: Case,
    /// What the paper reports.
    pub published: Published,
    /// How many agents there are.
    pub agents: u64,
    /// The exact probability that an episode violates the property, mean of the
    /// agents.
    pub violation: f64,
    /// How far agents differ in it: their standard deviation.
    pub deviation: f64,
    /// The exact probability that probtest finds a violation, mean of the agents.
    pub found: f64,
    /// How many agents cannot violate the property at all.
    pub never: u64,
}

impl Average {
    fn new(case: Case, answers: &[Exact]) -> Average {
        let count = answers.len() as f64;
        let mean = |of: fn(&Exact) -> f64| answers.iter().map(of).sum::<f64>() / count;
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

    /// The standard error of the mean.
    pub fn error(&self) -> f64 {
        self.deviation / (self.agents as f64).sqrt()
    }

    /// How far a published violation probability may be from the mean: by its
    /// rounding, and by 99.9 % of what chance does to both. That is which agents
    /// we have, which agents the paper had, and the episodes that it sampled with
    /// them.
    pub fn margin(&self) -> f64 {
        let published = PUBLISHED_AGENTS as f64;
        let episodes = published * self.case.executions() as f64;
        let variance = self.error().powi(2)
            + self.deviation.powi(2) / published
            + self.violation * (1.0 - self.violation) / episodes;
        ROUNDING + DEVIATIONS * variance.sqrt()
    }

    /// Says whether the published violation probability fits the mean.
    pub fn violation_fits(&self) -> bool {
        (self.published.violation - self.violation).abs() <= self.margin()
    }

    /// Says whether the published share of tests, each of an agent of its own, has
    /// the mean in its 99.9 % interval.
    pub fn found_fits(&self) -> bool {
        fits(self.published.found, 0.0, PUBLISHED_AGENTS, self.found)
    }

    /// Says whether both fit.
    pub fn agrees(&self) -> bool {
        self.violation_fits() && self.found_fits()
    }

    /// One word: `agrees` or `differs`.
    pub fn verdict(&self) -> &'static str {
        if self.agrees() { "agrees" } else { "differs" }
    }

    /// Why, in a few words.
    pub fn why(&self) -> &'static str {
        match (self.agrees(), self.case.property().demand) {
            (true, _) => "the published numbers lie within the margins of the means",
            (false, Demand::NeverFalls) => {
                "the published numbers count falls after the goal was reached; this property ends there"
            }
            (false, _) => "the published numbers lie outside the margins of the means",
        }
    }
}

/// Trains [`AGENTS`] agents beside the cliff, and sets their means beside the
/// published rows: the property as the text has it, and as the numbers were made.
/// Nothing when `done` ended it before; it is called once for each agent.
///
/// The rows depend on the seed alone.
pub fn rows(seed: RunSeed, jobs: usize, done: &Done<'_>) -> Option<Vec<Average>> {
    let world = World::Cliff;
    let cases = Case::of(world, &world.paper_episodes());
    let trainees = Trainees {
        world,
        seed,
        part: "average",
        agents: AGENTS,
    };
    let answers = trainees.follow(&cases, jobs, done)?;
    let row = |(place, &case): (usize, &Case)| {
        let of_case: Vec<Exact> = answers.iter().map(|of_agent| of_agent[place]).collect();
        Average::new(case, &of_case)
    };
    Some(cases.iter().enumerate().map(row).collect())
}
