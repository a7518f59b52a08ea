//! Executions for the machine: seed the sources, call the body, read what it did.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use probtest::machine::{Attempt, Next, Range, TestRun as Machine};
use probtest::run::{Label, LabelValue, Number, Observation, Record, Violation, pair};
use probtest::seed::{Draws, Stream};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyString, PyTuple};

use crate::Rejected;
use crate::stories::StoryProgress;
use crate::surroundings::{Surroundings, seeders};
use crate::test_run::{ReturnKind, TestRun};

/// What an execution says about itself while it is under way.
#[derive(Debug, Default, FromPyObject)]
pub struct Statements {
    /// The outcome that it has shown.
    pub outcome: Option<usize>,
    /// What it cost.
    pub cost: Option<f64>,
    /// What it recorded, as a hash.
    pub recorded: Option<u64>,
    /// Its labels.
    #[pyo3(from_py_with = labels)]
    pub labels: Vec<Label>,
    /// The exception that was to leave the body, which may have caught it.
    pub left_by: Option<Py<PyAny>>,
}

fn labels(list: &Bound<'_, PyAny>) -> PyResult<Vec<Label>> {
    let mut labels = Vec::new();
    for label in list.try_iter()? {
        read_label(label?.cast()?)?.join(&mut labels);
    }
    Ok(labels)
}

/// Reads name, value, and the share that is asked for.
fn read_label(parts: &Bound<'_, PyTuple>) -> PyResult<Label> {
    let text = |part: &Bound<'_, PyAny>| -> PyResult<String> {
        // It may have characters that are none elsewhere.
        Ok(part.cast::<PyString>()?.to_string_lossy().into())
    };
    let value = parts.get_item(1)?;
    let value = if let Ok(number) = value.cast::<PyFloat>() {
        LabelValue::from(number.value())
    } else if let Ok(flag) = value.cast::<PyBool>() {
        LabelValue::from(flag.is_true())
    } else {
        LabelValue::from(text(&value)?)
    };
    let at_least: Option<f64> = parts.get_item(2)?.extract()?;
    Ok(Label { name: text(&parts.get_item(0)?)?.into(), value, at_least: at_least.map(Number) })
}

thread_local! {
    /// What the execution under way has said.
    pub static SAID: RefCell<Statements> = const {
        RefCell::new(Statements {
            outcome: None,
            cost: None,
            recorded: None,
            labels: Vec::new(),
            left_by: None,
        })
    };
}

/// Reports the outcome that this execution has shown, by its number from 0.
#[pyfunction]
pub fn outcome(number: usize) {
    SAID.with_borrow_mut(|said| said.outcome = Some(number));
}

/// Adds to what this execution costs.
#[pyfunction]
pub fn cost(amount: f64) {
    SAID.with_borrow_mut(|said| said.cost = Some(said.cost.unwrap_or(0.0) + amount));
}

/// Records the hash of what this execution came to, and returns what it had recorded before.
#[pyfunction]
pub fn record(hash: u64) -> Option<u64> {
    SAID.with_borrow_mut(|said| said.recorded.replace(hash))
}

/// Labels this execution.
#[pyfunction]
pub fn label(label: &Bound<'_, PyTuple>) -> PyResult<()> {
    let label = read_label(label)?;
    SAID.with_borrow_mut(|said| label.join(&mut said.labels));
    Ok(())
}

/// Ends this execution with an exception, even if the body catches it.
#[pyfunction]
pub fn leave_by(exception: Py<PyAny>) {
    SAID.with_borrow_mut(|said| {
        said.left_by.get_or_insert(exception);
    });
}

/// See [`forks`].
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Counts a fork; is called in the new process.
#[pyfunction]
pub fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Returns how many forks there were between the process that loaded this and the one that runs.
#[pyfunction]
pub fn forks() -> u64 {
    FORKS.load(Ordering::Relaxed)
}

/// Ends this process when the one that has forked it ends, where the system can do that.
#[pyfunction]
pub fn die_with_parent() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        // Without it the pipes tell, as soon as the body returns.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
}

