//! What surrounds the body of each execution.

use std::time::Duration;

use probtest::judge::Doubt;
use probtest::run::Violation;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// How long a pause or an engine lasts before the machine is asked again, and signals are looked at.
pub const TICK: Duration = Duration::from_millis(50);

/// Descriptors of captured streams and lists that show whether an execution left something
/// behind, output or log records, and what clears it away then.
type Cleaner<'py> = (Vec<i32>, Vec<Bound<'py, PyList>>, Bound<'py, PyAny>);

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
    cleaner: Option<Cleaner<'py>>,
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

    /// Clears away what an execution left behind, where it left something.
    #[inline]
    pub fn clean(&self) -> PyResult<()> {
        if let Some((files, lists, clean)) = &self.cleaner
            && (files.iter().any(|file| is_written(*file))
                || lists.iter().any(|list| !list.is_empty()))
        {
            clean.call0()?;
        }
        Ok(())
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

/// Reads functions that seed a source of randomness, and masks of the bits that they take.
pub fn seeders<'py>(pairs: &Bound<'py, PyAny>) -> PyResult<Vec<(Bound<'py, PyAny>, u64)>> {
    let each = |pair: PyResult<Bound<'py, PyAny>>| {
        let (function, bits) = pair?.extract::<(_, u32)>()?;
        Ok((function, u64::MAX.unbounded_shr(64_u32.saturating_sub(bits))))
    };
    pairs.try_iter()?.map(each).collect()
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
