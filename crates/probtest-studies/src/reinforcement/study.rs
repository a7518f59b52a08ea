//! Study: how often does probtest find that a policy violates a property?
//!
//! An agent is trained for some episodes. How likely its policy violates a
//! property is computed, and estimated from samples. Then [`probtest::run()`]
//! tests the policy, many times, and the share of violated verdicts stands beside
//! the exact 1 - (1 - q)^k. Policies are not those of the paper, since slips and
//! exploration come from another generator; its numbers stand beside ours.

use std::collections::BTreeMap;

use probtest::judge::interval::clopper_pearson;
use probtest::plan::Plan;
use probtest::seed::{RunSeed, Stream};
use probtest::{Claim, Options, TestRng};

use super::published::{self, Published};
use super::{Action, Agent, Demand, Dynamics, Ground, Learner, Learning, Property, cliff, lake};
use crate::counting::{interval, sum};

pub use crate::counting::Done;

/// The chance of missing a violation that the paper accepts.
pub const EPSILON: &str = "0.05";
/// The probability that any row of a table is said to differ from its exact
/// values though it does not.
pub const FALSE_ALARM: f64 = 1e-9;
/// The samples in one piece of work, and the training episodes.
const PIECE: u64 = 1000;

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

    /// What is asked of its agents. The text of the paper says 200 steps for the
    /// large lake, its numbers were made with 100: both are here.
    fn properties(self) -> Vec<Property> {
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
            World::Cliff => vec![never_falls(30)],
        }
    }

    /// Starts an agent without knowledge.
    pub fn learner(self, dynamics: &Dynamics, seed: RunSeed) -> Learner<'_> {
        Learner::new(dynamics, self.learning(), seed, self.name())
    }
}

/// What one row of the table is about: a policy, by its training, and a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    world: World,
    property: Property,
    episodes: u64,
}

impl Case {
    /// The rows of a world: each property, for each number of training episodes.
    ///
    /// ```
    /// use probtest_studies::reinforcement::study::{Case, World};
    ///
    /// let lake = World::LargeLake;
    /// let cases = Case::of(lake, &lake.paper_episodes());
    /// assert_eq!(cases.len(), 16);
    /// assert_eq!((cases[0].name(), cases[0].p(), cases[0].executions()), ("Q1", "0.01", 299));
    /// assert_eq!((cases[4].name(), cases[4].p(), cases[4].executions()), ("Q2", "0.001", 2995));
    /// ```
    pub fn of(world: World, episodes: &[u64]) -> Vec<Case> {
        let properties = world.properties();
        let rows = properties.iter().flat_map(|&property| {
            episodes.iter().map(move |&episodes| Case {
                world,
                property,
                episodes,
            })
        });
        rows.collect()
    }

    /// Where the agent acts.
    pub fn world(&self) -> World {
        self.world
    }

    /// What is asked of it.
    pub fn property(&self) -> Property {
        self.property
    }

    /// How long it was trained.
    pub fn episodes(&self) -> u64 {
        self.episodes
    }