/// Calls a body for each attempt that the machine hands out.
pub struct Executor<'a, 'py> {
    pub state: &'a Bound<'py, TestRun>,
    pub body: &'a Bound<'py, PyAny>,
    pub around: Surroundings<'py>,
    /// Functions that seed a source, and the bits that each takes.
    seeders: Vec<(Bound<'py, PyAny>, u64)>,
    /// `sys.modules`, and how many there were at the last look.
    modules: Bound<'py, PyDict>,
    modules_seen: usize,
    pub reading: ReturnKind,
    /// Whether the body is an old and a new version.
    pub pairs: bool,
    pub batch: Option<u64>,
    /// The forks before the test began.
    forks: u64,
    /// The next call of the plan that the probe wants to look at.
    pub next_probe: Option<u64>,
    /// Executions whose draws are seen.
    pub seen: StoryProgress,
    /// The executions of the last batch that were rejected in its last attempt.
    pub rejected: Vec<u64>,
}

/// What a call is made for.
#[derive(Clone, Copy)]
pub struct Call {
    pub stream: Stream,
    /// The execution, or the first one of its batch.
    pub index: u64,
    pub attempt: u64,
    /// Whether it belongs to the plan, and is the last one of it.
    pub planned: bool,
    pub is_last: bool,
    /// Whether executions may come after it that explain it.
    pub is_followed: bool,
}

impl Call {
    /// A call of the plan, after which others may come.
    pub fn new(stream: Stream, index: u64, attempt: u64) -> Self {
        Call { stream, index, attempt, planned: true, is_last: false, is_followed: false }
    }

    /// Writes down what it did, and whether it has drawn.
    #[inline]
    pub fn did(&self, observation: Observation, has_drawn: bool) -> Record {
        let Call { index, attempt, .. } = *self;
        Record { seed: self.stream.seed(), index, attempt, has_drawn, observation }
    }
}

impl<'a, 'py> Executor<'a, 'py> {
    pub fn new(
        state: &'a Bound<'py, TestRun>,
        body: &'a Bound<'py, PyAny>,
        around: Surroundings<'py>,
    ) -> PyResult<Self> {
        let modules = state.py().import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
        let (reading, batch, pairs) = {
            let state = state.borrow();
            (state.reading, state.batch, state.claim.core.is_about_pairs())
        };
        Ok(Executor {
            state,
            body,
            seeders: seeders(&around.seeders)?,
            around,
            modules_seen: modules.len(),
            modules,
            reading,
            pairs,
            batch,
            forks: forks(),
            next_probe: Some(1),
            seen: StoryProgress::default(),
            rejected: Vec::new(),
        })
    }

    /// Answers the machine until it is done.
    ///
    /// # Errors
    /// With an exception that ends the test.
    pub fn execute(&mut self, run: &mut Machine<'_>) -> PyResult<()> {
        let why = match (&self.around.at_once, self.batch, &self.around.tapes) {
            (Some(_), ..) => Some("several executions are under way at the same time"),
            (_, Some(_), _) => Some("a batch draws for all of its executions together"),
            (.., None) => Some("each execution runs in its own process"),
            _ => None,
        };
        if let Some(why) = why {
            run.tell_no_story(why);
        }
        let engine = self.around.engine.clone();
        let at_once = self.around.at_once.clone().filter(|_| self.batch.is_none());
        let answered = match (&engine, &at_once) {
            (Some(engine), _) => self.elsewhere(engine, run),
            (None, Some(engine)) => self.at_once(engine, run),
            (None, None) => self.in_turn(run),
        };
        // Whatever happened: nothing stays under way.
        let closed = match engine.or(at_once) {
            Some(engine) => engine.call_method0("close").map(drop),
            None => Ok(()),
        };
        let told = self.end_of_story();
        answered.and(closed).and(told).inspect_err(|_| run.stop())
    }

    fn in_turn(&mut self, run: &mut Machine<'_>) -> PyResult<()> {
        while let Some(range) = self.next(run, self.batch.unwrap_or(1))? {
            self.here(&range, run)?;
        }
        Ok(())
    }

    /// Makes a range here: one execution, or executions of one batch.
    #[inline]
    pub fn here(&mut self, range: &Range, run: &mut Machine<'_>) -> PyResult<()> {
        if let Some(size) = self.batch {
            return self.make_batch(size, range, run);
        }
        for attempt in range.attempts() {
            self.make_one(&attempt, run)?;
        }
        Ok(())
    }

    /// Makes one attempt here, and tells the machine what it did.
    #[inline]
    fn make_one(&mut self, attempt: &Attempt, run: &mut Machine<'_>) -> PyResult<()> {
        let planned = run.is_planned();
        let call = Call {
            planned,
            is_last: planned && attempt.index >= run.last(),
            is_followed: run.is_seen() && self.around.tapes.is_some(),
            ..Call::new(attempt.stream(), attempt.index, attempt.attempt)
        };
        if call.is_followed {
            return self.one_seen(run, &call);
        }
        if !planned {
            self.play_inputs(None)?;
        }
        let (observation, drew) = self.make_with_input(&call)?;
        self.observe(run, &call, observation, drew)
    }

