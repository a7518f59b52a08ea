//! What the executions of a test came to.

use probtest::judge::{Reason, Verdict};
use probtest::report::Report as CoreReport;
use probtest::seed::{Address, RunSeed, Selection};
use pyo3::prelude::*;

use crate::claims::Claim;

/// The facts of one test.
#[pyclass(module = "probtest._native")]
pub struct Report {
    core: CoreReport,
    /// The verdict in a word, as the JSON form has it.
    #[pyo3(get)]
    verdict: String,
    /// Whether the test passed, or measured, or a budget ended first and it accepts that.
    #[pyo3(get)]
    accepted: bool,
    /// The claim, with its share of what the suite may get wrong.
    #[pyo3(get)]
    claim: Claim,
    /// The executions that count.
    #[pyo3(get)]
    executed: u64,
    /// The run seed.
    #[pyo3(get)]
    seed: u64,
    /// The address of the execution to look at, if there is one.
    #[pyo3(get)]
    address: Option<(u64, u64)>,
    /// The execution that violated and decided, if one did.
    #[pyo3(get)]
    violating_index: Option<u64>,
    /// Whether a limit of time has cut the test.
    #[pyo3(get)]
    cut_by_time: bool,
    /// What an execution returned that ran alone, where the claim is about that.
    #[pyo3(get)]
    returned: Option<String>,
    /// The exception that the verdict comes from, if it comes from one.
    #[pyo3(get)]
    exception: Option<Py<PyAny>>,
}

impl Report {
    /// Takes the facts, and the last exception. With a tolerated rate that may be one of a
    /// violation that has decided nothing.
    pub fn new(core: CoreReport, exception: Option<Py<PyAny>>) -> Self {
        let broken = matches!(core.verdict(), Verdict::Inconclusive(Reason::Broken { .. }));
        let decides = broken || core.violation().is_some();
        Report {
            verdict: core.verdict_name(),
            accepted: core.accepted(),
            claim: Claim { core: core.claim().clone() },
            executed: core.counts().executed,
            seed: core.seed().0,
            address: core.address().map(|address| (address.seed.0, address.index)),
            violating_index: core.violating_index(),
            cut_by_time: core.time_limit().is_some(),
            returned: core.returned().map(str::to_owned),
            exception: exception.filter(|_| decides),
            core,
        }
    }
}

/// Writes the address that plays a tape, or that in a file behind `@`, in an execution of a test.
#[pyfunction]
pub fn tape_address(seed: u64, index: u64, test: &str, tape: &str) -> String {
    let seed = RunSeed(seed);
    let selection = Selection::of(Address { seed, index }, test);
    format!("{selection}:{tape}")
}

#[pymethods]
impl Report {
    /// What is to be remembered: the address of a counterexample, and those of earlier
    /// runs that no longer violate.
    #[getter]
    fn memory(&self) -> (Option<String>, Vec<String>) {
        let breaks = self.core.claim().has_counterexamples() && self.core.violation().is_some();
        let found = self.core.address().filter(|_| breaks);
        let fixed = self.core.remembered().did_not_violate();
        let text = |address: &Address| address.to_string();
        (found.as_ref().map(text), fixed.iter().map(text).collect())
    }

    /// The text of the tape of the small execution, where one was found.
    #[getter]
    fn tape(&self) -> Option<String> {
        self.core.small_tape().map(|tape| tape.to_string())
    }

    /// The tape that was played in the remembered execution that violated, which its own draws
    /// no longer do.
    #[getter]
    fn played(&self) -> Option<String> {
        self.core.played().map(ToString::to_string)
    }

    /// Whether no single execution speaks for the verdict, so that all are executed again.
    #[getter]
    fn is_rerun_whole(&self) -> bool {
        let core = &self.core;
        let whole = core.claim().is_about_returned() || core.confirmed() == Some(false);
        whole && !core.accepted() && core.address().is_none()
    }

    /// Why an execution that ran alone could not be judged, and what to do; None where it
    /// was judged.
    #[getter]
    fn refusal(&self) -> Option<String> {
        let (why, help) = self.core.refusal();
        match self.core.verdict() {
            Verdict::Inconclusive(Reason::Replayed { .. }) => None,
            // It says itself what to do.
            Verdict::Inconclusive(Reason::Broken { message, .. }) => Some(message.clone()),
            _ if self.core.violation().is_some() => None,
            _ => {
                let given = self.core.address().map(|address| address.to_string());
                let given = given.unwrap_or_else(|| self.core.seed().to_string());
                Some(format!("{why}\n  given  {given}\n  help   {help}"))
            }
        }
    }

    /// The words for people, without the violation itself.
    #[getter]
    fn section(&self) -> String {
        self.core.section()
    }

    /// One line.
    #[getter]
    fn summary(&self) -> String {
        self.core.summary()
    }

    /// The facts as JSON text.
    #[getter]
    fn json(&self) -> String {
        self.core.to_json().to_string()
    }

    /// Whether the execution that decided violated again; None where that was not tried.
    #[getter]
    fn confirmed(&self) -> Option<bool> {
        self.core.confirmed()
    }

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

    /// The part of the executions that these are, such as `3/16`; None for all of them.
    #[getter]
    fn shard(&self) -> Option<String> {
        self.core.shard().map(|shard| shard.to_string())
    }

    /// Keeps the lines to copy for those who merge the shards; `replay` is that of an execution
    /// with the number `ANY_INDEX`.
    fn annotate_part(&mut self, replay: String, rerun: String) {
        self.core.set_part_lines(Some(replay), Some(rerun), false);
    }
}
