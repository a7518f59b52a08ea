//! Limits of time: reading them, and looking at the clock.

use std::time::{Duration, Instant};

use probtest::budget::{self, TimeLimit, time_text};
use pyo3::prelude::*;

use crate::errors::{ClaimError, claim_error};

/// Reads a span of time such as 30s or 1m30s: nanoseconds.
#[pyfunction]
pub fn parse_time(text: &str, what: &str) -> PyResult<u64> {
    let span = budget::parse_time(text).map_err(|error| ClaimError::new_err(error.named(what)))?;
    Ok(nanos(span))
}

/// Writes a number of nanoseconds as a span of time.
#[pyfunction]
pub fn text_of_time(nanoseconds: u64) -> String {
    time_text(Duration::from_nanos(nanoseconds))
}

/// Reads `pass` or `fail`.
pub fn on_budget(word: Option<&str>) -> PyResult<budget::OnBudget> {
    word.map_or(Ok(budget::OnBudget::Fail), str::parse)
        .map_err(claim_error)
}

fn nanos(span: Duration) -> u64 {
    // At most a year, which fits.
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

/// The time that a test has.
#[derive(Debug, Default)]
pub struct Timer {
    deadline: Option<(TimeLimit, Duration)>,
    clock: Option<Py<PyAny>>,
    /// What the clock said at the beginning.
    began: Duration,
    first: Option<Instant>,
}

impl Timer {
    /// Takes the limit that is reached first, of (nanoseconds, what is left of them,
    /// whether they are the suite's), and a function that tells the time in
    /// nanoseconds; the system's clock by default.
    pub fn new(times: &[(u64, u64, bool)], clock: Option<Py<PyAny>>) -> Timer {
        let deadline = times.iter().min_by_key(|(_, left, _)| *left);
        Timer {
            deadline: deadline.map(|&(span, left, of_suite)| {
                let span = Duration::from_nanos(span);
                (TimeLimit { span, of_suite }, Duration::from_nanos(left))
            }),
            clock,
            began: Duration::ZERO,
            first: None,
        }
    }

    /// Begins to measure.
    pub fn start(mut self, py: Python<'_>) -> PyResult<Timer> {
        self.first = Some(Instant::now());
        if self.deadline.is_some() {
            self.began = self.now(py)?;
        }
        Ok(self)
    }

    /// How much time has gone by, whatever clock the limits are measured with.
    pub fn elapsed(&self) -> Duration {
        self.first.map_or(Duration::ZERO, |first| first.elapsed())
    }

    /// Returns the limit when its time is over.
    #[inline]
    pub fn over(&self, py: Python<'_>) -> PyResult<Option<TimeLimit>> {
        let Some((limit, left)) = self.deadline else {
            return Ok(None);
        };
        let elapsed = self.now(py)?.saturating_sub(self.began);
        Ok((elapsed >= left).then_some(limit))
    }

    fn now(&self, py: Python<'_>) -> PyResult<Duration> {
        match &self.clock {
            Some(clock) => Ok(Duration::from_nanos(clock.call0(py)?.extract(py)?)),
            None => Ok(self.elapsed()),
        }
    }
}