    /// Tells the machine what a call did.
    #[inline]
    pub fn observe(
        &self,
        run: &mut Machine<'_>,
        call: &Call,
        observation: Observation,
        drew: bool,
    ) -> PyResult<()> {
        let record = call.did(self.settled(call, observation)?, drew);
        let _ = match call.planned {
            true => run.observe(record),
            false => {
                let inputs = self.inputs_drawn(false)?;
                run.observe_seen(record, Draws { inputs, ..Draws::default() })
            }
        };
        Ok(())
    }

    /// What a call did, with failures that its body does not know of.
    #[inline]
    pub fn settled(&self, call: &Call, observation: Observation) -> PyResult<Observation> {
        let observation = self.if_the_same(call, observation)?;
        let Some(panic) = self.around.lost()? else {
            return Ok(observation);
        };
        Ok(observation.map_plain(|plain| match plain {
            Observation::Rejected
            | Observation::Violated(_)
            | Observation::Broken(_)
            | Observation::Unavailable { .. } => plain,
            _ => Observation::Panicked { panic, otherwise: Box::new(plain) },
        }))
    }

    /// The next executions, after a pause where the machine asks for one; none when it is done.
    pub fn next(&self, run: &mut Machine<'_>, most: u64) -> PyResult<Option<Range>> {
        loop {
            match run.next_range(most) {
                Next::Attempt(range) => return Ok(Some(range)),
                Next::Done => return Ok(None),
                Next::Wait => match run.pause() {
                    Some(pause) => self.around.pause(pause)?,
                    None => return Ok(None),
                },
            }
        }
    }

    /// Makes a call, with the sources that it imports seeded.
    pub fn make<T>(&mut self, call: &Call, body: impl Fn(&Self) -> PyResult<T>) -> PyResult<T> {
        loop {
            self.state.borrow_mut().begin(call);
            self.around.clean()?;
            if !std::mem::take(&mut self.around.seeded) {
                self.seed_for(call)?;
            }
            let came_to = self.watched(call, &body)?;
            if !self.has_new_sources()? {
                return Ok(came_to);
            }
            // A source that was imported during the execution was not seeded for it:
            // draw the execution again, now with that source.
            self.forget();
        }
    }

    /// Gives all sources the seed of an execution.
    pub fn seed_for(&self, call: &Call) -> PyResult<()> {
        let seed = call.stream.attempt(call.index, call.attempt).execution_seed();
        for (function, mask) in &self.seeders {
            function.call1((seed & mask,))?;
        }
        Ok(())
    }

    /// Makes a call, under the probe's eyes when it is one of those that the probe asked for.
    fn watched<T>(&mut self, call: &Call, body: impl Fn(&Self) -> PyResult<T>) -> PyResult<T> {
        let number = (call.index - 1) / self.batch.unwrap_or(1) + 1;
        let looked_at = call.planned && self.next_probe.is_some_and(|next| number >= next);
        let Some(probe) = self.around.probe.as_ref().filter(|_| looked_at).cloned() else {
            return self.on_tape(body);
        };
        probe.call1((true, number))?;
        let came_to = body(self);
        self.next_probe = probe.call1((false, number))?.extract()?;
        came_to
    }

    /// Says whether an execution has imported a source, and takes it up.
    pub fn has_new_sources(&mut self) -> PyResult<bool> {
        let modules = self.modules.len();
        if std::mem::replace(&mut self.modules_seen, modules) == modules {
            return Ok(false);
        }
        let more = self.around.imported.as_ref().map(|imported| imported.call0()).transpose()?;
        let Some(more) = more.filter(|more| !more.is_none()) else {
            return Ok(false);
        };
        self.seeders = seeders(&more)?;
        self.around.seeders = more;
        Ok(true)
    }

    /// A remembered execution that is another one by now says nothing, unless it violates.
    pub fn if_the_same(&self, call: &Call, observation: Observation) -> PyResult<Observation> {
        if call.planned || matches!(observation.plain(), Observation::Violated(_)) {
            return Ok(observation);
        }
        match &self.around.differs {
            Some(differs) if differs.call1((call.stream.seed().0,))?.is_truthy()? => {
                Ok(Observation::Broken("fixtures of wider scope have been replaced".into()))
            }
            _ => Ok(observation),
        }
    }

    /// Calls a body. A process that it has forked goes no further.
    pub fn call_body(&self, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let came_to = body.call0();
        if forks() != self.forks {
            let py = self.state.py();
            let raised = came_to.as_ref().err().map(|error| error.value(py).clone());
            py.import("probtest.processes")?.call_method1("leave", (raised,))?;
        }
        came_to
    }

