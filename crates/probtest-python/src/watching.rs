//! The loop over executions, for any judge.

use probtest::judge::Watch;
use probtest::run::Record;
use pyo3::prelude::*;

use crate::executing::Engine;
use crate::sources::Ticker;
use crate::timing::Timer;

/// Executes one execution after the other, from the one that the session has chosen
/// on, until the judge has seen enough or the time is over.
pub fn watch(engine: &mut Engine<'_, '_>, judge: &mut impl Watch, timer: &Timer) -> PyResult<()> {
    let py = engine.session.py();
    let mut ticker = Ticker::new(engine.around.tick.take());
    let mut index = engine.session.borrow().index;
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
        if let Some(limit) = timer.over(py)?
            && judge.time_is_over(limit).is_break()
        {
            return Ok(());
        }
        index += 1;
    }
}
