//! Executions elsewhere: drives an engine, `probtest.engines.Engine`.
//!
//! Whatever the engine is, this is done here: how large a range is, what is made in this
//! process, which execution has ended its process, what is lost and handed out again.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use probtest::judge::Doubt;
use probtest::machine::{Chunks, Next, Range, TestRun as Machine};
use probtest::run::{Observation, Record, Violation};
use probtest_facts::json::FromJson;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::executor::{Call, Executor};
use crate::ranges::{RangeAnswer, first_of_batch, last_of_batch};
use crate::surroundings::TICK;

/// Executions are made here until some have taken this long: then it is known what one takes.
const STRETCH: Duration = Duration::from_millis(1);
/// Ranges that may be lost one after the other before the engine is given up.
const LOST_IN_A_ROW: u64 = 100;

/// What an engine answers.
enum Reply {
    Done(RangeAnswer),
    Died(Died),
    Lost,
}

/// The end of a process: `probtest.engines.Died`.
#[derive(Debug, FromPyObject)]
struct Died {
    words: String,
    index: Option<u64>,
    attempt: u64,
    certain: bool,
    details: Option<String>,
}

/// What is known about an engine and what it has under way.
struct EngineDesk<'py> {
    engine: Bound<'py, PyAny>,
    slots: usize,
    isolates: bool,
    /// How many executions one call makes.
    batch: u64,
    /// Whether it has been asked for workers and has some, and whether it makes the plan.
    is_open: bool,
    serves: bool,
    ticket: u64,
    flights: HashMap<u64, Range>,
    /// Ranges to be made next.
    open: VecDeque<Range>,
    /// Executions that ended the test elsewhere: they are made here, when all before them are known.
    here: Vec<Range>,
    /// How many executions, or batches, the next range has.
    chunks: Chunks,
    /// How often a process has ended at an execution.
    deaths: HashMap<u64, u64>,
    /// The executions that were found to end their process.
    crashed: HashSet<u64>,
    lost_in_a_row: u64,
    /// Ranges that were lost, and processes that ended at an execution that did not do it again.
    lost: u64,
    horizon: Arc<AtomicU64>,
    told: u64,
    /// The calls that are made here and measured: since when, how many, and how many there should be.
    began: Instant,
    made: u64,
    wanted: u64,
}

/// Seconds, where they are a duration.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// A part of a range.
fn part(mut range: Range, first: u64, last: u64) -> Range {
    (range.first, range.last) = (first, last);
    range
}

impl<'py> EngineDesk<'py> {
    fn new(engine: &Bound<'py, PyAny>, batch: u64, run: &Machine<'_>) -> PyResult<Self> {
        Ok(EngineDesk {
            engine: engine.clone(),
            slots: engine.getattr("slots")?.extract::<usize>()?.max(1),
            isolates: engine.getattr("isolates")?.extract()?,
            batch,
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
            began: Instant::now(),
            made: 0,
            wanted: 1,
        })
    }

    /// The last execution that is needed.
    fn last(&self) -> u64 {
        self.horizon.load(Ordering::SeqCst)
    }

    /// Asks the engine for workers; says whether there are any for this.
    fn open(&mut self, seconds: f64, left: u64) -> PyResult<bool> {
        let is_open = self.engine.call_method1("open", (seconds, left))?.extract()?;
        self.is_open |= is_open;
        Ok(is_open)
    }

    /// Sends a range.
    fn start(&mut self, range: Range) -> PyResult<()> {
        self.ticket += 1;
        let seed = range.stream().seed().0;
        let sent = (self.ticket, seed, range.first, range.last, range.attempt);
        self.engine.call_method1("start", sent)?;
        self.flights.insert(self.ticket, range);
        Ok(())
    }

