//! The time that a test has.

use std::time::{Duration, Instant};

use crate::budget::TimeLimit;

/// When time is over, and whose time that is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    pub(super) limit: TimeLimit,
    /// What is left of it when the test begins.
    pub(super) left: Duration,
}

/// Measures the limit that is reached first.
pub(super) struct Timer<'a> {
    clock: Box<dyn FnMut() -> Duration + 'a>,
    began: Duration,
    deadline: Deadline,
}

impl<'a> Timer<'a> {
    /// Begins to measure, where there is a limit.
    pub(super) fn start(
        times: &[Deadline],
        clock: Option<Box<dyn FnMut() -> Duration + 'a>>,
    ) -> Option<Self> {
        let deadline = *times.iter().min_by_key(|deadline| deadline.left)?;
        let mut clock = clock.unwrap_or_else(|| {
            let first = Instant::now();
            Box::new(move || first.elapsed())
        });
        Some(Timer {
            began: clock(),
            clock,
            deadline,
        })
    }

    /// Returns the limit when its time is over.
    pub(super) fn over(&mut self) -> Option<TimeLimit> {
        let elapsed = (self.clock)().saturating_sub(self.began);
        (elapsed >= self.deadline.left).then_some(self.deadline.limit)
    }
}
