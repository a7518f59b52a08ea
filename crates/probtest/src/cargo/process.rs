//! What all tests of this process share.

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

/// The seed that all tests of this process share when none is given.
pub(super) fn seed() -> RunSeed {
    static SEED: OnceLock<RunSeed> = OnceLock::new();
    *SEED.get_or_init(RunSeed::fresh)
}
