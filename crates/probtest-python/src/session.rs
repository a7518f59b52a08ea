//! One test: its plan, its streams, its judge, its report.

use std::time::Duration;

use probtest::budget::Suite;
use probtest::judge::{Finding, Judge, Limits, Reason, Verdict};
use probtest::plan::Plan;
use probtest::report::{Note, Remembered, Report, verdict_name};
use probtest::run::Violation;
use probtest::seed::{Replay, RunSeed, Stream};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::claims::Claim;
use crate::errors::claim_error;
use crate::executing::Engine;
use crate::reports::{doubts, tell_of_report};
use crate::sources::Surroundings;
use crate::timing::{Timer, on_budget};
use crate::watching::watch;

/// One test under one claim.
#[pyclass(module = "probtest._native")]
pub struct Session {
    pub plan: Plan,
    judge: Option<Judge>,
    pub stream: Stream,
    test: String,
    limits: Limits,
    timer: Timer,
    suite: Suite,
    pub index: u64,
    /// The place of the chosen execution in its batch, which begins at `index`.
    pub position: usize,
    /// The executions that one call of the body makes, where that is a batch.
    batch: Option<usize>,
    pub attempt: u64,
    report: Option<Report>,
    pub exception: Option<Py<PyAny>>,
    /// What the body returned, where that is neither None nor a truth nor an outcome.
    pub odd_return: Option<String>,
    /// Why the chosen execution could not be carried out.
    pub broken: Option<String>,
    elapsed: Duration,
}

