//! `probtest-paper`: runs the studies of the paper again, draws its figures, and compares the
//! results with the published ones. This file has the options and the exit codes. The library of
//! this package has the studies; `parts.rs` runs the parts, and `report.rs` writes the files.

#[cfg(not(unix))]
compile_error!("`probtest-paper` needs signals, which only Unix has");

mod parts;
mod report;

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::available_parallelism;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Parser, Subcommand, value_parser};
use parts::{Part, Workload};
use probtest::seed::RunSeed;
use probtest::settings::MOST_JOBS;
use probtest_paper::reinforcement::World;
use serde_json::{Value, json};

/// The suite runs of the skip list, the samples of each policy, and the agents per curve: as many
/// as in the paper, and for `--quick`.
const PAPER: (u64, u64, u64) = (1000, 100_000, 100);
const QUICK: (u64, u64, u64) = (200, 20_000, 50);
/// The most agents per curve of the frozen lake alone: as many as tests, up to this.
const MOST_AGENTS: u64 = 200;
/// The longest training: a few seconds of work.
const MOST_EPISODES: u64 = 10_000_000;
/// The most policies in one table.
const MOST_POLICIES: usize = 1000;

/// Reproduces the ProbTest paper: runs its studies, draws its figures, and compares the results
/// with the published ones
#[derive(Parser, Debug)]
#[command(
    name = "probtest-paper",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Without a study, everything runs. Options go after the study. Writes CSV, SVG and PNG
files, and index.html, which compares them with the published numbers: what agrees, what
differs, and why. A number that differs from the paper isn't a failure. If you press
Ctrl-C, the page has the parts that were finished.

Exit codes:
  0  done
  1  probtest does not keep a guarantee
  2  an option is wrong, or the folder can't be used
  3  could not finish

Examples:
  probtest-paper
  probtest-paper --quick --out tables
  probtest-paper figures
  probtest-paper skip-list --repeats 100 --out tables
  probtest-paper frozen-lake --lake 4x4 --episodes 10,20,50
  probtest-paper cliff-walking --samples 1000000"
)]
struct Cli {
    #[command(subcommand)]
    study: Option<Study>,

    #[command(flatten)]
    settings: Settings,
}

#[derive(Subcommand, Debug)]
enum Study {
    /// Only the figures of the paper
    Figures(Settings),
    /// How often 26 tests of a skip list find each of eight bugs
    SkipList(SkipListOptions),
    /// How often tests find that agents trained on a frozen lake fall in, or don't arrive
    FrozenLake(FrozenLake),
    /// How often tests find that agents trained to walk along a cliff fall off
    CliffWalking(Agents),
    /// How many executions other methods need
    Comparison(Settings),
}

/// Measures how often 26 tests of a skip list find each of eight bugs, computes the exact
/// probabilities, and compares both with the published shares
#[derive(clap::Args, Debug)]
#[command(
    after_help = "A suite run draws keys once and runs each test as often as the paper does. It finds the
bug if a test fails. Bug 0 is the correct list, with four insertions. Writes
skip_list.csv, skip_list.md and index.html, and prints a table. Exits with 1 if a bug is
found with an exact probability below 0.95, or if a bug is reported in the correct list."
)]
struct SkipListOptions {
    /// How many suite runs to make for each row [default: 1000]
    #[arg(long, value_name = "N", conflicts_with = "quick", value_parser = value_parser!(u64).range(1..=1_000_000))]
    repeats: Option<u64>,

    #[command(flatten)]
    settings: Settings,
}

/// Trains agents on the paper's frozen lakes, computes how likely each one falls into a hole
/// (Q1) or doesn't finish (Q2), and measures how often probtest finds it
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Agents learn with the paper's parameters but a different random generator, so the
published values are shown for comparison and need not agree. The seven-by-seven lake is
tested for 100 steps, which is how the published numbers were made, and for 200, which is
what the paper's text says. Writes frozen_lake.csv, figure 3 and index.html, and prints a
table. Exits with 1 if a measured value doesn't fit the exact one, or if a violation
probability of p or more is found with an exact probability below 0.95."
)]
struct FrozenLake {
    /// Which lake [default: both]
    #[arg(long, value_name = "LAKE", value_parser = PossibleValuesParser::new([
        PossibleValue::new("4x4").help("Four by four, one hole"),
        PossibleValue::new("7x7").help("Seven by seven, four holes"),
    ]))]
    lake: Option<String>,

    #[command(flatten)]
    agents: Agents,
}

