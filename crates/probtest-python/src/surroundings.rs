//! What surrounds the body of each execution.

use std::time::Duration;

use probtest::judge::Doubt;
use probtest::run::Violation;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// How long a pause or an engine lasts before the machine is asked again, and signals are looked at.
pub const TICK: Duration = Duration::from_millis(50);

/// Descriptors, lists, and what clears away what they show.
type Cleaner<'py> = (Vec<i32>, Vec<Bound<'py, PyList>>, Bound<'py, PyAny>);

/// What Python says about the executions of a body: `probtest.sources.Surroundings`, which explains each.
#[derive(Debug, FromPyObject)]
pub struct Surroundings<'py> {
    pub seeders: Bound<'py, PyAny>,
    pub imported: Option<Bound<'py, PyAny>>,
    pub rejecting: Bound<'py, PyTuple>,
    pub rejected: Option<Bound<'py, PyAny>>,
    pub leaving: Bound<'py, PyTuple>,
    pub ends: Option<Bound<'py, PyAny>>,
    pub seeded: bool,
    cleaner: Option<Cleaner<'py>>,
    pub probe: Option<Bound<'py, PyAny>>,
    lost: Option<Bound<'py, PyList>>,
    doubts: Option<Bound<'py, PyAny>>,
    pub tick: Option<Bound<'py, PyAny>>,
    pub differs: Option<Bound<'py, PyAny>>,
    pub tapes: Option<Bound<'py, PyAny>>,
    pub telling: Option<Bound<'py, PyAny>>,
    pub clock: Option<Bound<'py, PyAny>>,
    pub engine: Option<Bound<'py, PyAny>>,
    pub describe: Option<Bound<'py, PyAny>>,
    sleep: Option<Bound<'py, PyAny>>,
    pub at_once: Option<Bound<'py, PyAny>>,
    pub concurrency: usize,
    pub unavailable: Option<Bound<'py, PyAny>>,
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
        Ok(Some(Box::new(Violation { message, location, ..Violation::default() })))
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

    /// Waits a while; the machine looks whether it was stopped when it is asked again.
    pub fn pause(&self, pause: Duration) -> PyResult<()> {
        let seconds = (pause.min(TICK).as_secs_f64(),);
        match &self.sleep {
            Some(sleep) => sleep.call1(seconds).map(drop),
            None => self.seeders.py().import("time")?.call_method1("sleep", seconds).map(drop),
        }
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
