//! What is known about an engine, and what it has under way.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use probtest::machine::{self, Chunks, Range};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::ranges::Answer;

/// How long to wait for an answer before the machine is asked again, in seconds.
const TICK: f64 = 0.05;
/// Ranges that may be lost one after the other before the engine is given up.
const LOST_IN_A_ROW: u64 = 100;

/// What an engine answers.
pub enum Reply {
    Done(Answer),
    Died(Died),
    Lost,
}

/// The end of a process: `probtest.engines.Died`.
#[derive(Debug, FromPyObject)]
pub struct Died {
    pub words: String,
    pub index: Option<u64>,
    pub attempt: u64,
    pub certain: bool,
    pub details: Option<String>,
}

/// What is known about an engine and what it has under way.
pub struct Desk<'py> {
    pub engine: Bound<'py, PyAny>,
    pub slots: usize,
    pub isolates: bool,
    /// Whether it has been asked for workers and has some, and whether it makes the plan.
    pub is_open: bool,
    pub serves: bool,
    ticket: u64,
    pub flights: HashMap<u64, Range>,
    /// Ranges to be made next.
    pub open: VecDeque<Range>,
    /// Executions that ended the test elsewhere: they are made here, when all before them are known.
    pub here: Vec<Range>,
    /// How many executions, or batches, the next range has.
    pub chunks: Chunks,
    /// How often a process has ended at an execution.
    deaths: HashMap<u64, u32>,
    /// The executions that were found to end their process.
    pub crashed: HashSet<u64>,
    lost_in_a_row: u64,
    /// Ranges that were lost, and processes that ended at an execution that did not do it again.
    pub lost: u64,
    horizon: Arc<AtomicU64>,
    told: u64,
    pub pace: Pace,
}

/// Measures executions that are made here.
pub struct Pace {
    pub began: Instant,
    pub made: u64,
    pub wanted: u64,
}

/// Seconds, where they are a duration.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

impl<'py> Desk<'py> {
    pub fn new(engine: &Bound<'py, PyAny>, run: &machine::TestRun<'_>) -> PyResult<Self> {
        Ok(Desk {
            engine: engine.clone(),
            slots: engine.getattr("slots")?.extract::<usize>()?.max(1),
            isolates: engine.getattr("isolates")?.extract()?,
            is_open: false,
            serves: false,
            ticket: 0,
            flights: HashMap::new(),
            open: VecDeque::new(),
            here: Vec::new(),
            chunks: Chunks::new(duration(engine.getattr("chunk")?.extract()?)),
            deaths: HashMap::new(),
            crashed: HashSet::new(),
            lost_in_a_row: 0,
            lost: 0,
            horizon: run.horizon(),
            told: u64::MAX,
            pace: Pace { began: Instant::now(), made: 0, wanted: 1 },
        })
    }

    /// Asks the engine for workers; says whether there are any for this.
    pub fn open(&mut self, seconds: f64, left: u64) -> PyResult<bool> {
        let answer = self.engine.call_method1("open", (seconds, left))?;
        let is_open = answer.extract()?;
        self.is_open |= is_open;
        Ok(is_open)
    }

    /// Sends a range; returns its ticket.
    pub fn start(&mut self, range: Range) -> PyResult<u64> {
        self.ticket += 1;
        let seed = range.stream().seed().0;
        let (first, last, attempt) = (range.first, range.last, range.attempt);
        let sent = (self.ticket, seed, first, last, attempt);
        self.engine.call_method1("start", sent)?;
        self.flights.insert(self.ticket, range);
        Ok(self.ticket)
    }

