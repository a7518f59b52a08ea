//! The random numbers of one execution, for Python without NumPy.

use probtest::TestRng;
use probtest::seed::{RunSeed, Stream};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The stream of one execution.
#[pyclass(module = "probtest._native")]
#[derive(Debug)]
pub struct Sequence {
    rng: TestRng,
}

#[pymethods]
impl Sequence {
    #[new]
    fn new(seed: u64, test: &str, index: u64, attempt: u64) -> Self {
        Sequence {
            rng: Stream::new(RunSeed(seed), test).attempt(index, attempt),
        }
    }

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
