//! One exact probability.

use crate::{Error, Natural, text};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::sync::Arc;

/// A probability strictly between 0 and 1, kept as the exact rational you wrote.
///
/// A float means the decimal it prints as, so `0.3` is three tenths and not the nearest binary
/// number. It is displayed the way you wrote it.
///
/// ```
/// use probtest_syntax::Probability;
///
/// let third = Probability::parse("1/3")?;
/// assert_eq!(third.to_string(), "1/3");
/// assert_eq!(Probability::from_f64(0.3)?, Probability::from_ratio(3, 10)?);
/// assert_ne!(Probability::from_f64(0.3333333333333333)?, third);
/// # Ok::<(), probtest_syntax::Error>(())
/// ```
#[derive(Clone)]
pub struct Probability {
    // Reduced, 0 < num < den.
    num: Natural,
    den: Natural,
    float: f64,
    shown: Notation,
}

/// How to print a probability; not part of its value.
#[derive(Clone)]
enum Notation {
    Float,
    Ratio,
    Text(Arc<str>),
}

impl Probability {
    /// Reads a decimal (`0.01`), a scientific number (`1e-3`), a fraction
    /// (`1/1024`) or one minus any of these (`1 - 1e-20`).
    ///
    /// # Errors
    /// When the text is none of these, isn't strictly between 0 and 1, has more than 1000 digits or
    /// an exponent beyond 10 000.
    ///
    /// ```
    /// use probtest_syntax::Probability;
    ///
    /// assert_eq!(Probability::parse("2.5E-1")?, Probability::parse("1 / 4")?);
    /// assert!(Probability::parse("5%").is_err());
    /// # Ok::<(), probtest_syntax::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (num, den) = text::read(text)?;
        Ok(Self::new(num, den, Notation::Text(text.trim().into())))
    }

    /// Takes a float as the shortest decimal that reads back as that float.
    ///
    /// # Errors
    /// When it is NaN or not strictly between 0 and 1.
    pub fn from_f64(value: f64) -> Result<Self, Error> {
        if value.is_nan() {
            return Err(text::not_a_number("NaN"));
        }
        if value <= 0.0 || value >= 1.0 {
            return Err(text::out_of_range(&format!("{value:?}")));
        }
        let (num, den) = decimal_of(value);
        Ok(Self { num, den, float: value, shown: Notation::Float })
    }

    /// Takes a fraction.
    ///
    /// # Errors
    /// When the denominator is zero or the value isn't strictly between 0 and 1.
    pub fn from_ratio(numerator: u64, denominator: u64) -> Result<Self, Error> {
        let given = || format!("{numerator}/{denominator}");
        if denominator == 0 {
            return Err(text::divides_by_zero(&given()));
        }
        let (num, den) = text::in_range(numerator.into(), denominator.into(), given)?;
        Ok(Self::new(num, den, Notation::Ratio))
    }

    /// `self + self * factor`, for a factor written as text.
    #[doc(hidden)]
    pub fn enlarged(&self, factor: &str) -> Result<Self, Error> {
        let (negative, num, den) = text::read_factor(factor)?;
        let out_of_range = || {
            let given = format!("p = {self}, factor = {}", text::excerpt(factor));
            text::out_of_range(&given).about("p + p * factor")
        };
        let grown = match negative {
            false => &den + num,
            true if num < den => &den - num,
            true => return Err(out_of_range()),
        };
        let (num, den) = text::in_range(&self.num * grown, &self.den * den, String::new)
            .map_err(|_| out_of_range())?;
        Ok(Self::computed(num, den))
    }

    /// An equal part of this probability, exactly.
    #[doc(hidden)]
    pub fn divided_by(&self, parts: NonZeroU64) -> Self {
        let den = &self.den * Natural::from(parts.get());
        let common = self.num.gcd(&den);
        let (num, den) = (&self.num / &common, den / common);
        Self::computed(num, den)
    }

    /// Shows a computed value as a decimal if that is short.
    fn computed(num: Natural, den: Natural) -> Self {
        let shown = match short_decimal(&num, &den) {
            Some(decimal) => Notation::Text(decimal.into()),
            None => Notation::Ratio,
        };
        Self::new(num, den, shown)
    }

    fn new(num: Natural, den: Natural, shown: Notation) -> Self {
        let float = nearest_float(&num, &den);
        Self { num, den, float, shown }
    }

    /// The nearest float.
    pub fn as_f64(&self) -> f64 {
        self.float
    }

    /// The natural logarithm, even if the nearest float is zero.
    #[doc(hidden)]
    pub fn ln(&self) -> f64 {
        if self.float.is_normal() {
            return self.float.ln();
        }
        let ln = |whole: &Natural| {
            let cut = whole.bit_len().saturating_sub(1000);
            (whole >> cut).to_f64().ln() + cut as f64 * std::f64::consts::LN_2
        };
        ln(&self.num) - ln(&self.den)
    }

    /// One minus this probability, exactly.
    ///
    /// ```
    /// use probtest_syntax::Probability;
    ///
    /// assert_eq!(Probability::from_f64(0.02)?.complement().to_string(), "0.98");
    /// assert_eq!(Probability::parse("1/6")?.complement().to_string(), "5/6");
    /// assert_eq!(Probability::from_f64(1e-40)?.complement().to_string(), "1 - 1e-40");
    /// # Ok::<(), probtest_syntax::Error>(())
    /// ```
    pub fn complement(&self) -> Probability {
        let num = &self.den - &self.num;
        let own = self.to_string();
        let shown = if let Some(back) = own.strip_prefix("1 - ") {
            Notation::Text(back.into())
        } else if own.contains('/') {
            Notation::Ratio
        } else {
            match short_decimal(&num, &self.den) {
                Some(decimal) => Notation::Text(decimal.into()),
                None => Notation::Text(format!("1 - {own}").into()),
            }
        };
        Self::new(num, self.den.clone(), shown)
    }

    /// The numerator and the denominator, reduced.
    #[doc(hidden)]
    pub fn parts(&self) -> (&Natural, &Natural) {
        (&self.num, &self.den)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shown {
            // Debug prints the shortest form, and switches to scientific notation if that is
            // shorter.
            Notation::Float => f.pad(&format!("{:?}", self.float)),
            Notation::Ratio => f.pad(&format!("{}/{}", self.num, self.den)),
            Notation::Text(text) => f.pad(text),
        }
    }
}

