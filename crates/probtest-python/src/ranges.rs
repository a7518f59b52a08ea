//! Ranges of executions: batches, where one call of the body is many executions, and what a worker does.
//!
//! In a batch, executions keep their numbers: the batch that begins with execution `first` has the
//! next ones in the order of its entries, and draws from the stream of `first`, whole even
//! where the plan ends within it. A rejected entry is drawn again by drawing the batch again
//! with the next attempt, of which only rejected entries are looked at. What the body
//! returned is turned into codes by `probtest.batches`.
//!
//! A worker executes a range without the machine, and writes down what came of it. Where it is, other
//! processes read from a board.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use probtest::judge::Doubt;
use probtest::machine::{
    REJECTIONS_IN_A_ROW, Range, RangeRecord, TestRun as Machine, is_too_often,
};
use probtest::run::{Observation, Record, Violation};
use probtest_facts::json_object;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::executor::{Call, Executor, SAID};
use crate::test_run::ReturnKind;

/// The codes of an entry that is no number of an outcome; pinned by `probtest.batches`.
const REJECTED: i64 = -1;
const VIOLATED: i64 = -2;
const PASSED: i64 = -3;

/// What one call of the body came to.
enum BatchResults {
    /// One byte for each entry: 0 violated, 1 passed.
    Booleans(Vec<u8>),
    /// A code for each entry, or the number of an outcome.
    Numbers(Vec<i64>),
}

/// One attempt at one batch.
struct Batch {
    call: Call,
    size: u64,
    drawn: BatchResults,
}

impl Batch {
    /// The place of an execution in the batch, which is below its size.
    fn position(&self, index: u64) -> usize {
        (index - self.call.index) as usize
    }

    fn observation(&self, index: u64, reading: ReturnKind) -> Observation {
        let position = self.position(index);
        let code = match &self.drawn {
            BatchResults::Booleans(booleans) if booleans[position] == 0 => VIOLATED,
            BatchResults::Booleans(_) => PASSED,
            BatchResults::Numbers(numbers) => numbers[position],
        };
        match code {
            REJECTED => Observation::Rejected,
            PASSED => Observation::Passed,
            VIOLATED => {
                let batch = words(&self.call, self.size);
                let violation = Violation::new(format!("entry {position} of {batch} is False"));
                Observation::Violated(Box::new(violation))
            }
            _ if reading == ReturnKind::Anything => Observation::Passed,
            number => Observation::Outcome(usize::try_from(number).unwrap_or(usize::MAX)),
        }
    }

    /// Returns how many executions from one to another one passed, one after the other.
    fn passes(&self, first: u64, last: u64) -> u64 {
        let BatchResults::Booleans(booleans) = &self.drawn else {
            return 0;
        };
        let rest = &booleans[self.position(first)..=self.position(last)];
        let (words, _) = rest.as_chunks::<8>();
        let whole = words.iter().take_while(|word| **word == [1; 8]).count() * 8;
        let single = rest[whole..].iter().take_while(|boolean| **boolean == 1);
        (whole + single.count()) as u64
    }
}

fn words(call: &Call, size: u64) -> String {
    let last = last_of_batch(call.index, size);
    format!("the batch of executions {} to {last}", call.index)
}

/// The first execution of the batch that one belongs to.
pub fn first_of_batch(index: u64, size: u64) -> u64 {
    index - (index - 1) % size
}

/// The last execution of the batch that one belongs to.
pub fn last_of_batch(index: u64, size: u64) -> u64 {
    first_of_batch(index, size).saturating_add(size - 1)
}

/// Adds what the executions of a batch did, those that are not in the records being passes.
fn add_batch(answer: &mut RangeAnswer, first: u64, last: u64, mut kept: Vec<Record>) {
    kept.sort_by_key(|record| record.index);
    answer.work.drew += last + 1 - first - kept.len() as u64;
    answer.work.records.append(&mut kept);
    answer.work.last = last;
}

/// A board, and the place of a worker on it.
pub type SlotOnBoard<'a> = Option<(&'a Board, &'a BoardSlot)>;

/// What a worker answers.
#[derive(Debug)]
pub struct RangeAnswer {
    /// What was done, up to the execution before the one that ended it.
    pub work: RangeRecord,
    /// The execution that ended the test there: it is to be made where the test is.
    pub ended: Option<u64>,
    /// Failures that batches were not told of, by the first execution.
    pub lost: Vec<(u64, Violation)>,
    /// What the body returned, where that is nothing that is looked at.
    pub odd_return: Option<String>,
}

json_object!(RangeAnswer { work, ended, lost, odd_return });

