//! What explains a violation: executions whose draws are seen, the inputs that they draw, and a watchdog
//! that leaves those that do not end.

use std::ffi::c_long;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use probtest::machine::TestRun as Machine;
use probtest::run::{Observation, settle_shared};
use probtest::seed::{Draws, InputCode, InputDrawn, Inputs, Playing, Smaller};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::executor::{Call, Executor};
use crate::tapes;

/// How far the story of a violation has come.
#[derive(Default)]
pub struct StoryProgress {
    /// What the execution under way has to do with its draws.
    playing: Option<Playing>,
    /// What it drew.
    drawn: Draws,
    /// How long it took.
    took: Duration,
    /// Watches executions that only explain a violation, while some are made.
    watchdog: Option<Py<Watchdog>>,
}

impl Executor<'_, '_> {
    /// Makes an execution whose draws are seen.
    pub fn one_seen(&mut self, run: &mut Machine<'_>, call: &Call) -> PyResult<()> {
        let (py, telling) = (self.state.py(), run.is_telling());
        if telling && self.seen.watchdog.is_none() {
            self.seen.watchdog = Some(Py::new(py, Watchdog::new(self.seen.took))?);
            self.announce_explaining(true)?;
        }
        let kept = telling.then(|| {
            let state = self.state.borrow();
            let exception = state.exception.as_ref();
            (exception.map(|found| found.clone_ref(py)), state.odd_return.clone())
        });
        let mut playing = run.playing();
        let (executions, cut) = self.make_inputs_smaller(&mut playing)?;
        let made = match self.play_inputs(playing.inputs.as_ref())? {
            true => {
                self.seen.playing = Some(playing);
                self.make_with_input(call)
            }
            false => {
                let why = "its input was made by another version of Hypothesis";
                Ok((Observation::Broken(why.into()), true))
            }
        };
        self.seen.playing = None;
        let mut drawn = std::mem::take(&mut self.seen.drawn);
        (drawn.inputs, drawn.executions) = (self.inputs_drawn(cut)?, executions);
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
        let Some(watchdog) = self.seen.watchdog.take() else {
            return Ok(());
        };
        watchdog.get().stop(self.state.py());
        self.announce_explaining(false)
    }

    fn announce_explaining(&self, begins: bool) -> PyResult<()> {
        match &self.around.telling {
            Some(telling) => telling.call1((begins,)).map(drop),
            None => Ok(()),
        }
    }

