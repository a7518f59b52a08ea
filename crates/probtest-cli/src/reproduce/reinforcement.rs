//! `probtest reproduce frozen-lake` and `cliff-walking`: is it found that an agent
//! has not learned enough?

use std::path::PathBuf;

use clap::ValueEnum;
use probtest_studies::reinforcement::study::{self, Case, Effort, Row};
use probtest_studies::reinforcement::{World, table};
use serde_json::json;

use super::files::Folder;
use super::settings;
use super::watch::Watch;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::values::whole;

/// The most tests of a row: some hours of work.
const MOST_REPEATS: u64 = 1_000_000;
/// The most samples of a row: some minutes of work.
const MOST_SAMPLES: u64 = 1_000_000_000;
/// The longest training: some seconds of work.
const MOST_EPISODES: u64 = 10_000_000;
/// The most policies of one table.
const MOST_POLICIES: usize = 1000;

/// Trains agents on the paper's frozen lakes, computes how likely each falls into
/// a hole (Q1) or does not come to an end (Q2), and measures how often probtest
/// finds it
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Agents learn with the paper's parameters, but from numbers of another generator, so
the published values stand beside and need not agree. The lake of seven by seven is
tested for 100 steps, as the published numbers were, and for 200, as the paper says.
Writes frozen_lake.csv and frozen_lake.md, and the same as a table on stdout. Ends
with 1 when what was measured does not fit what is exact, or a violation
probability of p or more is found with an exact probability below 0.95.

Examples:
  probtest reproduce frozen-lake
  probtest reproduce frozen-lake --lake 4x4 --episodes 10,20,50 --seed 7 --json"
)]
pub struct FrozenLake {
    /// Which lake [default: both]
    #[arg(long, value_name = "LAKE")]
    lake: Option<Lake>,

    /// What is measured.
    #[command(flatten)]
    pub measure: Measure,
}

/// The lakes of the paper.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Lake {
    /// Four by four, one hole
    #[value(name = "4x4")]
    Small,
    /// Seven by seven, four holes
    #[value(name = "7x7")]
    Large,
}

/// Trains agents to walk along a slippery cliff, computes how likely each falls
/// within 30 steps (Q), and measures how often probtest finds it
#[derive(clap::Args, Debug)]
#[command(
    after_help = "The paper's agents explored without a seed, so nobody can train them again; the
published values stand beside. Writes cliff_walking.csv and cliff_walking.md, and the
same as a table on stdout. Ends with 1 when what was measured does not fit what is
exact, or a violation probability of p or more is found with an exact probability
below 0.95.

Examples:
  probtest reproduce cliff-walking
  probtest reproduce cliff-walking --episodes 100,1000,25000 --seed 7 --json"
)]
pub struct CliffWalking {
    /// What is measured.
    #[command(flatten)]
    pub measure: Measure,
}

/// What is measured, and where the answers go.
#[derive(clap::Args, Debug)]
pub struct Measure {
    /// After how many training episodes an agent is tested, such as 10,20,50
    /// [default: as in the paper]
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    episodes: Option<String>,

    /// How often each policy is tested with probtest
    #[arg(
        long,
        value_name = "N",
        default_value = "100",
        allow_negative_numbers = true
    )]
    repeats: String,

    /// How many episodes each estimate is made of
    #[arg(
        long,
        value_name = "N",
        default_value = "100000",
        allow_negative_numbers = true
    )]
    samples: String,

    /// How many threads; the table does not depend on it [default: all cores]
    /// [env: PROBTEST_JOBS]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    jobs: Option<String>,

    /// The seed of training, samples and tests, decimal or hexadecimal [default:
    /// the paper's, 317 for the lakes and 42 for the cliff] [env: PROBTEST_SEED]
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    seed: Option<String>,

    /// The folder for the tables
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: PathBuf,

    /// Write the table as one JSON object
    #[arg(long)]
    pub json: bool,
}

