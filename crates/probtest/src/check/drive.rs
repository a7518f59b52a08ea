//! Putting a judge where the records come out.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::Options;
use super::timer::Timer;
use crate::judge::Watch;
use crate::run::{Cancel, Record, Sink};

/// How often an observer hears of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

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

/// Hands records on, shows progress, and listens for the switch and the clock.
pub(super) struct Drive<'a, W> {
    pub(super) watch: W,
    pub(super) began: Instant,
    cancel: Cancel,
    progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    told: Instant,
    timer: Option<Timer<'a>>,
}

impl<'a, W: Watch> Drive<'a, W> {
    /// Takes the switch, the observer and the limits of time from the options, and
    /// begins to measure.
    pub(super) fn new(watch: W, options: &mut Options<'a>) -> Self {
        let began = Instant::now();
        Drive {
            watch,
            began,
            cancel: options.cancel.clone(),
            progress: options.progress.take(),
            told: began,
            timer: Timer::start(&options.times, options.clock.take()),
        }
    }

    /// Tells the observer how far it is.
    pub(super) fn tell(&mut self) {
        let counts = self.watch.counts();
        if let Some(observer) = &mut self.progress {
            observer(Progress {
                executed: counts.executed,
                planned: self.watch.max_executions(),
                rejected: counts.rejected,
                elapsed: self.began.elapsed(),
            });
        }
    }

    fn look_at_the_clock(&mut self) -> ControlFlow<()> {
        match self.timer.as_mut().and_then(Timer::over) {
            Some(limit) => self.watch.time_is_over(limit),
            None => ControlFlow::Continue(()),
        }
    }
}

impl<W: Watch> Sink for Drive<'_, W> {
    #[inline]
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        self.watch.observe(record)?;
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
