//! Claims on what a callable returns.

use std::cell::RefCell;
use std::time::Duration;

use probtest::budget::{OnBudget, Suite};
use probtest::claim::numeric::{FitClaim, MeanClaim, NumericClaim as CoreClaim};
use probtest::judge::Limits;
use probtest::judge::numeric::{NumericJudge, NumericReason, NumericVerdict};
use probtest::numeric::shown;
use probtest::plan::numeric::NumericPlan;
use probtest::report::{NumericReport, numeric_claim_line, numeric_promise, refused_words};
use probtest::run::Observation;
use probtest::seed::{Replay, RunSeed};
use pyo3::prelude::*;

use crate::claims::named;
use crate::errors::claim_error;
use crate::executing::Engine;
use crate::reports::{doubts, tell_of_report};
use crate::returning::Returning;
use crate::session::Session;
use crate::sources::Surroundings;
use crate::timing::{Timer, on_budget};
use crate::watching::watch;

/// A claim on a mean or on labels.
#[pyclass(module = "probtest._native", frozen)]
#[derive(Clone, Debug)]
pub struct NumericClaim {
    pub core: CoreClaim,
}

#[pymethods]
impl NumericClaim {
    /// The chance of passing a program that must fail, exactly as it was given.
    #[getter]
    fn epsilon(&self) -> String {
        self.core.epsilon().to_string()
    }

    /// The chance of failing a program that must pass, exactly as it was given.
    #[getter]
    fn false_alarm(&self) -> String {
        self.core.false_alarm().to_string()
    }

    /// What passes and what fails, and how often that is wrong.
    #[getter]
    fn promise(&self) -> String {
        numeric_promise(&self.core)
    }

    /// The most executions that a decision takes.
    #[getter]
    fn planned(&self) -> PyResult<u64> {
        let plan = NumericPlan::new(self.core.clone()).map_err(claim_error)?;
        Ok(plan.executions())
    }

    fn __repr__(&self) -> String {
        format!("<probtest claim: {}>", numeric_claim_line(&self.core))
    }
}

/// Claims that a mean lies within, above or below something.
#[pyfunction]
pub fn mean(
    between: (f64, f64),
    bounds: (Option<f64>, Option<f64>),
    margin: f64,
    epsilon: &Bound<'_, PyAny>,
    false_alarm: &Bound<'_, PyAny>,
) -> PyResult<NumericClaim> {
    let claim = match bounds {
        (Some(low), Some(high)) => MeanClaim::within(between, (low, high), margin),
        (Some(low), None) => MeanClaim::above(between, low, margin),
        (None, Some(high)) => MeanClaim::below(between, high, margin),
        (None, None) => return Err(claim_error("a mean needs a bound")),
    };
    let epsilon = named("epsilon", epsilon)?;
    let false_alarm = named("false_alarm", false_alarm)?;
    let claim = claim
        .and_then(|claim| claim.epsilon(epsilon))
        .and_then(|claim| claim.false_alarm(false_alarm))
        .map_err(claim_error)?;
    Ok(NumericClaim { core: claim.into() })
}

