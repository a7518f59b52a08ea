//! What surrounds the body of each execution.

use std::time::Duration;

use probtest::judge::Doubt;
use probtest::run::Violation;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// How long a pause lasts before signals are looked at.
const TICK: Duration = Duration::from_millis(50);

/// What Python says about the executions of a body: `probtest.sources.Surroundings`.
#[derive(Debug, FromPyObject)]
pub struct Surroundings<'py> {
    /// The sources that are seeded for each execution.
    pub seeders: Bound<'py, PyAny>,
    /// Exceptions that reject an execution.
    pub rejecting: Bound<'py, PyTuple>,
    /// Is told of each exception that rejects one, and may end the test by raising.
    pub rejected: Option<Bound<'py, PyAny>>,
    /// Exceptions that end the test here and now, such as Ctrl-C.
    pub leaving: Bound<'py, PyTuple>,
    /// Says of another exception whether it does the same.
    pub ends: Option<Bound<'py, PyAny>>,
    /// Whether the sources have the seed of the first execution already, since
    /// fixtures were set up under it.
    pub seeded: bool,
    /// Clears away what an execution leaves behind.
    pub cleaner: Option<Cleaner>,
    /// Answers with more sources when an execution has imported one.
    pub imported: Option<Bound<'py, PyAny>>,
    /// Is called before and after calls of the plan, the first one to begin with; answers
    /// after each with the number of the next call to look at, or nothing.
    pub probe: Option<Bound<'py, PyAny>>,
    /// Failures that the body was not told of, as pairs of words and a place; emptied when read.
    pub lost: Option<Bound<'py, PyList>>,
    /// Says at the end, as a list of dicts, why the executions may not be independent.
    pub doubts: Option<Bound<'py, PyAny>>,
    /// Is called from time to time with how far the test has come.
    pub tick: Option<Bound<'py, PyAny>>,
    /// Says whether a remembered execution under this seed is another one by now.
    pub differs: Option<Bound<'py, PyAny>>,
    /// Has the draws of executions seen that are to be explained: `probtest.tapes.Tapes`.
    pub tapes: Option<Bound<'py, PyAny>>,
    /// Is called before and after the executions that only explain a violation.
    pub telling: Option<Bound<'py, PyAny>>,
    /// Tells the time in nanoseconds instead of the system's clock.
    pub clock: Option<Bound<'py, PyAny>>,
    /// Executes ranges elsewhere: `probtest.engines.Engine`.
    pub engine: Option<Bound<'py, PyAny>>,
    /// Says more about a violation than its message, where its process will be gone.
    pub describe: Option<Bound<'py, PyAny>>,
    /// Waits for a number of seconds instead of the system.
    pub sleep: Option<Bound<'py, PyAny>>,
    /// Has executions under way at the same time, at most so many.
    pub at_once: Option<Bound<'py, PyAny>>,
    pub concurrency: usize,
    /// Says of an exception which infrastructure failed and what it said, or nothing.
    pub unavailable: Option<Bound<'py, PyAny>>,
    /// The inputs that executions draw: `probtest.inputs.Inputs`.
    pub inputs: Option<Bound<'py, PyAny>>,
}

