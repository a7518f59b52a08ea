//! Checks between executions: the clock, the cancel switch, and the progress observer.

use std::time::{Duration, Instant};

use crate::judge::Counts;
use crate::settings::{Cancel, Progress, Settings, TimeLimit};

const PROGRESS_EVERY: Duration = Duration::from_millis(100);
const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_millis(20);

/// What the machine checks between executions.
///
/// Reading the clock takes as long as a small test body. So the machine looks up after a stride
/// of executions, which doubles while it takes less than 5 ms and shrinks when it takes over 20 ms.
pub(super) struct Lookout<'a> {
    began: Instant,
    cancel: Cancel,
    progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    last_progress: Instant,
    clock: Option<Box<dyn FnMut() -> Duration + 'a>>,
    /// The deadline, and the limit that it comes from.
    deadline: Option<(Duration, TimeLimit)>,
    stride: u32,
    /// How many executions of the stride are left.
    countdown: u32,
    looked_up: Instant,
}

impl<'a> Lookout<'a> {
    pub(super) fn new(settings: &mut Settings<'a>) -> Self {
        let began = Instant::now();
        let first = settings.times.iter().min_by_key(|(_, left)| *left);
        let mut clock = settings.clock.take();
        let deadline = first.map(|&(limit, left)| {
            let now = clock.as_mut().map_or(Duration::ZERO, |clock| clock());
            (now.saturating_add(left), limit)
        });
        Lookout {
            began,
            cancel: settings.cancel.clone(),
            progress: settings.progress.take(),
            last_progress: began,
            clock,
            deadline,
            stride: 1,
            countdown: 1,
            looked_up: began,
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The time on the given clock, or since the test started.
    pub(super) fn now(&mut self) -> Duration {
        match &mut self.clock {
            Some(clock) => clock(),
            None => self.began.elapsed(),
        }
    }

    #[inline]
    pub(super) fn time_is_over(&mut self) -> Option<TimeLimit> {
        let (until, limit) = self.deadline?;
        (self.now() >= until).then_some(limit)
    }

    /// Whether it is time for the checks that aren't needed after each execution.
    #[inline]
    pub(super) fn is_due(&mut self) -> bool {
        self.countdown -= 1;
        if self.countdown > 0 {
            return false;
        }
        self.adapt();
        true
    }

    /// How many executions may run before the next check; one if the clock is checked after each.
    pub(super) fn stride(&mut self) -> u64 {
        if self.deadline.is_some() {
            return 1;
        }
        self.adapt();
        u64::from(self.stride)
    }

    #[cold]
    fn adapt(&mut self) {
        let now = Instant::now();
        let took = now - self.looked_up;
        if took < SHORT {
            self.stride = (self.stride * 2).min(1 << 20);
        } else if took > LONG {
            self.stride = (self.stride / 2).max(1);
        }
        (self.looked_up, self.countdown) = (now, self.stride);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub(super) fn report_progress(
        &mut self,
        counts: &Counts,
        (planned, may_end_sooner): (u64, bool),
        last: bool,
    ) {
        if let Some(observer) = &mut self.progress
            && (last || self.last_progress.elapsed() >= PROGRESS_EVERY)
        {
            self.last_progress = Instant::now();
            observer(Progress {
                executed: counts.executed,
                planned,
                may_end_sooner,
                rejected: counts.rejected,
                elapsed: self.began.elapsed(),
            });
        }
    }
}