tell_of_report!(Session);

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (claim, test, seed, max_executions=None, max_rejections=None, batch=None))]
    fn new(
        claim: &Claim,
        test: String,
        seed: u64,
        max_executions: Option<u64>,
        max_rejections: Option<u64>,
        batch: Option<usize>,
    ) -> PyResult<Self> {
        for (name, limit) in [
            ("max_executions", max_executions),
            ("max_rejections", max_rejections),
            ("batch", batch.map(|size| size as u64)),
        ] {
            if limit == Some(0) {
                return Err(claim_error(probtest::Error::Zero { name }));
            }
        }
        let plan = Plan::new(&claim.core).map_err(claim_error)?;
        let limits = Limits {
            max_executions,
            max_rejections,
            ..Limits::default()
        };
        Ok(Session {
            judge: Some(Judge::new(&plan, limits)),
            plan,
            stream: Stream::new(RunSeed(seed), &test),
            test,
            limits,
            timer: Timer::default(),
            suite: Suite::default(),
            index: 1,
            position: 0,
            batch,
            attempt: 0,
            report: None,
            exception: None,
            odd_return: None,
            broken: None,
            elapsed: Duration::ZERO,
        })
    }

    /// Adds what is given besides a number of executions: the word of `on_budget`, and
    /// limits of time as (nanoseconds, what is left of them, whether they are the
    /// suite's).
    #[pyo3(signature = (*, on_budget=None, times=Vec::new(), clock=None))]
    fn budget(
        &mut self,
        on_budget: Option<&str>,
        times: Vec<(u64, u64, bool)>,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        self.limits.on_budget = self::on_budget(on_budget)?;
        self.judge = Some(Judge::new(&self.plan, self.limits));
        self.timer = Timer::new(&times, clock);
        Ok(())
    }

    /// The executions that count so far.
    #[getter]
    fn executed(&self) -> u64 {
        self.report.as_ref().map_or_else(
            || {
                self.judge
                    .as_ref()
                    .map_or(0, |judge| judge.counts().executed)
            },
            |report| report.counts.executed,
        )
    }

    /// The execution under way, the first of its batch where there is one, and
    /// how often it was rejected before.
    #[getter]
    fn current(&self) -> (u64, u64) {
        (self.index, self.attempt)
    }

    /// The run seed that the execution under way belongs to.
    #[getter]
    fn seed(&self) -> u64 {
        self.stream.seed().0
    }

    /// The key of the streams, for NumPy's Philox.
    #[getter]
    fn key(&self) -> (u64, u64) {
        let [low, high] = self.stream.key();
        (low, high)
    }

    /// The exception that decided, if one did.
    #[getter]
    fn exception(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.exception
            .as_ref()
            .map(|exception| exception.clone_ref(py))
    }

    /// Chooses the execution that comes next, of this or an earlier run.
    fn choose(&mut self, seed: u64, index: u64) -> PyResult<()> {
        if index == 0 {
            return Err(PyValueError::new_err("executions count from 1"));
        }
        self.stream = Stream::new(RunSeed(seed), &self.test);
        let size = self.batch.unwrap_or(1) as u64;
        let position = (index - 1) % size;
        self.index = index - position;
        // Less than the size, which is a usize.
        self.position = position as usize;
        self.attempt = 0;
        Ok(())
    }

    /// The seed for the sources in the execution under way.
    fn execution_seed(&self) -> u64 {
        self.stream
            .attempt(self.index, self.attempt)
            .execution_seed()
    }

    /// Executes the chosen execution alone, rejected attempts drawn again.
    /// Returns "passed", "violated", "rejected" when all attempts were, or "broken"
    /// when it could not be carried out.
    fn execute_one<'py>(
        slf: &Bound<'py, Self>,
        body: &Bound<'py, PyAny>,
        around: Surroundings<'py>,
    ) -> PyResult<&'static str> {
        let mut engine = Engine::new(slf, body, around)?;
        let batch = slf.borrow().batch;
        match batch {
            Some(size) => engine.one_in_batch(size),
            None => engine.one(),
        }
    }

    /// Executes the plan until the judge has decided.
    fn execute<'py>(
        slf: &Bound<'py, Self>,
        body: &Bound<'py, PyAny>,
        around: Surroundings<'py>,
    ) -> PyResult<()> {
        let mut engine = Engine::new(slf, body, around)?;
        let Some(mut judge) = slf.borrow_mut().judge.take() else {
            return Err(PyValueError::new_err(
                "the session has been executed already",
            ));
        };
        let timer = std::mem::take(&mut slf.borrow_mut().timer).start(slf.py())?;
        let batch = slf.borrow().batch;
        let ended = match batch {
            Some(size) => engine.many_in_batches(size, &mut judge, &timer),
            None => watch(&mut engine, &mut judge, &timer),
        };
        let mut session = slf.borrow_mut();
        session.elapsed = timer.elapsed();
        session.conclude(judge);
        ended
    }

    /// Makes the report on a remembered execution that violated again.
    fn again(&mut self) -> PyResult<()> {
        let index = self.index + self.position as u64;
        let address = Replay {
            seed: self.stream.seed(),
            index,
        };
        let judge = Judge::new(&self.plan, self.limits);
        let mut counts = judge.counts();
        (counts.executed, counts.violated, counts.rejected) = (1, 1, self.attempt);
        let mut report = self.blank(judge);
        report.verdict = Verdict::Violated(Finding::Execution {
            index,
            violation: Box::default(),
        });
        report.counts = counts;
        report.address = Some(address);
        report.remembered = Remembered::Again(address);
        self.report = Some(report);
        Ok(())
    }

    /// Says that the last execution was stopped from outside: it does not count.
    fn stopped(&mut self) {
        if let Some(report) = &mut self.report
            && report.counts.violated > 0
        {
            report.verdict = Verdict::Inconclusive(Reason::Cancelled);
            report.counts.executed -= 1;
            report.counts.violated -= 1;
            report.address = None;
        }
    }

    /// What the body returned, where it should have returned nothing.
    #[getter]
    fn odd_return(&self) -> Option<String> {
        self.odd_return.clone()
    }

    /// Why the chosen execution could not be carried out, if it could not.
    #[getter]
    fn broken(&self) -> Option<String> {
        self.broken.clone()
    }

    /// Says which remembered executions were executed first and passed.
    fn mended(&mut self, addresses: Vec<(u64, u64)>) {
        if let Some(report) = &mut self.report
            && !addresses.is_empty()
        {
            let replays = addresses.into_iter().map(|(seed, index)| Replay {
                seed: RunSeed(seed),
                index,
            });
            report.remembered = Remembered::Mended(replays.collect());
        }
    }

    /// Adds what the guard has seen, and the line to copy.
    #[pyo3(signature = (*, message=None, replay=None, reseeds=false, copies=false))]
    fn annotate(
        &mut self,
        message: Option<String>,
        replay: Option<String>,
        reseeds: bool,
        copies: bool,
    ) {
        let Some(report) = &mut self.report else {
            return;
        };
        if let (
            Some(message),
            Verdict::Violated(
                Finding::Execution { violation, .. } | Finding::Rate { violation, .. },
            ),
        ) = (message, &mut report.verdict)
        {
            **violation = Violation::new(message);
        }
        report.replay =
            replay.filter(|_| report.address.is_some() || report.time_limit().is_some());
        report.notes.extend(doubts(reseeds, copies));
    }

    /// "passed", "violated", "inconclusive" or "passed_within_budget"; None before the
    /// execution.
    #[getter]
    fn verdict(&self) -> Option<String> {
        let report = self.report.as_ref()?;
        Some(verdict_name(&report.verdict))
    }

    /// The deciding execution, if one violated.
    #[getter]
    fn violating_index(&self) -> Option<u64> {
        self.report.as_ref().and_then(Report::index)
    }
}

impl Session {
    /// The id of the test and the run seed.
    pub fn origin(&self) -> (String, u64) {
        (self.test.clone(), self.stream.seed().0)
    }

    fn blank(&self, judge: Judge) -> Report {
        Report {
            test: self.test.clone(),
            plan: self.plan.clone(),
            counts: judge.counts(),
            verdict: judge.conclude().0,
            seed: self.stream.seed(),
            address: None,
            replay: None,
            remembered: Remembered::None,
            suite: self.suite.clone(),
            notes: Vec::new(),
            elapsed: self.elapsed,
        }
    }

    fn conclude(&mut self, judge: Judge) {
        let mut report = self.blank(judge);
        let seed = self.stream.seed();
        report.address = report.index().map(|index| Replay { seed, index });
        if probtest::report::is_large(self.plan.claim()) {
            report.notes.push(Note::LargeP);
        }
        self.report = Some(report);
    }
}