impl fmt::Debug for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Probability({self})")
    }
}

impl PartialEq for Probability {
    fn eq(&self, other: &Self) -> bool {
        self.num == other.num && self.den == other.den
    }
}

impl Eq for Probability {}

impl Hash for Probability {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.num.hash(state);
        self.den.hash(state);
    }
}

impl PartialOrd for Probability {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Probability {
    fn cmp(&self, other: &Self) -> Ordering {
        // Rounding preserves order, so different floats decide.
        match self.float.total_cmp(&other.float) {
            Ordering::Equal => (&self.num * &other.den).cmp(&(&other.num * &self.den)),
            decided => decided,
        }
    }
}

impl FromStr for Probability {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text)
    }
}

/// A value that you can give as a [`Probability`].
///
/// ```
/// use probtest_syntax::IntoProbability;
///
/// assert_eq!(0.25.into_probability()?, "1/4".into_probability()?);
/// assert_eq!(0.1f32.into_probability()?.to_string(), "0.1");
/// # Ok::<(), probtest_syntax::Error>(())
/// ```
pub trait IntoProbability {
    /// Reads the value exactly.
    ///
    /// # Errors
    /// When it isn't strictly between 0 and 1.
    fn into_probability(self) -> Result<Probability, Error>;
}

impl IntoProbability for f64 {
    fn into_probability(self) -> Result<Probability, Error> {
        Probability::from_f64(self)
    }
}