impl Executor<'_, '_> {
    /// Makes the executions from one to the last. A rejected one is drawn again at once, so that
    /// what is answered counts.
    pub fn make_range(&mut self, first: Call, last: u64, desk: SlotOnBoard<'_>) -> RangeAnswer {
        let began = Instant::now();
        // The guard looks at executions where the test is.
        self.next_probe = None;
        let mut answer = RangeAnswer {
            work: RangeRecord {
                seed: first.stream.seed(),
                first: first.index,
                last: first.index - 1,
                drew: 0,
                records: Vec::new(),
                took: Duration::ZERO,
            },
            ended: None,
            lost: Vec::new(),
            odd_return: None,
        };
        match self.batch {
            Some(size) => self.make_batches(first, last, size, desk, &mut answer),
            None => self.make_each(first, last, desk, &mut answer),
        }
        if let Some((_, own)) = desk {
            own[0].store(0, Ordering::SeqCst);
        }
        answer.odd_return = self.state.borrow_mut().odd_return.take();
        answer.work.took = began.elapsed();
        answer
    }

    fn make_each(
        &mut self,
        first: Call,
        last: u64,
        desk: SlotOnBoard<'_>,
        answer: &mut RangeAnswer,
    ) {
        let (stream, mut described) = (first.stream, false);
        for index in first.index..=last {
            let attempt = stream.applicable(index, first.attempt);
            let mut call = Call { index, attempt, ..first };
            let (observation, drew) = loop {
                if desk.is_some_and(|(board, own)| !board.begin(own, index, call.attempt)) {
                    return;
                }
                let made = self.make_with_input(&call);
                let made = made.and_then(|(did, drew)| Ok((self.settled(&call, did)?, drew)));
                match made {
                    Ok((Observation::Rejected, drew)) => {
                        let next = stream.after_rejection(call.attempt, drew);
                        stream.learn(index, next);
                        if is_too_often(&stream, next) {
                            break (Observation::Rejected, drew);
                        }
                        call.attempt = next;
                    }
                    Ok(made) => break made,
                    Err(_) => {
                        answer.ended = Some(index);
                        return;
                    }
                }
            };
            let observation = observation.map_plain(|mut plain| {
                // The first violation of a range is described in full, the others by their message.
                if let Observation::Violated(violation) = &mut plain
                    && !std::mem::replace(&mut described, true)
                    && let Some(describe) = &self.around.describe
                {
                    let exception = self.state.borrow_mut().exception.take();
                    let said = describe.call1((exception,));
                    violation.details = said.and_then(|said| said.extract()).unwrap_or_default();
                }
                plain
            });
            answer.work.add(call.did(observation, drew));
        }
    }

    /// Draws one batch here, and tells the machine what the executions of a range did.
    pub fn make_batch(&mut self, size: u64, range: &Range, run: &mut Machine<'_>) -> PyResult<()> {
        let call = Call::new(range.stream(), first_of_batch(range.first, size), range.attempt);
        let call = Call { planned: run.is_planned(), ..call };
        let drawn = self.draw_batch(call, size)?;
        if let Some(panic) = self.around.lost()? {
            run.doubt(Doubt::Panicked { index: range.first, panic });
        }
        let batch = match drawn {
            Ok(batch) => batch,
            Err(broken) => {
                let _ = run.observe(Call { index: range.first, ..call }.did(broken, true));
                return Ok(());
            }
        };
        if range.attempt == 0 {
            self.rejected.clear();
            return self.observe_range(run, &batch, range);
        }
        // All of them now, so that each attempt is drawn once.
        for index in std::mem::take(&mut self.rejected) {
            self.observe_entry(run, &batch, index)?;
        }
        Ok(())
    }

