//! Inputs of executions: Python draws them, and here is what the machine has to know of them.

use probtest::run::{Observation, settle_shared};
use pyo3::prelude::*;

use crate::executor::{Call, Executor};

impl Executor<'_, '_> {
    /// Makes an execution. Where others share its input and that is not applicable, it is made
    /// again with the next one, as all of them are.
    pub fn make_with_input(&mut self, call: &Call) -> PyResult<Observation> {
        let inputs = self.around.inputs.clone();
        let Some(inputs) = inputs.filter(|_| call.stream.inputs().is_some()) else {
            return self.make(call, Self::call);
        };
        let mut rejected = 0;
        loop {
            inputs.setattr("rejected", rejected)?;
            let observation = self.make(call, Self::call)?;
            let drew = inputs.getattr("has_asked")?.is_truthy()?;
            let by_input =
                observation.is_rejected() && inputs.call_method0("are_rejected")?.is_truthy()?;
            if let Some(did) = settle_shared(drew, by_input, observation, &mut rejected) {
                return Ok(did);
            }
        }
    }
}
