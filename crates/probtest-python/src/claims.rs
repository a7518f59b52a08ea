//! Claims, from whatever numbers Python has.

use probtest::claim::{Claim as CoreClaim, ClaimError, Outcomes, Probability};
use probtest::report::{claim_line, promise};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyString};

use crate::errors::claim_error;

/// What is promised.
#[pyclass(module = "probtest._native", frozen)]
#[derive(Clone, Debug)]
pub struct Claim {
    pub core: CoreClaim,
}

#[pymethods]
impl Claim {
    /// p as text, exactly as it was given; None for a claim on outcomes.
    #[getter]
    fn p(&self) -> Option<String> {
        self.core.p().map(ToString::to_string)
    }

    /// epsilon as text, exactly as it was given.
    #[getter]
    fn epsilon(&self) -> String {
        self.core.epsilon().to_string()
    }

    /// The tolerated rate as text, or None.
    #[getter]
    fn tolerate(&self) -> Option<String> {
        self.core.tolerated().map(|(rate, _)| rate.to_string())
    }

    /// The chance of a false alarm as text; None where no rate is tolerated.
    #[getter]
    fn false_alarm(&self) -> Option<String> {
        self.core.tolerated().map(|(_, alarm)| alarm.to_string())
    }

    /// The outcomes as text, or None.
    #[getter]
    fn outcomes(&self) -> Option<Vec<String>> {
        let outcomes = self.core.outcomes()?;
        Some(outcomes.iter().map(ToString::to_string).collect())
    }

    /// The promise in words.
    #[getter]
    fn promise(&self) -> String {
        promise(&self.core)
    }

    fn __repr__(&self) -> String {
        format!("<probtest claim: {}>", claim_line(&self.core))
    }
}

/// Claims that a violation probability of p or more is caught.
#[pyfunction]
pub fn detect(p: &Bound<'_, PyAny>, epsilon: &Bound<'_, PyAny>) -> PyResult<Claim> {
    let (p, epsilon) = (named("p", p)?, named("epsilon", epsilon)?);
    let core = CoreClaim::detect(p, epsilon).map_err(claim_error)?;
    Ok(Claim { core })
}

/// Claims that each of these outcomes is seen.
#[pyfunction]
pub fn cover(outcomes: &Bound<'_, PyAny>, epsilon: &Bound<'_, PyAny>) -> PyResult<Claim> {
    let outcomes = if let Ok(text) = outcomes.cast::<PyString>() {
        Outcomes::parse(text.to_str()?).map_err(claim_error)?
    } else {
        let mut list = Vec::new();
        for p in outcomes.try_iter()? {
            list.push(named("an outcome's probability", &p?)?);
        }
        Outcomes::new(list).map_err(claim_error)?
    };
    let epsilon = named("epsilon", epsilon)?;
    let core = CoreClaim::cover(outcomes, epsilon).map_err(claim_error)?;
    Ok(Claim { core })
}

/// Claims that a rate of `tolerate` passes and a rate of p fails. What is None
/// has its default; `outcomes` says whether the test gives some, which is refused.
#[pyfunction]
pub fn tolerate(
    tolerate: Option<&Bound<'_, PyAny>>,
    p: Option<&Bound<'_, PyAny>>,
    epsilon: &Bound<'_, PyAny>,
    false_alarm: Option<&Bound<'_, PyAny>>,
    outcomes: bool,
) -> PyResult<Claim> {
    let Some(tolerate) = tolerate else {
        return Err(claim_error(ClaimError::FalseAlarmAlone));
    };
    if outcomes {
        return Err(claim_error(ClaimError::TolerateAndOutcomes));
    }
    let core = CoreClaim::tolerate_or_default(
        named("tolerate", tolerate)?,
        p.map(|p| named("p", p)).transpose()?,
        named("epsilon", epsilon)?,
        false_alarm
            .map(|alarm| named("false_alarm", alarm))
            .transpose()?,
    );
    Ok(Claim {
        core: core.map_err(claim_error)?,
    })
}

/// Reads a probability, so that an error calls it by its name. A float is the decimal
/// that it prints as, everything else is read by its text: a `Fraction` prints as
/// `1/6`, a `Decimal` as `0.01`.
pub fn named(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Probability> {
    if let Ok(number) = value.cast::<PyFloat>() {
        let number = number.value();
        return Probability::from_f64(number)
            .or_else(|_| Probability::named(name, &format!("{number:?}")))
            .map_err(claim_error);
    }
    let Ok(text) = value.str() else {
        // Python refuses to write numbers of thousands of digits.
        let kind = value.get_type().name()?;
        return Err(claim_error(format!(
            "{name} is not a number strictly between 0 and 1\n  given  a value of type {kind} that cannot be written\n  \
             help   write a probability such as 0.01, 1e-3 or 1/1024"
        )));
    };
    Probability::named(name, text.to_str()?).map_err(claim_error)
}