    /// Calls the body once and says what it came to.
    ///
    /// # Errors
    /// With an exception that ends the test.
    pub fn call(&self) -> PyResult<Observation> {
        if self.pairs {
            return self.call_both();
        }
        SAID.take();
        let came_to = self.call_body(self.body);
        self.conclude(came_to, SAID.take())
    }

    /// Calls both versions on the same numbers.
    fn call_both(&self) -> PyResult<Observation> {
        let current = self.state.borrow().current;
        let coin = current.stream.attempt(current.index, current.attempt).coin();
        let pair = pair(coin, |is_new| {
            if is_new != coin {
                // The second one: whatever is lent to an execution is lent anew.
                self.state.borrow_mut().calls += 1;
                self.seed_for(&current)?;
            }
            SAID.take();
            let name = if is_new { "new" } else { "old" };
            let came_to = self.call_body(&self.body.getattr(name)?);
            self.conclude(came_to, SAID.take())
        });
        // Neither is the one that the verdict comes from.
        self.forget();
        pair
    }

    /// Says what an execution came to by what its body returned or raised, and what it said.
    ///
    /// # Errors
    /// With an exception that ends the test.
    pub fn conclude(
        &self,
        came_to: PyResult<Bound<'py, PyAny>>,
        said: Statements,
    ) -> PyResult<Observation> {
        let came_to = self.unless_left(came_to, said.left_by)?;
        let mut observation = self.read(came_to, said.outcome)?;
        if !said.labels.is_empty() {
            observation = observation.with_labels(said.labels);
        }
        if said.cost.is_some() || said.recorded.is_some() {
            observation = Observation::Noted {
                cost: said.cost.map(Number),
                recorded: said.recorded,
                otherwise: Box::new(observation),
            };
        }
        Ok(observation)
    }

    /// What a body came to: the exception that was to leave it, also where it has caught that.
    pub fn unless_left<T>(
        &self,
        came_to: PyResult<T>,
        left_by: Option<Py<PyAny>>,
    ) -> PyResult<PyResult<T>> {
        let Some(left_by) = left_by else {
            return Ok(came_to);
        };
        if let Err(error) = came_to {
            self.unless_ending(error)?;
        }
        Ok(Err(PyErr::from_value(left_by.into_bound(self.state.py()))))
    }

    fn read(
        &self,
        came_to: PyResult<Bound<'py, PyAny>>,
        outcome: Option<usize>,
    ) -> PyResult<Observation> {
        match came_to {
            Ok(value) if value.is_none() => Ok(match (outcome, self.reading) {
                (Some(number), ReturnKind::Violations | ReturnKind::Outcomes) => {
                    Observation::Outcome(number)
                }
                _ => Observation::Passed,
            }),
            // Its own methods may raise: then nothing is known about the execution.
            Ok(value) => self.returned(&value).or_else(|error| {
                let message = self.keep(self.unless_ending(error)?);
                Ok(Observation::Broken(format!("what the body returned cannot be read: {message}")))
            }),
            Err(error) if self.rejects(&error)? => Ok(Observation::Rejected),
            Err(error) => {
                if let Some(unavailable) = &self.around.unavailable
                    && let Some((kind, message)) =
                        unavailable.call1((error.value(self.state.py()),))?.extract()?
                {
                    return Ok(Observation::Unavailable { kind, message });
                }
                let violation = Violation::new(self.keep(self.unless_ending(error)?));
                Ok(Observation::Violated(Box::new(violation)))
            }
        }
    }

    /// Says whether an exception rejects the execution.
    ///
    /// # Errors
    /// When the callback for rejections ends the test.
    pub fn rejects(&self, error: &PyErr) -> PyResult<bool> {
        let py = self.state.py();
        if !error.is_instance_of::<Rejected>(py) && !error.matches(py, &self.around.rejecting)? {
            return Ok(false);
        }
        if let Some(rejected) = &self.around.rejected {
            rejected.call1((error.value(py),))?;
        }
        Ok(true)
    }

    /// Returns an exception that does not end the test.
    ///
    /// # Errors
    /// With the exception, where it does.
    pub fn unless_ending(&self, error: PyErr) -> PyResult<PyErr> {
        let py = self.state.py();
        if error.matches(py, &self.around.leaving)? {
            return Err(error);
        }
        match &self.around.ends {
            Some(ends) if ends.call1((error.value(py),))?.is_truthy()? => Err(error),
            _ => Ok(error),
        }
    }

