//! The tests of this binary, counted before the first one begins.
//!
//! Each `#[probtest]` leaves an entry that the linker collects: libtest tells a test
//! neither how many others there are nor which of them were selected, and under
//! nextest each is a process of its own. So a suite is all tests of one binary,
//! whichever are executed.

use std::num::NonZeroU64;

use super::place::Origin;
use crate::claim::Error;
use crate::settings::{Given, Share, Suite};

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

/// Says what a test is part of, by the orders of the environment.
///
/// # Errors
/// When the test was not counted: what it may get wrong would come on top.
pub(super) fn suite(given: &Given, id: &str, origin: &Origin) -> Result<Suite, Error> {
    let share = |name: &str| {
        let Some(total) = given.probability(name)? else {
            return Ok(None);
        };
        let counted = origin.place.is_some() && ids().any(|other| other == id);
        match NonZeroU64::new(ids().count() as u64).filter(|_| counted) {
            Some(tests) => Ok(Some(Share::new(total.clone(), tests))),
            None => Err(Error::new(
                "this test was not counted, so the suite's part for it is not known",
                format!("PROBTEST_{}={total}", name.to_uppercase()),
                "write the test with #[probtest]; builder tests are created at run time, after the budget was divided",
            )),
        }
    };
    Ok(Suite {
        epsilon: share("suite_epsilon")?,
        false_alarm: share("suite_false_alarm")?,
    })
}
