//! `probtest reproduce skip-list`: how often are the eight bugs found?

use std::path::PathBuf;

use probtest::seed::RunSeed;
use probtest_studies::skip_list::study::{self, Case, Row};
use probtest_studies::skip_list::table;
use serde_json::json;

use super::files::Folder;
use super::settings;
use super::watch::Watch;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::values::whole;

/// The most suite runs of a row: some hours of work.
const MOST_REPEATS: u64 = 1_000_000;

/// Measures how often 26 tests of a skip list find each of eight bugs, computes
/// the same exactly, and sets both beside the published shares
#[derive(clap::Args, Debug)]
#[command(
    after_help = "A suite run draws keys once and executes each test as often as the paper does. It finds
the bug when one test is violated. Bug 0 is the correct list, with four insertions.
Writes skip_list.csv and skip_list.md, and the same as a table on stdout. Ends with 1
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
        allow_negative_numbers = true
    )]
    repeats: String,

    /// How many threads; the table does not depend on it [default: all cores]
    /// [env: PROBTEST_JOBS]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    jobs: Option<String>,

    /// The seed, decimal or hexadecimal: the same seed gives the same table
    /// [default: 0x5eed] [env: PROBTEST_SEED]
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    seed: Option<String>,

    /// The folder for skip_list.csv and skip_list.md
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: PathBuf,

    /// Write the table as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Carries out the command.
///
/// # Errors
///
/// When an option cannot be used, or a file cannot be written.
pub fn carry_out(options: &Options) -> Result<Exit, Failure> {
    let help = "write how many suite runs each row takes, such as 1000";
    let repeats = whole("--repeats", &options.repeats, 1..=MOST_REPEATS, help)?;
    let jobs = settings::jobs(options.jobs.as_ref())?;
    let seed = settings::seed(options.seed.as_ref(), RunSeed(0x5eed))?;
    let folder = Folder::make(&options.out)?;

    let watch = Watch::begin("suite runs", repeats * Case::all().len() as u64)?;
    let rows = study::carry_out(seed, repeats, jobs, &|| watch.done());
    let rows = watch.end(rows)?;

    let csv = folder.write("skip_list.csv", &table::csv(&rows))?;
    let markdown = folder.write("skip_list.md", &table::markdown(&rows, seed))?;
    if options.json {
        let mut value = table::json(&rows, seed);
        value["probtest"] = json!(probtest::report::FORMAT);
        value["files"] = json!([csv, markdown]);
        output::print_json(&value)?;
    } else {
        let text = table::text(&rows, seed);
        let (csv, markdown) = (csv.display(), markdown.display());
        output::print(&format!("{text}\nwritten to {csv} and {markdown}\n"))?;
    }
    let kept = rows.iter().all(Row::promise_is_kept);
    Ok(if kept { Exit::Passed } else { Exit::Violated })
}
