//! `probtest reproduce frozen-lake` and `cliff-walking`: is it found that an agent
//! has not learned enough?

use clap::ValueEnum;
use probtest_studies::reinforcement::study::{self, Case, Effort, Row};
use probtest_studies::reinforcement::{World, average, table};

use super::report::{Report, about};
use super::settings::Settings;
use super::training::{Many, Study};
use super::watch::Watch;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::values::whole;

/// The most agents behind each curve of figure 3: as many as tests, up to this.
const MOST_AGENTS: u64 = 200;
/// The samples of `--quick`.
const QUICK_SAMPLES: &str = "20000";
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
Writes frozen_lake.csv, figure 3 and index.html, and a table on stdout. Ends
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
/// within 30 steps, until it arrives (Q) or in all of them (Q past the goal), and
/// measures how often probtest finds it
#[derive(clap::Args, Debug)]
#[command(
    after_help = "The paper's agents explored without a seed, so nobody can train them again; the
published values stand beside. They are means of 100 agents, and are compared with
the mean of 100 agents of our own. Its text asks for no fall within 30 steps; its
numbers count falls after the goal was reached too: both are here. Writes
cliff_walking.csv, cliff_agents.csv and index.html, and two tables on stdout. Ends
with 1 when what was measured does not fit what is exact, or a violation
probability of p or more is found with an exact probability below 0.95.

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
        default_value_if("quick", "true", QUICK_SAMPLES),
        allow_negative_numbers = true
    )]
    samples: String,

    /// Measure less: 20 000 episodes for each estimate
    #[arg(long, conflicts_with = "samples")]
    quick: bool,

    #[command(flatten)]
    pub settings: Settings,
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
        self.measure.carry_out(Study::FrozenLake, worlds)
    }
}

impl CliffWalking {
    /// Carries out the command.
    ///
    /// # Errors
    ///
    /// When an option cannot be used, or a file cannot be written.
    pub fn carry_out(&self) -> Result<Exit, Failure> {
        self.measure.carry_out(Study::CliffWalking, &[World::Cliff])
    }
}

impl Measure {
    fn carry_out(&self, study: Study, worlds: &[World]) -> Result<Exit, Failure> {
        let cases = self.cases(worlds)?;
        let effort = self.effort(worlds[0])?;
        let mut report = Report::begin(&self.settings.out)?;

        let agents = effort.repeats.min(MOST_AGENTS);
        let pieces = effort.pieces(&cases) + study.many_pieces(worlds, agents);
        let watch = Watch::begin("pieces of work", pieces)?;
        let done = || watch.done();
        let rows = study::carry_out(&cases, &effort, &done);
        let trained = rows.and_then(|rows| {
            let many = study.many(worlds, &effort, agents, &done)?;
            Some((rows, many))
        });
        let (rows, many) = watch.end(trained)?;

        let seed = effort.seed;
        report.add(study.section(&rows, &many, &effort))?;
        report.finish(about(&self.command(study, worlds, &effort)), "")?;
        let (mut json, mut text) = (
            table::json(study.name(), &rows, seed),
            table::text(&rows, seed),
        );
        if let Many::Averages(averages) = &many {
            json["means"] = average::table::json(averages);
            text.push('\n');
            text.push_str(&average::table::text(averages));
        }
        report.tell(self.settings.json, json, &text)?;
        let kept = |row: &Row| row.fits && row.promise_is_kept();
        let passed = rows.iter().all(kept);
        Ok(if passed { Exit::Passed } else { Exit::Violated })
    }

    /// The words that make the same page again.
    fn command(&self, study: Study, worlds: &[World], effort: &Effort) -> String {
        let mut command = study.name().to_owned();
        if study == Study::FrozenLake && worlds.len() == 1 {
            command.push_str(&format!(" --lake {}", worlds[0].name()));
        }
        if let Some(episodes) = &self.episodes {
            command.push_str(&format!(" --episodes {episodes}"));
        }
        let Effort {
            seed,
            samples,
            repeats,
            ..
        } = effort;
        command.push_str(&format!(
            " --samples {samples} --repeats {repeats} --seed {seed}"
        ));
        command
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
            jobs: self.settings.jobs()?,
            seed: self.settings.seed()?.unwrap_or_else(|| world.paper_seed()),
        })
    }
}
