//! Reading the values of options that are not probabilities.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::failure::Failure;

/// A value and where it came from: a flag or an environment variable.
pub struct Given {
    text: String,
    flag: &'static str,
    variable: Option<&'static str>,
}

impl Given {
    /// Takes the flag; without it the environment variable, where that is set
    /// and not empty.
    pub fn find(
        flag: &'static str,
        value: Option<&String>,
        variable: &'static str,
    ) -> Option<Given> {
        if let Some(text) = value {
            return Some(Given {
                text: text.clone(),
                flag,
                variable: None,
            });
        }
        // Text that is not Unicode is no number either; the reader says so.
        let text = std::env::var_os(variable)?.to_string_lossy().into_owned();
        (!text.trim().is_empty()).then_some(Given {
            text,
            flag,
            variable: Some(variable),
        })
    }

    /// Reads the text. The reader is told what to call it in an error: by its flag,
    /// or `it` behind the name of the variable.
    ///
    /// # Errors
    ///
    /// As the reader.
    pub fn read<T>(
        &self,
        reader: impl FnOnce(&'static str, &str) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        match self.variable {
            Some(variable) => {
                reader("it", &self.text).map_err(|failure| failure.of_variable(variable))
            }
            None => reader(self.flag, &self.text),
        }
    }
}

/// Reads a whole number.
///
/// # Errors
///
/// When the text is something else, or out of range.
pub fn whole(
    flag: &str,
    text: &str,
    allowed: RangeInclusive<u64>,
    help: &str,
) -> Result<u64, Failure> {
    let digits = text.trim();
    let number = if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse::<u64>().ok()
    } else {
        None
    };
    number
        .filter(|number| allowed.contains(number))
        .ok_or_else(|| {
            let (first, last) = (allowed.start(), allowed.end());
            let range = if *last >= u64::MAX >> 1 {
                format!("of {first} or more")
            } else {
                format!("from {first} to {last}")
            };
            Failure::given(
                format!("{flag} is not a whole number {range}"),
                quoted(text),
                help,
            )
        })
}

/// Makes an empty text visible.
fn quoted(text: &str) -> String {
    if text.trim().is_empty() {
        format!("\"{text}\"")
    } else {
        text.to_owned()
    }
}

/// A span of time, and how the user wrote it.
#[derive(Clone, Debug)]
pub struct Timeout {
    /// The span.
    pub duration: Duration,
    /// The text as it was given.
    pub text: String,
}

/// The units that a span may be given in, with their seconds.
const UNITS: [(&str, f64); 4] = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
/// The longest span: a year.
const LONGEST: f64 = 365.0 * 24.0 * 3600.0;

/// Reads a span of time such as `5s`, `250ms`, `1.5m` or `2h`.
///
/// # Errors
///
/// When the unit is missing or unknown, or the span is not above zero.
pub fn timeout(flag: &str, text: &str) -> Result<Timeout, Failure> {
    let trimmed = text.trim();
    let split = trimmed
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(split);
    let number = number.trim_end();
    let given = quoted(text);
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let Some(value) = number.parse::<f64>().ok().filter(|_| plain) else {
        return Err(Failure::given(
            format!("{flag} is not a span of time"),
            given,
            "write a number and a unit, such as 5s, 250ms, 1.5m or 2h",
        ));
    };
    if unit.is_empty() {
        return Err(Failure::given(
            format!("{flag} has no unit"),
            given,
            format!("write {number}s for seconds; ms, s, m and h are known"),
        ));
    }
    let Some((_, seconds)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(Failure::given(
            format!("{flag} has the unknown unit `{unit}`"),
            given,
            "write one of ms, s, m and h, such as 5s",
        ));
    };
    let seconds = value * seconds;
    // Below a nanosecond the span would round to nothing.
    if !(1e-9..=LONGEST).contains(&seconds) {
        return Err(Failure::given(
            format!("{flag} is not above 0 and at most a year"),
            given,
            "give each execution some time, such as 5s, or leave the option out for no limit",
        ));
    }
    Ok(Timeout {
        duration: Duration::from_secs_f64(seconds),
        text: trimmed.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_time_are_read_with_their_unit() {
        for (text, millis) in [
            ("5s", 5000),
            ("250ms", 250),
            ("1.5m", 90_000),
            (" 2 h ", 7_200_000),
        ] {
            let read = timeout("--timeout", text).unwrap().duration;
            assert_eq!(read, Duration::from_millis(millis), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_of_time_is_refused() {
        for text in [
            "", "5", "0s", "-1s", "s", "5 apples", "1e3s", "nan s", "inf", "9999999h", "0.0ms",
            "1.2.3s", "5µs",
        ] {
            assert!(timeout("--timeout", text).is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn whole_numbers_have_no_sign_point_or_exponent() {
        assert_eq!(whole("--n", "7", 1..=9, "").unwrap(), 7);
        for text in [
            "",
            "0",
            "10",
            "-1",
            "+1",
            "1e3",
            "1.0",
            "99999999999999999999",
        ] {
            assert!(
                whole("--n", text, 1..=9, "").is_err(),
                "{text} was accepted"
            );
        }
    }
}
