//! The random numbers of executions, for Python with and without NumPy.

use probtest::TestRng;
use probtest::seed::{RunSeed, Stream as CoreStream};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::properties;

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