impl Surroundings<'_> {
    /// Takes the first failure that the body was not told of, if there is one.
    #[inline]
    pub fn lost(&self) -> PyResult<Option<Box<Violation>>> {
        let Some(lost) = self.lost.as_ref().filter(|lost| !lost.is_empty()) else {
            return Ok(None);
        };
        let (message, location) = lost.get_item(0)?.extract()?;
        lost.call_method0("clear")?;
        Ok(Some(Box::new(Violation { message, location, details: None, kind: None })))
    }

    /// Waits a while; the machine looks whether somebody has stopped it when it is asked again.
    pub fn pause(&self, pause: Duration) -> PyResult<()> {
        let pause = pause.min(TICK).as_secs_f64();
        let py = self.seeders.py();
        match &self.sleep {
            Some(sleep) => sleep.call1((pause,))?,
            None => py.import("time")?.call_method1("sleep", (pause,))?,
        };
        Ok(())
    }

    /// Asks for the doubts.
    pub fn doubts(&self) -> PyResult<Vec<Doubt>> {
        let Some(doubts) = &self.doubts else {
            return Ok(Vec::new());
        };
        let each = |doubt: PyResult<Bound<'_, PyAny>>| {
            let doubt = doubt?;
            let kind: String = doubt.get_item("kind")?.extract()?;
            Ok(match kind.as_str() {
                "few_drew" => Doubt::FewDrew {
                    drew: doubt.get_item("drew")?.extract()?,
                    looked_at: doubt.get_item("looked_at")?.extract()?,
                },
                "fixed_seeds" => Doubt::FixedSeeds { places: doubt.get_item("places")?.extract()? },
                "copies" => Doubt::Copies,
                _ => return Err(PyValueError::new_err(format!("no doubt is called {kind}"))),
            })
        };
        doubts.call0()?.try_iter()?.map(each).collect()
    }
}

/// A function that seeds a source of randomness, and how many bits it takes.
#[derive(Debug)]
pub struct Seeder {
    function: Py<PyAny>,
    mask: u64,
}

impl Seeder {
    /// Reads a list of (function, bits).
    pub fn list(seeders: &Bound<'_, PyAny>) -> PyResult<Vec<Seeder>> {
        let mut list = Vec::new();
        for pair in seeders.try_iter()? {
            let (function, bits): (Py<PyAny>, u32) = pair?.extract()?;
            let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
            list.push(Seeder { function, mask });
        }
        Ok(list)
    }

    /// Seeds the source.
    pub fn seed(&self, py: Python<'_>, seed: u64) -> PyResult<()> {
        self.function.call1(py, (seed & self.mask,)).map(drop)
    }
}

/// Looks whether an execution left something behind: captured output, log
/// records. Only then is the function called that clears it away.
#[derive(Debug, FromPyObject)]
pub struct Cleaner {
    /// Descriptors of captured streams.
    #[pyo3(item(0))]
    files: Vec<i32>,
    #[pyo3(item(1))]
    lists: Vec<Py<PyList>>,
    #[pyo3(item(2))]
    clean: Py<PyAny>,
}

impl Cleaner {
    /// Clears away what there is.
    pub fn clean(&self, py: Python<'_>) -> PyResult<()> {
        let written = self.files.iter().any(|file| is_written(*file));
        let listed = self.lists.iter().any(|list| list.bind(py).len() > 0);
        if written || listed {
            self.clean.call0(py)?;
        }
        Ok(())
    }
}

/// Says whether a captured stream has moved on from its beginning.
#[cfg(unix)]
fn is_written(file: i32) -> bool {
    use std::os::fd::BorrowedFd;
    // SAFETY: pytest's capture owns the descriptor and keeps it open while the
    // test is executed, which is as long as this borrow can live.
    let file = unsafe { BorrowedFd::borrow_raw(file) };
    rustix::fs::tell(file).is_ok_and(|position| position > 0)
}

#[cfg(not(unix))]
fn is_written(_file: i32) -> bool {
    true
}

/// Notices that an execution has imported something.
#[derive(Debug)]
pub struct Imports {
    modules: Py<PyDict>,
    seen: usize,
}

impl Imports {
    /// Begins to watch `sys.modules`.
    pub fn new(py: Python<'_>) -> PyResult<Imports> {
        let modules = py.import("sys")?.getattr("modules")?;
        let modules: Bound<'_, PyDict> = modules.cast_into()?;
        let seen = modules.len();
        Ok(Imports { modules: modules.unbind(), seen })
    }

    /// Says whether the number of modules has changed since the last look.
    pub fn have_changed(&mut self, py: Python<'_>) -> bool {
        let now = self.modules.bind(py).len();
        std::mem::replace(&mut self.seen, now) != now
    }
}
