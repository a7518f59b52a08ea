//! The loop over executions for judges other than that of violations.

use std::ops::ControlFlow;

use probtest::judge::numeric::NumericJudge;
use probtest::judge::{Counts, Estimator};
use probtest::run::Record;
use pyo3::prelude::*;

use crate::executing::Engine;
use crate::sources::Ticker;

/// Something that decides while records come in.
pub trait Watch {
    /// The counts so far.
    fn counts(&self) -> Counts;
    /// Looks at the next record and says whether to go on.
    fn observe(&mut self, record: Record) -> ControlFlow<()>;
}

impl Watch for Estimator {
    fn counts(&self) -> Counts {
        Estimator::counts(self)
    }

    fn observe(&mut self, record: Record) -> ControlFlow<()> {
        Estimator::observe(self, record)
    }
}

impl Watch for NumericJudge {
    fn counts(&self) -> Counts {
        NumericJudge::counts(self)
    }

    fn observe(&mut self, record: Record) -> ControlFlow<()> {
        NumericJudge::observe(self, record)
    }
}

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
