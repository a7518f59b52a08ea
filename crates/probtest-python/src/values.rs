//! Values of Python, read as the core reads text.

use std::time::Duration;

use probtest::settings::{Kind, Spec, Value, check_duration};
use probtest::{Error, Outcomes, Probability};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PySet, PyString};

use crate::refused;

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
    let mut list = Vec::new();
    for p in entries {
        list.push(probability("an outcome's probability", &p?)?);
    }
    Outcomes::new(list).map_err(refused)
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
    let duration = match Duration::try_from_secs_f64(seconds) {
        Ok(duration) => duration,
        Err(_) if seconds > 0.0 => Duration::MAX,
        Err(_) => Duration::ZERO,
    };
    let given = text(value)?;
    check_duration(duration).map_err(|error| refused(error.about(name).with_given(given)))
}