    /// Adds to a violation what tells it from another one of the same test.
    fn of_its_kind(&self, observation: Observation) -> PyResult<Observation> {
        let py = self.state.py();
        let exception = self.state.borrow().exception.as_ref().map(|raised| raised.clone_ref(py));
        let (Observation::Violated(_), Some(tapes), Some(exception)) =
            (observation.plain(), &self.around.tapes, exception)
        else {
            return Ok(observation);
        };
        let kind = tapes.call_method1("kind_of", (exception,))?.extract()?;
        Ok(observation.map_plain(|mut plain| {
            if let Observation::Violated(violation) = &mut plain {
                violation.kind = kind;
            }
            plain
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
        let begun = tapes.call_method1("begin", (playing.traced,))?;
        let (thread, tracer): (c_long, Option<Py<PyAny>>) = begun.extract()?;
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

    /// Makes an execution, and says whether the program has drawn. That counts where it shares
    /// its input with others; else the guard sees it, in Python.
    pub fn make_with_input(&mut self, call: &Call) -> PyResult<(Observation, bool)> {
        let observation = self.make(call, Self::call)?;
        let shared = call.stream.inputs().is_some();
        let Some(inputs) = self.around.inputs.as_ref().filter(|_| shared) else {
            return Ok((observation, true));
        };
        let asked = inputs.getattr("has_asked")?.is_truthy()?;
        let drew = !observation.is_rejected() || inputs.getattr("program_drew")?.is_truthy()?;
        Ok((settle_shared(asked, observation), drew))
    }

    /// Has the inputs of the next execution made as a code says, or as their stream does. Says
    /// whether the code can be read.
    pub fn play_inputs(&self, made: Option<&InputCode>) -> PyResult<bool> {
        let Some(inputs) = &self.around.inputs else {
            return Ok(true);
        };
        let made = made.map(|made| (made.attempt, made.codes.first().cloned()));
        inputs.call_method1("play", (made,))?.is_truthy()
    }

    /// Has Python make the inputs to play smaller where that is asked for. Returns how many executions
    /// that took, and whether time was over before nothing more could be taken away.
    fn make_inputs_smaller(&self, playing: &mut Playing) -> PyResult<(u64, bool)> {
        let (Some(time), Some(inputs), Some(watchdog)) =
            (playing.shrinks_inputs, &self.around.inputs, &self.seen.watchdog)
        else {
            return Ok((0, false));
        };
        let found = inputs.call_method1("smallest", (time.as_secs_f64(), watchdog))?;
        let (code, executions, cut) = found.extract::<(Option<Vec<u64>>, u64, bool)>()?;
        if let (Some(code), Some(made)) = (code, &mut playing.inputs) {
            made.codes = vec![code];
        }
        Ok((executions, cut))
    }

    /// What the last execution outside of the plan drew besides the program. How its inputs were made
    /// is one code, whichever draws they are of.
    pub fn inputs_drawn(&self, cut: bool) -> PyResult<Inputs> {
        let Some(inputs) = &self.around.inputs else {
            return Ok(Inputs::default());
        };
        let told = inputs.call_method0("last_made")?;
        let (attempt, mut code, lines) =
            told.extract::<(u64, Vec<u64>, Vec<(String, String)>)>()?;
        let mut smaller = Smaller::Asked { cut };
        let input = |(name, text)| InputDrawn {
            name,
            text,
            code: std::mem::take(&mut code),
            smaller: std::mem::take(&mut smaller),
        };
        let drawn = lines.into_iter().map(input).collect();
        Ok(Inputs { attempt, drawn })
    }
}

/// The least time that an execution is given, and how much more than the one that was found.
const LEAST: Duration = Duration::from_secs(1);
const MORE: u32 = 20;
/// A thread that wakes up so late was on a machine that was suspended, with the execution.
const LATE: Duration = Duration::from_millis(250);

/// What the watchdog looks at.
#[derive(Default)]
struct Watched {
    /// The execution under way: until when it may run, and in which thread.
    until: Option<(Instant, c_long)>,
    /// Whether it was left.
    fired: bool,
    over: bool,
}

type Shared = Arc<(Mutex<Watched>, Condvar)>;

fn lock(shared: &Shared) -> MutexGuard<'_, Watched> {
    shared.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread that waits while executions explain a violation, and leaves one on a changed tape that goes
/// on and on without drawing: zeros can make a loop endless that way too.
#[pyclass(module = "probtest._native", frozen)]
pub struct Watchdog {
    shared: Shared,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// How long the execution took that was found.
    found_in: Duration,
}

impl Watchdog {
    pub fn new(found_in: Duration) -> Self {
        let shared = Shared::default();
        let seen = shared.clone();
        // Without a thread, no execution is left.
        let thread = std::thread::Builder::new().spawn(move || watch(&seen));
        Watchdog { shared, thread: Mutex::new(thread.ok()), found_in }
    }
}

#[pymethods]
impl Watchdog {
    /// Watches an execution in a thread.
    pub fn begin(&self, thread: c_long) {
        let until = Instant::now() + LEAST.max(self.found_in.saturating_mul(MORE));
        lock(&self.shared).until = Some((until, thread));
        self.shared.1.notify_one();
    }

    /// Says whether the execution was left.
    pub fn end(&self) -> bool {
        let mut watched = lock(&self.shared);
        watched.until = None;
        std::mem::take(&mut watched.fired)
    }
}

impl Watchdog {
    /// Ends the thread.
    pub fn stop(&self, py: Python<'_>) {
        lock(&self.shared).over = true;
        self.shared.1.notify_one();
        let thread = self.thread.lock();
        if let Some(thread) = thread.unwrap_or_else(PoisonError::into_inner).take() {
            // It may be waiting for the interpreter.
            py.detach(|| {
                let _ = thread.join();
            });
        }
    }
}

fn watch(shared: &Shared) {
    let mut watched = lock(shared);
    while !watched.over {
        let now = Instant::now();
        let Some((until, thread)) = watched.until.filter(|(until, _)| *until <= now) else {
            let left = watched.until.map_or(Duration::MAX, |(until, _)| until - now);
            let waited = shared.1.wait_timeout(watched, left);
            watched = waited.unwrap_or_else(PoisonError::into_inner).0;
            continue;
        };
        if now - until > LATE {
            watched.until = Some((now + LEAST, thread));
            continue;
        }
        // Never waits for the interpreter with the lock: the thread that has it may want the lock.
        drop(watched);
        Python::attach(|_| {
            let mut watched = lock(shared);
            if let Some((until, thread)) = watched.until
                && until <= Instant::now()
            {
                // A program may go on after it, and has to be left again.
                watched.until = Some((Instant::now() + LEAST, thread));
                watched.fired = true;
                tapes::leave_by_exception(thread);
            }
        });
        watched = lock(shared);
    }
}
