//! How often executions may start, and what they may cost.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::{Error, parse_duration};

/// The longest time between two starts that makes sense.
const LONGEST: f64 = 366.0 * 86_400.0;

/// How many executions may start in which time, such as `20/s` or `100/min`.
///
/// ```
/// use probtest_syntax::StartRate;
/// use std::time::Duration;
///
/// let rate: StartRate = "20/s".parse().unwrap();
/// assert_eq!(rate.interval(), Duration::from_millis(50));
/// assert_eq!("90/min".parse::<StartRate>().unwrap().to_string(), "90/min");
/// assert!("20".parse::<StartRate>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartRate {
    interval: Duration,
    text: String,
}

impl StartRate {
    /// The time from one start to the next.
    pub fn interval(&self) -> Duration {
        self.interval
    }
}

impl fmt::Display for StartRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for StartRate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = || {
            Error::of(
                "a rate",
                "is not a number of starts in a time",
                match text.trim() {
                    "" => format!("\"{text}\""),
                    trimmed => trimmed.to_owned(),
                },
                "write a rate such as 20/s, 100/min or 5/10s",
            )
        };
        let (number, time) = text.trim().split_once('/').ok_or_else(refuse)?;
        let number = number.trim();
        let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let starts: f64 = number.parse().ok().filter(|_| plain).ok_or_else(refuse)?;
        let time = match time.trim() {
            "s" | "sec" | "second" => Duration::from_secs(1),
            "m" | "min" | "minute" => Duration::from_secs(60),
            "h" | "hour" => Duration::from_secs(3600),
            other => parse_duration(other).map_err(|_| refuse())?,
        };
        let seconds = time.as_secs_f64() / starts;
        match seconds.is_finite() && (1e-9..=LONGEST).contains(&seconds) {
            true => Ok(StartRate {
                interval: Duration::from_secs_f64(seconds),
                text: text.trim().to_owned(),
            }),
            false => Err(refuse()),
        }
    }
}

/// Reads what the executions of a test may cost together: a number above 0, in any unit.
///
/// # Errors
/// When the text is something else.
pub fn read_cost(text: &str) -> Result<f64, Error> {
    let number = text.trim();
    let plain = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+'));
    let cost = number.parse::<f64>().ok().filter(|_| plain);
    cost.filter(|cost| cost.is_finite() && *cost > 0.0).ok_or_else(|| {
        Error::of(
            "a cost",
            "is not a number above 0",
            match number {
                "" => format!("\"{text}\""),
                _ => number.to_owned(),
            },
            "write a number such as 5.0, in the unit in which the body reports its cost",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_of_starts_in_a_time() {
        for (text, milliseconds) in
            [("20/s", 50), (" 100 / min ", 600), ("0.5/s", 2000), ("5/10s", 2000), ("3600/h", 1000)]
        {
            let rate: StartRate = text.parse().unwrap();
            assert_eq!(rate.interval(), Duration::from_millis(milliseconds), "{text}");
        }
        for text in
            ["", "20", "/s", "20/", "-1/s", "0/s", "1e3/s", "inf/s", "20/week", "1/99999h", "nan/s"]
        {
            assert!(text.parse::<StartRate>().is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn a_cost_is_above_nothing_and_finite() {
        assert_eq!(read_cost(" 5 "), Ok(5.0));
        assert_eq!(read_cost("1e-3"), Ok(0.001));
        for text in ["", "0", "-1", "nan", "inf", "5 EUR", "1e999"] {
            assert!(read_cost(text).is_err(), "{text} was accepted");
        }
    }
}
