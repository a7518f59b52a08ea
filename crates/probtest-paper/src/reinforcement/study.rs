//! Study: how often does probtest find that a policy violates a property?
//!
//! An agent is trained for some episodes. The probability that its policy violates a property is
//! computed, and estimated from samples. Then [`probtest::check()`] tests the policy many times,
//! and the share of violated verdicts is compared with the exact 1 - (1 - q)^k. The policies aren't
//! those of the paper, since exploration, and slips on the lakes, come from another generator. The
//! tables are at the end.

use std::collections::BTreeMap;
use std::fmt::Write;

use probtest::judge::interval::clopper_pearson;
use probtest::seed::{RunSeed, Stream};
use probtest::{Settings, TestRng};
use serde_json::{Value, json};

use super::many::Average;
use super::world::{self, PublishedShares, World};
use super::{Agent, Demand, Property};
use crate::counting::{collect, interval};
use crate::counts::{claim, executions};
use crate::table::{self, Cells, Verdict};

pub use crate::counting::OnPiece;

/// The chance of missing a violation that the paper accepts.
pub const EPSILON: &str = "0.05";
/// The probability that any row of a table is said to differ from its exact values although it
/// doesn't.
pub const FALSE_ALARM: f64 = 1e-9;
/// The samples in one piece of work.
const PIECE: u64 = 1000;

/// What one row of the table is about: a policy, by its training, and a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub world: World,
    pub property: Property,
    pub episodes: u64,
}

impl Case {
    /// The rows of a world: each property, for each number of training episodes.
    pub fn of(world: World, episodes: &[u64]) -> Vec<Case> {
        let rows =
            |property| episodes.iter().map(move |&episodes| Case { world, property, episodes });
        world.properties().into_iter().flat_map(rows).collect()
    }

    /// What the paper calls the property; `Q past the goal` is how it was counted.
    pub fn name(&self) -> &'static str {
        match (self.world, self.property.demand) {
            (World::Cliff, Demand::NeverFallsPastTheEnd) => "Q past the goal",
            (World::Cliff, _) => "Q",
            (_, Demand::NeverFalls | Demand::NeverFallsPastTheEnd) => "Q1",
            (_, Demand::Ends) => "Q2",
        }
    }

    /// The violation probability to catch.
    pub fn p(&self) -> &'static str {
        match self.name() {
            "Q1" => "0.01",
            _ => "0.001",
        }
    }

    /// The paper's numbers, if it has a policy trained for that long.
    pub fn published(&self) -> Option<PublishedShares> {
        // The paper has no separate name for what it counted past the goal.
        let property = self.name().trim_end_matches(" past the goal");
        let mut rows = world::appendix(self.world);
        rows.find(|row| (row.0, row.1) == (property, self.episodes)).map(|row| row.2)
    }

    /// The executions that p and epsilon need: 299 or 2995.
    pub fn executions(&self) -> u64 {
        executions(self.p(), EPSILON)
    }

    /// The probability that this many executions find a violation of probability q: 1 - (1 - q)^k.
    pub fn found(&self, q: f64) -> f64 {
        -((-q).ln_1p() * self.executions() as f64).exp_m1()
    }

    fn stream(&self, seed: RunSeed, part: &str) -> Stream {
        let (world, steps) = (self.world.name(), self.property.steps);
        let (name, episodes) = (self.name(), self.episodes);
        Stream::new(seed, &format!("{world}/{name}/{steps}/{episodes}/{part}"))
    }

    /// Counts the samples in which the property is violated.
    pub fn sample(&self, agent: &Agent<'_>, effort: &Effort, done: &OnPiece<'_>) -> Option<u64> {
        let stream = self.stream(effort.seed, "samples");
        let violated = |index| !self.property.holds(agent, &mut stream.execution(index));
        let counts = collect(effort.sample_pieces(), effort.jobs, done, |piece| {
            let samples = (piece - 1) * PIECE + 1..=effort.samples.min(piece * PIECE);
            samples.filter(|&index| violated(index)).count() as u64
        });
        Some(counts?.into_iter().sum())
    }

    /// Tests a policy once, as a user would. Returns whether a violation was found.
    pub fn test(&self, agent: &Agent<'_>, seed: RunSeed, repeat: u64) -> bool {
        let mut source = self.stream(seed, "repeats").execution(repeat);
        let settings = Settings::new(self.name()).seed(source.execution_seed()).confirm(false);
        let body = |rng: &mut TestRng| self.property.holds(agent, rng);
        let report = probtest::check(claim(self.p(), EPSILON), settings, body);
        !report.expect("the claim has a plan").passed()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Determines training, samples and tests.
    pub seed: RunSeed,
    /// The episodes behind each estimate, at least 1.
    pub samples: u64,
    pub repeats: u64,
    /// How many threads; the rows don't depend on it.
    pub jobs: usize,
}

