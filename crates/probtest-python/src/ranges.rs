//! What a worker does: execute a range without the machine, and write down what came of it. Where it
//! is, other processes read from a board.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use probtest::machine::{Work, is_too_often};
use probtest::run::{Observation, Violation};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::executor::{Call, Executor};

/// A board, and the place of a worker on it.
pub type Desk<'a> = Option<(&'a Board, &'a Place)>;

/// What a worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    /// What was done, up to the execution before the one that ended it.
    pub work: Work,
    /// The execution that ended the test there: it is to be made where the test is.
    pub ended: Option<u64>,
    /// Failures that batches were not told of, by the first execution.
    pub lost: Vec<(u64, Violation)>,
    /// What the body returned, where that is nothing that is looked at.
    pub odd_return: Option<String>,
}

impl Executor<'_, '_> {
    /// Makes the executions from one to the last. A rejected one is drawn again at once, so that
    /// what is answered counts.
    pub fn make_range(&mut self, first: Call, last: u64, desk: Desk<'_>) -> Answer {
        let began = Instant::now();
        // The guard looks at executions where the test is.
        self.next_probe = None;
        let mut answer = Answer {
            work: Work {
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

    fn make_each(&mut self, first: Call, last: u64, desk: Desk<'_>, answer: &mut Answer) {
        let (stream, mut described) = (first.stream, false);
        for index in first.index..=last {
            let attempt = stream.applicable(index, first.attempt);
            let mut call = Call { index, attempt, ..first };
            let (observation, drew) = loop {
                if desk.is_some_and(|(board, own)| !board.begin(own, index, call.attempt)) {
                    return;
                }
                let made = self.make_with_input(&call);
                let made = made.and_then(|(did, drew)| Ok((self.unless_lost(did)?, drew)));
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
}

/// Numbers that a process shares with those that it forks, or by a file with any other: the last
/// execution that is needed, and the place of each worker.
#[pyclass(module = "probtest._native", frozen)]
pub struct Board(&'static [AtomicU64]);

/// The execution that a worker is at, and its attempt.
pub type Place = [AtomicU64; 2];

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
    pub fn of(&self, worker: usize) -> PyResult<&Place> {
        let places = self.0[1..].as_chunks().0;
        places.get(worker).ok_or_else(|| PyValueError::new_err("there is no such worker"))
    }

    /// Writes down what a worker does now, and says whether it is needed.
    #[inline]
    pub fn begin(&self, own: &Place, index: u64, attempt: u64) -> bool {
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