    /// Waits for answers to ranges that are still of interest.
    fn wait(&mut self) -> PyResult<Vec<(Range, Reply)>> {
        let answers = self.engine.call_method1("wait", (TICK.as_secs_f64(),))?;
        let mut replies = Vec::new();
        for answer in answers.try_iter()? {
            let (ticket, answer): (u64, Bound<'py, PyAny>) = answer?.extract()?;
            let Some(range) = self.flights.remove(&ticket) else {
                continue;
            };
            let reply = if answer.is_none() {
                // What was taken back because it is not needed any more is not lost.
                if range.first <= self.last() {
                    self.lost += 1;
                    self.lost_in_a_row += 1;
                }
                Reply::Lost
            } else if let Ok(bytes) = answer.cast::<PyBytes>() {
                let text = std::str::from_utf8(bytes.as_bytes()).ok();
                let answer = text.and_then(|text| RangeAnswer::from_json(text.parse().ok()?));
                let refused = || PyValueError::new_err("a worker's answer cannot be read");
                self.lost_in_a_row = 0;
                Reply::Done(answer.ok_or_else(refused)?)
            } else {
                Reply::Died(answer.extract()?)
            };
            replies.push((range, reply));
        }
        if self.lost_in_a_row > LOST_IN_A_ROW {
            let error = self.engine.py().import("probtest.engines")?.getattr("EngineError")?;
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
    fn tell_horizon(&mut self) -> PyResult<()> {
        let last = self.last();
        if last < std::mem::replace(&mut self.told, last) && self.is_open {
            self.engine.call_method1("stop_after", (last,))?;
        }
        Ok(())
    }

    /// Forgets what is under way: it is not needed.
    fn abandon(&mut self) -> PyResult<()> {
        self.tell_horizon()?;
        self.flights.clear();
        self.open.clear();
        self.here.clear();
        Ok(())
    }

    /// Puts a part of a range in line, as far as it is needed.
    fn add(&mut self, range: Range, first: u64, last: u64) {
        let last = last.min(self.last());
        if first <= last {
            self.open.push_back(part(range, first, last));
        }
    }

    /// The next range in line.
    fn next(&mut self) -> Option<Range> {
        let last = self.last();
        while let Some(mut range) = self.open.pop_front() {
            range.last = range.last.min(last);
            if range.first <= range.last {
                return Some(range);
            }
        }
        None
    }

    /// Learns that a process ended; returns the execution that is to blame, once that is
    /// certain. What else it had is put in line again.
    fn blame(&mut self, range: Range, died: &Died) -> Option<u64> {
        let index = died.index.filter(|index| (range.first..=range.last).contains(index));
        let calls = (range.last - range.first) / self.batch + 1;
        let Some(index) = index.or((calls == 1).then_some(range.first)) else {
            // Where it happened is found by halves.
            let middle = range.first + calls / 2 * self.batch;
            self.add(range, range.first, middle - 1);
            self.add(range, middle, range.last);
            return None;
        };
        let end = range.last.min(last_of_batch(index, self.batch));
        self.add(range, range.first, index - 1);
        self.add(range, end + 1, range.last);
        let deaths = self.deaths.entry(index).or_default();
        *deaths += 1;
        if died.certain || *deaths > 1 {
            // What was taken for an accident was none.
            self.lost -= *deaths - 1;
            self.crashed.insert(index);
            return Some(index);
        }
        self.lost += 1;
        self.add(range, index, end);
        None
    }
}

/// Asks the engine whether it should take over, now that it is known what an execution takes.
fn look_at_pace(desk: &mut EngineDesk<'_>, run: &Machine<'_>) -> PyResult<()> {
    desk.made += 1;
    if desk.made < desk.wanted {
        return Ok(());
    }
    let took = desk.began.elapsed();
    let seconds = took.as_secs_f64() / desk.made as f64;
    // The first one also imports and fills caches: it says little about the others.
    let first = desk.wanted == 1 && run.counts().executed <= desk.batch;
    if !first {
        desk.wanted *= 2;
        if took >= STRETCH && desk.open(seconds, run.left() / desk.batch)? {
            desk.serves = true;
            // With ranges that are smaller than they will be.
            desk.chunks.begin_with(duration(seconds));
        }
    }
    (desk.made, desk.began) = (0, Instant::now());
    Ok(())
}

impl<'py> Executor<'_, 'py> {
    /// Answers the machine with executions that an engine makes, until it is done.
    pub fn elsewhere(&mut self, engine: &Bound<'py, PyAny>, run: &mut Machine<'_>) -> PyResult<()> {
        let mut desk = EngineDesk::new(engine, self.batch.unwrap_or(1), run)?;
        let answered = self.answer(&mut desk, run);
        self.state.borrow_mut().lost_ranges = desk.lost;
        answered
    }

    fn answer(&mut self, desk: &mut EngineDesk<'py>, run: &mut Machine<'_>) -> PyResult<()> {
        loop {
            if desk.serves && run.is_planned() {
                if !self.serve(desk, run)? {
                    return Ok(());
                }
                continue;
            }
            let Some(range) = self.next(run, desk.batch)? else {
                return Ok(());
            };
            if !run.is_planned() {
                if self.survives(desk, range, run)? {
                    self.here(&range, run)?;
                }
            } else if desk.isolates && desk.open(0.0, run.left())? {
                desk.serves = true;
                desk.open.push_back(range);
            } else {
                self.here(&range, run)?;
                look_at_pace(desk, run)?;
            }
        }
    }

    /// Hands out ranges and takes answers while the plan is under way; says whether the
    /// machine is to be asked again.
    fn serve(&mut self, desk: &mut EngineDesk<'py>, run: &mut Machine<'_>) -> PyResult<bool> {
        loop {
            self.make_here(desk, run)?;
            while run.is_planned() && desk.flights.len() < desk.slots {
                let size = desk.chunks.next(run.left() / desk.batch, desk.slots as u64);
                let range = match desk.next() {
                    Some(range) => range,
                    None => match run.next_range(size * desk.batch) {
                        Next::Attempt(range) => range,
                        Next::Wait => break,
                        Next::Done => return Ok(false),
                    },
                };
                self.send(desk, range, run)?;
            }
            if !run.is_planned() {
                desk.abandon()?;
                return Ok(true);
            }
            if desk.flights.is_empty() {
                let idle = desk.here.is_empty() && desk.open.is_empty();
                match run.pause().filter(|_| idle) {
                    Some(pause) => self.around.pause(pause)?,
                    // Nothing is under way and nothing may begin: it has ended.
                    None if idle => return Ok(false),
                    None => {}
                }
                continue;
            }
            desk.tell_horizon()?;
            for (range, reply) in desk.wait()? {
                if self.takes(desk, range, reply, run)? {
                    desk.abandon()?;
                    return Ok(true);
                }
            }
        }
    }

    /// Sends a range to a worker; makes that part of it here that the guard wants to see.
    fn send(
        &mut self,
        desk: &mut EngineDesk<'py>,
        range: Range,
        run: &mut Machine<'_>,
    ) -> PyResult<()> {
        if range.attempt > 0 {
            // Only what was rejected here comes back.
            return self.here(&range, run);
        }
        let Some((first, last)) = self.looked_at(&range).filter(|_| !desk.isolates) else {
            return desk.start(range);
        };
        desk.add(range, range.first, first - 1);
        desk.add(range, last.saturating_add(1), range.last);
        self.here(&part(range, first, last), run)
    }

    /// The executions of a range that the guard wants to see: one, or a whole batch.
    fn looked_at(&self, range: &Range) -> Option<(u64, u64)> {
        let batch = self.batch.unwrap_or(1);
        let first = (self.next_probe? - 1).checked_mul(batch)? + 1;
        // A batch that is only in part in this range belongs to another range too.
        let last = first.checked_add(batch - 1)?.min(range.last);
        (range.first <= first && first <= range.last).then_some((first, last))
    }

    /// Takes an answer; says whether the plan is done.
    fn takes(
        &mut self,
        desk: &mut EngineDesk<'py>,
        range: Range,
        reply: Reply,
        run: &mut Machine<'_>,
    ) -> PyResult<bool> {
        let answer = match reply {
            Reply::Lost => {
                desk.add(range, range.first, range.last);
                return Ok(false);
            }
            Reply::Died(died) => {
                let Some(index) = desk.blame(range, &died) else {
                    return Ok(false);
                };
                let record = self.death(range, index, died);
                return Ok(run.observe(record).is_done());
            }
            Reply::Done(answer) => answer,
        };
        desk.chunks.learn(answer.work.made().div_ceil(desk.batch), answer.work.took);
        if answer.odd_return.is_some() {
            self.state.borrow_mut().odd_return = answer.odd_return;
        }
        for (index, panic) in answer.lost {
            run.doubt(Doubt::Panicked { index, panic: Box::new(panic) });
        }
        let mut rest = answer.work.last + 1;
        if let Some(index) = answer.ended {
            let last = last_of_batch(index, desk.batch);
            desk.here.push(part(range, index, last.min(range.last)));
            rest = last.saturating_add(1);
        }
        desk.add(range, rest, range.last);
        let last = answer.work.last;
        let done = run.take(answer.work).is_done();
        if !done && desk.isolates {
            self.let_guard_look(&range, last)?;
        }
        Ok(done)
    }

    /// Repeats executions here that a worker has made, for the guard to look at.
    fn let_guard_look(&mut self, range: &Range, last: u64) -> PyResult<()> {
        let made = part(*range, range.first, last);
        while let Some((first, _)) = self.looked_at(&made) {
            let index = first_of_batch(first, self.batch.unwrap_or(1));
            let call = Call::new(range.stream(), index, range.stream().applicable(index, 0));
            // It has counted already. What it raises is no news either.
            let _ = self.make(&call, |executor| {
                Ok(match executor.pairs {
                    true => executor.call().map(drop),
                    false => executor.call_body(executor.body).map(drop),
                })
            })?;
            self.around.lost()?;
            self.forget();
            if self.looked_at(&made).is_some_and(|(next, _)| next <= first) {
                // The guard was not asked: nothing would change.
                return Ok(());
            }
        }
        Ok(())
    }

    /// Makes executions here that have ended the test elsewhere, when their turn has come.
    fn make_here(&mut self, desk: &mut EngineDesk<'py>, run: &mut Machine<'_>) -> PyResult<()> {
        desk.here.sort_by_key(|range| std::cmp::Reverse(range.first));
        while let Some(range) = desk.here.last().copied() {
            let before = |other: &Range| other.first < range.first;
            if desk.flights.values().any(before) || desk.open.iter().any(before) {
                break;
            }
            desk.here.pop();
            self.here(&range, run)?;
        }
        Ok(())
    }

    /// What is known of an execution that has ended its process.
    fn death(&self, range: Range, index: u64, died: Died) -> Record {
        let Died { words, details, attempt, .. } = died;
        let observation = match self.batch {
            None if self.pairs => Observation::Broken(format!(
                "one of the two versions ended the process that runs both, and it is not known which: {words}"
            )),
            None => {
                let violation = Violation { details, ..Violation::new(words) };
                Observation::Violated(Box::new(violation))
            }
            Some(size) => {
                let (first, last) = (first_of_batch(index, size), last_of_batch(index, size));
                Observation::Broken(format!("the batch of executions {first} to {last}: {words}"))
            }
        };
        Call::new(range.stream(), index, attempt.max(range.attempt)).did(observation, true)
    }

    /// Whether an execution outside of the plan may be made here: a worker has made it and
    /// lives, or none is asked. If it ends its process, the machine observes that.
    fn survives(
        &mut self,
        desk: &mut EngineDesk<'py>,
        range: Range,
        run: &mut Machine<'_>,
    ) -> PyResult<bool> {
        if run.is_telling() {
            // The execution itself was made here before.
            return Ok(true);
        }
        let is_replay = self.state.borrow().alone.is_some();
        let is_again = !is_replay && run.counts().executed > 0;
        if is_again {
            // The exception of another execution has nothing to do with it.
            self.forget();
        }
        let asked = match (is_replay, is_again) {
            (true, _) => desk.isolates,
            (_, true) => desk.crashed.contains(&range.first),
            // One of an earlier run may have ended its process then.
            _ => true,
        };
        if !asked || !desk.open(0.0, 1)? {
            return Ok(true);
        }
        // What was set up for it is torn down before a process is forked.
        self.around.seeded = false;
        let mut died_before = false;
        desk.start(range)?;
        loop {
            self.state.py().check_signals()?;
            for (range, reply) in desk.wait()? {
                match reply {
                    Reply::Done(_) => return Ok(true),
                    Reply::Died(died) if died.certain || died_before || is_again => {
                        let mut record = self.death(range, range.first, died);
                        record.attempt = range.attempt;
                        let _ = run.observe(record);
                        return Ok(false);
                    }
                    Reply::Died(_) => died_before = true,
                    Reply::Lost => {}
                }
                desk.start(range)?;
            }
        }
    }
}
