//! The violation rate of a callable.

use probtest::judge::confidence::AimedSequence;
use probtest::judge::{Estimator, Limits};
use probtest::report::Estimate;
use probtest::seed::RunSeed;
use pyo3::prelude::*;

use crate::errors::claim_error;
use crate::executing::Engine;
use crate::reports::doubts;
use crate::session::Session;
use crate::sources::Surroundings;
use crate::timing::Timer;
use crate::watching::watch;

/// An estimate under way, and its result.
#[pyclass(module = "probtest._native")]
pub struct Estimation {
    asked: (f64, f64),
    most: u64,
    judge: Option<Estimator>,
    timer: Timer,
    estimate: Option<Estimate>,
}

#[pymethods]
impl Estimation {
    #[new]
    #[pyo3(signature = (width, confidence, max_executions=None, max_rejections=None))]
    fn new(
        width: f64,
        confidence: f64,
        max_executions: Option<u64>,
        max_rejections: Option<u64>,
    ) -> PyResult<Self> {
        let sequence = AimedSequence::new(width, confidence).map_err(claim_error)?;
        let limits = Limits {
            max_executions,
            max_rejections,
            ..Limits::default()
        };
        let judge = Estimator::new(sequence, limits);
        Ok(Estimation {
            asked: (width, confidence),
            most: judge.max_executions(),
            judge: Some(judge),
            timer: Timer::default(),
            estimate: None,
        })
    }

    /// Adds limits of time, as (nanoseconds, what is left of them, whether they are the
    /// suite's).
    #[pyo3(signature = (*, times, clock=None))]
    fn budget(&mut self, times: Vec<(u64, u64, bool)>, clock: Option<Py<PyAny>>) {
        self.timer = Timer::new(&times, clock);
    }

    /// The most executions that there will be.
    #[getter]
    fn most(&self) -> u64 {
        self.most
    }

    /// Executes until the rate is known well enough. When the body is
    /// interrupted, the result so far is kept and the exception leaves.
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
        let timer = std::mem::take(&mut self.timer).start(session.py())?;
        let ended = watch(&mut engine, &mut judge, &timer);
        let (test, seed) = session.borrow().origin();
        let known = judge.conclude();
        self.estimate = Some(Estimate::new(
            test,
            self.asked,
            RunSeed(seed),
            known,
            timer.elapsed(),
        ));
        ended
    }

    /// Adds what the guard has seen, and the lines to copy: for the first violation, and
    /// for all that a limit of time left.
    #[pyo3(signature = (*, replay=None, rerun=None, reseeds=false, copies=false))]
    fn annotate(
        &mut self,
        replay: Option<String>,
        rerun: Option<String>,
        reseeds: bool,
        copies: bool,
    ) {
        if let Some(estimate) = &mut self.estimate {
            estimate.replay = estimate.address.and(replay);
            estimate.rerun = rerun.filter(|_| estimate.time_limit().is_some());
            estimate.notes.extend(doubts(reseeds, copies));
        }
    }

    /// The executions that count; 0 while they are under way.
    #[getter]
    fn executed(&self) -> u64 {
        let estimate = self.estimate.as_ref();
        estimate.map_or(0, |estimate| estimate.counts.executed)
    }

    /// The first execution that violated, if one did.
    #[getter]
    fn index(&self) -> Option<u64> {
        Some(self.estimate.as_ref()?.address?.index)
    }

    /// The words for people.
    #[getter]
    fn text(&self) -> Option<String> {
        self.estimate.as_ref().map(ToString::to_string)
    }

    /// One sentence.
    #[getter]
    fn summary(&self) -> Option<String> {
        self.estimate.as_ref().map(Estimate::summary)
    }

    /// The facts as JSON text.
    #[getter]
    fn json(&self) -> Option<String> {
        Some(serde_json::to_string(&self.estimate.as_ref()?.facts()).unwrap_or_default())
    }
}
