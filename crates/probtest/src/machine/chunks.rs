//! How many executions are handed to a worker at once.

use std::time::Duration;

/// The most executions of one range.
const LARGEST: u64 = 1 << 16;
/// What part of the time that it should take a range takes at least, but for the last one.
const SMALLEST: u32 = 20;
/// How much larger than the one before a range may be.
const GROWTH: u64 = 4;

/// The size of the next range: so that it takes about as long as it should, by what the last
/// one took, and smaller towards the end, so that all workers end together.
///
/// ```
/// use probtest::machine::Chunks;
/// use std::time::Duration;
///
/// let mut chunks = Chunks::new(Duration::from_millis(100));
/// assert_eq!(chunks.next(3000, 2), 1);
/// // It took a millisecond: grow, but not by more than four times at once.
/// chunks.learn(1, Duration::from_millis(1));
/// assert_eq!(chunks.next(2999, 2), 4);
/// chunks.learn(4, Duration::from_millis(4));
/// chunks.learn(16, Duration::from_millis(16));
/// chunks.learn(64, Duration::from_millis(64));
/// assert_eq!((chunks.next(2900, 2), chunks.next(100, 2), chunks.next(9, 2)), (100, 25, 5));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Chunks {
    aim: Duration,
    size: u64,
    /// Smaller ranges cost more to hand out than other workers could save.
    least: u64,
}

impl Chunks {
    /// Begins with one execution; a range should take this long.
    pub fn new(aim: Duration) -> Self {
        Chunks { aim, size: 1, least: 1 }
    }

    /// Begins with what is known about the time of an execution, and a quarter of the size.
    pub fn begin_with(&mut self, execution: Duration) {
        self.size = (wanted(self.aim, execution) / 4).clamp(1, LARGEST);
        self.least = self.size.min(wanted(self.aim / SMALLEST, execution)).max(1);
    }

    /// How many executions the next range has, with so many left for so many workers.
    pub fn next(&self, left: u64, workers: u64) -> u64 {
        let fair = left / (2 * workers.max(1));
        self.size.min(fair.max(self.least))
    }

    /// Learns how long some executions took.
    pub fn learn(&mut self, made: u64, took: Duration) {
        if made > 0 {
            let each = Duration::from_secs_f64(took.as_secs_f64() / made as f64);
            let most = self.size.saturating_mul(GROWTH).min(LARGEST);
            self.size = wanted(self.aim, each).clamp(1, most);
            self.least = self.size.min(wanted(self.aim / SMALLEST, each)).max(1);
        }
    }
}

fn wanted(aim: Duration, each: Duration) -> u64 {
    (aim.as_secs_f64() / each.as_secs_f64().max(1e-9)) as u64
}
