//! Reads a probability from text into an exact fraction.
//!
//! The limits keep every later stage quick: a text of a million digits or an
//! exponent of a billion is refused before any arithmetic is done with it.

use super::ClaimError;
use dashu_base::Gcd;
use dashu_int::UBig;

/// The most digits that a probability may have.
pub(super) const DIGITS: usize = 1000;
/// The largest exponent, up or down.
pub(super) const EXPONENT: u32 = 10_000;

const WHAT: &str = "a probability";

/// Shortens a text for an error message.
pub(super) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{}... ({} characters)", &text[..cut], text.chars().count()),
    }
}

/// Reads a decimal, a fraction or `1 - ` either, as a reduced fraction.
pub(super) fn read(text: &str) -> Result<(UBig, UBig), ClaimError> {
    let body = text.trim();
    if body.is_empty() {
        return Err(ClaimError::Empty {
            what: WHAT,
            given: excerpt(text),
        });
    }
    if let Some(number) = body.strip_suffix('%') {
        return Err(percent(body, number));
    }
    if let Some(rest) = after_one_minus(body) {
        // The value is inside (0, 1), so its complement is too.
        let (num, den) = read_plain(rest).map_err(|error| with_given(error, body))?;
        return Ok((&den - num, den));
    }
    read_plain(body)
}

/// The text behind `1 -`, if that is how it begins.
fn after_one_minus(body: &str) -> Option<&str> {
    let rest = body.strip_prefix('1')?.trim_start().strip_prefix('-')?;
    Some(rest.trim_start())
}

fn with_given(error: ClaimError, body: &str) -> ClaimError {
    match error {
        ClaimError::OutOfRange { what, .. } => ClaimError::OutOfRange {
            what,
            given: excerpt(body),
        },
        ClaimError::NotANumber { what, .. } | ClaimError::Empty { what, .. } => {
            ClaimError::NotANumber {
                what,
                given: excerpt(body),
            }
        }
        other => other,
    }
}

fn read_plain(body: &str) -> Result<(UBig, UBig), ClaimError> {
    let (num, den) = match body.split_once('/') {
        Some((top, bottom)) => read_fraction(body, top.trim(), bottom.trim())?,
        None => read_decimal(body)?,
    };
    in_range(num, den, || excerpt(body))
}

/// Reduces a fraction and refuses it outside (0, 1).
pub(super) fn in_range(
    num: UBig,
    den: UBig,
    given: impl FnOnce() -> String,
) -> Result<(UBig, UBig), ClaimError> {
    if num.is_zero() || num >= den {
        return Err(ClaimError::OutOfRange {
            what: WHAT,
            given: given(),
        });
    }
    let common = (&num).gcd(&den);
    if common.is_one() {
        Ok((num, den))
    } else {
        Ok((num / &common, den / common))
    }
}

fn not_a_number(body: &str) -> ClaimError {
    ClaimError::NotANumber {
        what: WHAT,
        given: excerpt(body),
    }
}

fn out_of_range(body: &str) -> ClaimError {
    ClaimError::OutOfRange {
        what: WHAT,
        given: excerpt(body),
    }
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn check_digits(body: &str, digits: usize, help: &'static str) -> Result<(), ClaimError> {
    if digits > DIGITS {
        return Err(ClaimError::TooManyDigits {
            what: WHAT,
            given: excerpt(body),
            digits,
            allowed: DIGITS,
            help,
        });
    }
    Ok(())
}

fn integer(body: &str, digits: &str) -> Result<UBig, ClaimError> {
    if digits.is_empty() {
        return Ok(UBig::ZERO);
    }
    UBig::from_str_radix(digits, 10).map_err(|_| not_a_number(body))
}

fn read_fraction(body: &str, top: &str, bottom: &str) -> Result<(UBig, UBig), ClaimError> {
    if top.starts_with('-') && all_digits(&top[1..]) && all_digits(bottom) {
        return Err(out_of_range(body));
    }
    if !all_digits(top) || !all_digits(bottom) {
        return Err(not_a_number(body));
    }
    let digits = top.len() + bottom.len();
    check_digits(
        body,
        digits,
        "shorten the fraction, or round it to a decimal",
    )?;
    let den = integer(body, bottom)?;
    if den.is_zero() {
        return Err(ClaimError::DividesByZero {
            what: WHAT,
            given: excerpt(body),
        });
    }
    Ok((integer(body, top)?, den))
}

fn read_decimal(body: &str) -> Result<(UBig, UBig), ClaimError> {
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
        || !whole
            .bytes()
            .chain(part.bytes())
            .all(|byte| byte.is_ascii_digit())
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

fn read_exponent(body: &str, exponent: &str) -> Result<i64, ClaimError> {
    let (negative, digits) = match exponent.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    if !all_digits(digits) {
        return Err(not_a_number(body));
    }
    let digits = digits.trim_start_matches('0');
    let size = if digits.is_empty() {
        Some(0)
    } else {
        digits.parse::<u32>().ok()
    };
    match size {
        Some(size) if size <= EXPONENT => Ok(if negative {
            -i64::from(size)
        } else {
            i64::from(size)
        }),
        _ => Err(ClaimError::ExponentTooLarge {
            what: WHAT,
            given: excerpt(body),
            allowed: EXPONENT,
        }),
    }
}

/// `digits * 10^exponent` as a fraction.
fn scaled(digits: UBig, exponent: i64) -> (UBig, UBig) {
    let power = UBig::from(10u8).pow(exponent.unsigned_abs() as usize);
    if exponent < 0 {
        (digits, power)
    } else {
        (digits * power, UBig::ONE)
    }
}

/// Reads any decimal or fraction: whether it is negative, and its size.
pub(super) fn read_factor(text: &str) -> Result<(bool, UBig, UBig), ClaimError> {
    const WHAT: &str = "the factor";
    let body = text.trim();
    let (negative, size) = match body.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, body),
    };
    let parts = match size.split_once('/') {
        Some((top, bottom)) => read_fraction(size, top.trim(), bottom.trim()),
        None => read_decimal(size),
    };
    let (num, den) = parts.map_err(|error| error.about(WHAT))?;
    Ok((negative, num, den))
}

fn percent(body: &str, number: &str) -> ClaimError {
    match read_decimal(number.trim()) {
        Ok((num, den)) if !num.is_zero() => {
            let hundredth = format!("{}e-2", number.trim());
            let meant = match hundredth.parse::<f64>() {
                Ok(value) if value > 0.0 && !number.contains(['e', 'E']) => format!("{value}"),
                _ => format!("{}/{}", num, den * 100u8),
            };
            ClaimError::Percent {
                what: WHAT,
                given: excerpt(body),
                meant: excerpt(&meant),
            }
        }
        _ => not_a_number(body),
    }
}
