//! The loop over executions: seed, call the body, read what it did.

use std::cell::Cell;

use probtest::run::{Observation, REJECTIONS_IN_A_ROW, Violation};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyTuple};

use crate::errors::Rejected;
use crate::returning::{Returning, not_awaited};
use crate::session::Session;
use crate::sources::{Imports, Seeder, Surroundings};

thread_local! {
    /// The outcome that the execution under way has reported.
    pub static OUTCOME: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Reports the outcome that this execution has shown, by its number from 0.
#[pyfunction]
pub fn outcome(number: usize) {
    OUTCOME.set(Some(number));
}

/// A body with everything that surrounds it.
pub struct Engine<'a, 'py> {
    pub session: &'a Bound<'py, Session>,
    pub body: &'a Bound<'py, PyAny>,
    pub around: Surroundings<'py>,
    seeders: Vec<Seeder>,
    imports: Imports,
    /// What the body is to return, where the claim is on that.
    pub returning: Option<Returning>,
}

impl<'a, 'py> Engine<'a, 'py> {
    /// Prepares to execute a body.
    pub fn new(
        session: &'a Bound<'py, Session>,
        body: &'a Bound<'py, PyAny>,
        around: Surroundings<'py>,
    ) -> PyResult<Self> {
        Ok(Engine {
            session,
            body,
            seeders: Seeder::list(&around.seeders)?,
            around,
            imports: Imports::new(session.py())?,
            returning: None,
        })
    }

    /// Executes the execution that the session has chosen.
    pub fn one(&mut self) -> PyResult<&'static str> {
        let index = self.session.borrow().index;
        let (_, observation) = self.counted(index)?;
        Ok(self.in_a_word(observation))
    }

    /// Says what the chosen execution came to, and keeps why it could not be carried out.
    pub fn in_a_word(&self, observation: Observation) -> &'static str {
        match observation {
            Observation::Rejected => "rejected",
            Observation::Violated(_) => "violated",
            Observation::Broken(message) => {
                self.session.borrow_mut().broken = Some(message);
                "broken"
            }
            _ => "passed",
        }
    }

    /// Executes one counted execution: rejected attempts are drawn again.
    pub fn counted(&mut self, index: u64) -> PyResult<(u64, Observation)> {
        let mut attempt = 0;
        loop {
            let observation = self.attempt(index, attempt)?;
            if self.has_new_sources()? {
                // A source that was imported during the execution was not seeded
                // for it: draw the execution again, now with that source.
                self.session.borrow_mut().exception = None;
                continue;
            }
            if observation != Observation::Rejected {
                return Ok((attempt, observation));
            }
            attempt += 1;
            if attempt >= REJECTIONS_IN_A_ROW {
                return Ok((attempt, observation));
            }
        }
    }

    fn attempt(&mut self, index: u64, attempt: u64) -> PyResult<Observation> {
        self.begin(index, attempt)?;
        self.watched(index, Self::call)
    }

    /// Clears away what the last call left behind, and seeds the sources.
    pub fn begin(&mut self, index: u64, attempt: u64) -> PyResult<()> {
        let py = self.session.py();
        let stream = {
            let mut session = self.session.borrow_mut();
            session.index = index;
            session.attempt = attempt;
            session.stream
        };
        if let Some(cleaner) = &self.around.cleaner {
            cleaner.clean(py)?;
        }
        if !std::mem::take(&mut self.around.seeded) {
            let seed = stream.attempt(index, attempt).execution_seed();
            for seeder in &self.seeders {
                seeder.seed(py, seed)?;
            }
        }
        Ok(())
    }

    /// Makes a call, under the probe's eyes when it is one of the first.
    pub fn watched<T>(&self, number: u64, call: impl FnOnce(&Self) -> PyResult<T>) -> PyResult<T> {
        let around = &self.around;
        let Some(probe) = around.probe.as_ref().filter(|_| number <= around.probes) else {
            return call(self);
        };
        probe.call1((true, number))?;
        let came_to = call(self);
        probe.call1((false, number))?;
        came_to
    }

    /// Says whether an execution has imported a source, and takes it up.
    pub fn has_new_sources(&mut self) -> PyResult<bool> {
        if !self.imports.have_changed(self.session.py()) {
            return Ok(false);
        }
        let Some(imported) = &self.around.imported else {
            return Ok(false);
        };
        let more = imported.call0()?;
        if more.is_none() {
            return Ok(false);
        }
        self.seeders = Seeder::list(&more)?;
        Ok(true)
    }

    /// Calls the body once and says what it came to.
    ///
    /// # Errors
    ///
    /// With an exception that ends the test.
    fn call(&self) -> PyResult<Observation> {
        let py = self.session.py();
        OUTCOME.set(None);
        match self.body.call0() {
            Ok(value) if value.is_none() => Ok(OUTCOME
                .take()
                .map_or(Observation::Passed, Observation::Outcome)),
            Ok(value) => match self.returned(&value) {
                // Its own methods may raise: then nothing is known about the execution.
                Err(error) if !error.matches(py, &self.around.leaving)? => {
                    Ok(Observation::Broken(format!(
                        "what the body returned cannot be read: {}",
                        self.keep(error)
                    )))
                }
                read => read,
            },
            Err(error) if error.matches(py, &self.around.leaving)? => Err(error),
            Err(error) if error.is_instance_of::<Rejected>(py) => Ok(Observation::Rejected),
            Err(error) if error.matches(py, &self.around.rejecting)? => Ok(Observation::Rejected),
            Err(error) => {
                let violation = Violation::new(self.keep(error));
                Ok(Observation::Violated(Box::new(violation)))
            }
        }
    }

    /// Keeps an exception, and returns it in words.
    pub fn keep(&self, error: PyErr) -> String {
        let py = self.session.py();
        let name = error
            .get_type(py)
            .name()
            .map_or_else(|_| String::from("an exception"), |name| name.to_string());
        // An exception may refuse to be written as text.
        let said = error.value(py).str().map(|text| text.to_string());
        let message = match said {
            Ok(text) if !text.is_empty() => format!("{name}: {text}"),
            _ => name,
        };
        // With its traceback, which the exception alone does not have yet.
        let exception = error.into_value(py).into_any();
        self.session.borrow_mut().exception = Some(exception);
        message
    }

    /// Reads what the body returned: false is a violation, a number an outcome.
    fn returned(&self, value: &Bound<'py, PyAny>) -> PyResult<Observation> {
        if let Some(returning) = &self.returning {
            return returning.read(value);
        }
        let kind = value.get_type().name()?;
        if is_truth(value)? {
            if value.is_truthy()? {
                return Ok(Observation::Passed);
            }
            self.session.borrow_mut().exception = None;
            let violation = Violation::new("the body returned False");
            return Ok(Observation::Violated(Box::new(violation)));
        }
        let listed = self.session.borrow().plan.claim().outcomes().is_some();
        if listed && let Ok(number) = value.extract::<usize>() {
            return Ok(Observation::Outcome(number));
        }
        if let Some(broken) = not_awaited(value)? {
            // A violation that was tolerated may have left one.
            self.session.borrow_mut().exception = None;
            return Ok(broken);
        }
        if let Some(count) = truths_in(value)? {
            return Ok(Observation::Broken(format!(
                "the body returned {count} truths, and nothing looks at them\n  given  a {kind}\n  \
                 help   write batch={count}, so that each of them is an execution, or assert on all of them"
            )));
        }
        let shown = value.repr()?.to_string();
        self.session.borrow_mut().odd_return = Some(shown.clone());
        if listed {
            // It was meant as an outcome. Taken for a pass, none would be looked for.
            self.session.borrow_mut().exception = None;
            return Ok(Observation::Broken(format!(
                "the body returned what is neither a truth nor the number of an outcome\n  given  {shown}\n  \
                 help   return a whole number from 0; for labels write claim=probtest.fit(outcomes={{..}})"
            )));
        }
        Ok(Observation::Passed)
    }
}

/// Says whether a value is a truth: Python's, that of NumPy, whose name has changed
/// over time, or one of a library in an array without dimensions. The last would
/// also be taken for a number, and a violation for an outcome.
fn is_truth(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind = value.get_type().name()?;
    if value.is_instance_of::<PyBool>() || kind == "bool_" || kind == "bool" {
        return Ok(true);
    }
    let (Some(entries), Some(dimensions)) =
        (value.getattr_opt("dtype")?, value.getattr_opt("ndim")?)
    else {
        return Ok(false);
    };
    Ok(dimensions.eq(0)? && entries.str()?.to_string().contains("bool"))
}

/// Returns how many truths a body has returned that was to return one: it was
/// written for batches. What else it may return is as with any test of pytest.
fn truths_in(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let count = value.len()?;
        return Ok(match count {
            0 => None,
            _ => is_truth(&value.get_item(0)?)?.then_some(count),
        });
    }
    match value.getattr_opt("dtype")? {
        Some(entries) if entries.str()?.to_string().contains("bool") => Ok(value.len().ok()),
        _ => Ok(None),
    }
}
