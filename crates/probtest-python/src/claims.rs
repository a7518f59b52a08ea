//! Claims, from whatever numbers Python has.

use probtest::claim::{Terms, Worse};
use probtest::plan::Plan;
use probtest::report::{claim_line, promise};
use probtest::{Claim as CoreClaim, Error, Probability};
use pyo3::prelude::*;

use crate::refused;
use crate::values::{number, pair, probability};

/// What is promised.
#[pyclass(module = "probtest._native", frozen, from_py_object)]
#[derive(Clone, Debug)]
pub struct Claim {
    pub core: CoreClaim,
}

#[pymethods]
impl Claim {
    /// What it is about: detect, cover, tolerate, mean, fit, compare or estimate.
    #[getter]
    fn kind(&self) -> &'static str {
        self.core.kind()
    }

    /// p as text, exactly as it was given, or None.
    #[getter]
    fn p(&self) -> Option<String> {
        self.core.p().map(ToString::to_string)
    }

    /// epsilon as text, exactly as it was given; None for an estimate.
    #[getter]
    fn epsilon(&self) -> Option<String> {
        self.core.epsilon().map(ToString::to_string)
    }

    /// The tolerated rate as text, or None.
    #[getter]
    fn tolerate(&self) -> Option<String> {
        self.core.tolerated().map(ToString::to_string)
    }

    /// The chance of a false alarm as text; None where none is bounded.
    #[getter]
    fn false_alarm(&self) -> Option<String> {
        self.core.false_alarm().map(ToString::to_string)
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

    /// The most executions that a decision takes.
    #[getter]
    fn planned(&self) -> PyResult<u64> {
        let plan = Plan::new(&self.core).map_err(refused)?;
        Ok(plan.executions())
    }

    /// Whether the claim is about what executions return.
    #[getter]
    fn is_about_returned(&self) -> bool {
        self.core.is_about_returned()
    }

    /// Whether the first violation decides. Not where a rate is tolerated or measured.
    #[getter]
    fn first_violation_decides(&self) -> bool {
        self.core.first_violation_decides()
    }

    fn __repr__(&self) -> String {
        format!("<probtest claim: {}>", claim_line(&self.core))
    }
}

/// Claims that a mean lies within, above or below something.
#[pyfunction]
#[pyo3(signature = (between, margin, within=None, above=None, below=None, epsilon=None, false_alarm=None))]
pub fn mean(
    between: &Bound<'_, PyAny>,
    margin: &Bound<'_, PyAny>,
    within: Option<&Bound<'_, PyAny>>,
    above: Option<&Bound<'_, PyAny>>,
    below: Option<&Bound<'_, PyAny>>,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    let (low, high) = pair("between", between)?;
    let mut terms = probtest::mean().between(low, high).margin(number("margin", margin)?);
    if let Some(within) = within {
        let (low, high) = pair("within", within)?;
        terms = terms.within(low, high);
    }
    if let Some(low) = above {
        terms = terms.above(number("above", low)?);
    }
    if let Some(high) = below {
        terms = terms.below(number("below", high)?);
    }
    with_chances(terms, epsilon, false_alarm)
}

/// Claims that each label is returned with its probability.
#[pyfunction]
#[pyo3(signature = (labels, distance, epsilon=None, false_alarm=None))]
pub fn fit(
    labels: Vec<(String, Bound<'_, PyAny>)>,
    distance: &Bound<'_, PyAny>,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    let mut terms = probtest::fit().distance(number("distance", distance)?);
    for (label, p) in labels {
        terms = terms.label(label, probability("the probability of a label", &p)?);
    }
    with_chances(terms, epsilon, false_alarm)
}

/// Claims that a new version does not violate more often than an old one.
#[pyfunction]
#[pyo3(signature = (p_change, epsilon=None, false_alarm=None))]
pub fn compare(
    p_change: &Bound<'_, PyAny>,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    let terms = probtest::compare(probability("p_change", p_change)?);
    with_chances(terms, epsilon, false_alarm)
}

/// Claims that the mean of a new version is not worse than that of an old one.
#[pyfunction]
#[pyo3(signature = (change, between, worse, epsilon=None, false_alarm=None))]
pub fn compare_means(
    change: &Bound<'_, PyAny>,
    between: &Bound<'_, PyAny>,
    worse: &str,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    let (low, high) = pair("between", between)?;
    let worse = match worse {
        "higher" => Worse::Higher,
        "lower" => Worse::Lower,
        other => {
            return made(Err(Error::new(
                "worse does not say which numbers are worse",
                format!("worse = {other:?}"),
                "write worse=\"higher\" or worse=\"lower\"",
            )));
        }
    };
    let terms = probtest::compare_means().between(low, high).worse(worse);
    with_chances(terms.change(number("change", change)?), epsilon, false_alarm)
}

/// Asks for the violation rate, in an interval of at most this width.
#[pyfunction]
#[pyo3(signature = (width, confidence=None))]
pub fn estimate(
    width: &Bound<'_, PyAny>,
    confidence: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    // Numbers: a float says how close the end of an interval can come to 0 or 1.
    let mut terms = probtest::estimate(number("width", width)?);
    if let Some(confidence) = confidence {
        terms = terms.confidence(number("confidence", confidence)?);
    }
    made(terms.claim())
}

fn with_chances<R>(
    mut terms: Terms<R>,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    let chance = |name, value: Option<&Bound<'_, PyAny>>| -> PyResult<Option<Probability>> {
        value.map(|value| probability(name, value)).transpose()
    };
    if let Some(epsilon) = chance("epsilon", epsilon)? {
        terms = terms.epsilon(epsilon);
    }
    if let Some(false_alarm) = chance("false_alarm", false_alarm)? {
        terms = terms.false_alarm(false_alarm);
    }
    made(terms.claim())
}

fn made(claim: Result<CoreClaim, Error>) -> PyResult<Claim> {
    let core = claim.map_err(refused)?;
    Ok(Claim { core })
}
