//! How much time a test has, and whose time that is.

use std::str::FromStr;
use std::time::Duration;

use super::span::{TimeError, parse_time};

/// A limit of time that a test has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    /// The span as it was given.
    pub span: Duration,
    /// Whether it is the time of all tests of the run together.
    pub of_suite: bool,
}

/// The time of each test of a run, as an order: a span, or `off`.
///
/// ```
/// use probtest::budget::MaxTime;
/// use std::time::Duration;
///
/// assert_eq!("30s".parse(), Ok(MaxTime::Span(Duration::from_secs(30))));
/// assert_eq!("off".parse(), Ok(MaxTime::Off));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxTime {
    /// The time of tests that give none of their own.
    Span(Duration),
    /// No limit of time at all, whatever tests or the suite say: for executing
    /// again what a limit has cut.
    Off,
}

impl FromStr for MaxTime {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        if text.trim().eq_ignore_ascii_case("off") {
            return Ok(MaxTime::Off);
        }
        parse_time(text).map(MaxTime::Span)
    }
}
