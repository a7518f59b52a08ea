//! A few numbers that processes share: the last execution that is needed, and what each
//! worker is at.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// The numbers of one worker: the execution under way, and its attempt.
const OF_A_WORKER: usize = 2;

/// Numbers that a process shares with those that it forks, or by a file with any other.
#[pyclass(module = "probtest._native", frozen)]
pub struct Board {
    numbers: Numbers,
    workers: usize,
}

#[pymethods]
impl Board {
    /// Makes a board for so many workers. With the path of a file all who open it share it;
    /// a file of another size is set to that of an empty board.
    #[new]
    #[pyo3(signature = (workers=1, file=None))]
    fn new(workers: usize, file: Option<std::path::PathBuf>) -> PyResult<Self> {
        if !(1..=4096).contains(&workers) {
            return Err(PyValueError::new_err("a board has 1 to 4096 workers"));
        }
        let numbers = Numbers::new(1 + OF_A_WORKER * workers, file.as_deref());
        let numbers = numbers.map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(Board { numbers, workers })
    }

    /// Says that no execution after this one is needed.
    fn stop_after(&self, index: u64) {
        // Kept as what is missing to the largest number, so that an empty board stops nobody.
        self.numbers.all()[0].store(u64::MAX - index, Ordering::SeqCst);
    }

    /// The execution that a worker is at, from 1, and its attempt; 0 where it is at none.
    fn at(&self, worker: usize) -> PyResult<(u64, u64)> {
        let of_worker = self.of(worker)?;
        let read = |number: &AtomicU64| number.load(Ordering::SeqCst);
        Ok((read(&of_worker[0]), read(&of_worker[1])))
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
    pub fn of(&self, worker: usize) -> PyResult<&[AtomicU64]> {
        if worker >= self.workers {
            return Err(PyValueError::new_err("there is no such worker"));
        }
        let first = 1 + OF_A_WORKER * worker;
        Ok(&self.numbers.all()[first..first + OF_A_WORKER])
    }

    /// The last execution that is needed, as far as is known.
    #[inline]
    pub fn horizon(&self) -> u64 {
        u64::MAX - self.numbers.all()[0].load(Ordering::Relaxed)
    }
}

/// What one worker writes down while it works.
pub struct Desk<'a> {
    board: &'a Board,
    own: &'a [AtomicU64],
}

impl<'a> Desk<'a> {
    /// The place of a worker at a board.
    ///
    /// # Errors
    /// When there is no such worker.
    pub fn new(board: &'a Board, worker: usize) -> PyResult<Self> {
        let own = board.of(worker)?;
        Ok(Desk { board, own })
    }

    /// Writes down what comes now, and says whether it is needed.
    #[inline]
    pub fn begin(&self, index: u64, attempt: u64) -> bool {
        if index > self.board.horizon() {
            return false;
        }
        self.own[1].store(attempt, Ordering::Relaxed);
        self.own[0].store(index, Ordering::Release);
        true
    }
}

impl Drop for Desk<'_> {
    fn drop(&mut self) {
        self.own[0].store(0, Ordering::SeqCst);
    }
}

#[cfg(unix)]
struct Numbers {
    address: *mut std::ffi::c_void,
    count: usize,
}

// SAFETY: the memory belongs to this value until it is dropped, and is only reached
// through atomics.
#[cfg(unix)]
unsafe impl Send for Numbers {}
// SAFETY: as above.
#[cfg(unix)]
unsafe impl Sync for Numbers {}

#[cfg(unix)]
impl Numbers {
    fn new(count: usize, file: Option<&std::path::Path>) -> std::io::Result<Self> {
        use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous};
        let size = count * size_of::<AtomicU64>();
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let nowhere = std::ptr::null_mut();
        let address = match file {
            // SAFETY: a new mapping at an address of the system's choice aliases nothing.
            None => unsafe { mmap_anonymous(nowhere, size, access, MapFlags::SHARED)? },
            Some(path) => {
                let mut options = std::fs::OpenOptions::new();
                let options = options.read(true).write(true).create(true).truncate(false);
                let file = options.open(path)?;
                if file.metadata()?.len() != size as u64 {
                    file.set_len(size as u64)?;
                }
                // SAFETY: as above; the file is as long as the mapping.
                unsafe { mmap(nowhere, size, access, MapFlags::SHARED, &file, 0)? }
            }
        };
        Ok(Numbers { address, count })
    }

    #[inline]
    fn all(&self) -> &[AtomicU64] {
        // SAFETY: the mapping begins at a page, is as long as these numbers, is zero in the
        // beginning, and stays until this value is dropped.
        unsafe { std::slice::from_raw_parts(self.address.cast(), self.count) }
    }
}

#[cfg(unix)]
impl Drop for Numbers {
    fn drop(&mut self) {
        let size = self.count * size_of::<AtomicU64>();
        // SAFETY: nothing refers to the mapping any more.
        let _ = unsafe { rustix::mm::munmap(self.address, size) };
    }
}

/// Without processes that fork there is nobody to share them with.
#[cfg(not(unix))]
struct Numbers(Vec<AtomicU64>);

#[cfg(not(unix))]
impl Numbers {
    fn new(count: usize, _file: Option<&std::path::Path>) -> std::io::Result<Self> {
        Ok(Numbers((0..count).map(|_| AtomicU64::new(0)).collect()))
    }

    fn all(&self) -> &[AtomicU64] {
        &self.0
    }
}
