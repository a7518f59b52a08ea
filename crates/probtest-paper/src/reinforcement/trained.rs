//! Many agents of one world, each trained with a seed of its own.

use std::ops::ControlFlow;
use std::sync::Mutex;

use probtest::seed::{RunSeed, Stream};

use super::World;
use super::agent::Agent;
use super::study::Case;
use crate::counting::{Done, sum};

/// What is exact of one agent after some training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exact {
    pub violation: f64,
    pub found: f64,
}

/// The seed that every agent takes its own from.
pub(super) struct Trainees {
    pub world: World,
    pub seed: RunSeed,
    /// Keeps the agents of different questions apart.
    pub part: &'static str,
    pub agents: u64,
}

impl Trainees {
    /// Trains every agent, and computes its answers to the cases. They are in the
    /// order of the agents, whatever the number of threads. Nothing when `done`
    /// ended it before; it is called once for each agent.
    pub fn follow(&self, cases: &[Case], jobs: usize, done: &Done<'_>) -> Option<Vec<Vec<Exact>>> {
        let stream = Stream::new(self.seed, &format!("{}/{}", self.world.name(), self.part));
        let followed = Mutex::new(vec![Vec::new(); self.agents as usize]);
        sum(self.agents, jobs, done, |agent| {
            let seed = RunSeed(stream.execution(agent).execution_seed());
            let answers = follow(self.world, cases, seed);
            let mut followed = followed.lock().expect("no agent panics");
            followed[agent as usize - 1] = answers;
            1
        })?;
        Some(followed.into_inner().expect("no agent panics"))
    }
}

/// Follows one agent through its training, which takes a fraction of a second.
pub(super) fn follow(world: World, cases: &[Case], seed: RunSeed) -> Vec<Exact> {
    let dynamics = world.dynamics();
    let episodes: Vec<u64> = cases.iter().map(Case::episodes).collect();
    let policies = world.train(&dynamics, &episodes, seed, &|| ControlFlow::Continue(()));
    let policies = policies.expect("nobody ends it");
    let answer = |case: &Case| {
        let policy = policies[&case.episodes()].clone();
        let agent = Agent::new(&dynamics, policy).expect("a policy fits its world");
        let violation = case.property().violation(&agent);
        Exact {
            violation,
            found: case.found(violation),
        }
    };
    cases.iter().map(answer).collect()
}
