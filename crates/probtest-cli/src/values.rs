//! Reading the values of options that are not probabilities.

use std::ops::RangeInclusive;
use std::time::Duration;

use probtest::budget::{MaxTime, TimeError, parse_time};

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

/// Reads a span of time such as `5s`, `250ms`, `1m30s` or `2h`.
///
/// # Errors
///
/// When the unit is missing or unknown, or the span is not above zero.
pub fn timeout(flag: &str, text: &str) -> Result<Timeout, Failure> {
    let duration = parse_time(text).map_err(|error| Failure::usage(error.named(flag)))?;
    Ok(Timeout {
        duration,
        text: text.trim().to_owned(),
    })
}

/// Reads the time that a test has: a span, or `off`.
///
/// # Errors
///
/// As [`timeout`].
pub fn max_time(flag: &str, text: &str) -> Result<MaxTime, Failure> {
    text.parse()
        .map_err(|error: TimeError| Failure::usage(error.named(flag)))
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
