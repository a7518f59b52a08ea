//! The numbers of the paper's appendix.

use super::property::Demand;
use super::world::World;

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
type Lake = (u64, f64, f64, f64, f64);

const SMALL_LAKE: [Lake; 10] = [
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
const LARGE_LAKE: [Lake; 4] = [
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

/// The numbers of training episodes in the paper.
pub(super) fn episodes(world: World) -> Vec<u64> {
    match world {
        World::SmallLake => SMALL_LAKE.iter().map(|row| row.0).collect(),
        World::LargeLake => LARGE_LAKE.iter().map(|row| row.0).collect(),
        World::Cliff => CLIFF.to_vec(),
    }
}

/// The paper's numbers, if it has a policy trained that long.
pub(super) fn find(world: World, demand: Demand, episodes: u64) -> Option<Published> {
    let lake: &[Lake] = match world {
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