/// Claims that each label comes with its probability.
#[pyfunction]
pub fn fit(
    labels: Vec<(String, Bound<'_, PyAny>)>,
    distance: f64,
    epsilon: &Bound<'_, PyAny>,
    false_alarm: &Bound<'_, PyAny>,
) -> PyResult<NumericClaim> {
    let mut list = Vec::new();
    for (label, p) in labels {
        list.push((label, named("a label's probability", &p)?));
    }
    let epsilon = named("epsilon", epsilon)?;
    let false_alarm = named("false_alarm", false_alarm)?;
    let claim = FitClaim::new(list, distance)
        .and_then(|claim| claim.epsilon(epsilon))
        .and_then(|claim| claim.false_alarm(false_alarm))
        .map_err(claim_error)?;
    Ok(NumericClaim { core: claim.into() })
}

/// A test of a claim on a mean or on labels: its judge, then its report.
#[pyclass(module = "probtest._native")]
pub struct NumericTest {
    plan: NumericPlan,
    judge: Option<NumericJudge>,
    timer: Timer,
    suite: Suite,
    report: Option<NumericReport>,
}

tell_of_report!(NumericTest);

#[pymethods]
impl NumericTest {
    #[new]
    #[pyo3(signature = (claim, max_executions=None, max_rejections=None))]
    fn new(
        claim: &NumericClaim,
        max_executions: Option<u64>,
        max_rejections: Option<u64>,
    ) -> PyResult<Self> {
        let plan = NumericPlan::new(claim.core.clone()).map_err(claim_error)?;
        let limits = Limits {
            max_executions,
            max_rejections,
            ..Limits::default()
        };
        Ok(NumericTest {
            judge: Some(NumericJudge::new(&plan, limits)),
            plan,
            timer: Timer::default(),
            suite: Suite::default(),
            report: None,
        })
    }

    /// Adds limits of time, as (nanoseconds, what is left of them, whether they are the
    /// suite's). That a limit may be accepted is refused.
    #[pyo3(signature = (*, on_budget=None, times=Vec::new(), clock=None))]
    fn budget(
        &mut self,
        on_budget: Option<&str>,
        times: Vec<(u64, u64, bool)>,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        if self::on_budget(on_budget)? == OnBudget::Pass {
            return Err(claim_error(probtest::Error::OnBudget));
        }
        self.timer = Timer::new(&times, clock);
        Ok(())
    }

    /// The executions that count; 0 while they are under way.
    #[getter]
    fn executed(&self) -> u64 {
        let report = self.report.as_ref();
        report.map_or(0, |report| report.counts.executed)
    }

    /// Executes until the claim is decided.
    fn execute<'py>(
        &mut self,
        session: &Bound<'py, Session>,
        body: &Bound<'py, PyAny>,
        around: Surroundings<'py>,
    ) -> PyResult<()> {
        let Some(mut judge) = self.judge.take() else {
            return Ok(());
        };
        let mut engine = Engine::new(session, body, around)?;
        engine.returning = Some(self.returning());
        let timer = std::mem::take(&mut self.timer).start(session.py())?;
        let ended = watch(&mut engine, &mut judge, &timer);
        let (test, seed) = session.borrow().origin();
        let mut report = self.conclude(judge, test, RunSeed(seed), timer.elapsed());
        if let NumericVerdict::Impossible { label, .. } = &mut report.verdict {
            *label = engine.returning.as_ref().and_then(Returning::unlisted);
        }
        self.report = Some(report);
        ended
    }

    /// Executes the execution that the session has chosen, alone, rejected
    /// attempts drawn again. Returns "passed", "violated", "rejected", or "broken" when
    /// what it returned cannot be, whatever the others do.
    fn execute_one<'py>(
        &self,
        session: &Bound<'py, Session>,
        body: &Bound<'py, PyAny>,
        around: Surroundings<'py>,
    ) -> PyResult<&'static str> {
        let mut engine = Engine::new(session, body, around)?;
        engine.returning = Some(self.returning());
        let index = session.borrow().index;
        let (_, mut observation) = engine.counted(index)?;
        if let Some((why, help)) = refused_words(self.plan.claim(), index, &observation) {
            observation = Observation::Broken(format!("{why}\n  help   {help}"));
        }
        Ok(engine.in_a_word(observation))
    }

    /// Says that the last execution was stopped from outside: it does not count.
    fn stopped(&mut self) {
        if let Some(report) = &mut self.report
            && report.counts.violated > 0
        {
            let cancelled = NumericReason::Ended(probtest::judge::Reason::Cancelled);
            report.verdict = NumericVerdict::Inconclusive(cancelled);
            report.counts.executed -= 1;
            report.counts.violated = 0;
            report.address = None;
        }
    }

    /// Adds what the guard has seen, and the line to copy.
    #[pyo3(signature = (*, replay=None, reseeds=false, copies=false))]
    fn annotate(&mut self, replay: Option<String>, reseeds: bool, copies: bool) {
        let Some(report) = &mut self.report else {
            return;
        };
        report.replay = replay.filter(|_| !report.passed());
        report.notes.extend(doubts(reseeds, copies));
    }

    /// "passed", "violated" or "inconclusive"; None before the execution.
    #[getter]
    fn verdict(&self) -> Option<&'static str> {
        self.report.as_ref().map(NumericReport::verdict_name)
    }

    /// The execution that violated an assertion, if one did.
    #[getter]
    fn violating_index(&self) -> Option<u64> {
        match &self.report.as_ref()?.verdict {
            NumericVerdict::Violated { index, .. } => Some(*index),
            _ => None,
        }
    }
}

impl NumericTest {
    fn returning(&self) -> Returning {
        match self.plan.claim() {
            CoreClaim::Mean(_) => Returning::Number,
            CoreClaim::Fit(claim) => Returning::Label(Box::new(claim.clone()), RefCell::new(None)),
        }
    }

    fn conclude(
        &self,
        judge: NumericJudge,
        test: String,
        seed: RunSeed,
        elapsed: Duration,
    ) -> NumericReport {
        let (verdict, seen, counts) = judge.conclude();
        NumericReport {
            test,
            plan: self.plan.clone(),
            address: shown(&verdict, &seen).map(|index| Replay { seed, index }),
            verdict,
            seen,
            counts,
            seed,
            replay: None,
            suite: self.suite.clone(),
            notes: Vec::new(),
            elapsed,
        }
    }
}