    /// Waits for answers to ranges that are still of interest.
    pub fn wait(&mut self) -> PyResult<Vec<(u64, Range, Reply)>> {
        let answers = self.engine.call_method1("wait", (TICK,))?;
        let mut replies = Vec::new();
        for answer in answers.try_iter()? {
            let (ticket, answer): (u64, Bound<'py, PyAny>) = answer?.extract()?;
            let Some(range) = self.flights.remove(&ticket) else {
                continue;
            };
            let reply = if answer.is_none() {
                // What was taken back because it is not needed any more is not lost.
                if range.first <= self.horizon.load(Ordering::SeqCst) {
                    self.lost += 1;
                    self.lost_in_a_row += 1;
                }
                Reply::Lost
            } else if let Ok(bytes) = answer.cast::<PyBytes>() {
                let answer = serde_json::from_slice(bytes.as_bytes());
                let refused = |error| {
                    PyValueError::new_err(format!("an answer that cannot be read: {error}"))
                };
                self.lost_in_a_row = 0;
                Reply::Done(answer.map_err(refused)?)
            } else {
                Reply::Died(answer.extract()?)
            };
            replies.push((ticket, range, reply));
        }
        if self.lost_in_a_row > LOST_IN_A_ROW {
            let py = self.engine.py();
            let error = py.import("probtest.engines")?.getattr("EngineError")?;
            let error = error.call1((format!(
                "the engine does not return results\n  given  {} ranges in a row without an answer\n  \
                 help   check its workers, or run the executions here",
                self.lost_in_a_row
            ),))?;
            return Err(PyErr::from_value(error));
        }
        Ok(replies)
    }

    /// Tells the engine which executions are not needed any more.
    pub fn tell_horizon(&mut self) -> PyResult<()> {
        let last = self.horizon.load(Ordering::SeqCst);
        if last < std::mem::replace(&mut self.told, last) && self.is_open {
            self.engine.call_method1("stop_after", (last,))?;
        }
        Ok(())
    }

    /// Forgets what is under way: it is not needed.
    pub fn abandon(&mut self) -> PyResult<()> {
        self.tell_horizon()?;
        self.flights.clear();
        self.open.clear();
        self.here.clear();
        Ok(())
    }

    /// Puts a part of a range in line, as far as it is needed.
    pub fn add(&mut self, range: Range, first: u64, last: u64) {
        let last = last.min(self.horizon.load(Ordering::SeqCst));
        if first <= last {
            let mut part = range;
            (part.first, part.last) = (first, last);
            self.open.push_back(part);
        }
    }

    /// The next range in line.
    pub fn next(&mut self) -> Option<Range> {
        let last = self.horizon.load(Ordering::SeqCst);
        while let Some(mut range) = self.open.pop_front() {
            range.last = range.last.min(last);
            if range.first <= range.last {
                return Some(range);
            }
        }
        None
    }

    /// Whether something before this execution is not known yet.
    pub fn is_early(&self, index: u64) -> bool {
        let before = |range: &Range| range.first < index;
        self.flights.values().any(before) || self.open.iter().any(before)
    }

    /// Hands the plan over, with ranges that are smaller than they will be.
    pub fn begin_with(&mut self, seconds: f64) {
        self.serves = true;
        self.chunks.begin_with(duration(seconds));
    }

    /// Adapts the size of ranges to what an execution takes.
    pub fn adapt(&mut self, answer: &Answer, batch: u64) {
        let calls = answer.work.made().div_ceil(batch);
        self.chunks.learn(calls, answer.work.took);
    }

    /// Learns that a process ended; returns the execution that is to blame, once that is
    /// certain. What else it had is put in line again.
    pub fn blame(&mut self, range: Range, died: &Died, batch: u64) -> Option<u64> {
        let index = died.index.filter(|index| (range.first..=range.last).contains(index));
        let calls = (range.last - range.first) / batch + 1;
        let Some(index) = index.or((calls == 1).then_some(range.first)) else {
            // Where it happened is found by halves.
            let middle = range.first + calls / 2 * batch;
            self.add(range, range.first, middle - 1);
            self.add(range, middle, range.last);
            return None;
        };
        let end = range.last.min(index + (batch - 1 - (index - 1) % batch));
        self.add(range, range.first, index - 1);
        self.add(range, end + 1, range.last);
        let deaths = self.deaths.entry(index).or_default();
        *deaths += 1;
        if died.certain || *deaths > 1 {
            // What was taken for an accident was none.
            self.lost -= u64::from(*deaths) - 1;
            self.crashed.insert(index);
            return Some(index);
        }
        self.lost += 1;
        self.add(range, index, end);
        None
    }
}
