//! World: an environment of the paper, its agents, what is asked of them, and the numbers
//! of the appendix.

use std::collections::BTreeMap;

use probtest::seed::RunSeed;

use super::{Action, Demand, Dynamics, Ground, Learner, Learning, Property, cliff, lake};
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
    Cliff,
}

impl World {
    pub const ALL: [World; 3] = [World::SmallLake, World::LargeLake, World::Cliff];

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
        match self {
            World::SmallLake => SMALL_LAKE.iter().map(|row| row.0).collect(),
            World::LargeLake => LARGE_LAKE.iter().map(|row| row.0).collect(),
            World::Cliff => CLIFF.to_vec(),
        }
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

/// What the paper reports for one policy and property.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The probability that the property does not hold, estimated from samples.
    pub violation: f64,
    /// The share of 100 repeats in which probtest found a violation.
    pub found: f64,
}

/// Episodes, then violation and found of the property that forbids falls, then
/// those of the property that an episode ends.
type LakeRow = (u64, f64, f64, f64, f64);

const SMALL_LAKE: [LakeRow; 10] = [
    (10, 0.530, 1.0, 0.011, 1.0),
    (20, 0.119, 1.0, 0.095, 1.0),
    (30, 0.016, 1.0, 0.715, 1.0),
    (40, 0.0, 0.0, 0.226, 1.0),
    (50, 0.0, 0.0, 0.002, 1.0),
    (60, 0.0, 0.0, 0.002, 0.99),
    (70, 0.0, 0.0, 0.002, 0.99),
    (80, 0.0, 0.0, 0.001, 0.99),
    (90, 0.0, 0.0, 0.002, 1.0),
    (100, 0.0, 0.0, 0.002, 0.99),
];
const LARGE_LAKE: [LakeRow; 4] = [
    (10_000, 0.055, 1.0, 0.082, 1.0),
    (15_000, 0.012, 0.99, 0.051, 1.0),
    (20_000, 0.0, 0.0, 0.082, 1.0),
    (25_000, 0.0, 0.0, 0.060, 1.0),
];
/// All three rows of the cliff say the same.
const CLIFF: [u64; 3] = [15_000, 20_000, 25_000];
const CLIFF_ROW: Published = Published {
    violation: 0.007,
    found: 1.0,
};

/// The paper's numbers, if it has a policy trained that long.
pub(super) fn published(world: World, demand: Demand, episodes: u64) -> Option<Published> {
    let lake: &[LakeRow] = match world {
        World::SmallLake => &SMALL_LAKE,
        World::LargeLake => &LARGE_LAKE,
        World::Cliff => return CLIFF.contains(&episodes).then_some(CLIFF_ROW),
    };
    let row = lake.iter().find(|row| row.0 == episodes)?;
    let (violation, found) = match demand {
        Demand::NeverFalls | Demand::NeverFallsPastTheEnd => (row.1, row.2),
        Demand::Ends => (row.3, row.4),
    };
    Some(Published { violation, found })
}