/// Trains agents to walk along a slippery cliff, computes how likely each one falls within 30
/// steps, either before it arrives (Q) or in any of them (Q past the goal), and measures how
/// often probtest finds it
#[derive(clap::Args, Debug)]
#[command(
    after_help = "The paper's agents explored without a seed, so they can't be trained again. The published
values are means of 100 agents, and are compared with the mean of 100 agents trained
here. The paper's text asks for no fall within 30 steps; its numbers also count falls
after the goal was reached. You get both. Writes cliff_walking.csv, cliff_agents.csv and
index.html, and prints two tables. Exits with 1 if a measured value doesn't fit the exact
one, or if a violation probability of p or more is found with an exact probability below
0.95."
)]
struct Agents {
    /// Test agents after these numbers of training episodes, such as 10,20,50
    /// [default: as in the paper]
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_negative_numbers = true, value_parser = episodes)]
    episodes: Option<Vec<u64>>,

    /// How many times to test each policy with probtest
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value_parser!(u64).range(1..=1_000_000))]
    repeats: u64,

    /// How many episodes to run for each estimate [default: 100000]
    #[arg(long, value_name = "N", conflicts_with = "quick", value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    samples: Option<u64>,

    #[command(flatten)]
    settings: Settings,
}

/// The options of every part.
#[derive(clap::Args, Debug)]
struct Settings {
    /// Measure less: 200 suite runs of the skip list, 20 000 samples of each policy, 50 agents
    /// for each curve; everything takes less than two minutes on two cores
    #[arg(long)]
    quick: bool,

    /// How many threads to use; the results don't depend on it [default: all cores]
    /// [env: PROBTEST_JOBS]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<usize>,

    /// The seed, decimal or hexadecimal: the same seed gives the same files
    /// [default: 0x5eed for the skip list, 317 for the lakes, 42 for the cliff]
    /// [env: PROBTEST_SEED]
    #[arg(long, value_name = "SEED", allow_negative_numbers = true, value_parser = seed)]
    seed: Option<RunSeed>,

    /// The folder for index.html and its files; created if it doesn't exist
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: PathBuf,

