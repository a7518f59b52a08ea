//! One test: its options, its random numbers, the execution under way, its report.

use std::cell::RefCell;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use probtest::judge::{Doubt, Reason, Verdict};
use probtest::machine::{Journal, Next, TestRun as Machine};
use probtest::report::{Note, Report as CoreReport};
use probtest::run::Cancel;
use probtest::seed::{Address, RunSeed, Selection, Stream as CoreStream, Tape};
use probtest::settings::{Given as CoreGiven, Share, Suite};
use probtest::{Claim as CoreClaim, Error, Settings, TestRng};
use probtest_facts::json::ToJson;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{PyTraverseError, PyVisit};

use crate::claims::{Claim, Given};
use crate::executor::{Call, Executor};
use crate::ranges::{Board, first_of_batch};
use crate::surroundings::Surroundings;
use crate::{properties, refused};

/// How what a body returns is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnKind {
    /// A boolean says whether it passed.
    Violations,
    /// The same, and a whole number is an outcome.
    Outcomes,
    /// A number.
    Number,
    /// A label.
    Label,
    /// A boolean says whether it passed; anything else is not looked at.
    Anything,
}

/// Makes the settings of a test.
type MakeSettings = Box<dyn Fn() -> Result<Settings<'static>, Error> + Send + Sync>;

/// One test of a body.
#[pyclass(module = "probtest._native")]
pub struct TestRun {
    test: String,
    settings: MakeSettings,
    journal: Option<Journal>,
    pub alone: Option<Address>,
    pub reading: ReturnKind,
    /// The call under way; before the first one, that.
    pub current: Call,
    /// How many calls have begun so far.
    #[pyo3(get)]
    pub calls: u64,
    /// The exception of the last execution that has raised one that counts.
    pub exception: Option<Py<PyAny>>,
    /// The claim, with its share of what the suite may get wrong.
    #[pyo3(get)]
    pub claim: Claim,
    /// The most executions that a decision takes.
    #[pyo3(get)]
    planned: u64,
    /// The same, or the budget of executions where that is less.
    #[pyo3(get)]
    most: u64,
    /// The executions that one call of the body makes, where that is a batch.
    #[pyo3(get)]
    pub batch: Option<u64>,
    /// What the user should know about the journal.
    #[pyo3(get)]
    journal_news: Option<String>,
    /// What the body returned, where that is nothing that is looked at.
    #[pyo3(get)]
    pub odd_return: Option<String>,
    /// How many ranges were lost elsewhere and made again.
    #[pyo3(get)]
    pub lost_ranges: u64,
    /// Whether the draws of the first execution are seen, so that its fixtures are set up then.
    #[pyo3(get)]
    sees_first: bool,
    /// What is known before the first execution.
    begun: CoreReport,
    /// The report; None before the executions.
    #[pyo3(get)]
    report: Option<Py<Report>>,
}

