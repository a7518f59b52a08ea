//! What the machine hands out, how much at once, and what executors answer.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use probtest_facts::json::{FromJson, ToJson};
use probtest_facts::json_object;

use crate::claim::Error;
use crate::run::{Observation, Record};
use crate::seed::{Address, RunSeed, Stream, TestRng};

/// One attempt at one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub(super) stream: Stream,
    /// The index of the execution, from 1.
    pub index: u64,
    /// How often the execution was rejected before, see [`Stream::parts`].
    pub attempt: u64,
}

impl Attempt {
    /// The stream that the execution belongs to.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// The address of the execution.
    pub fn address(&self) -> Address {
        Address { seed: self.stream.seed(), index: self.index }
    }

    /// Opens the random source of this attempt.
    #[inline]
    pub fn rng(&self) -> TestRng {
        self.stream.attempt(self.index, self.attempt)
    }

    /// Records what this attempt did, and whether it drew from its source.
    #[inline]
    pub fn did(&self, observation: Observation, has_drawn: bool) -> Record {
        Record {
            seed: self.stream.seed(),
            index: self.index,
            attempt: self.attempt,
            has_drawn,
            observation,
        }
    }
}

/// Consecutive executions, all at the same attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub(super) stream: Stream,
    /// The first execution, from 1.
    pub first: u64,
    /// The last one.
    pub last: u64,
    /// How often each was rejected before, not counting inputs that others rejected.
    pub attempt: u64,
}

impl Range {
    pub(super) fn one(stream: Stream, index: u64, attempt: u64) -> Self {
        Range { stream, first: index, last: index, attempt }
    }

    /// The stream that the executions belong to.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// The attempts, one after the other.
    pub fn attempts(self) -> impl Iterator<Item = Attempt> {
        (self.first..=self.last).map(move |index| self.attempt_at(index))
    }

    /// The attempt at one of the executions, with an input that is applicable as far as is known.
    #[inline]
    pub(super) fn attempt_at(&self, index: u64) -> Attempt {
        Attempt { stream: self.stream, index, attempt: self.stream.applicable(index, self.attempt) }
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "what is handed out and not executed leaves the run without a verdict"]
pub enum Next<W = Attempt> {
    /// Run this.
    Attempt(W),
    /// Nothing until something that is running was observed.
    Wait,
    /// Nothing more.
    Done,
}

/// Whether the executions that an executor has are still needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an executor drops what it has in hand when the run is done with it"]
pub enum Flow {
    /// Go on.
    Continue,
    /// They aren't: ask what is next.
    Done,
}

impl Flow {
    /// Whether what was handed out is no longer needed.
    pub fn is_done(self) -> bool {
        self == Flow::Done
    }
}

/// What consecutive executions did. Those that aren't in `records` passed in their first attempt,
/// so this stays small if nothing happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeRecord {
    /// The seed of the run that the executions belong to.
    pub seed: RunSeed,
    /// The first execution.
    pub first: u64,
    /// The last one that ran; the one before the first if none did.
    pub last: u64,
    /// How many of those that passed drew from their source.
    pub drew: u64,
    /// What the others did, in the order of their executions.
    pub records: Vec<Record>,
    /// The time they took.
    pub took: Duration,
}

json_object!(RangeRecord { seed, first, last, drew, records, took });

/// Written as one line, for another process with the same version of probtest.
impl fmt::Display for RangeRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_json().fmt(f)
    }
}

impl FromStr for RangeRecord {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        text.parse().ok().and_then(RangeRecord::from_json).ok_or_else(|| {
            Error::new(
                "the text does not record a range of executions",
                text.chars().take(60).collect::<String>(),
                "use the version of probtest that wrote it",
            )
        })
    }
}

impl RangeRecord {
    /// Starts with nothing done.
    pub fn new(range: &Range) -> Self {
        RangeRecord {
            seed: range.stream.seed(),
            first: range.first,
            last: range.first - 1,
            drew: 0,
            records: Vec::new(),
            took: Duration::ZERO,
        }
    }

    /// Adds what the next execution did.
    #[inline]
    pub fn add(&mut self, record: Record) {
        self.last = record.index;
        if matches!(record.observation, Observation::Passed) && record.attempt == 0 {
            self.drew += u64::from(record.has_drawn);
        } else {
            self.records.push(record);
        }
    }

    /// How many executions ran.
    pub fn made(&self) -> u64 {
        (self.last + 1).saturating_sub(self.first)
    }

    /// Whether it was one execution, which is to be drawn again.
    pub(super) fn is_rejected(&self) -> bool {
        let rejected = |record: &Record| record.observation.is_rejected();
        self.first == self.last && self.records.iter().any(rejected)
    }
}

/// The most executions of one range.
const LARGEST_CHUNK: u64 = 1 << 16;
/// What part of the time that it should take a range takes at least, but for the last one.
const SMALLEST_CHUNK: u32 = 20;
/// How much larger than the one before a range may be.
const GROWTH: u64 = 4;

/// Chooses the size of the next range: it should take about as long as intended, judging by the
/// last one, and get smaller towards the end, so that all workers finish together.
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
    /// Starts with one execution; a range should take this long.
    pub fn new(aim: Duration) -> Self {
        Chunks { aim, size: 1, least: 1 }
    }

    /// Starts from how long an execution is known to take, with a quarter of the size.
    pub fn begin_with(&mut self, execution: Duration) {
        self.resize(wanted(self.aim, execution) / 4, LARGEST_CHUNK, execution);
    }

    fn resize(&mut self, size: u64, most: u64, each: Duration) {
        self.size = size.clamp(1, most);
        self.least = self.size.min(wanted(self.aim / SMALLEST_CHUNK, each)).max(1);
    }

    /// How many executions the next range gets, given how many are left for how many workers.
    pub fn next(&self, left: u64, workers: u64) -> u64 {
        let fair = left / (2 * workers.max(1));
        self.size.min(fair.max(self.least))
    }

    /// Learns how long some executions took.
    pub fn learn(&mut self, made: u64, took: Duration) {
        if made > 0 {
            let each = Duration::from_secs_f64(took.as_secs_f64() / made as f64);
            let most = self.size.saturating_mul(GROWTH).min(LARGEST_CHUNK);
            self.resize(wanted(self.aim, each), most, each);
        }
    }
}

fn wanted(aim: Duration, each: Duration) -> u64 {
    (aim.as_secs_f64() / each.as_secs_f64().max(1e-9)) as u64
}
