//! What the executions of a test came to.

use probtest::judge::{Reason, Verdict};
use probtest::report::{Note, Remembered, Report as CoreReport};
use probtest::seed::Address;
use pyo3::prelude::*;

use crate::claims::Claim;

/// The facts of one test.
#[pyclass(module = "probtest._native")]
pub struct Report {
    core: CoreReport,
    exception: Option<Py<PyAny>>,
}

impl Report {
    /// Takes the facts, and the last exception. With a tolerated rate that may be one of a
    /// violation that has decided nothing.
    pub fn new(core: CoreReport, exception: Option<Py<PyAny>>) -> Self {
        let broken = matches!(core.verdict(), Verdict::Inconclusive(Reason::Broken { .. }));
        let decides = broken || core.violation().is_some();
        Report {
            core,
            exception: exception.filter(|_| decides),
        }
    }
}

#[pymethods]
impl Report {
    /// The verdict in a word, as the JSON form has it.
    #[getter]
    fn verdict(&self) -> String {
        self.core.verdict_name()
    }

    /// Whether the test passed, or measured, or a budget ended first and it accepts that.
    #[getter]
    fn accepted(&self) -> bool {
        self.core.accepted()
    }

    /// The claim, with its share of what the suite may get wrong.
    #[getter]
    fn claim(&self) -> Claim {
        Claim {
            core: self.core.claim().clone(),
        }
    }

    /// The executions that count.
    #[getter]
    fn executed(&self) -> u64 {
        self.core.counts().executed
    }

    /// The run seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.core.seed().0
    }

    /// The address of the execution to look at, if there is one.
    #[getter]
    fn address(&self) -> Option<(u64, u64)> {
        let address = self.core.address()?;
        Some((address.seed.0, address.index))
    }

    /// The execution that violated and decided, if one did.
    #[getter]
    fn violating_index(&self) -> Option<u64> {
        self.core.violating_index()
    }

    /// The exception that the verdict comes from, if it comes from one.
    #[getter]
    fn exception(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.exception.as_ref().map(|found| found.clone_ref(py))
    }

    /// What is to be remembered: the address of a counterexample, and those of earlier
    /// runs that no longer violate.
    #[getter]
    fn memory(&self) -> (Option<String>, Vec<String>) {
        let breaks = self.core.claim().has_counterexamples() && self.core.violation().is_some();
        let found = self.core.address().filter(|_| breaks);
        let fixed = match self.core.remembered() {
            Remembered::Fixed(fixed) => fixed.as_slice(),
            _ => &[],
        };
        let text = |address: &Address| address.to_string();
        (found.as_ref().map(text), fixed.iter().map(text).collect())
    }

    /// Whether a limit of time has cut the test.
    #[getter]
    fn cut_by_time(&self) -> bool {
        self.core.time_limit().is_some()
    }

    /// What an execution returned that ran alone, where the claim is about that.
    #[getter]
    fn returned(&self) -> Option<String> {
        self.core.returned().map(ToString::to_string)
    }

    /// Why an execution that ran alone could not be judged, and what to do; None where it
    /// did nothing wrong.
    #[getter]
    fn refusal(&self) -> Option<(String, String)> {
        let replayed = matches!(
            self.core.verdict(),
            Verdict::Inconclusive(Reason::Replayed { .. })
        );
        (!replayed && self.core.violation().is_none()).then(|| self.core.refusal())
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

    /// Adds the lines to copy, and what the guard has seen.
    #[pyo3(signature = (*, replay=None, rerun=None, reseeds=false, copies=false))]
    fn annotate(
        &mut self,
        replay: Option<String>,
        rerun: Option<String>,
        reseeds: bool,
        copies: bool,
    ) {
        self.core.set_replay(replay);
        self.core.set_rerun(rerun);
        for (seen, note) in [(reseeds, Note::Reseeds), (copies, Note::Copies)] {
            if seen {
                self.core.add_note(note);
            }
        }
    }
}
