//! Claims and their plans, from whatever numbers Python has.

use std::time::Duration;

use probtest::claim::{Terms, Worse};
use probtest::plan::{self as planning, Plan};
use probtest::report::{self, claim_line, plan_facts, plan_text};
use probtest::settings::{Kind, Spec, Value, check_duration};
use probtest::{Claim as CoreClaim, Error, Outcomes, Probability};
use probtest_facts::TestFacts;
use probtest_syntax::options::DEFAULT_EPSILON;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PySet, PyString};

use crate::{properties, refused};

/// What is promised.
#[pyclass(module = "probtest._native", frozen, from_py_object)]
#[derive(Clone, Debug)]
pub struct Claim {
    pub core: CoreClaim,
}

properties! { Claim, self:
    /// What it is about: detect, cover, tolerate, mean, fit, compare or estimate.
    kind: &'static str = self.core.kind();
    /// p as text, exactly as it was given, or None.
    p: Option<String> = self.core.p().map(ToString::to_string);
    /// epsilon as text, exactly as it was given; None for an estimate.
    epsilon: Option<String> = self.core.epsilon().map(ToString::to_string);
    /// The tolerated rate as text, or None.
    tolerate: Option<String> = self.core.tolerated().map(ToString::to_string);
    /// The chance of a false alarm as text; None where none is bounded.
    false_alarm: Option<String> = self.core.false_alarm().map(ToString::to_string);
    /// The outcomes as text, or None.
    outcomes: Option<Vec<String>> =
        Some(self.core.outcomes()?.iter().map(ToString::to_string).collect());
    /// The promise in words.
    promise: String = report::promise(&self.core);
    /// The most executions that a decision takes.
    planned: PyResult<u64> = Ok(Plan::new(&self.core).map_err(refused)?.executions());
    /// Whether the claim is about what executions return.
    is_about_returned: bool = self.core.is_about_returned();
    /// Whether the first violation decides. Not where a rate is tolerated or measured.
    first_violation_decides: bool = self.core.first_violation_decides();
}

