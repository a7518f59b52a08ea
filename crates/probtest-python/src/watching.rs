//! The loop over executions for judges other than that of violations.

use probtest::judge::Watch;
use probtest::run::Record;
use pyo3::prelude::*;

use crate::executing::Engine;
use crate::sources::Ticker;

/// Executes one execution after the other until the judge has seen enough.
pub fn watch(
    engine: &mut Engine<'_, '_>,
    py: Python<'_>,
    judge: &mut impl Watch,
    mut ticker: Ticker,
) -> PyResult<()> {
    let mut index = 1;
    loop {
        let counts = judge.counts();
        ticker.tick(py, counts.executed, counts.rejected)?;
        let (rejected, observation) = engine.counted(index)?;
        let record = Record {
            index,
            rejected,
            // Whether something was drawn is seen by the guard, in Python.
            drew: true,
            observation,
        };
        if judge.observe(record).is_break() {
            return Ok(());
        }
        index += 1;
    }
}
