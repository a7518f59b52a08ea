//! The settings that all studies have.

use std::thread::available_parallelism;

use probtest::MOST_JOBS;
use probtest::seed::RunSeed;

use crate::failure::Failure;
use crate::values::{Given, whole};

/// Reads how many threads may work; all cores when nothing is said.
///
/// # Errors
///
/// When it is not a number of threads.
pub fn jobs(option: Option<&String>) -> Result<usize, Failure> {
    let Some(given) = Given::find("--jobs", option, "PROBTEST_JOBS") else {
        return Ok(available_parallelism().map_or(1, usize::from));
    };
    let help = "write how many threads may work, or leave it out for all cores";
    let jobs = given.read(|flag, text| whole(flag, text, 1..=MOST_JOBS as u64, help))?;
    Ok(usize::try_from(jobs).unwrap_or(MOST_JOBS))
}

/// Reads the seed.
///
/// # Errors
///
/// When it is not a seed.
pub fn seed(option: Option<&String>, otherwise: RunSeed) -> Result<RunSeed, Failure> {
    match Given::find("--seed", option, "PROBTEST_SEED") {
        Some(seed) => seed.read(|_, text| Ok(text.parse::<RunSeed>()?)),
        None => Ok(otherwise),
    }
}
