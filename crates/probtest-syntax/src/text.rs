//! Reads a probability from text into an exact fraction.
//!
//! The limits keep every later stage quick: a text of a million digits or an
//! exponent of a billion is refused before any arithmetic is done with it.

use crate::{Error, Natural};

/// The most digits that a probability may have.
const DIGITS: usize = 1000;
/// The largest exponent, up or down.
const EXPONENT: i64 = 10_000;

/// Starts an error about a quantity that has no name yet.
pub(crate) fn refuse(what: impl Into<std::borrow::Cow<'static, str>>, given: &str) -> Error {
    const HELP: &str = "write a probability such as 0.01, 1e-3 or 1/1024";
    Error::of("a probability", what, excerpt(given), HELP)
}

/// A text as given, quoted if it would be invisible.
pub(crate) fn shown(text: &str) -> String {
    match text.trim() {
        "" => format!("\"{text}\""),
        trimmed => trimmed.to_owned(),
    }
}

/// Shortens a text for an error message.
pub(crate) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{}... ({} characters)", &text[..cut], text.chars().count()),
    }
}

/// Reads a decimal, a fraction or `1 -` either, as a reduced fraction.
pub(crate) fn read(text: &str) -> Result<(Natural, Natural), Error> {
    let body = text.trim();
    if body.is_empty() {
        return Err(refuse("is empty", &shown(text)));
    }
    if let Some(number) = body.strip_suffix('%') {
        return Err(percent(body, number));
    }
    if let Some(rest) = after_one_minus(body) {
        // The value is inside (0, 1), so its complement is too.
        let (num, den) = read_plain(rest).map_err(|error| error.with_given(excerpt(body)))?;
        return Ok((&den - num, den));
    }
    read_plain(body)
}

/// The text after `1 -`, if it starts like that.
fn after_one_minus(body: &str) -> Option<&str> {
    let rest = body.strip_prefix('1')?.trim_start().strip_prefix('-')?;
    Some(rest.trim_start())
}

fn read_plain(body: &str) -> Result<(Natural, Natural), Error> {
    let (num, den) = match body.split_once('/') {
        Some((top, bottom)) => read_fraction(body, top.trim(), bottom.trim())?,
        None => read_decimal(body)?,
    };
    in_range(num, den, || excerpt(body))
}

/// Reduces a fraction and refuses it outside (0, 1).
pub(crate) fn in_range(
    num: Natural,
    den: Natural,
    given: impl FnOnce() -> String,
) -> Result<(Natural, Natural), Error> {
    if num.is_zero() || num >= den {
        return Err(out_of_range(&given()));
    }
    let common = num.gcd(&den);
    if common.is_one() { Ok((num, den)) } else { Ok((num / &common, den / common)) }
}

pub(crate) fn not_a_number(body: &str) -> Error {
    refuse("is not a number", body)
}

pub(crate) fn out_of_range(body: &str) -> Error {
    refuse("is not strictly between 0 and 1", body)
}

pub(crate) fn divides_by_zero(body: &str) -> Error {
    refuse("divides by zero", body).with_help("write a fraction such as 1/1024")
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn check_digits(body: &str, digits: usize, help: &'static str) -> Result<(), Error> {
    if digits > DIGITS {
        let what = format!("has {digits} digits, but at most {DIGITS} are read");
        return Err(refuse(what, body).with_help(help));
    }
    Ok(())
}

fn integer(body: &str, digits: &str) -> Result<Natural, Error> {
    Natural::from_digits(digits).ok_or_else(|| not_a_number(body))
}

fn read_fraction(body: &str, top: &str, bottom: &str) -> Result<(Natural, Natural), Error> {
    if top.starts_with('-') && all_digits(&top[1..]) && all_digits(bottom) {
        return Err(out_of_range(body));
    }
    if !all_digits(top) || !all_digits(bottom) {
        return Err(not_a_number(body));
    }
    let digits = top.len() + bottom.len();
    check_digits(body, digits, "shorten the fraction, or round it to a decimal")?;
    let den = integer(body, bottom)?;
    if den.is_zero() {
        return Err(divides_by_zero(body));
    }
    Ok((integer(body, top)?, den))
}

fn read_decimal(body: &str) -> Result<(Natural, Natural), Error> {
    let unsigned = body.strip_prefix(['+', '-']).unwrap_or(body);
    if matches!(unsigned.to_ascii_lowercase().as_str(), "inf" | "infinity") {
        return Err(out_of_range(body));
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, read_exponent(body, exponent)?),
        None => (unsigned, 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + part.len() == 0
        || !whole.bytes().chain(part.bytes()).all(|byte| byte.is_ascii_digit())
    {
        return Err(not_a_number(body));
    }
    if body.starts_with('-') {
        return Err(out_of_range(body));
    }
    let digits = whole.len() + part.len();
    check_digits(body, digits, "round it, or write it as a fraction")?;
    let digits = integer(body, &[whole, part].concat())?;
    // At most 1000 + 10 000 in size, so it fits.
    Ok(scaled(digits, exponent - part.len() as i64))
}

fn read_exponent(body: &str, exponent: &str) -> Result<i64, Error> {
    let (negative, digits) = match exponent.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    if !all_digits(digits) {
        return Err(not_a_number(body));
    }
    match digits.parse::<i64>() {
        Ok(size) if size <= EXPONENT => Ok(if negative { -size } else { size }),
        _ => Err(refuse(format!("has an exponent beyond {EXPONENT}"), body)
            .with_help("write a probability such as 1e-300")),
    }
}

/// `digits * 10^exponent` as a fraction.
fn scaled(digits: Natural, exponent: i64) -> (Natural, Natural) {
    let power = Natural::from(10u64).pow(exponent.unsigned_abs() as usize);
    if exponent < 0 { (digits, power) } else { (digits * power, Natural::ONE) }
}

/// Reads any decimal or fraction: whether it is negative, and its size.
pub(crate) fn read_factor(text: &str) -> Result<(bool, Natural, Natural), Error> {
    let body = text.trim();
    let (negative, size) = match body.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, body),
    };
    let parts = match size.split_once('/') {
        Some((top, bottom)) => read_fraction(size, top.trim(), bottom.trim()),
        None => read_decimal(size),
    };
    let (num, den) = parts.map_err(|error| error.about("the factor"))?;
    Ok((negative, num, den))
}

fn percent(body: &str, number: &str) -> Error {
    match read_decimal(number.trim()) {
        Ok((num, den)) if !num.is_zero() => {
            let hundredth = format!("{}e-2", number.trim());
            let meant = match hundredth.parse::<f64>() {
                Ok(value) if value > 0.0 && !number.contains(['e', 'E']) => format!("{value}"),
                _ => format!("{}/{}", num, den * Natural::from(100u64)),
            };
            refuse(
                "is written in percent, but probabilities are written as decimals or fractions",
                body,
            )
            .with_help(format!("write {} instead", excerpt(&meant)))
        }
        _ => not_a_number(body),
    }
}
