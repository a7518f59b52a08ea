//! `probtest reproduce skip-list`: how often are the eight bugs found?

use probtest_studies::skip_list::study::{self, Case, Row};
use probtest_studies::skip_list::table;

use super::parts;
use super::report::{Report, about};
use super::settings::Settings;
use super::watch::Watch;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::values::whole;

/// The suite runs of `--quick`.
const QUICK_SUITE_RUNS: &str = "200";
/// The most suite runs of a row: some hours of work.
const MOST_REPEATS: u64 = 1_000_000;

/// Measures how often 26 tests of a skip list find each of eight bugs, computes
/// the same exactly, and sets both beside the published shares
#[derive(clap::Args, Debug)]
#[command(
    after_help = "A suite run draws keys once and executes each test as often as the paper does. It finds
the bug when one test is violated. Bug 0 is the correct list, with four insertions.
Writes skip_list.csv, skip_list.md and index.html, and a table on stdout. Ends with 1
when a bug is found with an exact probability below 0.95, or one is reported in the
correct list.

Examples:
  probtest reproduce skip-list
  probtest reproduce skip-list --repeats 100 --seed 7 --out tables --json"
)]
pub struct Options {
    /// How many suite runs for each row
    #[arg(
        long,
        value_name = "N",
        default_value = "1000",
        default_value_if("quick", "true", QUICK_SUITE_RUNS),
        allow_negative_numbers = true
    )]
    repeats: String,

    /// Measure less: 200 suite runs
    #[arg(long, conflicts_with = "repeats")]
    quick: bool,

    #[command(flatten)]
    pub settings: Settings,
}

/// Carries out the command.
///
/// # Errors
///
/// When an option cannot be used, or a file cannot be written.
pub fn carry_out(options: &Options) -> Result<Exit, Failure> {
    let help = "write how many suite runs each row takes, such as 1000";
    let repeats = whole("--repeats", &options.repeats, 1..=MOST_REPEATS, help)?;
    let jobs = options.settings.jobs()?;
    let seed = options.settings.seed()?.unwrap_or(parts::SKIP_LIST_SEED);
    let mut report = Report::begin(&options.settings.out)?;

    let watch = Watch::begin("suite runs", repeats * Case::all().len() as u64)?;
    let rows = study::carry_out(seed, repeats, jobs, &|| watch.done());
    let rows = watch.end(rows)?;

    report.add(parts::skip_list(&rows, seed))?;
    let command = format!("skip-list --repeats {repeats} --seed {seed}");
    report.finish(about(&command), "")?;
    let text = table::text(&rows, seed);
    report.tell(options.settings.json, table::json(&rows, seed), &text)?;
    let kept = rows.iter().all(Row::promise_is_kept);
    Ok(if kept { Exit::Passed } else { Exit::Violated })
}