impl FrozenLake {
    /// Carries out the command.
    ///
    /// # Errors
    ///
    /// When an option cannot be used, or a file cannot be written.
    pub fn carry_out(&self) -> Result<Exit, Failure> {
        let worlds: &[World] = match self.lake {
            Some(Lake::Small) => &[World::SmallLake],
            Some(Lake::Large) => &[World::LargeLake],
            None => &[World::SmallLake, World::LargeLake],
        };
        let title = "Frozen lake: the probability of finding that an agent fails";
        self.measure.carry_out("frozen-lake", title, worlds)
    }
}

impl CliffWalking {
    /// Carries out the command.
    ///
    /// # Errors
    ///
    /// When an option cannot be used, or a file cannot be written.
    pub fn carry_out(&self) -> Result<Exit, Failure> {
        let title = "Cliff walking: the probability of finding that an agent falls";
        self.measure
            .carry_out("cliff-walking", title, &[World::Cliff])
    }
}

impl Measure {
    fn carry_out(&self, study: &str, title: &str, worlds: &[World]) -> Result<Exit, Failure> {
        let cases = self.cases(worlds)?;
        let effort = self.effort(worlds[0])?;
        let folder = Folder::make(&self.out)?;

        let watch = Watch::begin("pieces of work", effort.pieces(&cases))?;
        let rows = study::carry_out(&cases, &effort, &|| watch.done());
        let rows = watch.end(rows)?;

        let name = study.replace('-', "_");
        let seed = effort.seed;
        let csv = folder.write(&format!("{name}.csv"), &table::csv(&rows))?;
        let markdown = table::markdown(title, &rows, seed);
        let markdown = folder.write(&format!("{name}.md"), &markdown)?;
        if self.json {
            let mut value = table::json(study, &rows, seed);
            value["probtest"] = json!(probtest::report::FORMAT);
            value["files"] = json!([csv, markdown]);
            output::print_json(&value)?;
        } else {
            let text = table::text(&rows, seed);
            let (csv, markdown) = (csv.display(), markdown.display());
            output::print(&format!("{text}\nwritten to {csv} and {markdown}\n"))?;
        }
        let kept = |row: &Row| row.fits && row.promise_is_kept();
        let passed = rows.iter().all(kept);
        Ok(if passed { Exit::Passed } else { Exit::Violated })
    }

    /// The rows of the table.
    fn cases(&self, worlds: &[World]) -> Result<Vec<Case>, Failure> {
        let Some(list) = &self.episodes else {
            let paper = |&world: &World| Case::of(world, &world.paper_episodes());
            return Ok(worlds.iter().flat_map(paper).collect());
        };
        let help = "write numbers of training episodes with commas between them, such as 10,20,50";
        let mut episodes = Vec::new();
        for number in list.split(',') {
            let number = whole("--episodes", number, 0..=MOST_EPISODES, help)?;
            if !episodes.contains(&number) {
                episodes.push(number);
            }
        }
        if episodes.len() > MOST_POLICIES {
            return Err(Failure::given(
                format!("--episodes has more than {MOST_POLICIES} numbers"),
                format!("{} numbers", episodes.len()),
                "write fewer numbers, or several tables",
            ));
        }
        let asked = |&world: &World| Case::of(world, &episodes);
        Ok(worlds.iter().flat_map(asked).collect())
    }

    fn effort(&self, world: World) -> Result<Effort, Failure> {
        let tests = "write how often each policy is tested, such as 100";
        let episodes = "write how many episodes each estimate is made of, such as 100000";
        Ok(Effort {
            repeats: whole("--repeats", &self.repeats, 1..=MOST_REPEATS, tests)?,
            samples: whole("--samples", &self.samples, 1..=MOST_SAMPLES, episodes)?,
            jobs: settings::jobs(self.jobs.as_ref())?,
            seed: settings::seed(self.seed.as_ref(), world.paper_seed())?,
        })
    }
}
