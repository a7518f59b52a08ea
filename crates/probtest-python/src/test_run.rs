//! One test: its options, the execution under way, its report.

use std::cell::RefCell;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use probtest::machine::{Executor as _, Journal, Next, TestRun as Machine};
use probtest::report::{Note, Report as CoreReport};
use probtest::run::Cancel;
use probtest::seed::{Address, RunSeed, Stream as CoreStream, Tape};
use probtest::settings::{Given as CoreGiven, Shard, Share, Suite};
use probtest::{Claim as CoreClaim, Error, Settings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::board::{Board, Desk};
use crate::claims::Claim;
use crate::executor::{Call, Executor};
use crate::given::Given;
use crate::report::Report;
use crate::streams::Stream;
use crate::surroundings::Surroundings;
use crate::{properties, refused};

/// How what a body returns is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A boolean says whether it passed.
    Violations,
    /// The same, and a whole number is an outcome.
    Outcomes,
    /// A number.
    Number,
    /// A label.
    Label,
    /// A boolean says whether it passed; whatever else it is, nobody looks at it.
    Anything,
}

impl Reading {
    fn of(claim: &CoreClaim) -> Self {
        match claim {
            claim if claim.outcomes().is_some() => Reading::Outcomes,
            claim if claim.labels().is_some() => Reading::Label,
            claim if claim.is_about_returned() || claim.compares_numbers() => Reading::Number,
            _ => Reading::Violations,
        }
    }
}

/// Where the journal of a test lies.
struct JournalAt {
    folder: PathBuf,
    shard: Option<Shard>,
    code: String,
    /// The seed of a run that died and goes on.
    run: Option<RunSeed>,
    package: Option<String>,
}

impl JournalAt {
    fn open(&self, test: &str) -> Result<Journal, Error> {
        let code = Some(self.code.clone());
        let place = self.package.as_deref().unwrap_or_default();
        let journal = Journal::resume(&self.folder, place, test, self.shard, code, self.run)?;
        Ok(journal.of(self.package.clone(), None))
    }
}

/// One test of a body.
#[pyclass(module = "probtest._native")]
pub struct TestRun {
    test: String,
    given: CoreGiven,
    suite: Suite,
    suite_time_used: Duration,
    remaining_tests: u64,
    remembered: Vec<(Address, Option<Tape>)>,
    unchanged: bool,
    journal: Option<JournalAt>,
    seed: RunSeed,
    pub alone: Option<Address>,
    pub reading: Reading,
    current: Call,
    /// How many calls have begun so far.
    #[pyo3(get)]
    calls: u64,
    /// The exception of the last execution that has raised one that counts.
    pub exception: Option<Py<PyAny>>,
    /// The claim, with its share of what the suite may get wrong.
    #[pyo3(get)]
    claim: Claim,
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
    begun: Option<CoreReport>,
    /// The report; None before the executions.
    #[pyo3(get)]
    report: Option<Py<Report>>,
}

