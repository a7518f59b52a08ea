//! What every test tells of its report.

use probtest::report::Note;

/// Adds the getters to a class with the fields `plan`, `suite` and `report`. The reports
/// of claims on violations and on numbers are of two types that answer to the same names.
macro_rules! tell_of_report {
    ($class:ident) => {
        #[pyo3::pymethods]
        impl $class {
            /// Says what the test is part of: how many tests share which chances.
            #[pyo3(signature = (tests, epsilon=None, false_alarm=None))]
            fn part_of(
                &mut self,
                tests: u64,
                epsilon: Option<&pyo3::Bound<'_, pyo3::PyAny>>,
                false_alarm: Option<&pyo3::Bound<'_, pyo3::PyAny>>,
            ) -> pyo3::PyResult<()> {
                self.suite = $crate::suites::suite(tests, epsilon, false_alarm)?;
                Ok(())
            }

            /// The most executions that a decision takes.
            #[getter]
            fn planned(&self) -> u64 {
                self.plan.executions()
            }

            /// Whether a limit of time has cut the test.
            #[getter]
            fn cut_by_time(&self) -> bool {
                let report = self.report.as_ref();
                report.is_some_and(|report| report.time_limit().is_some())
            }

            /// The address of the execution to look at, if there is one.
            #[getter]
            fn address(&self) -> Option<(u64, u64)> {
                let address = self.report.as_ref()?.address?;
                Some((address.seed.0, address.index))
            }

            /// (executed, passed or returned, violated, rejected, not executed).
            #[getter]
            fn counts(&self) -> Option<(u64, u64, u64, u64, u64)> {
                let counts = self.report.as_ref()?.counts;
                Some((
                    counts.executed,
                    counts.passed,
                    counts.violated,
                    counts.rejected,
                    counts.not_executed(),
                ))
            }

            /// The words for people, without the violation itself.
            #[getter]
            fn section(&self) -> Option<String> {
                Some(self.report.as_ref()?.section())
            }

            /// One line.
            #[getter]
            fn summary(&self) -> Option<String> {
                Some(self.report.as_ref()?.summary())
            }

            /// What else the reader should know, in sentences.
            #[getter]
            fn notes(&self) -> Vec<&'static str> {
                let notes = self.report.iter().flat_map(|report| &report.notes);
                notes.map(probtest::report::Note::words).collect()
            }

            /// The facts as JSON text.
            #[getter]
            fn json(&self) -> Option<String> {
                Some(serde_json::to_string(&self.report.as_ref()?.facts()).unwrap_or_default())
            }
        }
    };
}
pub(crate) use tell_of_report;

/// What the guard doubts about the independence of executions, for a report.
pub fn doubts(reseeds: bool, copies: bool) -> impl Iterator<Item = Note> {
    let seen = [(reseeds, Note::Reseeds), (copies, Note::Copies)];
    seen.into_iter()
        .filter_map(|(seen, note)| seen.then_some(note))
}