#[pymethods]
impl Claim {
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
            return Err(refused(Error::new(
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
    Ok(Claim { core: terms.claim().map_err(refused)? })
}

fn with_chances<R>(
    mut terms: Terms<R>,
    epsilon: Option<&Bound<'_, PyAny>>,
    false_alarm: Option<&Bound<'_, PyAny>>,
) -> PyResult<Claim> {
    if let Some(epsilon) = epsilon {
        terms = terms.epsilon(probability("epsilon", epsilon)?);
    }
    if let Some(false_alarm) = false_alarm {
        terms = terms.false_alarm(probability("false_alarm", false_alarm)?);
    }
    Ok(Claim { core: terms.claim().map_err(refused)? })
}

/// Plans a claim: the facts as JSON text, and the words.
#[pyfunction]
pub fn plan(claim: &Claim) -> PyResult<(String, String)> {
    let plan = Plan::new(&claim.core).map_err(refused)?;
    let facts = serde_json::to_string(&plan_facts(&plan)).map_err(refused)?;
    Ok((facts, plan_text(&plan)))
}

/// Returns the chance of passing and the expected executions at a violation rate; None
/// where they do not depend on a rate.
#[pyfunction]
pub fn at_rate(claim: &Claim, rate: f64) -> PyResult<Option<(f64, f64)>> {
    if !(0.0..=1.0).contains(&rate) {
        return Err(refused(Error::new(
            "a violation rate must be between 0 and 1",
            format!("{rate:?}"),
            "write a number such as 0.001",
        )));
    }
    let plan = Plan::new(&claim.core).map_err(refused)?;
    let passing = plan.chance_of_passing(rate);
    Ok(passing.zip(plan.expected_executions(rate)))
}

/// Reads an epsilon, or returns the one that holds where none is given.
fn epsilon_or_default(epsilon: Option<&Bound<'_, PyAny>>) -> PyResult<Probability> {
    match epsilon {
        Some(epsilon) => probability("epsilon", epsilon),
        None => Probability::parse(DEFAULT_EPSILON).map_err(refused),
    }
}

/// Returns the smallest p that so many executions catch.
#[pyfunction]
#[pyo3(signature = (executions, epsilon=None))]
pub fn smallest_p(executions: u64, epsilon: Option<&Bound<'_, PyAny>>) -> PyResult<f64> {
    let p = planning::smallest_p(executions, &epsilon_or_default(epsilon)?).map_err(refused)?;
    Ok(p.as_f64())
}

/// Returns the chance of missing a claim's p after so many executions.
#[pyfunction]
pub fn epsilon_attained(executions: u64, p: &Bound<'_, PyAny>) -> PyResult<f64> {
    let chance = planning::epsilon_attained(&probability("p", p)?, executions);
    Ok(chance.map_err(refused)?.value())
}

/// What it costs to believe in another p than the real one: executions needed, executions
/// planned, how many are short, chance of missing, how much that is above epsilon.
#[pyfunction]
#[pyo3(signature = (p, believed, epsilon=None))]
pub fn sensitivity(
    p: &Bound<'_, PyAny>,
    believed: &Bound<'_, PyAny>,
    epsilon: Option<&Bound<'_, PyAny>>,
) -> PyResult<(u64, u64, i128, f64, f64)> {
    let (p, believed) = (probability("p", p)?, probability("believed", believed)?);
    let found = planning::sensitivity(&p, &believed, &epsilon_or_default(epsilon)?);
    let found = found.map_err(refused)?;
    let (needed, planned) = (found.executions, found.executions_believed);
    Ok((needed, planned, found.short, found.miss.value(), found.added_miss))
}

/// Returns the Clopper-Pearson interval of a rate.
#[pyfunction]
pub fn interval(violations: u64, executions: u64, confidence: f64) -> PyResult<(f64, f64)> {
    probtest::judge::interval::clopper_pearson(violations, executions, confidence).map_err(refused)
}

/// Says what tests promise together, as JSON text, from the JSON text of their facts.
#[pyfunction]
pub fn suite_promises(tests: &str) -> PyResult<String> {
    let tests: Vec<TestFacts> = serde_json::from_str(tests).map_err(refused)?;
    let promises = report::suite_promises(&tests).map_err(refused)?;
    serde_json::to_string(&promises).map_err(refused)
}

/// Returns a value as text. Python refuses to write numbers of thousands of digits.
pub fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(match value.str() {
        Ok(text) => text.to_string(),
        Err(_) => format!("a very long {}", value.get_type().name()?),
    })
}

/// Reads a probability, so that an error calls it by its name. A float is the decimal that
/// it prints as, a `Fraction` prints as `1/6`, a `Decimal` as `0.01`.
pub fn probability(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Probability> {
    let read = match value.cast::<PyFloat>() {
        // Python would write an exponent of two digits.
        Ok(number) => Probability::from_f64(number.value()),
        Err(_) => Probability::parse(&text(value)?),
    };
    read.map_err(|error| refused(error.about(name)))
}

/// Reads a number; a text or a boolean is none.
pub fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let textual = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyBool>();
    if !textual && let Ok(number) = value.extract() {
        return Ok(number);
    }
    let given = match value.is_instance_of::<PyInt>() {
        true => text(value)?,
        false => value.repr()?.to_string(),
    };
    Err(refused(Error::new(
        format!("{name} is not a number"),
        given,
        "write a plain number such as 0.1, not a string",
    )))
}

/// Reads the lower and the higher of two numbers.
pub fn pair(name: &str, value: &Bound<'_, PyAny>) -> PyResult<(f64, f64)> {
    // A set has no order, and a text is no pair although it can be taken apart.
    let whole = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PySet>();
    if !whole
        && let Ok(parts) = value.try_iter().and_then(|parts| parts.collect::<PyResult<Vec<_>>>())
        && let [low, high] = parts.as_slice()
    {
        return Ok((number(name, low)?, number(name, high)?));
    }
    Err(refused(Error::new(
        format!("{name} is not a pair of numbers"),
        value.repr()?.to_string(),
        format!("write the lower and the higher one, such as {name}=(0, 1)"),
    )))
}

/// Reads the value of an option that a test gives.
pub fn option(spec: &'static Spec, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    match spec.kind {
        // Types of Python, which stay there.
        Kind::Exceptions => Ok(Value::Text(value.repr()?.to_string())),
        Kind::Probability => probability(spec.name, value).map(Value::Probability),
        Kind::Outcomes if !value.is_instance_of::<PyString>() => {
            outcomes(value).map(Value::Outcomes)
        }
        Kind::Duration | Kind::DurationOrOff if !value.is_instance_of::<PyString>() => {
            duration(spec.name, value).map(Value::Duration)
        }
        _ => spec.read(spec.name, &text(value)?).map_err(refused),
    }
}

fn outcomes(value: &Bound<'_, PyAny>) -> PyResult<Outcomes> {
    let Ok(entries) = value.try_iter() else {
        return Err(refused(Error::new(
            "outcomes is not a list of probabilities",
            text(value)?,
            "write one for each outcome, such as outcomes=[0.5, 0.5]",
        )));
    };
    let list = entries.map(|p| probability("an outcome's probability", &p?));
    Outcomes::new(list.collect::<PyResult<Vec<_>>>()?).map_err(refused)
}

/// Reads a number of seconds or a `timedelta`.
fn duration(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let seconds = match value.getattr_opt("total_seconds")? {
        Some(seconds) => seconds.call0()?,
        None => value.clone(),
    };
    let plain = seconds.is_instance_of::<PyInt>() || seconds.is_instance_of::<PyFloat>();
    if !plain || seconds.is_instance_of::<PyBool>() {
        return Err(refused(Error::new(
            format!("{name} is not a duration"),
            value.repr()?.to_string(),
            "write a string such as '30s' or '1m30s', a number of seconds, or a timedelta",
        )));
    }
    // A whole number may be too large for a float.
    let seconds: f64 = seconds.extract().unwrap_or(f64::MAX);
    let beyond = if seconds > 0.0 { Duration::MAX } else { Duration::ZERO };
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or(beyond);
    let given = text(value)?;
    check_duration(duration).map_err(|error| refused(error.about(name).with_given(given)))
}