#[pymethods]
impl TestRun {
    /// Begins a test. The run has a seed for tests that do not fix one, a number of tests
    /// that share its chances, nanoseconds that they have used up, how many tests share the rest of
    /// the suite's time one after the other, and addresses of
    /// counterexamples from earlier runs. Without a claim, one execution runs alone, and
    /// nobody looks at what it returns. A journal is a folder, a key of the code, the seed of
    /// a run that died, if that goes on, and the package of the tests, where it is known.
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
        let core = &given.core;
        let suite = suite(core, tests)?;
        let inputs = core.count("inputs").map_err(refused)?;
        let claim = match claims {
            true => core.claim(),
            // It asks nothing of an execution but which input it has.
            false => match inputs {
                Some(inputs) => probtest::detect(0.5).inputs(inputs).claim(),
                None => probtest::estimate(0.5).claim(),
            },
        };
        let claim = suite.limit(claim.map_err(refused)?);
        let fixed = core.seed().map_err(refused)?;
        let selection = core.replay().map_err(refused)?;
        let shard = core.shard().map_err(refused)?;
        let alone = selection.filter(|selection| selection.covers(&test));
        // An execution that runs alone is no part of a run.
        let journal = journal.filter(|_| alone.is_none());
        let journal = journal.map(|(folder, code, run, package)| JournalAt {
            folder,
            shard,
            code,
            run: run.map(RunSeed),
            package,
        });
        let opened = journal.as_ref().map(|journal| journal.open(&test));
        let opened = opened.transpose().map_err(refused)?;
        // Beside a replayed test the others have its seed: one of them may be part of it.
        let seed = fixed
            .or(selection.map(|selection| selection.address.seed))
            .or(opened.as_ref().and_then(Journal::seed))
            .or(seed.map(RunSeed))
            .unwrap_or_else(RunSeed::fresh);
        let remembered = remembered
            .iter()
            .filter_map(|line| {
                let (address, tape) = line.split_once(' ').unwrap_or((line, ""));
                Some((address.parse::<Address>().ok()?, tape.parse().ok()))
            })
            // Under a fixed seed only what belongs to it runs first: whether the test
            // passes then depends on the seed alone.
            .filter(|(address, _)| fixed.is_none_or(|seed| seed == address.seed));
        let mut run = TestRun {
            given: core.clone(),
            suite,
            suite_time_used: Duration::from_nanos(suite_time_used),
            remaining_tests,
            remembered: remembered.collect(),
            unchanged,
            seed,
            alone: alone.map(|selection| selection.address),
            journal,
            journal_news: opened.as_ref().and_then(Journal::news).map(String::from),
            reading: match claims {
                true => Reading::of(&claim),
                false => Reading::Anything,
            },
            current: Call::new(CoreStream::new(seed, &test).with_inputs(inputs), 1, 0),
            calls: 0,
            exception: None,
            claim: Claim { core: claim },
            planned: 0,
            most: 0,
            batch: core.count("batch").map_err(refused)?,
            odd_return: None,
            lost_ranges: 0,
            sees_first: false,
            begun: None,
            report: None,
            test,
        };
        run.ask_for_the_first(opened.as_ref()).map_err(refused)?;
        Ok(run)
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
        let mut settings = slf.borrow().settings().map_err(refused)?;
        settings = settings.cancel(cancel.clone()).progress(|progress| {
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
            // A clock that does not answer stands still.
            let now = move || clock.call0().and_then(|now| now.extract());
            settings = settings.clock(move || Duration::from_nanos(now().unwrap_or_default()));
        }
        let mut run = Machine::begin(&slf.borrow().claim.core, settings).map_err(refused)?;
        let journal = slf.borrow().open_journal().map_err(refused)?;
        if let Some(journal) = journal {
            run.keep(journal).map_err(refused)?;
        }
        let mut executor = Executor::new(slf, body, around)?;
        executor.execute(&mut run);
        let ended_by = executor.ended_by.take();
        if ended_by.is_none() {
            for doubt in executor.around.doubts()? {
                run.doubt(doubt);
            }
            if let Some(value) = slf.borrow().odd_return.clone() {
                run.doubt(probtest::judge::Doubt::Returned(value));
            }
        }
        let mut report = run.finish();
        if let Some(engine) = executor.around.at_once.as_ref()
            && engine.call_method0("drew_from_shared")?.is_truthy()?
        {
            report.add_note(Note::SharedGenerators);
        }
        let mut state = slf.borrow_mut();
        let report = Report::new(report, state.exception.take());
        state.report = Some(Py::new(py, report)?);
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
        let desk = board.map(|board| Desk::new(board.get(), worker)).transpose()?;
        let mut executor = Executor::new(slf, body, around.extract()?)?;
        let answer = executor.make_range(Call::new(stream, first, attempt), last, desk.as_ref());
        if let Some(more) = executor.more_seeders.take() {
            // For the next range.
            around.setattr("seeders", more)?;
        }
        let bytes = serde_json::to_vec(&answer);
        let bytes = bytes.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(slf.py(), &bytes))
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
    begun: Option<String> = Some(self.begun.as_ref()?.to_json().to_string());
}

