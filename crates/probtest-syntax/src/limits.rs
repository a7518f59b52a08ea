//! What limits a test: durations such as `1h30m`, rates, costs, and what happens at the limit.
//!
//! Durations are read by hand, because humantime takes no decimals and reads `M` as months, and
//! jiff is twenty times the size.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::Error;
use crate::text::shown;

/// The longest duration: a year.
const LONGEST_DURATION: Duration = Duration::from_secs(365 * 24 * 3600);

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

/// Reads a duration: numbers with units, the largest first.
///
/// # Errors
/// When a unit is missing or unknown, or the duration is 0 or more than a year.
///
/// ```
/// use probtest_syntax::parse_duration;
/// use std::time::Duration;
///
/// assert_eq!(parse_duration("30s")?, Duration::from_secs(30));
/// assert_eq!(parse_duration("1m30s")?, parse_duration("1.5 min")?);
/// let error = parse_duration("30").unwrap_err().about("max_time");
/// assert_eq!(error.what(), "max_time has no unit");
/// # Ok::<(), probtest_syntax::Error>(())
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, Error> {
    let not_a_duration = || {
        let help = "write a number and a unit, such as 30s, 500ms, 2min, 1h or 1m30s";
        refuse("is not a duration", text, help)
    };
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(not_a_duration());
    }
    let (mut nanos, mut last) = (0_u128, u128::MAX);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_alphabetic());
        let (unit, after) = after.split_at(end.unwrap_or(after.len()));
        rest = after.trim_start();
        let (digits, decimals) = read_number(number).ok_or_else(not_a_duration)?;
        if unit.is_empty() && rest.is_empty() && last == u128::MAX {
            // Nothing would be executed in 0s either.
            let seconds = if digits == 0 { "30" } else { number };
            let help = format!("write {seconds}s for seconds; the units are ms, s, m, min and h");
            return Err(refuse("has no unit", text, help));
        }
        if unit.is_empty() {
            return Err(not_a_duration());
        }
        let Some((_, each)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            let help = "write one of ms, s, m, min and h, such as 30s";
            return Err(refuse(format!("has the unknown unit `{unit}`"), text, help));
        };
        if *each >= last {
            let help = "write each unit at most once, the largest first, such as 1h30m or 1m30s";
            return Err(refuse("does not list its units from large to small", text, help));
        }
        last = *each;
        // 20 digits and 3.6e12 fit into 128 bits; what is below a nanosecond is cut off.
        nanos = nanos.saturating_add(digits * each / 10_u128.pow(decimals));
    }
    // Below a year the seconds fit, and the rest is below a second.
    let duration = match u64::try_from(nanos / 1_000_000_000) {
        Ok(seconds) => Duration::new(seconds, (nanos % 1_000_000_000) as u32),
        Err(_) => Duration::MAX,
    };
    check_duration(duration).map_err(|error| error.with_given(text))
}

/// Checks that a duration is above 0 and at most a year.
///
/// # Errors
/// When it isn't.
pub fn check_duration(duration: Duration) -> Result<Duration, Error> {
    if duration.is_zero() || duration > LONGEST_DURATION {
        let help = "write a duration such as 30s, or leave it out for no limit";
        let given = format!("{duration:?}");
        return Err(refuse("must be above 0 and at most a year", &given, help));
    }
    Ok(duration)
}

/// Writes a duration so that [`parse_duration`] reads it back.
///
/// ```
/// use probtest_syntax::duration_text;
/// use std::time::Duration;
///
/// assert_eq!(duration_text(Duration::from_secs(90)), "1m30s");
/// assert_eq!(duration_text(Duration::from_millis(1500)), "1s500ms");
/// assert_eq!(duration_text(Duration::from_nanos(1)), "0.000001ms");
/// ```
pub fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let mut text = String::new();
    for (count, unit) in [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")] {
        if count > 0 {
            text.push_str(&format!("{count}{unit}"));
        }
    }
    let nanos = duration.subsec_nanos();
    if nanos > 0 || text.is_empty() {
        let part = format!("{:06}", nanos % 1_000_000);
        let part = part.trim_end_matches('0');
        let point = if part.is_empty() { "" } else { "." };
        text.push_str(&format!("{}{point}{part}ms", nanos / 1_000_000));
    }
    text
}

fn refuse(
    what: impl Into<Cow<'static, str>>,
    given: &str,
    help: impl Into<Cow<'static, str>>,
) -> Error {
    Error::of("a duration", what, shown(given), help)
}

