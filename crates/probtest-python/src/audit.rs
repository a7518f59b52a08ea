//! The machine of an audit, for pytest.

use std::path::Path;
use std::time::Duration;

use probtest::audit::{Apart, Audit as CoreAudit, AuditJournal, AuditSettings, Named, NextOrder};
use probtest::report::{audit_limit, audit_name, audit_text};
use probtest::seed::RunSeed;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::refused;

/// Executions of one test in a fresh process.
#[pyclass(module = "probtest._native", frozen)]
#[derive(Debug)]
pub struct AuditOrder {
    core: probtest::audit::Order,
}

#[pymethods]
impl AuditOrder {
    /// The test, by its place in the list.
    #[getter]
    fn test(&self) -> usize {
        self.core.test
    }

    /// The seeds of the executions.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.core.seeds.clone()
    }

    /// Whether to find out where the test has its randomness from.
    #[getter]
    fn watches(&self) -> bool {
        self.core.watches
    }

    /// No execution begins later than so many seconds after the first one.
    #[getter]
    fn soon(&self) -> Option<f64> {
        self.core.soon.map(|soon| soon.as_secs_f64())
    }
}

/// An audit under way.
#[pyclass(module = "probtest._native")]
#[derive(Debug)]
pub struct Audit {
    core: Option<CoreAudit>,
    /// The seed.
    #[pyo3(get)]
    seed: u64,
    /// Whether nothing more is to be executed.
    #[pyo3(get)]
    is_done: bool,
    /// How long it may take, in seconds.
    #[pyo3(get)]
    time: Option<f64>,
}

impl Audit {
    fn core(&mut self) -> PyResult<&mut CoreAudit> {
        let ended = || PyRuntimeError::new_err("the audit has ended");
        self.core.as_mut().ok_or_else(ended)
    }
}

#[pymethods]
impl Audit {
    /// Begins with the ids of tests, and whether each has a claim of its own; options as names, flags
    /// and texts; the folder of a journal and what tells the code from other code.
    #[new]
    #[pyo3(signature = (tests, options, seed=None, journal=None))]
    fn new(
        tests: Vec<(String, bool)>,
        options: Vec<(String, String)>,
        seed: Option<u64>,
        journal: Option<(String, String)>,
    ) -> PyResult<Self> {
        let journal = journal.map(|(folder, code)| AuditJournal::open(Path::new(&folder), &code));
        let journal = journal.transpose().map_err(refused)?;
        let left = journal.as_ref().and_then(AuditJournal::seed);
        let seed = seed.map(RunSeed).or(left).unwrap_or_else(RunSeed::fresh);
        let mut settings = AuditSettings::new(seed);
        for (name, text) in &options {
            settings.read(name, flag(name), text).map_err(refused)?;
        }
        let time = settings.time.map(|time| time.as_secs_f64());
        let named = tests.into_iter().map(|(test, claimed)| Named {
            apart: claimed.then_some(Apart::Claimed),
            ..Named::new(test)
        });
        let mut core = CoreAudit::begin(named.collect(), settings).map_err(refused)?;
        if let Some(journal) = journal {
            core.keep(journal).map_err(refused)?;
        }
        Ok(Audit {
            core: Some(core),
            seed: seed.0,
            is_done: false,
            time,
        })
    }

    /// Says what to execute next, so many seconds after the beginning; None where nothing is.
    fn next(&mut self, seconds: f64) -> PyResult<Option<AuditOrder>> {
        let next = self.core()?.next(Duration::from_secs_f64(seconds.max(0.0)));
        self.is_done = next == NextOrder::Done;
        Ok(match next {
            NextOrder::Order(core) => Some(AuditOrder { core }),
            _ => None,
        })
    }

    /// Takes what came of an order, as JSON.
    fn observe(&mut self, order: &AuditOrder, made: &[u8]) -> PyResult<()> {
        let made = serde_json::from_slice(made).map_err(refused)?;
        self.core()?.observe(&order.core, made);
        Ok(())
    }

    /// Ends the audit.
    fn interrupt(&mut self) -> PyResult<()> {
        self.core()?.interrupt();
        Ok(())
    }

    /// The tests that were decided since this was asked last and have failed, in a line each.
    fn news(&mut self) -> PyResult<Vec<String>> {
        let news = self.core()?.news();
        let line = |test| format!("{}: {}", audit_name(&test), test.summary);
        Ok(news.into_iter().map(line).collect())
    }

    /// How many tests are decided, and how many there are.
    fn progress(&mut self) -> PyResult<(usize, usize)> {
        Ok(self.core()?.progress())
    }

    /// Returns the facts as JSON, the text, and how the tests compare with the highest rate.
    /// `replay` is given the place of a test and a seed, and writes a line to copy.
    fn finish(&mut self, replay: &Bound<'_, PyAny>) -> PyResult<(String, String, String)> {
        self.core()?;
        let Some(core) = self.core.take() else {
            return Err(PyRuntimeError::new_err("the audit has ended"));
        };
        let facts = core.finish(|test, seed| {
            let line = replay.call1((test, seed)).ok()?;
            line.extract().ok()
        });
        let json = serde_json::to_string(&facts).map_err(refused)?;
        let limit = audit_limit(&facts).as_str().to_owned();
        Ok((json, audit_text(&facts), limit))
    }
}

/// The flag of an option.
fn flag(option: &str) -> &'static str {
    match option {
        "time" => "--probtest-audit-time",
        "max_rate" => "--probtest-audit-max-rate",
        "precision" => "--probtest-audit-precision",
        "confidence" => "--probtest-audit-confidence",
        _ => "--probtest-audit-known",
    }
}