    /// What the paper calls the property.
    pub fn name(&self) -> &'static str {
        match (self.world, self.property.demand) {
            (World::Cliff, _) => "Q",
            (_, Demand::NeverFalls) => "Q1",
            (_, Demand::Ends) => "Q2",
        }
    }

    /// The violation probability that must not go unnoticed.
    pub fn p(&self) -> &'static str {
        match self.name() {
            "Q1" => "0.01",
            _ => "0.001",
        }
    }

    /// The paper's numbers, where it has a policy trained that long.
    pub fn published(&self) -> Option<Published> {
        published::find(self.world, self.property.demand, self.episodes)
    }

    /// The executions that p and epsilon need: 299 or 2995.
    pub fn executions(&self) -> u64 {
        Plan::new(&self.claim())
            .expect("the claim has a plan")
            .executions()
    }

    fn claim(&self) -> Claim {
        Claim::detect(self.p(), EPSILON).expect("p and epsilon are probabilities")
    }

    fn stream(&self, seed: RunSeed, part: &str) -> Stream {
        let (world, steps) = (self.world.name(), self.property.steps);
        let (name, episodes) = (self.name(), self.episodes);
        Stream::new(seed, &format!("{world}/{name}/{steps}/{episodes}/{part}"))
    }

    /// Counts the samples in which the property is violated. Nothing when `done`
    /// ended it before.
    pub fn sample(&self, agent: &Agent<'_>, effort: &Effort, done: &Done<'_>) -> Option<u64> {
        let stream = self.stream(effort.seed, "samples");
        let violated = |index| !self.property.holds(agent, &mut stream.execution(index));
        sum(effort.sample_pieces(), effort.jobs, done, |piece| {
            let last = effort.samples.min(piece * PIECE);
            let samples = (piece - 1) * PIECE + 1..=last;
            samples.filter(|&index| violated(index)).count() as u64
        })
    }

    /// Tests a policy once, as a user would. Says whether a violation was found.
    pub fn test(&self, agent: &Agent<'_>, seed: RunSeed, repeat: u64) -> bool {
        let mut source = self.stream(seed, "repeats").execution(repeat);
        let options = Options::new(self.name()).seed(source.execution_seed());
        let body = |rng: &mut TestRng| self.property.holds(agent, rng);
        let report = probtest::run(&self.claim(), options, body).expect("the claim has a plan");
        !report.passed()
    }
}

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Decides training, samples and tests.
    pub seed: RunSeed,
    /// The episodes behind each estimate, at least 1.
    pub samples: u64,
    /// How often each policy is tested, at least 1.
    pub repeats: u64,
    /// How many threads; the rows do not depend on it.
    pub jobs: usize,
}

impl Effort {
    /// How often a study calls `done`, if nothing ends it.
    pub fn pieces(&self, cases: &[Case]) -> u64 {
        let trained: u64 = longest(cases).values().map(|most| most / PIECE).sum();
        trained + cases.len() as u64 * (self.sample_pieces() + self.repeats)
    }

    fn sample_pieces(&self) -> u64 {
        self.samples.div_ceil(PIECE)
    }
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is about.
    pub case: Case,
    /// The exact probability that an episode violates the property, q.
    pub exact: f64,
    /// The episodes that were sampled.
    pub samples: u64,
    /// Those that violate the property.
    pub violated: u64,
    /// The violation probabilities that the samples do not speak against, at 95 %.
    pub interval: (f64, f64),
    /// The exact probability that probtest finds a violation, 1 - (1 - q)^k.
    pub found_exact: f64,
    /// How often the policy was tested.
    pub repeats: u64,
    /// How often a violation was found.
    pub found: u64,
    /// Whether both counts fit the exact values. That one of a whole table does
    /// not by chance has probability [`FALSE_ALARM`] at most.
    pub fits: bool,
}

impl Row {
    /// The share of samples that violate the property.
    pub fn estimate(&self) -> f64 {
        self.violated as f64 / self.samples as f64
    }

    /// The share of tests that found a violation.
    pub fn found_measured(&self) -> f64 {
        self.found as f64 / self.repeats as f64
    }

    /// Says whether the violation probability is one that must not go unnoticed.
    pub fn must_be_found(&self) -> bool {
        self.exact >= self.case.p().parse().expect("p is a decimal")
    }

    /// Says whether the promise is kept: what must be found is found with
    /// probability 0.95 or more.
    pub fn promise_is_kept(&self) -> bool {
        !self.must_be_found() || self.found_exact >= 0.95
    }

    /// What there is to say about the row in one or two words: `own policy`, since
    /// it is not the paper's, or `differs from exact`.
    pub fn verdict(&self) -> &'static str {
        if self.fits {
            "own policy"
        } else {
            "differs from exact"
        }
    }
}