impl IntoProbability for f32 {
    fn into_probability(self) -> Result<Probability, Error> {
        // An f32 also means the decimal it prints as; widening it would print another.
        match Probability::from_f64(f64::from(self)) {
            Ok(_) => Probability::parse(&format!("{self:?}")),
            Err(error) => Err(error),
        }
    }
}

impl IntoProbability for &str {
    fn into_probability(self) -> Result<Probability, Error> {
        Probability::parse(self)
    }
}

impl IntoProbability for String {
    fn into_probability(self) -> Result<Probability, Error> {
        Probability::parse(&self)
    }
}

impl IntoProbability for Probability {
    fn into_probability(self) -> Result<Probability, Error> {
        Ok(self)
    }
}

impl IntoProbability for &Probability {
    fn into_probability(self) -> Result<Probability, Error> {
        Ok(self.clone())
    }
}

/// The decimal that a float below one prints as, as a reduced fraction.
fn decimal_of(value: f64) -> (Natural, Natural) {
    // Printed without a string: a million outcomes are common.
    let mut buffer = [0; 32];
    let mut rest = &mut buffer[..];
    // The longest form, such as 2.2250738585072014e-308, fits.
    let _ = write!(rest, "{value:e}");
    let mut parts = buffer.split(|byte| *byte == b'e');
    let number = |text: &[u8]| {
        let digits = text.iter().filter(|byte| byte.is_ascii_digit());
        digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
    };
    let mantissa = parts.next().unwrap_or_default();
    let behind_point = mantissa.len().saturating_sub(2) as u32;
    let mut digits = number(mantissa);
    let power = behind_point + parts.next().map_or(0, number) as u32;
    // The shortest form has no trailing zero, so the digits share factors of 2 or factors of 5 with
    // the power of ten, never both.
    let twos = power.min(digits.trailing_zeros());
    digits >>= twos;
    let mut fives = 0;
    while fives < power && digits.is_multiple_of(5) {
        digits /= 5;
        fives += 1;
    }
    let den = match 5u128.checked_pow(power - fives) {
        Some(small) => Natural::from(small),
        None => Natural::from(5u64).pow((power - fives) as usize),
    };
    (digits.into(), den << (power - twos) as usize)
}

/// Rounds a fraction to the nearest float (ties to even; one ulp below 1e-307).
fn nearest_float(num: &Natural, den: &Natural) -> f64 {
    const BITS: i64 = 63;
    let shift = BITS + den.bit_len() as i64 - num.bit_len() as i64;
    // Strictly inside (0, 1), so the shift is never negative.
    let scaled = num << shift.unsigned_abs() as usize;
    let (quotient, rest) = scaled.div_rem(den);
    // A sticky last bit makes the conversion below round like the exact value.
    let mantissa = quotient.to_u64().unwrap_or(u64::MAX) | u64::from(!rest.is_zero());
    let (half, rest) = (-(shift / 2), -(shift - shift / 2));
    if shift > 2000 {
        return 0.0;
    }
    let value = mantissa as f64 * 2f64.powi(half as i32) * 2f64.powi(rest as i32);
    // A probability is never exactly 1, but its float may be.
    value.min(1.0)
}

/// The exact decimal form, if it ends within twenty places.
fn short_decimal(num: &Natural, den: &Natural) -> Option<String> {
    const PLACES: usize = 20;
    let scaled = num * Natural::from(10u64).pow(PLACES);
    let (whole, rest) = scaled.div_rem(den);
    if !rest.is_zero() {
        return None;
    }
    let digits = format!("{whole:0>PLACES$}");
    let digits = digits.trim_end_matches('0');
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    if zeros >= 4 {
        let rest = &digits[zeros..];
        let (first, more) = rest.split_at(1);
        let point = if more.is_empty() { "" } else { "." };
        return Some(format!("{first}{point}{more}e-{}", zeros + 1));
    }
    Some(format!("0.{digits}"))
}