impl TestRun {
    /// Asks the machine which execution will be the first: fixtures are set up under its
    /// seed. Settings and claims that make no sense are refused here.
    fn ask_for_the_first(&mut self, journal: Option<&Journal>) -> Result<(), Error> {
        if matches!(self.reading, Reading::Number | Reading::Label)
            && let Some(size) = self.batch
        {
            return Err(Error::new(
                "a batch is for claims on violations and outcomes",
                format!("batch={size}, and a claim on a mean or on labels"),
                "leave out batch, and return one number or label from each call",
            ));
        }
        let apart = ["batch", "concurrency"].into_iter();
        if self.is_about_pairs()
            && let Some(name) = apart.into_iter().find(|name| self.given.has_of_test(name))
        {
            return Err(Error::new(
                "two versions run one after the other on the same seed",
                name,
                format!("leave {name} out; use jobs to compare on several cores"),
            ));
        }
        if self.given.has_of_test("max_unavailable") && !self.given.has_of_test("infrastructure") {
            return Err(Error::new(
                "max_unavailable limits how often infrastructure may fail, but no exception means that it did",
                "max_unavailable, no infrastructure",
                "add infrastructure, such as infrastructure=ConnectionError, or leave max_unavailable out",
            ));
        }
        let mut run = Machine::begin(&self.claim.core, self.settings()?)?;
        if let Some(journal) = journal {
            run.look_at(journal)?;
        }
        (self.planned, self.most) = (run.counts().planned, run.last());
        if let Next::Attempt(first) = run.next() {
            self.current.stream = first.stream();
            self.sees_first = run.is_seen() && self.batch.is_none();
            let size = self.batch.unwrap_or(1);
            self.current.index = first.index - (first.index - 1) % size;
            // Behind a journal the first one may have been rejected before.
            self.current.attempt = first.attempt;
        }
        self.begun = Some(run.finish());
        Ok(())
    }

    fn open_journal(&self) -> Result<Option<Journal>, Error> {
        let journal = self.journal.as_ref();
        journal.map(|journal| journal.open(&self.test)).transpose()
    }

    fn settings<'a>(&self) -> Result<Settings<'a>, Error> {
        let settings = Settings::new(self.test.clone()).suite(self.suite.clone());
        // Batches are not seen.
        let kept = self.remembered.iter().filter(|_| self.batch.is_none());
        let tapes = kept.filter_map(|(address, tape)| Some((*address, tape.clone()?)));
        let mut settings = self
            .given
            .settings(settings, &self.claim.core, self.suite_time_used, self.remaining_tests)?
            .seed(self.seed.0)
            .remembered(self.remembered.iter().map(|(address, _)| *address).collect())
            .remembered_tapes(tapes.collect())
            .unchanged(self.unchanged);
        if let Some(address) = self.alone {
            settings = settings.replay(address);
            if let Some(tape) = self.given.tape()? {
                settings = settings.tape(tape);
            }
        }
        Ok(settings)
    }

    /// Says which call comes now.
    #[inline]
    pub fn begin(&mut self, call: &Call) {
        self.current = *call;
        self.calls += 1;
    }

    /// The call under way.
    pub fn under_way(&self) -> Call {
        self.current
    }

    /// Begins the call under way once more, for the other version.
    pub fn begin_again(&mut self) {
        self.calls += 1;
    }

    /// Whether each execution is one of an old and one of a new version. One that runs alone is not:
    /// whoever replays it says which version.
    pub fn is_about_pairs(&self) -> bool {
        self.claim.core.is_about_pairs()
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