#[pymethods]
impl TestRun {
    /// Begins a test. The run has a seed for tests that do not fix one, a number of tests that share
    /// its chances, nanoseconds that they have used up, how many tests share the rest of the suite's
    /// time, and addresses of counterexamples from earlier runs. Without a claim, one execution runs
    /// alone, and what it returns is not looked at. A journal is a folder, a key of the code, the seed
    /// of a run that died, if it is resumed, and the package of the tests, where it is known.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "most are keywords of Python")]
    #[pyo3(signature = (given, test, seed=None, *, tests=0, suite_time_used=0, remaining_tests=1, remembered=Vec::new(), unchanged=false, claims=true, journal=None))]
    fn new(
        given: &Given,
        test: String,
        seed: Option<u64>,
        tests: u64,
        suite_time_used: u64,
        remaining_tests: u64,
        remembered: Vec<String>,
        unchanged: bool,
        claims: bool,
        journal: Option<(PathBuf, String, Option<u64>, Option<String>)>,
    ) -> PyResult<Self> {
        let given = given.core.clone();
        let suite = suite(&given, tests)?;
        let (inputs, batch) = (given.count("inputs"), given.count("batch"));
        let (inputs, batch) = (inputs.map_err(refused)?, batch.map_err(refused)?);
        let claim = match (claims, inputs) {
            (true, _) => given.claim(),
            // It asks nothing of an execution but which input it has.
            (false, Some(inputs)) => probtest::detect(0.5).inputs(inputs).claim(),
            (false, None) => probtest::estimate(0.5).claim(),
        };
        let claim = suite.limit(claim.map_err(refused)?);
        let reading = match &claim {
            _ if !claims => ReturnKind::Anything,
            claim if claim.outcomes().is_some() => ReturnKind::Outcomes,
            claim if claim.labels().is_some() => ReturnKind::Label,
            claim if claim.is_about_returned() || claim.compares_numbers() => ReturnKind::Number,
            _ => ReturnKind::Violations,
        };
        let fixed = given.seed().map_err(refused)?;
        let selection = given.replay().map_err(refused)?;
        let shard = given.shard().map_err(refused)?;
        let alone = selection.filter(|selection| selection.covers(&test));
        let alone = alone.map(|selection| selection.address);
        // An execution that runs alone is no part of a run.
        let journal = journal.filter(|_| alone.is_none());
        let journal = journal.map(|(folder, code, run, package)| {
            let place = package.as_deref().unwrap_or_default();
            let journal = Journal::open(&folder, place, &test, shard, Some(code))?;
            Ok::<_, Error>(journal.resume(run.map(RunSeed)).of(package, None))
        });
        let journal = journal.transpose().map_err(refused)?;
        // Beside a replayed test the others have its seed: one of them may be part of it.
        let seed = fixed
            .or(selection.map(|selection| selection.address.seed))
            .or(journal.as_ref().and_then(Journal::seed))
            .or(seed.map(RunSeed))
            .unwrap_or_else(RunSeed::fresh);
        let remembered = remembered
            .iter()
            .filter_map(|line| {
                let (address, tape) = line.split_once(' ').unwrap_or((line, ""));
                Some((address.parse::<Address>().ok()?, tape.parse::<Tape>().ok()))
            })
            // Under a fixed seed only what belongs to it runs first: whether the test
            // passes then depends on the seed alone.
            .filter(|(address, _)| fixed.is_none_or(|seed| seed == address.seed))
            .collect::<Vec<_>>();
        refuse_apart(&given, &claim, reading, batch).map_err(refused)?;
        let (id, planned_claim) = (test.clone(), claim.clone());
        let time_used = Duration::from_nanos(suite_time_used);
        let settings = move || {
            let settings = Settings::new(id.clone()).suite(suite.clone());
            // Batches are not seen.
            let kept = remembered.iter().filter(|_| batch.is_none());
            let tapes = kept.filter_map(|(address, tape)| Some((*address, tape.clone()?)));
            let mut settings = given
                .settings(settings, &planned_claim, time_used, remaining_tests)?
                .seed(seed.0)
                .remembered(remembered.iter().map(|(address, _)| *address).collect())
                .remembered_tapes(tapes.collect())
                .unchanged(unchanged);
            if let Some(address) = alone {
                settings = settings.replay(address);
                if let Some(tape) = given.tape()? {
                    settings = settings.tape(tape);
                }
            }
            Ok(settings)
        };
        // Fixtures are set up under the seed of the execution that will be the first.
        let mut run = Machine::begin(&claim, settings().map_err(refused)?).map_err(refused)?;
        if let Some(journal) = &journal {
            run.look_at(journal).map_err(refused)?;
        }
        let (planned, most) = (run.counts().planned, run.last());
        let mut current = Call::new(CoreStream::new(seed, &test).with_inputs(inputs), 1, 0);
        let mut sees_first = false;
        if let Next::Attempt(first) = run.next() {
            sees_first = run.is_seen() && batch.is_none();
            let index = first_of_batch(first.index, batch.unwrap_or(1));
            // After a journal the first one may have been rejected before.
            current = Call::new(first.stream(), index, first.attempt);
        }
        Ok(TestRun {
            settings: Box::new(settings),
            journal_news: journal.as_ref().and_then(Journal::news).map(String::from),
            journal,
            alone,
            reading,
            current,
            calls: 0,
            exception: None,
            claim: Claim { core: claim },
            planned,
            most,
            batch,
            odd_return: None,
            lost_ranges: 0,
            sees_first,
            begun: run.finish(),
            report: None,
            test,
        })
    }

