//! Reading what a body returns where the claim is on that.

use std::cell::RefCell;

use probtest::claim::numeric::FitClaim;
use probtest::run::{Number, Observation};
use pyo3::prelude::*;

/// Returns what a coroutine or a generator is: nothing of it was executed.
pub fn not_awaited(value: &Bound<'_, PyAny>) -> PyResult<Option<Observation>> {
    if !value.hasattr("__await__")? && !value.hasattr("send")? {
        return Ok(None);
    }
    let kind = value.get_type().name()?;
    Ok(Some(Observation::Broken(format!(
        "the body returned a {kind} that nobody waits for; call it through a plugin for async tests, or asyncio.run"
    ))))
}

/// What a body is to return.
#[derive(Clone, Debug)]
pub enum Returning {
    /// A number.
    Number,
    /// A label, compared by its text; and the last one that is not listed.
    Label(Box<FitClaim>, RefCell<Option<String>>),
}

impl Returning {
    /// Returns the last label that is not listed, if there was one.
    pub fn unlisted(&self) -> Option<String> {
        match self {
            Returning::Number => None,
            Returning::Label(_, unlisted) => unlisted.borrow().clone(),
        }
    }

    /// Reads what the body returned.
    pub fn read(&self, value: &Bound<'_, PyAny>) -> PyResult<Observation> {
        if let Some(broken) = not_awaited(value)? {
            return Ok(broken);
        }
        match self {
            Returning::Number => Ok(match value.extract::<f64>() {
                Ok(number) => Observation::Number(Number(number)),
                Err(_) => Observation::Broken(format!(
                    "the body returned {}, which is no number",
                    value.repr()?
                )),
            }),
            Returning::Label(claim, unlisted) => {
                let label = value.str()?.to_string();
                let Some(position) = claim.position(&label) else {
                    unlisted.replace(Some(label));
                    return Ok(Observation::Unlisted);
                };
                Ok(Observation::Outcome(position))
            }
        }
    }
}
