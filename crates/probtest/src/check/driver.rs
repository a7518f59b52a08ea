//! The judge at the place where the records come out.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::budget::TimeLimit;
use crate::judge::Judge;
use crate::run::{Cancel, Record, Sink};

/// How often an observer hears of progress.
pub(super) const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// How far a test has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The executions that count so far.
    pub executed: u64,
    /// The most executions that there will be.
    pub planned: u64,
    /// The rejections so far.
    pub rejected: u64,
    /// The time since the first execution began.
    pub elapsed: Duration,
}

/// When time is over, and whose time that is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    pub(super) limit: TimeLimit,
    /// What is left of it when the test begins.
    pub(super) left: Duration,
}

/// The time that a test has.
pub(super) struct Timer<'a> {
    clock: Box<dyn FnMut() -> Duration + 'a>,
    began: Duration,
    deadline: Deadline,
}

impl<'a> Timer<'a> {
    /// Begins to measure, where there is a limit: the one that is reached first.
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
    fn over(&mut self) -> Option<TimeLimit> {
        let elapsed = (self.clock)().saturating_sub(self.began);
        (elapsed >= self.deadline.left).then_some(self.deadline.limit)
    }
}

/// Puts the judge where the records come out.
pub(super) struct Driver<'a> {
    pub(super) judge: Judge,
    pub(super) began: Instant,
    pub(super) cancel: Cancel,
    pub(super) progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    pub(super) told: Instant,
    pub(super) timer: Option<Timer<'a>>,
}

impl Driver<'_> {
    pub(super) fn tell(&mut self) {
        let counts = self.judge.counts();
        if let Some(observer) = &mut self.progress {
            observer(Progress {
                executed: counts.executed,
                planned: self.judge.max_executions(),
                rejected: counts.rejected,
                elapsed: self.began.elapsed(),
            });
        }
    }

    fn look_at_the_clock(&mut self) -> ControlFlow<()> {
        match self.timer.as_mut().and_then(Timer::over) {
            Some(limit) => self.judge.time_is_over(limit),
            None => ControlFlow::Continue(()),
        }
    }
}

impl Sink for Driver<'_> {
    #[inline]
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        self.judge.observe(record)?;
        if self.timer.is_some() {
            return self.look_at_the_clock();
        }
        ControlFlow::Continue(())
    }

    fn tick(&mut self) -> ControlFlow<()> {
        if self.cancel.is_cancelled() {
            return ControlFlow::Break(());
        }
        if self.progress.is_some() && self.told.elapsed() >= PROGRESS_EVERY {
            self.told = Instant::now();
            self.tell();
        }
        self.look_at_the_clock()
    }
}