    /// Keeps an exception, and returns it in words.
    pub fn keep(&self, error: PyErr) -> String {
        let py = self.state.py();
        let name = error.get_type(py).name();
        let name = name.map_or_else(|_| "an exception".into(), |name| name.to_string());
        // An exception may refuse to be written as text.
        let message = match error.value(py).str().map(|text| text.to_string()) {
            Ok(text) if !text.is_empty() => format!("{name}: {text}"),
            _ => name,
        };
        // With its traceback, which the exception alone does not have yet.
        self.state.borrow_mut().exception = Some(error.into_value(py).into_any());
        message
    }

    /// Forgets the exception of an earlier violation.
    pub fn forget(&self) {
        self.state.borrow_mut().exception = None;
    }

    fn returned(&self, value: &Bound<'py, PyAny>) -> PyResult<Observation> {
        if matches!(self.reading, ReturnKind::Number | ReturnKind::Label) {
            if let Some(broken) = not_awaited(value)? {
                return Ok(broken);
            }
            if self.reading == ReturnKind::Label {
                return Ok(Observation::Label(value.str()?.to_string_lossy().into()));
            }
            let Ok(number) = value.extract() else {
                let shown = value.repr()?;
                let why = format!("the body returned {shown}, which is not a number");
                return Ok(Observation::Broken(why));
            };
            return Ok(Observation::Number(Number(number)));
        }
        if is_boolean(value)? {
            if value.is_truthy()? {
                return Ok(Observation::Passed);
            }
            self.forget();
            let violation = Violation::new("the body returned False");
            return Ok(Observation::Violated(Box::new(violation)));
        }
        let listed = self.reading == ReturnKind::Outcomes;
        if listed && let Ok(number) = value.extract::<usize>() {
            return Ok(Observation::Outcome(number));
        }
        // An exception of a violation that was tolerated is not why this cannot be read.
        self.forget();
        if let Some(broken) = not_awaited(value)? {
            return Ok(broken);
        }
        if let Some(count) = booleans_in(value)? {
            let kind = value.get_type().name()?;
            return Ok(Observation::Broken(format!(
                "the body returned {count} booleans, but nothing checks them\n  given  a {kind}\n  \
                 help   write batch={count} to make each of them an execution, or assert on all of them"
            )));
        }
        let shown = value.repr()?.to_string();
        if self.reading != ReturnKind::Anything {
            self.state.borrow_mut().odd_return = Some(shown.clone());
        }
        if listed {
            // It was meant as an outcome. Taken for a pass, none would be looked for.
            return Ok(Observation::Broken(format!(
                "the body returned neither a boolean nor the number of an outcome\n  given  {shown}\n  \
                 help   return a whole number from 0; for labels write claim=probtest.fit(outcomes={{..}})"
            )));
        }
        Ok(Observation::Passed)
    }
}

/// What a coroutine or a generator shows: nothing of it was executed.
fn not_awaited(value: &Bound<'_, PyAny>) -> PyResult<Option<Observation>> {
    if !(value.hasattr("__await__")? || value.hasattr("send")? || value.hasattr("asend")?) {
        return Ok(None);
    }
    let kind = value.get_type().name()?.to_string();
    let article = if kind.starts_with('a') { "an" } else { "a" };
    Ok(Some(Observation::Broken(format!(
        "the body returned {article} {kind} that is never awaited; call it through a plugin for async tests, or asyncio.run"
    ))))
}

/// Says whether a value is a boolean: Python's, that of NumPy, whose name has changed over
/// time, or one of a library in an array without dimensions. The last would also be taken
/// for a number, and a violation for an outcome.
fn is_boolean(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if value.is_instance_of::<PyBool>() {
        return Ok(true);
    }
    let kind = value.get_type().name()?;
    if kind == "bool_" || kind == "bool" {
        return Ok(true);
    }
    let (Some(entries), Some(dimensions)) =
        (value.getattr_opt("dtype")?, value.getattr_opt("ndim")?)
    else {
        return Ok(false);
    };
    Ok(dimensions.eq(0)? && entries.str()?.to_string().contains("bool"))
}

/// Returns how many booleans a body has returned that was to return one: it was written
/// for batches. What else it may return is as with any test of pytest.
fn booleans_in(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let count = value.len()?;
        let booleans = count > 0 && is_boolean(&value.get_item(0)?)?;
        return Ok(booleans.then_some(count));
    }
    match value.getattr_opt("dtype")? {
        Some(entries) if entries.str()?.to_string().contains("bool") => Ok(value.len().ok()),
        _ => Ok(None),
    }
}