    /// Draws the batches of a range without the machine, each until no entry is rejected.
    pub fn make_batches(
        &mut self,
        begin: Call,
        end: u64,
        size: u64,
        desk: SlotOnBoard<'_>,
        answer: &mut RangeAnswer,
    ) {
        let mut first = begin.index;
        while first <= end {
            let mut call = Call { index: first_of_batch(first, size), ..begin };
            let last = end.min(last_of_batch(first, size));
            let (mut open, mut kept): (Vec<u64>, Vec<Record>) = (Vec::new(), Vec::new());
            loop {
                if desk.is_some_and(|(board, own)| !board.begin(own, first, call.attempt)) {
                    return;
                }
                let drawn = self.draw_batch(call, size);
                let Ok((drawn, lost)) = drawn.and_then(|drawn| Ok((drawn, self.around.lost()?)))
                else {
                    answer.ended = Some(first);
                    return;
                };
                answer.lost.extend(lost.map(|panic| (first, *panic)));
                let batch = match drawn {
                    Ok(batch) => batch,
                    Err(broken) => {
                        // Nothing after it is needed.
                        let at = open.first().copied().unwrap_or(first);
                        kept.retain(|record| record.index < at);
                        kept.push(Call { index: at, ..call }.did(broken, true));
                        add_batch(answer, first, at, kept);
                        return;
                    }
                };
                let entries: Box<dyn Iterator<Item = u64>> = match call.attempt == begin.attempt {
                    true => Box::new(first..=last),
                    false => Box::new(std::mem::take(&mut open).into_iter()),
                };
                for entry in entries {
                    match batch.observation(entry, self.reading) {
                        Observation::Passed if call.attempt == 0 => {}
                        Observation::Rejected if call.attempt + 1 < REJECTIONS_IN_A_ROW => {
                            open.push(entry);
                        }
                        observation => {
                            kept.push(Call { index: entry, ..call }.did(observation, true));
                        }
                    }
                }
                if open.is_empty() {
                    break;
                }
                call.attempt += 1;
            }
            add_batch(answer, first, last, kept);
            first = last.saturating_add(1);
        }
    }

    fn observe_range(
        &mut self,
        run: &mut Machine<'_>,
        batch: &Batch,
        range: &Range,
    ) -> PyResult<()> {
        let mut index = range.first;
        while index <= range.last {
            let passes = match batch.call.planned {
                true => batch.passes(index, range.last),
                false => 0,
            };
            let done = match passes {
                0 => self.observe_entry(run, batch, index)?,
                _ => run.observe_passes(index, passes, passes).is_done(),
            };
            if done {
                break;
            }
            index += passes.max(1);
        }
        Ok(())
    }

    /// Tells the machine what one entry shows; says whether it is done.
    fn observe_entry(
        &mut self,
        run: &mut Machine<'_>,
        batch: &Batch,
        index: u64,
    ) -> PyResult<bool> {
        let observation = batch.observation(index, self.reading);
        let observation = self.if_the_same(&batch.call, observation)?;
        if observation == Observation::Rejected {
            self.rejected.push(index);
        }
        let call = Call { index, ..batch.call };
        Ok(run.observe(call.did(observation, true)).is_done())
    }

    /// Draws a batch; an inner error says why its executions could not run.
    fn draw_batch(&mut self, call: Call, size: u64) -> PyResult<Result<Batch, Observation>> {
        let drawn = self.make(&call, |executor| executor.call_batch(size))?;
        let broken = |why| Observation::Broken(format!("{} {why}", words(&call, size)));
        Ok(drawn.map(|drawn| Batch { call, size, drawn }).map_err(broken))
    }

    /// Calls the body of a batch; an inner error says what it did instead.
    fn call_batch(&self, size: u64) -> PyResult<Result<BatchResults, String>> {
        SAID.take();
        self.forget();
        let came_to = self.call_body(self.body);
        let said = SAID.take();
        let returned = match self.unless_left(came_to, said.left_by)? {
            Ok(value) => value,
            Err(error) if self.rejects(&error)? => {
                return Ok(Ok(BatchResults::Numbers(vec![REJECTED; size as usize])));
            }
            Err(error) => {
                let message = self.keep(self.unless_ending(error)?);
                return Ok(Err(format!("raised {message}")));
            }
        };
        let said = [
            ("outcome", said.outcome.is_some()),
            ("cost", said.cost.is_some()),
            ("record", said.recorded.is_some()),
            ("label", !said.labels.is_empty()),
        ];
        if let Some((name, _)) = said.iter().find(|(_, is_said)| *is_said) {
            let help = match *name {
                "outcome" => "return an array with the number of an outcome for each execution",
                _ => "leave out batch, so each execution reports its own",
            };
            return Ok(Err(format!(
                "called probtest.{name}\n  given  one {name} for all of them\n  help   {help}"
            )));
        }
        let Ok(codes) = returned.cast::<PyBytes>() else {
            return Ok(Err(returned.to_string()));
        };
        // A copy: asking Python for the bytes costs more than an entry should.
        let codes = codes.as_bytes();
        let (numbers, rest) = codes.as_chunks();
        if codes.len() as u64 == size {
            // Any byte of an array of booleans that is not 0 is True.
            let booleans = codes.iter().map(|byte| u8::from(*byte != 0));
            Ok(Ok(BatchResults::Booleans(booleans.collect())))
        } else if numbers.len() as u64 == size && rest.is_empty() {
            let numbers = numbers.iter().map(|word| i64::from_ne_bytes(*word));
            Ok(Ok(BatchResults::Numbers(numbers.collect())))
        } else {
            Err(PyValueError::new_err("a batch has one code for each entry"))
        }
    }
}