/// Reads a decimal without a sign or an exponent: its digits, and how many follow the point.
fn read_number(text: &str) -> Option<(u128, u32)> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    let plain = !whole.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || text.ends_with('.') || digits.len() > MOST_DIGITS {
        return None;
    }
    Some((digits.parse().ok()?, u32::try_from(part.len()).ok()?))
}

/// A value that you can give as a duration: a [`Duration`], or a string such as `"30s"`.
pub trait IntoDuration {
    /// Reads the duration.
    ///
    /// # Errors
    /// When it isn't a duration, or is 0 or more than a year.
    fn into_duration(self) -> Result<Duration, Error>;
}

impl IntoDuration for Duration {
    fn into_duration(self) -> Result<Duration, Error> {
        check_duration(self)
    }
}

impl IntoDuration for &str {
    fn into_duration(self) -> Result<Duration, Error> {
        parse_duration(self)
    }
}

impl IntoDuration for String {
    fn into_duration(self) -> Result<Duration, Error> {
        parse_duration(&self)
    }
}

/// The longest time between two starts that makes sense.
const LONGEST: f64 = 366.0 * 86_400.0;

/// How often executions may start, such as `20/s` or `100/min`.
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
                "is not a number of executions per unit of time",
                shown(text),
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
        if !(1e-9..=LONGEST).contains(&seconds) {
            return Err(refuse());
        }
        let interval = Duration::from_secs_f64(seconds);
        Ok(StartRate { interval, text: text.trim().to_owned() })
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
            shown(text),
            "write a number such as 5.0, in the unit in which the body reports its cost",
        )
    })
}

/// What happens if a budget runs out before the plan is finished.
///
/// ```
/// use probtest_syntax::OnBudget;
///
/// assert_eq!("pass".parse(), Ok(OnBudget::Pass));
/// assert_eq!(OnBudget::default(), OnBudget::Fail);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBudget {
    /// The test is inconclusive, which is a failure.
    #[default]
    Fail,
    /// The test passes within budget, and every output says so and what was achieved. A test that
    /// achieved nothing is inconclusive anyway.
    Pass,
}

impl fmt::Display for OnBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OnBudget::Fail => "fail",
            OnBudget::Pass => "pass",
        })
    }
}

impl FromStr for OnBudget {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        match word.trim() {
            "pass" => Ok(OnBudget::Pass),
            "fail" => Ok(OnBudget::Fail),
            _ => Err(Error::of(
                "on_budget",
                "is neither pass nor fail",
                shown(word),
                "write pass to accept what was achieved when a budget runs out before the plan is finished; fail is the default",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_their_units_and_read_back_as_written() {
        for (text, millis) in [
            ("30s", 30_000),
            ("500ms", 500),
            ("2min", 120_000),
            ("2m", 120_000),
            ("1h", 3_600_000),
            (" 1 h 30 min 5 s ", 5_405_000),
            ("1.5m", 90_000),
            ("0.25s", 250),
            ("8760h", 8760 * 3_600_000),
        ] {
            let read = parse_duration(text).unwrap();
            assert_eq!(read, Duration::from_millis(millis), "{text}");
            assert_eq!(parse_duration(&duration_text(read)), Ok(read));
        }
        assert_eq!(parse_duration("0.000001ms"), Ok(Duration::from_nanos(1)));
    }

    #[test]
    fn what_is_no_duration_is_refused_for_the_right_reason() {
        for (what, texts) in [
            (
                "is not a duration",
                &[
                    "",
                    "  ",
                    "s",
                    "-1s",
                    "+1s",
                    "1.2.3s",
                    ".5s",
                    "5.s",
                    "inf",
                    "1m30",
                    "1_000s",
                    "123456789012345678901s",
                ][..],
            ),
            ("has no unit", &["30", "0"]),
            ("has the unknown unit", &["1e3s", "5µs", "5 apples", "5S"]),
            ("does not list its units from large to small", &["30s1m", "1m2min"]),
            (
                "must be above 0 and at most a year",
                &["0s", "0h0m0s", "0.0000001ms", "8761h", "99999999999999999999h"],
            ),
        ] {
            for text in texts {
                let error = parse_duration(text).unwrap_err().about("max_time");
                assert!(error.what().starts_with(&format!("max_time {what}")), "{text}: {error}");
                assert!(error.help() != "write 0s for seconds; the units are ms, s, m, min and h");
            }
        }
    }

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
