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
use crate::claim::Probability;

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

/// Says what a test is part of, by the orders of the environment. `attribute` is how
/// the test is written to be counted.
///
/// # Errors
///
/// When the test was not counted: what it may get wrong would come on top.
pub(super) fn suite(
    environment: &Environment,
    id: &str,
    origin: &Origin,
    attribute: &'static str,
) -> Result<Suite, SetupError> {
    let share = |name, total: &Option<Probability>| {
        let share = |total: &Probability| {
            let counted = origin.place.is_some() && ids().any(|other| other == id);
            match NonZeroU64::new(ids().count() as u64).filter(|_| counted) {
                Some(tests) => Ok(Share::new(total.clone(), tests)),
                None => Err(SetupError::NotCounted {
                    name,
                    given: total.to_string(),
                    attribute,
                }),
            }
        };
        total.as_ref().map(share).transpose()
    };
    Ok(Suite {
        epsilon: share("PROBTEST_SUITE_EPSILON", &environment.suite_epsilon)?,
        false_alarm: share("PROBTEST_SUITE_FALSE_ALARM", &environment.suite_false_alarm)?,
    })
}
