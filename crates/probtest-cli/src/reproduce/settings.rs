//! The settings that all studies have.

use std::path::PathBuf;
use std::thread::available_parallelism;

use probtest::MOST_JOBS;
use probtest::seed::RunSeed;

use crate::failure::Failure;
use crate::values::{Given, whole};

/// What every part of the reproduction can be told.
#[derive(clap::Args, Debug)]
pub struct Settings {
    /// How many threads; no number depends on it [default: all cores]
    /// [env: PROBTEST_JOBS]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    jobs: Option<String>,

    /// The seed, decimal or hexadecimal: the same seed gives the same files
    /// [default: 0x5eed for the skip list, 317 for the lakes, 42 for the cliff]
    /// [env: PROBTEST_SEED]
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    seed: Option<String>,

    /// The folder for index.html and its files; made if it is not there
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    pub out: PathBuf,

    /// Write what came out as one JSON object
    #[arg(long)]
    pub json: bool,
}

impl Settings {
    /// Reads how many threads may work; all cores when nothing is said.
    ///
    /// # Errors
    ///
    /// When it is not a number of threads.
    pub fn jobs(&self) -> Result<usize, Failure> {
        let Some(given) = Given::find("--jobs", self.jobs.as_ref(), "PROBTEST_JOBS") else {
            return Ok(available_parallelism().map_or(1, usize::from));
        };
        let help = "write how many threads may work, or leave it out for all cores";
        let jobs = given.read(|flag, text| whole(flag, text, 1..=MOST_JOBS as u64, help))?;
        Ok(usize::try_from(jobs).unwrap_or(MOST_JOBS))
    }

    /// Reads the seed, if one is given.
    ///
    /// # Errors
    ///
    /// When it is not a seed.
    pub fn seed(&self) -> Result<Option<RunSeed>, Failure> {
        Given::find("--seed", self.seed.as_ref(), "PROBTEST_SEED")
            .map(|seed| seed.read(|_, text| Ok(text.parse::<RunSeed>()?)))
            .transpose()
    }
}
