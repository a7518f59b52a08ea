//! What all tests of this process share.

use std::path::PathBuf;
use std::sync::OnceLock;

use super::environment::Environment;
use super::error::SetupError;
use super::terminal;
use crate::seed::RunSeed;

/// Reads the environment, and warns once about names that mean nothing.
pub(super) fn environment() -> Result<&'static Environment, SetupError> {
    static WARNED: OnceLock<()> = OnceLock::new();
    let environment = Environment::of_process()?;
    WARNED.get_or_init(|| {
        if let Some(warning) = environment.warning() {
            terminal::shout(&warning);
        }
    });
    Ok(environment)
}

/// The folder of reports, also where another variable cannot be used.
pub(super) fn report_folder() -> Option<PathBuf> {
    match Environment::of_process() {
        Ok(environment) => environment.report.clone(),
        Err(_) => std::env::var_os("PROBTEST_REPORT")
            .filter(|folder| !folder.to_string_lossy().trim().is_empty())
            .map(PathBuf::from),
    }
}

/// The seed that all tests of this process share when none is given.
pub(super) fn seed() -> RunSeed {
    static SEED: OnceLock<RunSeed> = OnceLock::new();
    *SEED.get_or_init(RunSeed::fresh)
}
