//! World: an environment of the paper, its agents, the properties they must have, and the numbers
//! in the appendix.

use std::collections::{BTreeMap, BTreeSet};

use probtest::seed::RunSeed;

use super::{Action, Demand, Dynamics, Ground, Learner, Learning, Property, cliff, lake};
use crate::counting::OnPiece;

/// The training episodes in one piece of work.
pub(super) const PIECE: u64 = 1000;

/// An environment of the paper, and how agents learn in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum World {
    SmallLake,
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

    pub fn dynamics(self) -> Dynamics {
        let map = match self {
            World::SmallLake => lake::SMALL,
            World::LargeLake => lake::LARGE,
            World::Cliff => return cliff::dynamics(Ground::Slippery),
        };
        let map = lake::Map::parse(map).expect("the maps of the paper are maps");
        map.dynamics(Ground::Slippery)
    }

    pub fn paper_seed(self) -> RunSeed {
        match self {
            World::SmallLake | World::LargeLake => RunSeed(317),
            World::Cliff => RunSeed(42),
        }
    }

    pub fn paper_episodes(self) -> Vec<u64> {
        BTreeSet::from_iter(appendix(self).map(|row| row.1)).into_iter().collect()
    }

    /// The properties that its agents must have. In two cases the paper's text and its numbers
    /// differ, and both are here: 200 steps on the large lake, where the numbers were made with
    /// 100; and no fall along the cliff, where the numbers include falls after the goal was
    /// reached.
    pub(super) fn properties(self) -> Vec<Property> {
        use Demand::{Ends, NeverFalls, NeverFallsPastTheEnd};
        let asked = match self {
            World::SmallLake => &[(NeverFalls, 100), (Ends, 100)][..],
            World::LargeLake => &[(NeverFalls, 100), (Ends, 100), (NeverFalls, 200), (Ends, 200)],
            World::Cliff => &[(NeverFalls, 30), (NeverFallsPastTheEnd, 30)],
        };
        asked.iter().map(|&(demand, steps)| Property { demand, steps }).collect()
    }

    pub fn learner(self, dynamics: &Dynamics, seed: RunSeed) -> Learner<'_> {
        let learning = match self {
            World::SmallLake => Learning::SMALL_LAKE,
            World::LargeLake => Learning::LARGE_LAKE,
            World::Cliff => Learning::CLIFF,
        };
        Learner::new(dynamics, learning, seed, self.name())
    }

    /// Trains one agent, and returns its policy after each of these numbers of episodes. `done` is
    /// called after every thousand episodes.
    pub fn train(
        self,
        dynamics: &Dynamics,
        episodes: &[u64],
        seed: RunSeed,
        done: &OnPiece<'_>,
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
pub struct PublishedShares {
    /// The probability that the property doesn't hold, estimated from samples.
    pub violation: f64,
    /// The share of 100 repeats in which probtest found a violation.
    pub found: f64,
}

/// The appendix of the paper, which the Gymnasium study also reads.
const APPENDIX: &str = include_str!("../../../../python/examples/policies/published.csv");

/// The rows of a world: property, episodes, and the published numbers.
pub(super) fn appendix(world: World) -> impl Iterator<Item = (&'static str, u64, PublishedShares)> {
    let rows = APPENDIX.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let rows = rows.filter(move |cells| cells[0] == world.name());
    rows.map(|cells| {
        let number = |place: usize| cells[place].parse::<f64>().expect("a number");
        let (violation, found) = (number(4), number(5));
        (cells[2], number(3) as u64, PublishedShares { violation, found })
    })
}