    /// Executes until the machine is done, and makes the report. An exception that ends the
    /// test leaves after that.
    fn execute<'py>(
        slf: &Bound<'py, Self>,
        body: &Bound<'py, PyAny>,
        around: Surroundings<'py>,
    ) -> PyResult<()> {
        let py = slf.py();
        if slf.borrow().report.is_some() {
            return Err(PyValueError::new_err("the test has already run"));
        }
        let (cancel, interrupted) = (Cancel::new(), RefCell::new(None));
        let (tick, clock) = (around.tick.clone(), around.clock.clone());
        let settings = (slf.borrow().settings)().map_err(refused)?;
        let mut settings = settings.cancel(cancel.clone()).progress(|progress| {
            // A body written in C never gives Python the chance to see a Ctrl-C.
            let told = py.check_signals().and_then(|()| match &tick {
                Some(tick) => tick.call1((progress.executed,)).map(drop),
                None => Ok(()),
            });
            if let Err(error) = told {
                interrupted.replace(Some(error));
                cancel.cancel();
            }
        });
        if let Some(clock) = clock {
            // A clock that raises does not move.
            let now = move || clock.call0().and_then(|now| now.extract());
            settings = settings.clock(move || Duration::from_nanos(now().unwrap_or_default()));
        }
        let mut run = Machine::begin(&slf.borrow().claim.core, settings).map_err(refused)?;
        let journal = slf.borrow_mut().journal.take();
        if let Some(journal) = journal {
            run.keep(journal).map_err(refused)?;
        }
        let mut executor = Executor::new(slf, body, around)?;
        let ended_by = executor.execute(&mut run).err();
        if ended_by.is_none() {
            for doubt in executor.around.doubts()? {
                run.doubt(doubt);
            }
            if let Some(value) = slf.borrow().odd_return.clone() {
                run.doubt(Doubt::Returned(value));
            }
        }
        let mut report = run.finish();
        if let Some(engine) = executor.around.at_once.as_ref()
            && engine.call_method0("drew_from_shared")?.is_truthy()?
        {
            report.add_note(Note::SharedGenerators);
        }
        // With a tolerated rate the last exception may be one that has decided nothing.
        let broken = matches!(report.verdict(), Verdict::Inconclusive(Reason::Broken { .. }));
        let decides = broken || report.violation().is_some();
        let mut state = slf.borrow_mut();
        let exception = state.exception.take().filter(|_| decides);
        state.report = Some(Py::new(py, Report { core: report, exception })?);
        match ended_by.or(interrupted.take()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Executes a range of executions without judging them, and returns what they did as
    /// bytes, for the engine that asked a worker for it. Each begins as often rejected as
    /// `attempt` says. A worker at a board writes down there what it is at, and makes no
    /// execution that is not needed any more.
    #[pyo3(signature = (body, around, seed, first, last, attempt=0, board=None, worker=0))]
    #[expect(clippy::too_many_arguments, reason = "most are the range")]
    fn make_range<'py>(
        slf: &Bound<'py, Self>,
        body: &Bound<'py, PyAny>,
        around: &Bound<'py, PyAny>,
        seed: u64,
        first: u64,
        last: u64,
        attempt: u64,
        board: Option<&Bound<'py, Board>>,
        worker: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if first == 0 || last < first {
            return Err(PyValueError::new_err("a range has a first and a last execution, from 1"));
        }
        let inputs = slf.borrow().current.stream.inputs();
        let stream = CoreStream::new(RunSeed(seed), &slf.borrow().test).with_inputs(inputs);
        let board = board.map(|board| Ok::<_, PyErr>((board.get(), board.get().of(worker)?)));
        let board = board.transpose()?;
        let mut executor = Executor::new(slf, body, around.extract()?)?;
        let answer = executor.make_range(Call::new(stream, first, attempt), last, board);
        // The next range also seeds what this one has imported.
        around.setattr("seeders", &executor.around.seeders)?;
        Ok(PyBytes::new(slf.py(), answer.to_json().to_string().as_bytes()))
    }

    /// Shows Python's collector what this holds: the traceback of an exception leads to the frame
    /// that holds this.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.exception)?;
        visit.call(&self.report)
    }

    fn __clear__(&mut self) {
        (self.exception, self.report) = (None, None);
    }
}

properties! { TestRun, self:
    /// The execution that runs alone, if one does.
    replay: Option<(u64, u64)> = self.alone.map(|address| (address.seed.0, address.index));
    /// The streams, the execution under way, the first of its batch where there is one,
    /// and how often the program rejected it before. Before the first one, that.
    current: (Stream, u64, u64) = {
        let Call { stream, index, attempt, .. } = self.current;
        (Stream { core: stream }, index, stream.parts(attempt).0)
    };
    /// How many inputs were not applicable before those of the execution under way.
    input_attempt: u64 = self.current.stream.parts(self.current.attempt).1;
    /// How many attempts at the execution under way were rejected, by the program or the input.
    rejections: u64 = self.current.stream.rejections(self.current.attempt);
    /// Whether no other execution can come after the one under way.
    is_last: bool = self.current.is_last;
    /// Whether the execution under way belongs to the plan, and is not one of an earlier run
    /// or one that runs alone.
    is_planned: bool = self.current.planned;
    /// Whether executions may come after this one that explain it, on fresh fixtures.
    is_followed: bool = self.current.is_followed && self.alone.is_none();
    /// Whether an execution has raised an exception that counts.
    has_violated: bool = self.exception.is_some();
    /// The facts of a test that was begun and has not ended, as JSON text.
    begun: String = self.begun.to_json();
}

