//! Exact: is this number, digit for digit, a probability?
//!
//! Decides on the digits as written, never in `f64`: there, the valid text
//! "0.99999999999999999999" is 1. Knows nothing of tokens and words.
//!
//! Next stage: [`crate::validate`].

use std::cmp::Ordering;
use std::fmt;

/// A number as written: `digits * 10^exponent / divisor`, not reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// Decimal digits without leading zeros; empty for zero.
    digits: String,
    /// Saturates: past 10^18 digits only the sign matters.
    exponent: i64,
    /// Digits of the divisor without leading zeros, where a fraction was given.
    divisor: Option<String>,
}

/// Where a number lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Exactly 0.
    Zero,
    /// Strictly between 0 and 1: a probability.
    Inside,
    /// Exactly 1.
    One,
    /// Above 1.
    Above,
}

/// Why a text is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Starts with `-`.
    Negative,
    /// Ends with `%`.
    Percent,
    /// A fraction with divisor 0.
    DividedByZero,
    /// Anything else.
    Junk,
}

impl Number {
    /// Reads `0.01`, `1e-3` or `1/1024`. Blanks may stand around the number
    /// and around the `/`, nowhere else.
    ///
    /// # Errors
    /// [`Malformed`] says in which way the text is no number.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let text = text.trim();
        if text.starts_with('-') {
            return Err(Malformed::Negative);
        }
        if text.ends_with('%') {
            return Err(Malformed::Percent);
        }
        match text.split_once('/') {
            Some((numerator, divisor)) => Self::fraction(numerator.trim(), divisor.trim()),
            None => Self::decimal(text),
        }
    }

    /// Reads a fraction of two whole numbers.
    ///
    /// # Errors
    /// As [`Number::parse`].
    pub fn fraction(numerator: &str, divisor: &str) -> Result<Self, Malformed> {
        let digits = whole(numerator).ok_or(Malformed::Junk)?;
        let divisor = whole(divisor).ok_or(Malformed::Junk)?;
        if divisor.is_empty() {
            return Err(Malformed::DividedByZero);
        }
        Ok(Self {
            digits,
            exponent: 0,
            divisor: Some(divisor),
        })
    }

    fn decimal(text: &str) -> Result<Self, Malformed> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, power(exponent).ok_or(Malformed::Junk)?),
            None => (text, 0),
        };
        let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if before.is_empty() && after.is_empty() {
            return Err(Malformed::Junk);
        }
        let digits = whole_or_empty(&format!("{before}{after}")).ok_or(Malformed::Junk)?;
        let places = i64::try_from(after.len()).map_err(|_| Malformed::Junk)?;
        Ok(Self {
            digits,
            exponent: exponent.saturating_sub(places),
            divisor: None,
        })
    }

    /// Says where the number lies, exactly, for any number of digits.
    pub fn place(&self) -> Place {
        if self.digits.is_empty() {
            return Place::Zero;
        }
        let to_one = match &self.divisor {
            Some(divisor) => compare_whole(&self.digits, divisor),
            None => self.decimal_to_one(),
        };
        match to_one {
            Ordering::Less => Place::Inside,
            Ordering::Equal => Place::One,
            Ordering::Greater => Place::Above,
        }
    }

    fn decimal_to_one(&self) -> Ordering {
        // n digits times 10^x lie in [10^(n+x-1), 10^(n+x)).
        let n = i64::try_from(self.digits.len()).unwrap_or(i64::MAX);
        let magnitude = n.saturating_add(self.exponent);
        let power_of_ten = self.digits.trim_end_matches('0') == "1";
        match magnitude.cmp(&1) {
            Ordering::Equal if power_of_ten => Ordering::Equal,
            Ordering::Equal => Ordering::Greater,
            other => other,
        }
    }

    /// The number as a ratio, where it fits.
    pub fn ratio(&self) -> Option<Ratio> {
        let digits = if self.digits.is_empty() {
            "0"
        } else {
            &self.digits
        };
        let numerator: u128 = digits.parse().ok()?;
        let scale = |power: u64| 10u128.checked_pow(u32::try_from(power).ok()?);
        match &self.divisor {
            Some(divisor) => Some(Ratio::new(numerator, divisor.parse().ok()?)),
            None if self.exponent < 0 => {
                Some(Ratio::new(numerator, scale(self.exponent.unsigned_abs())?))
            }
            None => {
                let scaled = numerator.checked_mul(scale(self.exponent.unsigned_abs())?)?;
                Some(Ratio::new(scaled, 1))
            }
        }
    }
}

/// A reduced ratio of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u128,
    divisor: u128,
}

impl Ratio {
    /// The start of a sum.
    pub const ZERO: Self = Self {
        numerator: 0,
        divisor: 1,
    };

    fn new(numerator: u128, divisor: u128) -> Self {
        let common = gcd(numerator, divisor);
        Self {
            numerator: numerator / common,
            divisor: divisor / common,
        }
    }

    /// Adds, where the sum fits.
    pub fn plus(self, other: Self) -> Option<Self> {
        let common = gcd(self.divisor, other.divisor);
        let divisor = (self.divisor / common).checked_mul(other.divisor)?;
        let left = self.numerator.checked_mul(other.divisor / common)?;
        let right = other.numerator.checked_mul(self.divisor / common)?;
        Some(Self::new(left.checked_add(right)?, divisor))
    }

    /// Multiplies, where the product fits.
    pub fn times(self, count: u128) -> Option<Self> {
        let common = gcd(count, self.divisor);
        let numerator = self.numerator.checked_mul(count / common)?;
        Some(Self::new(numerator, self.divisor / common))
    }

    /// Compares, where the products fit.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        let common = gcd(self.divisor, other.divisor);
        let left = self.numerator.checked_mul(other.divisor / common)?;
        let right = other.numerator.checked_mul(self.divisor / common)?;
        Some(left.cmp(&right))
    }

    /// Whether the ratio is above 1.
    pub fn exceeds_one(self) -> bool {
        self.numerator > self.divisor
    }
}

impl fmt::Display for Ratio {
    /// A decimal where it ends within 20 places, a fraction otherwise.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut places = String::new();
        let mut rest = self.numerator % self.divisor;
        while rest != 0 {
            match rest.checked_mul(10) {
                Some(tenfold) if places.len() < 20 => {
                    places.push_str(&(tenfold / self.divisor).to_string());
                    rest = tenfold % self.divisor;
                }
                _ => return write!(f, "{}/{}", self.numerator, self.divisor),
            }
        }
        let whole = self.numerator / self.divisor;
        if places.is_empty() {
            write!(f, "{whole}")
        } else {
            write!(f, "{whole}.{places}")
        }
    }
}

/// Digits without leading zeros; `None` unless there are digits only.
fn whole(text: &str) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    whole_or_empty(text)
}

fn whole_or_empty(text: &str) -> Option<String> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.trim_start_matches('0').to_owned())
}

/// An exponent such as `-3`, `+3` or `3`, saturated.
fn power(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = whole(digits)?;
    let size = if digits.is_empty() {
        0
    } else {
        digits.parse().unwrap_or(i64::MAX)
    };
    Some(if negative { -size } else { size })
}

fn compare_whole(left: &str, right: &str) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

fn gcd(mut left: u128, mut right: u128) -> u128 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    // Only gcd(0, 0) is 0, and divisors are positive; 1 keeps division safe.
    left.max(1)
}

#[cfg(test)]
#[path = "exact_tests.rs"]
mod tests;
