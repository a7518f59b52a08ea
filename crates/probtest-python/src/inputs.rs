//! Inputs of executions: Python draws them, and here is what the machine has to know of them.
//!
//! How the inputs of an execution are made is one code, whichever draws they are of.

use probtest::run::{Observation, settle_shared};
use probtest::seed::{InputCode, InputDrawn, Inputs, Playing, Smaller};
use pyo3::prelude::*;

use crate::executor::{Call, Executor};

/// What came of making inputs smaller.
#[derive(Default)]
pub struct Smallest {
    pub executions: u64,
    /// Whether time was over before nothing more could be taken away.
    pub cut: bool,
}

impl Executor<'_, '_> {
    /// Makes an execution, and says whether the program has drawn. That counts where it shares
    /// its input with others; else the guard sees it, in Python.
    pub fn make_with_input(&mut self, call: &Call) -> PyResult<(Observation, bool)> {
        let observation = self.make(call, Self::call)?;
        let shared = call.stream.inputs().is_some();
        let Some(inputs) = self.around.inputs.as_ref().filter(|_| shared) else {
            return Ok((observation, true));
        };
        let asked = inputs.getattr("has_asked")?.is_truthy()?;
        let drew = !observation.is_rejected() || inputs.getattr("program_drew")?.is_truthy()?;
        Ok((settle_shared(asked, observation), drew))
    }

    /// Has the inputs of the next execution made as a code says, or as their stream does. Says
    /// whether the code can be read.
    pub fn play_inputs(&self, made: Option<&InputCode>) -> PyResult<bool> {
        let Some(inputs) = &self.around.inputs else {
            return Ok(true);
        };
        let made = made.map(|made| (made.attempt, made.codes.first().cloned()));
        inputs.call_method1("play", (made,))?.is_truthy()
    }

    /// Has Python make inputs smaller where that is asked for, and plays the smallest.
    pub fn smallest_inputs(&self, mut playing: Playing) -> PyResult<(Playing, Smallest)> {
        let (Some(time), Some(inputs), Some(watchdog)) =
            (playing.shrinks_inputs, &self.around.inputs, &self.seen.watchdog)
        else {
            return Ok((playing, Smallest::default()));
        };
        let found = inputs.call_method1("smallest", (time.as_secs_f64(), watchdog))?;
        let (code, executions, cut) = found.extract::<(Option<Vec<u64>>, u64, bool)>()?;
        if let (Some(code), Some(made)) = (code, &mut playing.inputs) {
            made.codes = vec![code];
        }
        Ok((playing, Smallest { executions, cut }))
    }

    /// What the last execution outside of the plan drew besides the program.
    pub fn inputs_drawn(&self, cut: bool) -> PyResult<Inputs> {
        let Some(inputs) = &self.around.inputs else {
            return Ok(Inputs::default());
        };
        let told = inputs.call_method0("told")?;
        let (attempt, mut code, lines) =
            told.extract::<(u64, Vec<u64>, Vec<(String, String)>)>()?;
        let mut smaller = Smaller::Asked { cut };
        let input = |(name, text)| InputDrawn {
            name,
            text,
            code: std::mem::take(&mut code),
            smaller: std::mem::take(&mut smaller),
        };
        let drawn = lines.into_iter().map(input).collect();
        Ok(Inputs { attempt, drawn })
    }
}
