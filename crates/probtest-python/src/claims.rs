//! Claims, from whatever numbers Python has.

use probtest::claim::{Claim as CoreClaim, Outcomes, Probability};
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
    let (p, epsilon) = (probability(p)?, probability(epsilon)?);
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
            list.push(probability(&p?)?);
        }
        Outcomes::new(list).map_err(claim_error)?
    };
    let core = CoreClaim::cover(outcomes, probability(epsilon)?).map_err(claim_error)?;
    Ok(Claim { core })
}

/// Reads a float as the decimal it prints as, everything else by its text: a
/// `Fraction` prints as `1/6`, a `Decimal` as `0.01`.
pub fn probability(value: &Bound<'_, PyAny>) -> PyResult<Probability> {
    if let Ok(number) = value.cast::<PyFloat>() {
        return Probability::from_f64(number.value()).map_err(claim_error);
    }
    let text = value.str()?;
    Probability::parse(text.to_str()?).map_err(claim_error)
}
