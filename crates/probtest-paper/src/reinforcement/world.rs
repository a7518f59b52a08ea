//! World: an environment of the paper, its agents, and what is asked of them.

use std::collections::BTreeMap;

use probtest::seed::RunSeed;

use super::{
    Action, Demand, Dynamics, Ground, Learner, Learning, Property, cliff, lake, published,
};
use crate::counting::Done;

/// The training episodes in one piece of work.
pub(super) const PIECE: u64 = 1000;

/// An environment of the paper, and how agents learn in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum World {
    /// The slippery lake of four by four.
    SmallLake,
    /// The slippery lake of seven by seven.
    LargeLake,
    /// The slippery cliff.
    Cliff,
}

impl World {
    /// All of them.
    pub const ALL: [World; 3] = [World::SmallLake, World::LargeLake, World::Cliff];

    /// Its name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            World::SmallLake => "4x4",
            World::LargeLake => "7x7",
            World::Cliff => "cliffwalk",
        }
    }

    /// What can follow each action.
    pub fn dynamics(self) -> Dynamics {
        let map = match self {
            World::SmallLake => lake::SMALL,
            World::LargeLake => lake::LARGE,
            World::Cliff => return cliff::dynamics(Ground::Slippery),
        };
        let map = lake::Map::parse(map).expect("the maps of the paper are maps");
        map.dynamics(Ground::Slippery)
    }

    /// How agents learn in it.
    pub fn learning(self) -> Learning {
        match self {
            World::SmallLake => Learning::SMALL_LAKE,
            World::LargeLake => Learning::LARGE_LAKE,
            World::Cliff => Learning::CLIFF,
        }
    }

    /// The seed that the paper's agents were trained with.
    pub fn paper_seed(self) -> RunSeed {
        match self {
            World::SmallLake | World::LargeLake => RunSeed(317),
            World::Cliff => RunSeed(42),
        }
    }

    /// The numbers of training episodes in the paper.
    pub fn paper_episodes(self) -> Vec<u64> {
        published::episodes(self)
    }

    /// What is asked of its agents. Twice the paper's text and its numbers differ,
    /// and both are here: 200 steps on the large lake, where the numbers were made
    /// with 100; and no fall beside the cliff, where the numbers count those after
    /// the goal was reached.
    pub(super) fn properties(self) -> Vec<Property> {
        let never_falls = |steps| Property {
            demand: Demand::NeverFalls,
            steps,
        };
        let ends = |steps| Property {
            demand: Demand::Ends,
            steps,
        };
        match self {
            World::SmallLake => vec![never_falls(100), ends(100)],
            World::LargeLake => vec![never_falls(100), ends(100), never_falls(200), ends(200)],
            World::Cliff => vec![
                never_falls(30),
                Property {
                    demand: Demand::NeverFallsPastTheEnd,
                    steps: 30,
                },
            ],
        }
    }

    /// Starts an agent without knowledge.
    pub fn learner(self, dynamics: &Dynamics, seed: RunSeed) -> Learner<'_> {
        Learner::new(dynamics, self.learning(), seed, self.name())
    }

    /// Trains one agent, and returns its policy after each of the numbers of
    /// episodes, from the lowest. Nothing when `done`, which is called after every
    /// thousand episodes, ended it before.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use probtest_paper::reinforcement::World;
    ///
    /// let (lake, go_on) = (World::SmallLake, || ControlFlow::Continue(()));
    /// let dynamics = lake.dynamics();
    /// let policies = lake.train(&dynamics, &[100, 0], lake.paper_seed(), &go_on).unwrap();
    /// assert_eq!(policies[&0], [0; 16]);
    /// assert_ne!(policies[&100], [0; 16]);
    /// ```
    pub fn train(
        self,
        dynamics: &Dynamics,
        episodes: &[u64],
        seed: RunSeed,
        done: &Done<'_>,
    ) -> Option<BTreeMap<u64, Vec<Action>>> {
        let mut policies: BTreeMap<u64, Vec<Action>> = BTreeMap::new();
        policies.extend(episodes.iter().map(|&stop| (stop, Vec::new())));
        let mut learner = self.learner(dynamics, seed);
        for (&stop, policy) in &mut policies {
            while learner.episodes() < stop {
                learner.episode();
                if learner.episodes().is_multiple_of(PIECE) && done().is_break() {
                    return None;
                }
            }
            *policy = learner.policy();
        }
        Some(policies)
    }
}