/// Numbers that a process shares with those that it forks, or by a file with any other: the last
/// execution that is needed, and the place of each worker.
#[pyclass(module = "probtest._native", frozen)]
pub struct Board(&'static [AtomicU64]);

/// The execution that a worker is at, and its attempt.
pub type BoardSlot = [AtomicU64; 2];

#[pymethods]
impl Board {
    /// Makes a board for so many workers. With the path of a file all who open it share it;
    /// a file of another size is set to that of an empty board.
    #[new]
    #[pyo3(signature = (workers=1, file=None))]
    fn new(workers: usize, file: Option<PathBuf>) -> PyResult<Self> {
        if !(1..=4096).contains(&workers) {
            return Err(PyValueError::new_err("a board has 1 to 4096 workers"));
        }
        let numbers = map(1 + 2 * workers, file.as_deref());
        Ok(Board(numbers.map_err(|error| PyOSError::new_err(error.to_string()))?))
    }

    /// Says that no execution after this one is needed.
    fn stop_after(&self, index: u64) {
        // Kept as the distance to the largest number, so that an empty board stops no worker.
        self.0[0].store(u64::MAX - index, Ordering::SeqCst);
    }

    /// The execution that a worker is at, from 1, and its attempt; 0 where it is at none.
    fn at(&self, worker: usize) -> PyResult<(u64, u64)> {
        let [index, attempt] = self.of(worker)?;
        Ok((index.load(Ordering::SeqCst), attempt.load(Ordering::SeqCst)))
    }

    /// Says that a worker is at no execution.
    fn leave(&self, worker: usize) -> PyResult<()> {
        self.of(worker)?[0].store(0, Ordering::SeqCst);
        Ok(())
    }
}

impl Board {
    /// The numbers of a worker.
    ///
    /// # Errors
    /// When there is no such worker.
    pub fn of(&self, worker: usize) -> PyResult<&BoardSlot> {
        let places = self.0[1..].as_chunks().0;
        places.get(worker).ok_or_else(|| PyValueError::new_err("there is no such worker"))
    }

    /// Writes down what a worker does now, and says whether it is needed.
    #[inline]
    pub fn begin(&self, own: &BoardSlot, index: u64, attempt: u64) -> bool {
        if index > u64::MAX - self.0[0].load(Ordering::Relaxed) {
            return false;
        }
        own[1].store(attempt, Ordering::Relaxed);
        own[0].store(index, Ordering::Release);
        true
    }
}

/// Maps memory that is zero in the beginning; it stays until the board is dropped.
#[cfg(unix)]
fn map(count: usize, file: Option<&Path>) -> std::io::Result<&'static [AtomicU64]> {
    use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous};
    let size = count * size_of::<AtomicU64>();
    let access = ProtFlags::READ | ProtFlags::WRITE;
    let nowhere = std::ptr::null_mut();
    let address = match file {
        // SAFETY: a new mapping at an address of the system's choice aliases nothing.
        None => unsafe { mmap_anonymous(nowhere, size, access, MapFlags::SHARED)? },
        Some(path) => {
            let mut options = std::fs::OpenOptions::new();
            let file = options.read(true).write(true).create(true).truncate(false).open(path)?;
            if file.metadata()?.len() != size as u64 {
                file.set_len(size as u64)?;
            }
            // SAFETY: as above; the file is as long as the mapping.
            unsafe { mmap(nowhere, size, access, MapFlags::SHARED, &file, 0)? }
        }
    };
    // SAFETY: the mapping begins at a page, is as long as these numbers, and is only reached
    // through atomics; only the board has it, which unmaps it last of all.
    Ok(unsafe { std::slice::from_raw_parts(address.cast(), count) })
}

#[cfg(unix)]
impl Drop for Board {
    fn drop(&mut self) {
        let address = self.0.as_ptr().cast_mut().cast();
        // SAFETY: nothing refers to the mapping any more.
        let _ = unsafe { rustix::mm::munmap(address, size_of_val(self.0)) };
    }
}

/// Without processes that fork there is no other process to share them with.
#[cfg(not(unix))]
fn map(count: usize, _file: Option<&Path>) -> std::io::Result<&'static [AtomicU64]> {
    Ok((0..count).map(|_| AtomicU64::new(0)).collect::<Vec<_>>().leak())
}
