//! Spans of time, as people write them.

use std::time::Duration;

/// The longest span of time: a year.
pub const LONGEST_TIME: Duration = Duration::from_secs(365 * 24 * 3600);

/// The units, largest first, with their nanoseconds.
const UNITS: [(&str, u128); 5] = [
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
];

/// The most digits of one number; a year has 17 of nanoseconds.
const MOST_DIGITS: usize = 20;

/// Says why a span of time was refused: what was given, what is allowed, what to
/// do.
///
/// ```
/// use probtest::budget::parse_time;
///
/// assert_eq!(
///     parse_time("30").unwrap_err().to_string(),
///     "max_time has no unit\n  given  30\n  help   write 30s for seconds; ms, s, m, min and h are known"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeError {
    /// What is wrong.
    pub problem: TimeProblem,
    /// The text as it was given.
    pub given: String,
}

/// What can be wrong with a span of time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeProblem {
    /// No number, or a number that cannot be read.
    NoNumber,
    /// A number without a unit.
    NoUnit,
    /// A unit that is not known.
    UnknownUnit(String),
    /// The parts do not go from the largest unit to the smallest.
    Order,
    /// Zero, negative, or more than a year.
    OutOfRange,
}

impl TimeError {
    /// Writes the error about a quantity by its own name.
    ///
    /// ```
    /// use probtest::budget::parse_time;
    ///
    /// let error = parse_time("0s").unwrap_err().named("--timeout");
    /// assert!(error.starts_with("--timeout is not above 0 and at most a year\n"));
    /// ```
    pub fn named(&self, what: &str) -> String {
        let given = match self.given.trim() {
            "" => format!("\"{}\"", self.given),
            _ => self.given.clone(),
        };
        let (wrong, help) = match &self.problem {
            TimeProblem::NoNumber => (
                "is not a span of time".to_owned(),
                "write a number and a unit, such as 30s, 500ms, 2min, 1h or 1m30s".to_owned(),
            ),
            TimeProblem::NoUnit => {
                // Nothing would be executed in 0s either.
                let given = self.given.trim();
                let zero = given.parse() == Ok(0.0);
                let number = if zero { "30" } else { given };
                (
                    "has no unit".to_owned(),
                    format!("write {number}s for seconds; ms, s, m, min and h are known"),
                )
            }
            TimeProblem::UnknownUnit(unit) => (
                format!("has the unknown unit `{unit}`"),
                "write one of ms, s, m, min and h, such as 30s".to_owned(),
            ),
            TimeProblem::Order => (
                "has its units in another order than from large to small".to_owned(),
                "write each unit at most once, the largest first, such as 1h30m or 1m30s"
                    .to_owned(),
            ),
            TimeProblem::OutOfRange => (
                "is not above 0 and at most a year".to_owned(),
                "write a span such as 30s, or leave it out for no limit".to_owned(),
            ),
        };
        format!("{what} {wrong}\n  given  {given}\n  help   {help}")
    }
}

impl std::fmt::Display for TimeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.named("max_time"))
    }
}

impl std::error::Error for TimeError {}

/// Reads a span of time: numbers with units, the largest first.
///
/// # Errors
///
/// When a unit is missing or unknown, or the span is 0 or more than a year.
///
/// ```
/// use probtest::budget::parse_time;
/// use std::time::Duration;
///
/// assert_eq!(parse_time("30s"), Ok(Duration::from_secs(30)));
/// assert_eq!(parse_time("1m30s"), parse_time("1.5 min"));
/// assert!(parse_time("-1s").is_err());
/// ```
pub fn parse_time(text: &str) -> Result<Duration, TimeError> {
    let refuse = |problem| TimeError {
        problem,
        given: text.to_owned(),
    };
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(refuse(TimeProblem::NoNumber));
    }
    let (mut nanos, mut last) = (0_u128, u128::MAX);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_alphabetic());
        let (unit, after) = after.split_at(end.unwrap_or(after.len()));
        rest = after.trim_start();
        let number = Number::read(number).ok_or_else(|| refuse(TimeProblem::NoNumber))?;
        if unit.is_empty() {
            let all = rest.is_empty() && last == u128::MAX;
            return Err(refuse(match all {
                true => TimeProblem::NoUnit,
                false => TimeProblem::NoNumber,
            }));
        }
        let Some((_, each)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(refuse(TimeProblem::UnknownUnit(unit.to_owned())));
        };
        if *each >= last {
            return Err(refuse(TimeProblem::Order));
        }
        last = *each;
        nanos = nanos.saturating_add(number.times(*each));
    }
    let seconds = nanos / 1_000_000_000;
    // Below a year the seconds fit, and the rest is below a second.
    let span = match u64::try_from(seconds) {
        Ok(seconds) => Duration::new(seconds, (nanos % 1_000_000_000) as u32),
        Err(_) => Duration::MAX,
    };
    check_time(span).map_err(|error| TimeError {
        given: text.to_owned(),
        ..error
    })
}

/// Lets only a span pass that is above 0 and at most a year.
///
/// # Errors
///
/// When it is not.
pub fn check_time(span: Duration) -> Result<Duration, TimeError> {
    if span.is_zero() || span > LONGEST_TIME {
        return Err(TimeError {
            problem: TimeProblem::OutOfRange,
            given: format!("{span:?}"),
        });
    }
    Ok(span)
}

