//! Putting a judge where the records come out.

use std::ops::ControlFlow;
use std::time::Instant;

use super::Options;
use super::driver::{PROGRESS_EVERY, Progress};
use crate::judge::Watch;
use crate::run::{Cancel, Record, Sink};

/// Hands records on, shows progress and listens for the switch.
pub(super) struct Drive<'a, W> {
    pub(super) watch: W,
    pub(super) began: Instant,
    cancel: Cancel,
    progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    told: Instant,
}

impl<'a, W: Watch> Drive<'a, W> {
    /// Takes the switch and the observer from the options.
    pub(super) fn new(watch: W, options: &mut Options<'a>) -> Self {
        let began = Instant::now();
        Drive {
            watch,
            began,
            cancel: options.cancel.clone(),
            progress: options.progress.take(),
            told: began,
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
}

impl<W: Watch> Sink for Drive<'_, W> {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        self.watch.observe(record)
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
