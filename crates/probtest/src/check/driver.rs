//! The judge at the place where the records come out.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

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

/// Puts the judge where the records come out.
pub(super) struct Driver<'a> {
    pub(super) judge: Judge,
    pub(super) began: Instant,
    pub(super) cancel: Cancel,
    pub(super) progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    pub(super) told: Instant,
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
}

impl Sink for Driver<'_> {
    #[inline]
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        self.judge.observe(record)
    }

    fn tick(&mut self) -> ControlFlow<()> {
        if self.cancel.is_cancelled() {
            return ControlFlow::Break(());
        }
        if self.progress.is_some() && self.told.elapsed() >= PROGRESS_EVERY {
            self.told = Instant::now();
            self.tell();
        }
        ControlFlow::Continue(())
    }
}