impl TestRun {
    /// Says which call comes now.
    #[inline]
    pub fn begin(&mut self, call: &Call) {
        self.current = *call;
        self.calls += 1;
    }
}

/// Reads what the test is part of.
fn suite(given: &CoreGiven, tests: u64) -> PyResult<Suite> {
    let share = |name: &str| -> PyResult<Option<Share>> {
        let total = given.probability(name).map_err(refused)?.cloned();
        Ok(total.zip(NonZeroU64::new(tests)).map(|(total, tests)| Share::new(total, tests)))
    };
    Ok(Suite { epsilon: share("suite_epsilon")?, false_alarm: share("suite_false_alarm")? })
}

/// Refuses options of Python that do not go together.
fn refuse_apart(
    given: &CoreGiven,
    claim: &CoreClaim,
    reading: ReturnKind,
    batch: Option<u64>,
) -> Result<(), Error> {
    if matches!(reading, ReturnKind::Number | ReturnKind::Label)
        && let Some(size) = batch
    {
        return Err(Error::new(
            "a batch is for claims on violations and outcomes",
            format!("batch={size}, and a claim on a mean or on labels"),
            "leave out batch, and return one number or label from each call",
        ));
    }
    if claim.is_about_pairs()
        && let Some(name) =
            ["batch", "concurrency"].into_iter().find(|name| given.has_of_test(name))
    {
        return Err(Error::new(
            "two versions run one after the other on the same seed",
            name,
            format!("leave {name} out; use jobs to compare on several cores"),
        ));
    }
    if given.has_of_test("max_unavailable") && !given.has_of_test("infrastructure") {
        return Err(Error::new(
            "max_unavailable limits how often infrastructure may fail, but no exception means that it did",
            "max_unavailable, no infrastructure",
            "add infrastructure, such as infrastructure=ConnectionError, or leave max_unavailable out",
        ));
    }
    Ok(())
}

/// The facts of one test.
#[pyclass(module = "probtest._native")]
pub struct Report {
    core: CoreReport,
    /// The exception that the verdict comes from, if it comes from one.
    #[pyo3(get)]
    exception: Option<Py<PyAny>>,
}

properties! { Report, self:
    /// The verdict in a word, as the JSON form has it.
    verdict: String = self.core.verdict_name();
    /// Whether the test passed, or measured, or a budget ended first and it accepts that.
    accepted: bool = self.core.accepted();
    /// The claim, with its share of what the suite may get wrong.
    claim: Claim = Claim { core: self.core.claim().clone() };
    /// The executions that count.
    executed: u64 = self.core.counts().executed;
    /// The run seed.
    seed: u64 = self.core.seed().0;
    /// The address of the execution to look at, if there is one.
    address: Option<(u64, u64)> =
        self.core.address().map(|address| (address.seed.0, address.index));
    /// The execution that violated and decided, if one did.
    violating_index: Option<u64> = self.core.violating_index();
    /// Whether a limit of time has cut the test.
    cut_by_time: bool = self.core.time_limit().is_some();
    /// What an execution returned that ran alone, where the claim is about that.
    returned: Option<String> = self.core.returned().map(str::to_owned);
    /// What is to be remembered: the address of a counterexample, and those of earlier
    /// runs that no longer violate.
    memory: (Option<String>, Vec<String>) = {
        let breaks = self.core.claim().has_counterexamples() && self.core.violation().is_some();
        let found = self.core.address().filter(|_| breaks);
        let fixed = self.core.remembered().did_not_violate();
        (found.map(|found| found.to_string()), fixed.iter().map(ToString::to_string).collect())
    };
    /// The text of the tape of the small execution, where one was found.
    tape: Option<String> = self.core.small_tape().map(|tape| tape.to_string());
    /// The tape that was played in the remembered execution that violated, which its own draws
    /// no longer do.
    played: Option<String> = self.core.played().map(ToString::to_string);
    /// Whether the verdict comes from no single execution, so that all are executed again.
    is_rerun_whole: bool = {
        let core = &self.core;
        let whole = core.claim().is_about_returned() || core.confirmed() == Some(false);
        whole && !core.accepted() && core.address().is_none()
    };
    /// Why an execution that ran alone could not be judged, and what to do; None where it
    /// was judged.
    refusal: Option<String> = match self.core.verdict() {
        Verdict::Inconclusive(Reason::Replayed { .. }) => None,
        // It says itself what to do.
        Verdict::Inconclusive(Reason::Broken { message, .. }) => Some(message.clone()),
        _ if self.core.violation().is_some() => None,
        _ => {
            let (why, help) = self.core.refusal();
            let given = self.core.address().map(|address| address.to_string());
            let given = given.unwrap_or_else(|| self.core.seed().to_string());
            Some(format!("{why}\n  given  {given}\n  help   {help}"))
        }
    };
    /// The words for people, without the violation itself.
    section: String = self.core.section();
    /// One line.
    summary: String = self.core.summary();
    /// The facts as JSON text.
    json: String = self.core.to_json();
    /// Whether the execution that decided violated again; None where that was not tried.
    confirmed: Option<bool> = self.core.confirmed();
    /// The part of the executions that these are, such as `3/16`; None for all of them.
    shard: Option<String> = self.core.shard().map(|shard| shard.to_string());
}