    /// Print the results as one JSON object
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A closed stream must not turn an error into a panic.
            let _ = error.print();
            if error.use_stderr() && std::env::args_os().any(|word| word == "--json") {
                Failure::usage(error.to_string().trim_start_matches("error: ")).tell_json();
            }
            return ExitCode::from(if error.use_stderr() { USAGE } else { 0 });
        }
    };
    let (settings, asked) = cli.ask();
    match asked.and_then(|asked| asked.run(settings)) {
        Ok(promises_are_kept) => ExitCode::from(u8::from(!promises_are_kept)),
        Err(failure) => {
            if settings.json {
                failure.tell_json();
            }
            let _ = writeln!(std::io::stderr(), "error: {}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}

/// What the command line requests.
struct StudyRequest {
    /// Its name in JSON.
    name: &'static str,
    /// The command line that makes the same page again.
    command: String,
    parts: Vec<Part>,
    work: Workload,
}

impl Cli {
    fn ask(&self) -> (&Settings, Result<StudyRequest, Failure>) {
        match &self.study {
            None => (&self.settings, self.settings.ask("all", &Part::ALL)),
            Some(Study::Figures(settings)) => (settings, settings.ask("figures", &Part::FIGURES)),
            Some(Study::Comparison(settings)) => {
                (settings, settings.ask("comparison", &[Part::Comparison]))
            }
            Some(Study::SkipList(options)) => (&options.settings, options.ask()),
            Some(Study::FrozenLake(FrozenLake { lake, agents })) => {
                (&agents.settings, agents.ask(Part::FrozenLake, lake.as_deref()))
            }
            Some(Study::CliffWalking(agents)) => {
                (&agents.settings, agents.ask(Part::CliffWalking, None))
            }
        }
    }
}

impl SkipListOptions {
    fn ask(&self) -> Result<StudyRequest, Failure> {
        let (part, mut work) = (Part::SkipList, self.settings.work()?);
        work.suite_runs = self.repeats.unwrap_or(work.suite_runs);
        let (repeats, seed) = (work.suite_runs, work.seed_of(part));
        let command = format!("probtest-paper skip-list --repeats {repeats} --seed {seed}");
        Ok(StudyRequest { name: part.name(), command, parts: vec![part], work })
    }
}

impl Agents {
    fn ask(&self, part: Part, lake: Option<&str>) -> Result<StudyRequest, Failure> {
        let mut work = self.settings.work()?;
        work.samples = self.samples.unwrap_or(work.samples);
        work.repeats = self.repeats;
        work.agents = self.repeats.min(MOST_AGENTS);
        let name = part.name();
        let mut command = format!("probtest-paper {name}");
        if let Some(lake) = lake {
            command += &format!(" --lake {lake}");
            work.lakes.retain(|world| world.name() == lake);
        }
        if let Some(given) = &self.episodes {
            let mut seen = BTreeSet::new();
            let distinct = given.iter().filter(|number| seen.insert(**number));
            let episodes: Vec<u64> = distinct.copied().collect();
            if episodes.len() > MOST_POLICIES {
                return Err(Failure::usage(format!(
                    "--episodes has more than {MOST_POLICIES} numbers\n  given  {} numbers\n  help   write fewer numbers, or split them over several runs",
                    episodes.len()
                )));
            }
            let list: Vec<String> = episodes.iter().map(u64::to_string).collect();
            command += &format!(" --episodes {}", list.join(","));
            work.episodes = Some(episodes);
        }
        let (samples, repeats, seed) = (work.samples, work.repeats, work.seed_of(part));
        command += &format!(" --samples {samples} --repeats {repeats} --seed {seed}");
        Ok(StudyRequest { name, command, parts: vec![part], work })
    }
}

impl Settings {
    fn ask(&self, name: &'static str, parts: &[Part]) -> Result<StudyRequest, Failure> {
        let work = self.work()?;
        let mut command = "probtest-paper".to_owned();
        if name != "all" {
            command += &format!(" {name}");
        }
        if self.quick {
            command += " --quick";
        }
        if let Some(seed) = work.seed {
            command += &format!(" --seed {seed}");
        }
        Ok(StudyRequest { name, command, parts: parts.to_vec(), work })
    }

    /// As much work as in the paper, or enough to see its results.
    fn work(&self) -> Result<Workload, Failure> {
        let (suite_runs, samples, agents) = if self.quick { QUICK } else { PAPER };
        let cores = || available_parallelism().map_or(1, usize::from);
        Ok(Workload {
            suite_runs,
            samples,
            repeats: 100,
            agents,
            lakes: vec![World::SmallLake, World::LargeLake],
            episodes: None,
            jobs: given(self.jobs, "PROBTEST_JOBS", jobs)?.unwrap_or_else(cores),
            seed: given(self.seed, "PROBTEST_SEED", seed)?,
        })
    }
}

/// Takes the option or, without it, the environment variable if it is set and not empty.
fn given<T>(
    option: Option<T>,
    variable: &str,
    read: fn(&str) -> Result<T, String>,
) -> Result<Option<T>, Failure> {
    let set = std::env::var_os(variable).unwrap_or_default();
    let set = set.to_string_lossy();
    if option.is_some() || set.trim().is_empty() {
        return Ok(option);
    }
    read(&set).map(Some).map_err(|why| {
        Failure::usage(format!("the environment variable {variable} can't be used: {why}"))
    })
}

fn jobs(text: &str) -> Result<usize, String> {
    let jobs = text.trim().parse::<usize>().ok();
    jobs.filter(|jobs| (1..=MOST_JOBS).contains(&(*jobs as u64)))
        .ok_or_else(|| format!("{text:?} is not a number of threads from 1 to {MOST_JOBS}"))
}

fn seed(text: &str) -> Result<RunSeed, String> {
    text.parse::<RunSeed>().map_err(|error| error.to_string())
}

fn episodes(text: &str) -> Result<u64, String> {
    let episodes = text.trim().parse().ok();
    episodes
        .filter(|episodes| *episodes <= MOST_EPISODES)
        .ok_or_else(|| format!("{text:?} is not a number of episodes up to {MOST_EPISODES}"))
}

/// The exit codes for a wrong command line, and for a command that couldn't finish.
const USAGE: u8 = 2;
const UNFINISHED: u8 = 3;

/// Ends the command without an answer.
#[derive(Debug)]
struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    fn usage(message: impl Into<String>) -> Self {
        Failure { code: USAGE, message: message.into() }
    }

    fn unfinished(message: impl Into<String>) -> Self {
        Failure { code: UNFINISHED, message: message.into() }
    }

    fn tell_json(&self) {
        let kind = match self.code {
            USAGE => "usage",
            _ => "unfinished",
        };
        // A closed stdout can't be reported there; stderr still says why.
        let _ = print_json(&json!({
            "probtest": probtest::report::FORMAT,
            "error": { "kind": kind, "message": self.message },
            "exit_code": self.code,
        }));
    }
}

/// Writes to stdout. A reader that has closed the pipe has what it wanted.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    match written.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::unfinished(format!("can't write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

fn print_json(value: &Value) -> Result<(), Failure> {
    print(&format!("{value}\n"))
}
