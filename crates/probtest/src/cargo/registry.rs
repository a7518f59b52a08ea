//! The tests of this binary, counted before the first one begins.
//!
//! Each `#[probtest]` leaves an entry that the linker collects: libtest tells a test
//! neither how many others there are nor which of them were selected, and under
//! nextest each is a process of its own. So a suite is all tests of one binary,
//! whichever are executed.

use std::num::NonZeroU64;

use super::environment::Environment;
use super::error::SetupError;
use super::place::Origin;
use crate::budget::{Share, Suite};

/// An entry of one test.
#[derive(Debug)]
pub struct Registered {
    /// The id of the test.
    pub id: &'static str,
}

#[cfg(feature = "macros")]
inventory::collect!(Registered);

/// The ids of all tests that the attribute has made in this binary.
#[cfg(feature = "macros")]
fn ids() -> impl Iterator<Item = &'static str> {
    inventory::iter::<Registered>().map(|registered| registered.id)
}

#[cfg(not(feature = "macros"))]
fn ids() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

/// Returns what a test is part of, by the orders of the environment.
///
/// # Errors
///
/// When the test was not counted: what it may miss would come on top.
pub(super) fn suite(
    environment: &Environment,
    id: &str,
    origin: &Origin,
) -> Result<Suite, SetupError> {
    let Some(total) = &environment.suite_epsilon else {
        return Ok(Suite::default());
    };
    let counted = origin.place.is_some() && ids().any(|other| other == id);
    let tests = NonZeroU64::new(ids().count() as u64).filter(|_| counted);
    let Some(tests) = tests else {
        return Err(SetupError::NotCounted {
            name: "PROBTEST_SUITE_EPSILON",
            given: total.to_string(),
        });
    };
    Ok(Suite::default().sharing_epsilon(Share::new(total.clone(), tests)))
}
