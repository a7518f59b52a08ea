//! Span: is a text a span of time?
//!
//! The rules of the runtime, decided while compiling; a test compares the two.

/// What is wrong with a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It does not consist of numbers and units.
    Junk,
    /// A number alone.
    NoUnit,
    /// A unit that is not known.
    UnknownUnit(String),
    /// The units do not go from large to small.
    Order,
    /// Zero, or more than a year.
    OutOfRange,
}

/// Units from large to small, with nanoseconds.
const UNITS: [(&str, u128); 5] = [
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
];
const YEAR: u128 = 365 * 24 * 3_600_000_000_000;

/// Checks that the runtime will read the text.
///
/// # Errors
/// With the first thing that it would refuse.
pub fn check(text: &str) -> Result<(), Malformed> {
    let (mut sum, mut smallest) = (0_u128, u128::MAX);
    let mut rest = text.trim();
    loop {
        let (number, after) = split(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, after) = split(after, char::is_alphabetic);
        let value = nanos_of(number, 1).ok_or(Malformed::Junk)?;
        if unit.is_empty() {
            let alone = after.is_empty() && smallest == u128::MAX;
            return Err(if alone {
                Malformed::NoUnit
            } else {
                Malformed::Junk
            });
        }
        let Some((_, each)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(Malformed::UnknownUnit(unit.to_owned()));
        };
        if *each >= smallest {
            return Err(Malformed::Order);
        }
        smallest = *each;
        sum += nanos_of(number, *each).unwrap_or(value);
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    match sum {
        1..=YEAR => Ok(()),
        _ => Err(Malformed::OutOfRange),
    }
}

/// Splits behind the characters at the beginning, and takes blanks away.
fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    let (head, tail) = text.split_at(end);
    (head, tail.trim_start())
}

/// Computes with the digits; 20 of them and an hour fit into 128 bits.
fn nanos_of(number: &str, each: u128) -> Option<u128> {
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let both = [whole, part];
    let plain = both
        .iter()
        .all(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    let written = number.len() - usize::from(number.contains('.'));
    if !plain || written > 20 {
        return None;
    }
    let decimals = u32::try_from(part.len()).ok()?;
    let digits: u128 = both.concat().parse().ok()?;
    Some(digits * each / 10_u128.pow(decimals))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_text_is_refused_here_when_the_runtime_refuses_it() {
        let mut texts: Vec<String> = [
            "",
            " ",
            "s",
            "30",
            "-1s",
            "+1s",
            ".5s",
            "5.s",
            "1.2.3s",
            "1e3s",
            "5µs",
            "5S",
            "5 apples",
            "1m30",
            "30s1m",
            "1m2min",
            "1 h 30 min",
            "0h0m0s",
            "0.000001ms",
            "0.0000001ms",
            "8760h",
            "8760h0.000001ms",
            "8761h",
            "inf",
            "1_000s",
            "12345678901234567890ms",
            "123456789012345678901ms",
            "00000000000000000001s",
            "1,5s",
            "1s 2",
            "²s",
        ]
        .map(str::to_owned)
        .to_vec();
        for number in ["0", "1", "90", "1.5", "0.001", "99999999999999999999"] {
            for unit in ["h", "min", "m", "s", "ms", "us", "d", ""] {
                texts.push(format!("{number}{unit}"));
                texts.push(format!("1h{number} {unit}"));
            }
        }
        let mut accepted = 0;
        for text in &texts {
            let runtime = probtest::budget::parse_time(text);
            assert_eq!(
                check(text).is_ok(),
                runtime.is_ok(),
                "{text:?}: {runtime:?}"
            );
            accepted += usize::from(runtime.is_ok());
        }
        assert!(accepted > 20 && accepted < texts.len() - 20);
    }
}
