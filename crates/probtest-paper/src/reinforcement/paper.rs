//! The paper's own policies on the lakes: do the published numbers fit them?
//!
//! The policies were trained in Gymnasium with the paper's seeds; this module computes their
//! violation probabilities and measures nothing.

use probtest::judge::interval::clopper_pearson;

use super::study::Case;
use super::{Agent, PublishedShares, World};
use crate::table::{self, Verdict};

const FILE: &str = include_str!("../../data/published_policies.csv");
/// The episodes behind each published violation probability, according to the paper, and the tests
/// behind each published share.
const SAMPLES: u64 = 100_000;
const TESTS: u64 = 100;
/// A published number agrees if its interval of this confidence contains the exact one.
const CONFIDENCE: f64 = 0.999;

/// A published row, for one number of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedRow {
    pub case: Case,
    pub published: PublishedShares,
    /// The exact probability that an episode of the paper's policy violates the property.
    pub exact: f64,
    /// The exact probability that probtest finds it.
    pub found_exact: f64,
}

impl PublishedRow {
    pub fn agrees(&self) -> bool {
        fits(self.published.violation, 0.0005, SAMPLES, self.exact)
            && fits(self.published.found, 0.0, TESTS, self.found_exact)
    }
}

/// Whether a share that was rounded by up to `half` may come from `of` tries with an exact
/// probability.
pub(super) fn fits(share: f64, half: f64, of: u64, exact: f64) -> bool {
    let count = |share: f64| share * of as f64;
    // Slightly more, since a share such as 0.1195 isn't exact as a float.
    let least = (count(share - half) - 1e-6).ceil().max(0.0) as u64;
    let most = (count(share + half) + 1e-6).floor().min(of as f64) as u64;
    let interval = |count| clopper_pearson(count, of, CONFIDENCE).expect("at most all of them");
    (interval(least).0..=interval(most).1).contains(&exact)
}

/// Every published row of the lakes, by property, for 100 steps and, on the large
/// lake, for the 200 that the text names.
pub fn rows() -> Vec<PublishedRow> {
    let mut rows = Vec::new();
    for world in [World::SmallLake, World::LargeLake] {
        let dynamics = world.dynamics();
        for case in Case::of(world, &world.paper_episodes()) {
            let policy = policy(world, case.episodes).expect("the paper has this policy");
            let agent = Agent::new(&dynamics, policy);
            let exact = case.property.violation(&agent);
            rows.push(PublishedRow {
                case,
                published: case.published().expect("the paper has this row"),
                exact,
                found_exact: case.found(exact),
            });
        }
    }
    rows
}

fn policy(world: World, episodes: u64) -> Option<Vec<usize>> {
    let start = format!("{},{episodes},", world.name());
    let actions = FILE.lines().find_map(|line| line.strip_prefix(&start))?;
    let digits = actions.chars().map(|action| action.to_digit(10));
    digits.map(|digit| Some(digit? as usize)).collect()
}

pub fn csv(rows: &[PublishedRow]) -> String {
    table::csv(rows.iter().map(|row| {
        vec![
            ("environment", row.case.world.name().to_owned()),
            ("property", row.case.name().to_owned()),
            ("episodes", row.case.episodes.to_string()),
            ("steps", row.case.property.steps.to_string()),
            ("p", row.case.p().to_owned()),
            ("executions", row.case.executions().to_string()),
            ("published", row.published.violation.to_string()),
            ("exact", format!("{:.9}", row.exact)),
            ("published_found", row.published.found.to_string()),
            ("found_exact", format!("{:.9}", row.found_exact)),
            ("verdict", Verdict::of(row.agrees()).word().to_owned()),
        ]
    }))
}
