//! The machine of an audit, for pytest.

use std::path::Path;
use std::time::Duration;

use probtest::audit::{
    Audit as CoreAudit, AuditJournal, AuditSettings, Exclusion, NamedTest, NextOrder, OrderResult,
    Outcome,
};
use probtest::report::{audit_entry, audit_limit, audit_text};
use probtest::seed::RunSeed;
use probtest_facts::json::{FromJson, ToJson};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::{properties, refused};

/// Executions of one test in a fresh process.
#[pyclass(module = "probtest._native", frozen)]
#[derive(Debug)]
pub struct AuditOrder {
    core: probtest::audit::Order,
}

properties! { AuditOrder, self:
    /// The test, by its place in the list.
    test: usize = self.core.test;
    /// The seeds of the executions.
    seeds: Vec<u64> = self.core.seeds.clone();
    /// The number of the interpreter that runs it.
    interpreter: u64 = self.core.interpreter;
    /// Whether to find out where the test has its randomness from.
    watches: bool = self.core.watches;
    /// Whether to vary the seeds that the code sets.
    varies: bool = self.core.varies;
    /// No execution begins later than so many seconds after the first one.
    soon: Option<f64> = self.core.soon.map(|soon| soon.as_secs_f64());
}

/// An audit under way.
#[pyclass(module = "probtest._native")]
#[derive(Debug)]
pub struct Audit {
    core: Option<CoreAudit>,
    /// What the user should know about the journal.
    journal_news: Option<String>,
    /// How long it may take, in seconds.
    #[pyo3(get)]
    time: Option<f64>,
    /// How long one execution may take, in seconds.
    #[pyo3(get)]
    timeout: Option<f64>,
}

impl Audit {
    fn ended() -> PyErr {
        PyRuntimeError::new_err("the audit has ended")
    }

    fn core(&mut self) -> PyResult<&mut CoreAudit> {
        self.core.as_mut().ok_or_else(Self::ended)
    }
}

#[pymethods]
impl Audit {
    /// Begins with the ids of tests, and whether each has a claim of its own; options as names, flags
    /// and texts; the folder of a journal and what tells the code from other code; whether seeds
    /// that the code sets are varied; the hash seed where all interpreters have one.
    #[new]
    #[pyo3(signature = (tests, options, seed=None, journal=None, varies=false, hash_seed=None))]
    fn new(
        tests: Vec<(String, bool)>,
        options: Vec<(String, String)>,
        seed: Option<u64>,
        journal: Option<(String, String)>,
        varies: bool,
        hash_seed: Option<u64>,
    ) -> PyResult<Self> {
        let (folder, code) = journal.unzip();
        let code = code.unwrap_or_default();
        let named = tests.into_iter().map(|(test, claimed)| NamedTest {
            apart: claimed.then_some(Exclusion::Claimed),
            code: code.clone(),
            ..NamedTest::new(test)
        });
        let (named, seed) = (named.collect::<Vec<_>>(), seed.map(RunSeed));
        let journal = folder.map(|folder| AuditJournal::open(Path::new(&folder), &named, seed));
        let journal = journal.transpose().map_err(refused)?;
        let left = journal.as_ref().and_then(AuditJournal::seed);
        let journal_news = journal.as_ref().and_then(AuditJournal::news);
        let seed = seed.or(left).unwrap_or_else(RunSeed::fresh);
        let mut settings = AuditSettings::new(seed);
        (settings.varies, settings.hash_seed) = (varies, hash_seed);
        settings.interpreters = INTERPRETERS;
        for (name, text) in &options {
            settings.read(name, flag(name), text).map_err(refused)?;
        }
        let time = settings.time.map(|time| time.as_secs_f64());
        let timeout = settings.timeout.map(|time| time.as_secs_f64());
        let mut core = CoreAudit::begin(named, settings).map_err(refused)?;
        if let Some(journal) = journal {
            core.keep(journal).map_err(refused)?;
        }
        Ok(Audit { core: Some(core), journal_news, time, timeout })
    }

    /// Says what to execute next, so many seconds after the beginning, in an interpreter that is free or in
    /// one that is to be started, and in none that is busy; None where nothing is.
    #[pyo3(signature = (seconds, present, others))]
    fn next(
        &mut self,
        seconds: f64,
        present: Option<u64>,
        others: Vec<u64>,
    ) -> PyResult<Option<AuditOrder>> {
        let elapsed = Duration::from_secs_f64(seconds.max(0.0));
        Ok(match self.core()?.next_in(elapsed, present, &others) {
            NextOrder::Order(core) => Some(AuditOrder { core }),
            _ => None,
        })
    }

    /// The seed of an interpreter.
    fn interpreter_seed(&mut self, interpreter: u64) -> PyResult<u32> {
        Ok(self.core()?.interpreter_seed(interpreter))
    }

    /// Takes what came of an order, as JSON.
    fn observe(&mut self, order: &AuditOrder, made: &[u8]) -> PyResult<()> {
        // A test may write whatever it likes to the pipe of its process.
        let text = std::str::from_utf8(made).ok();
        let made = text.and_then(|text| OrderResult::from_json(text.parse().ok()?));
        let made = made.unwrap_or_else(|| OrderResult {
            seen: vec![Outcome::Failed("its result could not be read".into())],
            ..OrderResult::default()
        });
        self.core()?.observe(&order.core, made);
        Ok(())
    }

    /// Takes back an order that has not begun.
    fn take_back(&mut self, order: &AuditOrder) -> PyResult<()> {
        self.core()?.take_back(&order.core);
        Ok(())
    }

    /// Ends the audit.
    fn interrupt(&mut self) -> PyResult<()> {
        self.core()?.interrupt();
        Ok(())
    }

    /// The news since the last call, a line each: about the journal, and tests that are decided and failed.
    fn news(&mut self) -> PyResult<Vec<String>> {
        let news = self.core()?.news();
        let journal = self.journal_news.take();
        Ok(journal.into_iter().chain(news.iter().map(audit_entry)).collect())
    }

    /// Returns the facts as JSON, the text, and how the tests compare with the highest rate.
    /// `replay` is given the place of a test, a seed, and that of an interpreter where the result depends
    /// on it, and writes a line to copy.
    fn finish(&mut self, replay: &Bound<'_, PyAny>) -> PyResult<(String, String, String)> {
        let facts = self.core.take().ok_or_else(Self::ended)?.finish(|again| {
            let line = replay.call1((again.test, again.seed, again.interpreter)).ok()?;
            line.extract().ok()
        });
        Ok((
            facts.to_json().to_string(),
            audit_text(&facts),
            audit_limit(&facts).as_str().to_owned(),
        ))
    }
}

/// How many interpreters must have agreed on a test: a result that depends on every other hash seed is
/// missed once in 128 times.
const INTERPRETERS: u64 = 8;

/// The flag of an option.
fn flag(option: &str) -> &'static str {
    match option {
        "time" => "--probtest-audit-time",
        "timeout" => "--probtest-audit-timeout",
        "max_rate" => "--probtest-audit-max-rate",
        "precision" => "--probtest-audit-precision",
        "confidence" => "--probtest-audit-confidence",
        "interpreters" => "--probtest-audit-interpreters",
        _ => "--probtest-audit-known",
    }
}