/// Trains, computes and measures the rows. Nothing when `done` ended it before.
///
/// What is counted in a row depends on its case, the seed, the samples and the
/// repeats; neither on the other rows nor on the number of threads.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use probtest_studies::reinforcement::study::{Case, Effort, World, carry_out};
///
/// let world = World::SmallLake;
/// let effort = Effort { seed: world.paper_seed(), samples: 1000, repeats: 10, jobs: 2 };
/// let rows = carry_out(&Case::of(world, &[1]), &effort, &|| ControlFlow::Continue(())).unwrap();
/// // After a single episode the agent still walks against the wall.
/// assert_eq!((rows.len(), rows[1].case.name()), (2, "Q2"));
/// assert!(rows[1].exact > 0.5 && rows[1].found == 10);
/// ```
///
/// # Panics
///
/// When samples or repeats are 0.
pub fn carry_out(cases: &[Case], effort: &Effort, done: &Done<'_>) -> Option<Vec<Row>> {
    let mut policies = BTreeMap::new();
    let worlds: BTreeMap<World, Dynamics> = cases
        .iter()
        .map(|case| (case.world, case.world.dynamics()))
        .collect();
    for (&world, dynamics) in &worlds {
        train(world, dynamics, cases, effort.seed, &mut policies, done)?;
    }
    // Two comparisons for each row share the probability of a false alarm.
    let confidence = 1.0 - FALSE_ALARM / (2.0 * cases.len().max(1) as f64);
    let row = |&case: &Case| {
        let policy = &policies[&(case.world, case.episodes)];
        let agent = Agent::new(&worlds[&case.world], policy.clone())
            .expect("a policy fits the world that it was learned in");
        measure(case, &agent, effort, confidence, done)
    };
    cases.iter().map(row).collect()
}

fn measure(
    case: Case,
    agent: &Agent<'_>,
    effort: &Effort,
    confidence: f64,
    done: &Done<'_>,
) -> Option<Row> {
    let exact = case.property.violation(agent);
    let found_exact = -((-exact).ln_1p() * case.executions() as f64).exp_m1();
    let violated = case.sample(agent, effort, done)?;
    let found = sum(effort.repeats, effort.jobs, done, |repeat| {
        u64::from(case.test(agent, effort.seed, repeat))
    })?;
    let fits = |counted, of, exact| {
        let (low, high) = clopper_pearson(counted, of, confidence).expect("something was counted");
        (low..=high).contains(&exact)
    };
    Some(Row {
        case,
        exact,
        samples: effort.samples,
        violated,
        interval: interval(violated, effort.samples),
        found_exact,
        repeats: effort.repeats,
        found,
        fits: fits(violated, effort.samples, exact) && fits(found, effort.repeats, found_exact),
    })
}

/// The most training episodes that each world needs.
fn longest(cases: &[Case]) -> BTreeMap<World, u64> {
    let mut longest = BTreeMap::new();
    for case in cases {
        let most = longest.entry(case.world).or_insert(0);
        *most = case.episodes.max(*most);
    }
    longest
}

/// Trains one agent, and keeps its policy after each number of episodes.
fn train(
    world: World,
    dynamics: &Dynamics,
    cases: &[Case],
    seed: RunSeed,
    policies: &mut BTreeMap<(World, u64), Vec<Action>>,
    done: &Done<'_>,
) -> Option<()> {
    let of_world = cases.iter().filter(|case| case.world == world);
    let mut stops: Vec<u64> = of_world.map(|case| case.episodes).collect();
    stops.sort_unstable();
    stops.dedup();
    let mut learner = world.learner(dynamics, seed);
    for stop in stops {
        while learner.episodes() < stop {
            learner.episode();
            if learner.episodes() % PIECE == 0 && done().is_break() {
                return None;
            }
        }
        policies.insert((world, stop), learner.policy());
    }
    Some(())
}
