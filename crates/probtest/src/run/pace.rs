//! Looking at the clock often enough, but not for each execution.

use std::time::{Duration, Instant};

const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_millis(20);

/// Says after how many executions to look up from work again.
///
/// Reading the clock takes as long as a small test body. The stride doubles
/// while a stride takes less than 5 ms and shrinks when it takes over 20 ms.
pub(super) struct Pace {
    countdown: u32,
    stride: u32,
    last: Instant,
}

impl Pace {
    pub(super) fn new() -> Self {
        Pace {
            countdown: 1,
            stride: 1,
            last: Instant::now(),
        }
    }

    /// Says whether it is time to look up.
    #[inline]
    pub(super) fn is_due(&mut self) -> bool {
        self.countdown -= 1;
        if self.countdown > 0 {
            return false;
        }
        self.adapt();
        true
    }

    #[cold]
    fn adapt(&mut self) {
        let now = Instant::now();
        let took = now - self.last;
        if took < SHORT {
            self.stride = (self.stride * 2).min(1 << 20);
        } else if took > LONG {
            self.stride = (self.stride / 2).max(1);
        }
        self.last = now;
        self.countdown = self.stride;
    }
}