impl Effort {
    /// How often a study calls `done`, unless something ends it.
    pub fn pieces(&self, cases: &[Case]) -> u64 {
        let longest = |world: &World| stops(*world, cases).into_iter().max().unwrap_or(0);
        let trained: u64 = World::ALL.iter().map(|world| longest(world) / world::PIECE).sum();
        trained + cases.len() as u64 * (self.sample_pieces() + self.repeats)
    }

    fn sample_pieces(&self) -> u64 {
        self.samples.div_ceil(PIECE)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct AgentRow {
    pub case: Case,
    /// The exact probability that an episode violates the property, q.
    pub exact: f64,
    pub samples: u64,
    /// The samples that violate the property.
    pub violated: u64,
    /// The 95 % confidence interval of the violation probability.
    pub interval: (f64, f64),
    /// The exact probability that probtest finds a violation, 1 - (1 - q)^k.
    pub found_exact: f64,
    pub repeats: u64,
    /// The tests that found a violation.
    pub found: u64,
    /// Whether both counts fit the exact values. The probability that one in a whole table doesn't,
    /// by chance, is at most [`FALSE_ALARM`].
    pub fits: bool,
}

impl AgentRow {
    /// Compares the counts of samples that violate and of tests that found it with the exact
    /// values, in a table of `rows` rows.
    pub fn new(
        case: Case,
        exact: f64,
        effort: &Effort,
        counts: (u64, u64),
        rows: usize,
    ) -> AgentRow {
        let (violated, found) = counts;
        let (samples, repeats) = (effort.samples, effort.repeats);
        let found_exact = case.found(exact);
        AgentRow {
            case,
            exact,
            samples,
            violated,
            interval: interval(violated, samples),
            found_exact,
            repeats,
            found,
            fits: fits(violated, samples, exact, rows) && fits(found, repeats, found_exact, rows),
        }
    }

    pub fn estimate(&self) -> f64 {
        self.violated as f64 / self.samples as f64
    }

    pub fn found_measured(&self) -> f64 {
        self.found as f64 / self.repeats as f64
    }

    /// Whether the violation probability is high enough that it must be caught.
    pub fn must_be_found(&self) -> bool {
        self.exact >= self.case.p().parse().expect("p is a decimal")
    }

    /// Whether the promise is kept: what must be found is found with probability at least 0.95.
    pub fn promise_is_kept(&self) -> bool {
        !self.must_be_found() || self.found_exact >= 0.95
    }

    pub fn verdict(&self) -> &'static str {
        match self.fits {
            true => "another policy",
            false => "differs from exact",
        }
    }
}

/// Trains, computes and measures the rows. The counts in a row depend on its case, the seed, the
/// samples and the repeats, both above 0, but not on other rows or on threads.
pub fn run(cases: &[Case], effort: &Effort, done: &OnPiece<'_>) -> Option<Vec<AgentRow>> {
    let mut trained = BTreeMap::new();
    for world in World::ALL {
        let stops = stops(world, cases);
        if !stops.is_empty() {
            let dynamics = world.dynamics();
            let policies = world.train(&dynamics, &stops, effort.seed, done)?;
            trained.insert(world, (dynamics, policies));
        }
    }
    let row = |&case: &Case| {
        let (dynamics, policies) = &trained[&case.world];
        let agent = Agent::new(dynamics, policies[&case.episodes].clone());
        let violated = case.sample(&agent, effort, done)?;
        let test = |repeat| u64::from(case.test(&agent, effort.seed, repeat));
        let found = collect(effort.repeats, effort.jobs, done, test)?.into_iter().sum();
        let exact = case.property.violation(&agent);
        Some(AgentRow::new(case, exact, effort, (violated, found), cases.len()))
    };
    cases.iter().map(row).collect()
}

/// Whether a count fits an exact probability. In a table of `rows` rows, with two counts each, one
/// fails to by chance with probability at most [`FALSE_ALARM`].
fn fits(counted: u64, of: u64, exact: f64, rows: usize) -> bool {
    let confidence = 1.0 - FALSE_ALARM / (2.0 * rows as f64);
    let (low, high) = clopper_pearson(counted, of, confidence).expect("something was counted");
    (low..=high).contains(&exact)
}

/// The numbers of training episodes that the rows of a world need.
fn stops(world: World, cases: &[Case]) -> Vec<u64> {
    cases.iter().filter(|case| case.world == world).map(|case| case.episodes).collect()
}

/// The columns of the CSV file, and the fields of a row in JSON.
fn fields_of(row: &AgentRow) -> Cells<Value> {
    let published = row.case.published();
    let mut fields = fields_of_case(&row.case);
    fields.extend([
        ("epsilon", json!(decimal(EPSILON))),
        ("executions", json!(row.case.executions())),
        ("published", json!(published.map(|paper| paper.violation))),
        ("exact", json!(twelve_digits(row.exact))),
        ("estimate", json!(row.estimate())),
        ("estimate_low", json!(twelve_digits(row.interval.0))),
        ("estimate_high", json!(twelve_digits(row.interval.1))),
        ("samples", json!(row.samples)),
        ("published_found", json!(published.map(|paper| paper.found))),
        ("found_exact", json!(twelve_digits(row.found_exact))),
        ("found_measured", json!(row.found_measured())),
        ("repeats", json!(row.repeats)),
        ("verdict", json!(row.verdict())),
    ]);
    fields
}

fn fields_of_case(case: &Case) -> Cells<Value> {
    vec![
        ("environment", json!(case.world.name())),
        ("property", json!(case.name())),
        ("episodes", json!(case.episodes)),
        ("steps", json!(case.property.steps)),
        ("p", json!(decimal(case.p()))),
    ]
}

fn decimal(text: &str) -> f64 {
    text.parse().expect("p and epsilon are decimals")
}

/// The last digits depend on the machine's math library.
fn twelve_digits(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}

/// Writes the table as comma-separated values. Fields without a number in the paper are empty.
pub fn csv(rows: &[AgentRow]) -> String {
    table::csv(rows.iter().map(fields_of).map(table::texts))
}

pub fn json(study: &str, rows: &[AgentRow], seed: RunSeed) -> Value {
    let row = |row: &AgentRow| {
        let mut fields = fields_of(row);
        fields.push(("violated", json!(row.violated)));
        fields.push(("found", json!(row.found)));
        fields.push(("must_be_found", json!(row.must_be_found())));
        table::object(fields)
    };
    json!({
        "study": study,
        "seed": seed.to_string(),
        "false_alarm": FALSE_ALARM,
        "measured_fits": rows.iter().all(|row| row.fits),
        "promise_is_kept": rows.iter().all(AgentRow::promise_is_kept),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn cells(row: &AgentRow) -> Cells {
    let case = row.case;
    let published = case.published();
    let or_dash = |number: Option<f64>| number.map_or_else(|| "-".into(), |n| format!("{n:.3}"));
    let (low, high) = row.interval;
    vec![
        ("environment", case.world.name().into()),
        ("property", case.name().into()),
        ("s", case.property.steps.to_string()),
        ("episodes", case.episodes.to_string()),
        ("p", case.p().into()),
        ("k", case.executions().to_string()),
        ("paper", or_dash(published.map(|paper| paper.violation))),
        ("exact", short(row.exact)),
        ("estimate", format!("{:.5}", row.estimate())),
        ("95 % interval", format!("{low:.5} to {high:.5}")),
        ("paper finds", or_dash(published.map(|paper| paper.found))),
        ("exact finds", short(row.found_exact)),
        ("probtest finds", format!("{:.3}", row.found_measured())),
        ("verdict", row.verdict().into()),
    ]
}

/// Five digits. Only 0 itself is shown as 0: smaller numbers are shown with a power of ten.
fn short(number: f64) -> String {
    if number == 0.0 {
        "0".into()
    } else if number < 1e-5 {
        format!("{number:.1e}")
    } else {
        format!("{number:.5}")
    }
}

pub fn text(rows: &[AgentRow], seed: RunSeed) -> String {
    let cells: Vec<_> = rows.iter().map(cells).collect();
    format!("{}\n{}\n{}", answer(rows), facts(rows, seed), table::aligned(&cells, 2))
}

pub fn markdown(title: &str, rows: &[AgentRow], seed: RunSeed) -> String {
    let mut text = format!("# {title}\n\n{}.\n\n", answer(rows));
    for fact in facts(rows, seed).lines().map(str::trim) {
        let (name, words) = fact.split_once(' ').unwrap_or((fact, ""));
        let _ = writeln!(text, "- {name}: {}", words.trim_start());
    }
    let cells: Vec<_> = rows.iter().map(cells).collect();
    let _ = write!(text, "\n{}", table::markdown(&cells));
    text
}

/// The answer in one line.
fn answer(rows: &[AgentRow]) -> String {
    let fit = rows.iter().filter(|row| row.fits).count();
    let must = rows.iter().filter(|row| row.must_be_found());
    let kept = must.clone().filter(|row| row.promise_is_kept()).count();
    format!(
        "{kept} of {} violation probabilities of p or more are found with an exact probability of 0.95 or more; what was measured fits the exact values in {fit} of {} rows",
        must.count(),
        rows.len()
    )
}

/// What you need to read the table.
fn facts(rows: &[AgentRow], seed: RunSeed) -> String {
    let (samples, repeats) = rows.first().map_or((0, 0), |row| (row.samples, row.repeats));
    format!(
        "  policies  trained here with seed {seed}; the paper's policies differ, so its numbers need not agree
  measured  {samples} samples and {repeats} tests a row, epsilon {EPSILON}; exact is computed, not sampled
  fits      both counts; a whole table has a wrong `no` with probability {FALSE_ALARM:e} at most
"
    )
}

/// The columns of the CSV file, and the fields of a row in JSON.
fn fields_of_means(row: &Average) -> Cells<Value> {
    let mut fields = fields_of_case(&row.case);
    fields.extend([
        ("executions", json!(row.case.executions())),
        ("agents", json!(row.agents)),
        ("published", json!(row.published.violation)),
        ("mean", json!(twelve_digits(row.violation))),
        ("standard_error", json!(twelve_digits(row.error()))),
        ("margin", json!(twelve_digits(row.margin()))),
        ("published_found", json!(row.published.found)),
        ("found_mean", json!(twelve_digits(row.found))),
        ("never_violate", json!(row.never)),
        ("verdict", json!(Verdict::of(row.agrees()).word())),
    ]);
    fields
}

pub fn means_csv(rows: &[Average]) -> String {
    table::csv(rows.iter().map(fields_of_means).map(table::texts))
}

/// Converts means to a list of JSON objects, each with the reason for its verdict.
pub fn means_json(rows: &[Average]) -> Value {
    let row = |row: &Average| {
        let mut fields = fields_of_means(row);
        fields.push(("why", json!(row.why())));
        table::object(fields)
    };
    rows.iter().map(row).collect()
}

pub fn means_text(rows: &[Average]) -> String {
    let agents = rows.first().map_or(0, |row| row.agents);
    let agree = rows.iter().filter(|row| row.agrees()).count();
    let cells = |row: &Average| {
        vec![
            ("property", row.case.name().to_owned()),
            ("s", row.case.property.steps.to_string()),
            ("episodes", row.case.episodes.to_string()),
            ("paper", format!("{:.3}", row.published.violation)),
            ("mean", short(row.violation)),
            ("margin", format!("{:.5}", row.margin())),
            ("paper finds", format!("{:.3}", row.published.found)),
            ("mean finds", short(row.found)),
            ("never violate", row.never.to_string()),
            ("verdict", Verdict::of(row.agrees()).word().to_owned()),
        ]
    };
    let cells: Vec<_> = rows.iter().map(cells).collect();
    format!(
        "{agree} of {} rows agree with the paper in the mean of {agents} agents
  Q                as the text has it: nothing follows after the goal
  Q past the goal  as the numbers were made: all steps are taken, and falls after the goal count
  margin           how far the paper's number may be from the mean: rounding, and 99.9 % of chance

{}",
        rows.len(),
        table::aligned(&cells, 1)
    )
}