#[pymethods]
impl Report {
    /// Adds the lines to copy, and sources that are not controlled. Where the memory keeps
    /// counterexamples for ever, that they pass is no news.
    #[pyo3(signature = (*, replay=None, rerun=None, small=None, sources=Vec::new(), keeps_memory=false))]
    fn annotate(
        &mut self,
        replay: Option<String>,
        rerun: Option<String>,
        small: Option<String>,
        sources: Vec<String>,
        keeps_memory: bool,
    ) {
        self.core.set_replay(replay);
        self.core.set_rerun(rerun);
        self.core.set_story_line(|_| small);
        self.core.set_sources(sources);
        if keeps_memory {
            self.core.forget_what_passed();
        }
    }

    /// Keeps the lines to copy for those who merge the shards; `replay` is that of an execution
    /// with the number `ANY_INDEX`.
    fn annotate_part(&mut self, replay: String, rerun: String) {
        self.core.set_part_lines(Some(replay), Some(rerun), false);
    }

    /// As for a test.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.exception)
    }

    fn __clear__(&mut self) {
        self.exception = None;
    }
}

/// Writes the address that plays a tape, or the one in a file after `@`, in an execution of a test.
#[pyfunction]
pub fn tape_address(seed: u64, index: u64, test: &str, tape: &str) -> String {
    let selection = Selection::of(Address { seed: RunSeed(seed), index }, test);
    format!("{selection}:{tape}")
}

/// The streams of all executions of one test.
#[pyclass(module = "probtest._native", frozen)]
#[derive(Debug)]
pub struct Stream {
    pub core: CoreStream,
}

#[pymethods]
impl Stream {
    #[new]
    fn new(seed: u64, test: &str) -> Self {
        Stream { core: CoreStream::new(RunSeed(seed), test) }
    }

    /// The seed for the sources in an execution.
    #[pyo3(signature = (index, attempt=0))]
    fn execution_seed(&self, index: u64, attempt: u64) -> u64 {
        self.core.attempt(index, attempt).execution_seed()
    }

    /// The seed for the inputs of an execution, after so many that were not applicable.
    #[pyo3(signature = (index, rejected=0))]
    fn input_seed(&self, index: u64, rejected: u64) -> u64 {
        self.execution_seed(self.core.input_number(index), rejected)
    }

    /// The random words of an execution.
    #[pyo3(signature = (index, attempt=0))]
    fn sequence(&self, index: u64, attempt: u64) -> Sequence {
        Sequence { rng: self.core.attempt(index, attempt) }
    }
}

properties! { Stream, self:
    /// The run seed.
    seed: u64 = self.core.seed().0;
    /// The key, for NumPy's Philox.
    key: (u64, u64) = self.core.key().into();
    /// How many inputs its executions take turns with; None where each has its own.
    inputs: Option<u64> = self.core.inputs();
}

/// The random words of one execution.
#[pyclass(module = "probtest._native")]
#[derive(Debug)]
pub struct Sequence {
    rng: TestRng,
}

#[pymethods]
impl Sequence {
    /// The next 64 bits.
    fn next_u64(&mut self) -> u64 {
        self.rng.draw_u64()
    }

    /// The next bytes.
    fn bytes<'py>(&mut self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyBytes>> {
        PyBytes::new_with(py, count, |bytes| {
            self.rng.draw_bytes(bytes);
            Ok(())
        })
    }
}

/// Returns a seed that no earlier run had.
#[pyfunction]
pub fn fresh_seed() -> u64 {
    RunSeed::fresh().0
}