/// Writes a span of time so that [`parse_time`] reads it back.
///
/// ```
/// use probtest::budget::time_text;
/// use std::time::Duration;
///
/// assert_eq!(time_text(Duration::from_secs(90)), "1m30s");
/// assert_eq!(time_text(Duration::from_millis(1500)), "1s500ms");
/// assert_eq!(time_text(Duration::from_nanos(1)), "0.000001ms");
/// ```
pub fn time_text(span: Duration) -> String {
    let seconds = span.as_secs();
    let mut text = String::new();
    for (count, unit) in [
        (seconds / 3600, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
    ] {
        if count > 0 {
            text.push_str(&format!("{count}{unit}"));
        }
    }
    let nanos = span.subsec_nanos();
    if nanos > 0 || text.is_empty() {
        let whole = nanos / 1_000_000;
        let part = format!("{:06}", nanos % 1_000_000);
        let part = part.trim_end_matches('0');
        let point = if part.is_empty() { "" } else { "." };
        text.push_str(&format!("{whole}{point}{part}ms"));
    }
    text
}

/// A decimal number without a sign or an exponent.
struct Number {
    digits: u128,
    decimals: u32,
}

impl Number {
    fn read(text: &str) -> Option<Number> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{part}");
        let plain = !whole.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let ends_in_a_point = text.ends_with('.');
        if !plain || ends_in_a_point || digits.len() > MOST_DIGITS {
            return None;
        }
        Some(Number {
            digits: digits.parse().ok()?,
            decimals: u32::try_from(part.len()).ok()?,
        })
    }

    /// Multiplies; what is below one is cut off.
    fn times(&self, each: u128) -> u128 {
        // 20 digits and 3.6e12 fit into 128 bits.
        self.digits * each / 10_u128.pow(self.decimals)
    }
}

/// What can be given as a span of time: a [`Duration`], or text such as `30s`.
pub trait IntoTime {
    /// Reads the span.
    ///
    /// # Errors
    ///
    /// When it is none, 0, or more than a year.
    fn into_time(self) -> Result<Duration, TimeError>;
}

impl IntoTime for Duration {
    fn into_time(self) -> Result<Duration, TimeError> {
        check_time(self)
    }
}

impl IntoTime for &str {
    fn into_time(self) -> Result<Duration, TimeError> {
        parse_time(self)
    }
}

impl IntoTime for String {
    fn into_time(self) -> Result<Duration, TimeError> {
        parse_time(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_for_nothing_without_a_unit_is_not_refused_itself() {
        let help = |text| parse_time(text).unwrap_err().named("max_time");
        assert!(help("0").contains("write 30s for seconds"));
        assert!(help("45").contains("write 45s for seconds"));
    }

    #[test]
    fn spans_are_read_with_their_units() {
        for (text, millis) in [
            ("30s", 30_000),
            ("500ms", 500),
            ("2min", 120_000),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("1m30s", 90_000),
            (" 1 h 30 min 5 s ", 5_405_000),
            ("1.5m", 90_000),
            ("0.25s", 250),
            ("8760h", 8760 * 3_600_000),
        ] {
            let read = parse_time(text).unwrap();
            assert_eq!(read, Duration::from_millis(millis), "{text}");
        }
        assert_eq!(parse_time("0.000001ms"), Ok(Duration::from_nanos(1)));
    }

    #[test]
    fn what_is_no_span_is_refused_for_the_right_reason() {
        use TimeProblem::{NoNumber, NoUnit, Order, OutOfRange};
        for (text, problem) in [
            ("", NoNumber),
            ("  ", NoNumber),
            ("s", NoNumber),
            ("-1s", NoNumber),
            ("+1s", NoNumber),
            ("1.2.3s", NoNumber),
            (".5s", NoNumber),
            ("5.s", NoNumber),
            ("inf", NoNumber),
            ("1m30", NoNumber),
            ("1_000s", NoNumber),
            ("123456789012345678901s", NoNumber),
            ("30", NoUnit),
            ("1e3s", TimeProblem::UnknownUnit("e".into())),
            ("5µs", TimeProblem::UnknownUnit("µs".into())),
            ("5 apples", TimeProblem::UnknownUnit("apples".into())),
            ("5S", TimeProblem::UnknownUnit("S".into())),
            ("30s1m", Order),
            ("1m2min", Order),
            ("0s", OutOfRange),
            ("0h0m0s", OutOfRange),
            ("0.0000001ms", OutOfRange),
            ("8761h", OutOfRange),
            ("99999999999999999999h", OutOfRange),
        ] {
            let error = parse_time(text).unwrap_err();
            assert_eq!(error.problem, problem, "{text}");
            let words = error.to_string();
            assert!(words.contains("\n  given  ") && words.contains("\n  help   "));
        }
    }

    #[test]
    fn a_span_is_read_back_as_it_is_written() {
        for span in [
            Duration::from_nanos(1),
            Duration::from_millis(250),
            Duration::from_secs(30),
            Duration::from_secs(5405),
            Duration::new(61, 1_500_000),
            LONGEST_TIME,
        ] {
            assert_eq!(parse_time(&time_text(span)), Ok(span));
        }
    }
}
