//! Executions whose draws are seen: after a violation, and where a tape is played.

use std::time::{Duration, Instant};

use probtest::machine;
use probtest::run::{Observation, Violation};
use probtest::seed::{Drawn, Playing};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::executor::{Call, Executor};
use crate::tapes;
use crate::watchdog::Watchdog;

/// How far the story of a violation has come.
#[derive(Default)]
pub struct Seen {
    /// What the execution under way has to do with its draws.
    playing: Option<Playing>,
    /// What it drew.
    drawn: Drawn,
    /// How long it took.
    took: Duration,
    /// Whether executions are made that only explain a violation, and who watches them.
    telling: bool,
    pub watchdog: Option<Py<Watchdog>>,
}

impl Executor<'_, '_> {
    /// Makes an execution whose draws are seen.
    pub fn one_seen(&mut self, run: &mut machine::TestRun<'_>, call: &Call) -> PyResult<()> {
        let telling = run.is_telling();
        if telling && !std::mem::replace(&mut self.seen.telling, true) {
            self.tell(true)?;
            let watchdog = Watchdog::new(self.seen.took);
            self.seen.watchdog = Some(Py::new(self.state.py(), watchdog)?);
        }
        let py = self.state.py();
        let kept = telling.then(|| {
            let state = self.state.borrow();
            let exception = state.exception.as_ref();
            (exception.map(|found| found.clone_ref(py)), state.odd_return.clone())
        });
        let (playing, smallest) = self.smallest_inputs(run.playing())?;
        let made = match self.play_inputs(playing.inputs.as_ref())? {
            true => {
                self.seen.playing = Some(playing);
                self.make_with_input(call)
            }
            false => Ok((
                Observation::Broken("its input was made by another version of Hypothesis".into()),
                true,
            )),
        };
        self.seen.playing = None;
        let mut drawn = std::mem::take(&mut self.seen.drawn);
        drawn.inputs = self.inputs_drawn(smallest.cut)?;
        drawn.executions = smallest.executions;
        let made = match made {
            // A variation that wants to end the process is not the violation that was found, and
            // only the user may end the test.
            Err(error) if telling && !error.is_instance_of::<PyKeyboardInterrupt>(py) => {
                Ok((Observation::Broken(error.to_string()), true))
            }
            made => made,
        };
        let made = made.and_then(|(did, drew)| Ok((self.of_its_kind(did)?, drew)));
        if let Some((exception, odd_return)) = kept {
            // What is reported is the execution that was found.
            let mut state = self.state.borrow_mut();
            (state.exception, state.odd_return) = (exception, odd_return);
        }
        let (observation, drew) = made?;
        let _ = run.observe_seen(call.did(self.settled(call, observation)?, drew), drawn);
        Ok(())
    }

    /// Ends the story, where one was told.
    pub fn end_of_story(&mut self) -> PyResult<()> {
        if let Some(watchdog) = self.seen.watchdog.take() {
            watchdog.get().stop(self.state.py());
        }
        match std::mem::take(&mut self.seen.telling) {
            true => self.tell(false),
            false => Ok(()),
        }
    }

    fn tell(&self, begins: bool) -> PyResult<()> {
        match &self.around.telling {
            Some(telling) => telling.call1((begins,)).map(drop),
            None => Ok(()),
        }
    }

    /// Adds to a violation what tells it from another one of the same test.
    fn of_its_kind(&self, observation: Observation) -> PyResult<Observation> {
        if !matches!(observation.plain(), Observation::Violated(_)) {
            return Ok(observation);
        }
        let py = self.state.py();
        let exception = self.state.borrow().exception.as_ref().map(|e| e.clone_ref(py));
        let kind = match (&self.around.tapes, exception) {
            (Some(tapes), Some(exception)) => {
                tapes.call_method1("kind_of", (exception,))?.extract()?
            }
            _ => None,
        };
        Ok(observation.map_plain(|plain| match plain {
            Observation::Violated(violation) => {
                Observation::Violated(Box::new(Violation { kind, ..*violation }))
            }
            other => other,
        }))
    }

    /// Makes a call, with its draws on a tape where they are to be seen.
    pub fn on_tape<T>(&mut self, body: impl Fn(&Self) -> PyResult<T>) -> PyResult<T> {
        let (Some(playing), Some(tapes)) = (self.seen.playing.clone(), &self.around.tapes) else {
            return body(self);
        };
        if tapes::is_seen() {
            // The draws belong to the test around this one, which goes on after it.
            tapes::refuse_story("it runs another test inside".into());
            self.seen.drawn.unseen = Some("it runs inside another test".into());
            return body(self);
        }
        let tapes = tapes.clone();
        let (thread, tracer) = tapes
            .call_method1("begin", (playing.traced,))?
            .extract::<(std::ffi::c_long, Option<Py<PyAny>>)>()?;
        tapes::open(playing, thread, tracer);
        let begun = Instant::now();
        if let Some(watchdog) = &self.seen.watchdog {
            watchdog.get().begin(thread);
        }
        let came_to = body(self);
        let left = match &self.seen.watchdog {
            Some(watchdog) => watchdog.get().end(),
            None => {
                self.seen.took = begun.elapsed();
                false
            }
        };
        if left || tapes::is_left() {
            // An exception that has not reached the execution comes here instead. To take it
            // back would leave Python 3.11 waiting for it for ever.
            let _ = tapes.call_method0("absorb");
        }
        let ended = tapes.call_method0("end").and_then(|ended| ended.extract());
        let (sites, unseen) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                tapes::close(Vec::new(), None);
                return Err(error);
            }
        };
        self.seen.drawn = tapes::close(sites, unseen);
        self.seen.drawn.gave_up |= left;
        came_to
    }
}
