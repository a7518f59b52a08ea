//! Executions that wait at the same time: an engine of Python has them under way, in one
//! event loop or on threads; here is what starts next, and what they came to.
//!
//! The engine has `start(ticket, index)`, `wait(seconds)`, which returns what has ended as
//! (ticket, what it said, whether it returned, value or exception), `stop_after(index)`, which
//! ends those after an execution, `begin_plan()`, `end_plan()` and `close()`.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;

use probtest::machine::{Next, TestRun as Machine};
use pyo3::prelude::*;

use crate::executor::{Call, Executor, Statements};
use crate::surroundings::TICK;

/// What an engine says of an execution that has ended.
type Ended<'py> = (u64, Statements, bool, Bound<'py, PyAny>);

impl<'py> Executor<'_, 'py> {
    /// Keeps up to so many executions under way until the machine is done.
    pub fn at_once(&mut self, engine: &Bound<'py, PyAny>, run: &mut Machine<'_>) -> PyResult<()> {
        let (py, most) = (self.state.py(), self.around.concurrency);
        let horizon = run.horizon();
        let mut last = horizon.load(Ordering::Relaxed);
        let mut open: HashMap<u64, Call> = HashMap::new();
        // Exceptions of violations that may decide once those before them are known.
        let mut exceptions: BTreeMap<u64, Py<PyAny>> = BTreeMap::new();
        let (mut ticket, mut has_plan_begun) = (0, false);
        loop {
            let mut pause = None;
            while open.len() < most {
                let attempt = match run.next() {
                    Next::Done => return Ok(()),
                    Next::Wait => {
                        pause = run.pause();
                        break;
                    }
                    Next::Attempt(attempt) => attempt,
                };
                let planned = run.is_planned();
                if !planned && !open.is_empty() {
                    // One execution alone: what else is under way is not needed any more.
                    engine.call_method1("stop_after", (0,))?;
                    open.clear();
                }
                let call = Call::new(attempt.stream(), attempt.index, attempt.attempt);
                let call = Call { planned, ..call };
                if !planned {
                    self.play_inputs(None)?;
                    engine.call_method0("end_plan")?;
                }
                self.state.borrow_mut().begin(&call);
                self.around.clean()?;
                let _ = self.has_new_sources()?;
                let shares_sources = planned && most > 1 && has_plan_begun;
                if !shares_sources {
                    self.seed_for(&call)?;
                }
                if planned && !has_plan_begun {
                    has_plan_begun = true;
                    engine.call_method0("begin_plan")?;
                }
                ticket += 1;
                open.insert(ticket, call);
                engine.call_method1("start", (ticket, attempt.index))?;
            }
            if open.is_empty() && pause.is_none() {
                return Ok(());
            }
            let pause = pause.map_or(TICK, |pause| pause.min(TICK));
            let ended: Vec<Ended<'py>> =
                engine.call_method1("wait", (pause.as_secs_f64(),))?.extract()?;
            for (ticket, said, returned, value) in ended {
                let Some(call) = open.remove(&ticket) else {
                    continue;
                };
                self.state.borrow_mut().begin(&call);
                self.forget();
                let came_to = match returned {
                    true => Ok(value),
                    false => Err(PyErr::from_value(value)),
                };
                let observation = self.conclude(came_to, said)?;
                if let Some(raised) = self.state.borrow_mut().exception.take() {
                    exceptions.insert(call.index, raised);
                }
                self.observe(run, &call, observation, true)?;
                // Those of executions that have decided nothing are forgotten.
                exceptions = exceptions.split_off(&run.counts().executed);
                let first = exceptions.values().next().map(|raised| raised.clone_ref(py));
                self.state.borrow_mut().exception = first;
                let needed = horizon.load(Ordering::Relaxed);
                if needed < last {
                    last = needed;
                    engine.call_method1("stop_after", (needed,))?;
                    open.retain(|_, call| call.index <= needed);
                }
            }
        }
    }
}
