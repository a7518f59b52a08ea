//! A chance that may be far smaller than any float.

use super::real::{BinaryParts, Real, Scaled, apart, decode, power};
use probtest_syntax::{Natural, Probability};
use std::cmp::Ordering;
use std::fmt;

/// Smaller powers of ten aren't distinguished: the scale that shows digits has 64 bits.
const SMALLEST: i128 = -18_000_000_000_000_000_000;

/// The chance of missing something, however small.
///
/// Displays with four significant digits; [`Chance::display_against`] shows more if four would hide
/// on which side of a reference it is.
///
/// ```
/// use probtest::{claim::Claim, plan};
///
/// let chance = plan::miss(&Claim::detect(0.01, 0.02)?, 390);
/// assert_eq!(chance.to_string(), "0.01985");
/// let tiny = plan::miss(&Claim::detect(0.5, 0.02)?, 10_000);
/// assert_eq!(tiny.to_string(), "1.002e-3010");
/// assert_eq!(tiny.value(), 0.0);
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Chance {
    // `mantissa * 2^exponent`; zero and one are possible.
    mantissa: Natural,
    exponent: i128,
    // How many leading bits are correct.
    good: usize,
}

impl Chance {
    /// `mantissa * 2^exponent`, of which `good` leading bits are correct.
    pub(crate) fn new(mantissa: Natural, exponent: i128, good: usize) -> Self {
        Self { mantissa, exponent, good }
    }

    pub(crate) fn one() -> Self {
        Self::new(Natural::ONE, 0, 64)
    }

    /// From a float in [0, 1] of which `good` leading bits are correct.
    pub(crate) fn from_f64(value: f64, good: usize) -> Self {
        let (mantissa, exponent) = decode(value).unwrap_or((0, 0));
        Self::new(mantissa.into(), exponent, good)
    }

    /// The nearest float; zero if it is smaller than any float.
    pub fn value(&self) -> f64 {
        if self.mantissa.is_zero() {
            return 0.0;
        }
        let (top, behind) = self.mantissa.leading();
        let exponent = (self.exponent + behind as i128).clamp(-3000, 0) as i32;
        let half = exponent / 2;
        top as f64 * 2f64.powi(half) * 2f64.powi(exponent - half)
    }

    /// The base-ten logarithm, even if [`Chance::value`] is zero.
    pub fn log10(&self) -> f64 {
        if self.mantissa.is_zero() {
            return f64::NEG_INFINITY;
        }
        // Close to one, the two large terms would cancel.
        let value = self.value();
        if value > 1e-5 {
            value.log10()
        } else {
            let mantissa = Scaled::ratio(&self.mantissa, &Natural::ONE);
            mantissa.log10() + self.exponent as f64 * std::f64::consts::LOG10_2
        }
    }

    /// Shows as many digits, four or more, as it takes to see on which side of `reference` the
    /// chance is.
    pub fn display_against(&self, reference: &Probability) -> String {
        if reference.as_f64() > 0.9999 && self.value() > 0.9999 && !self.is_one() {
            let rest = self.complement().display_against(&reference.complement());
            return format!("1 - {rest}");
        }
        let (num, den) = reference.parts();
        let (mantissa, exponent) = Real::ratio(num, den, self.good + 64).into_parts();
        let other = Self::new(mantissa, exponent, self.good);
        let gap = apart(self.parts(), other.parts()).1.float();
        // Incorrect digits can't tell a tie from a difference.
        if gap == 0.0 || gap.log2() < -(self.good as f64) {
            return self.to_string();
        }
        let first = (-gap.log10()).floor().max(4.0) as usize;
        let mut both = (first..).map(|count| (self.digits(count), other.digits(count)));
        both.find(|(own, other)| own != other).map_or_else(|| self.to_string(), |(own, _)| own)
    }

    fn is_one(&self) -> bool {
        self.exponent <= 0 && self.mantissa == Natural::ONE << self.exponent.unsigned_abs() as usize
    }

    /// One minus this chance, which is below one and not tiny.
    pub(crate) fn complement(&self) -> Self {
        let one = Natural::ONE << self.exponent.unsigned_abs() as usize;
        let mantissa = one - &self.mantissa;
        let lost = self.mantissa.bit_len().saturating_sub(mantissa.bit_len());
        Self::new(mantissa, self.exponent, self.good.saturating_sub(lost))
    }

    fn parts(&self) -> BinaryParts<'_> {
        (&self.mantissa, self.exponent)
    }

    /// How much this is above a probability, as a float.
    pub(crate) fn above(&self, reference: &Probability) -> f64 {
        let (num, den) = reference.parts();
        if self.exponent < -100_000 {
            // Negligible compared with any probability that can be written.
            return -reference.as_f64();
        }
        let shift = self.exponent.unsigned_abs() as usize;
        let own = &self.mantissa * den;
        let other = num << shift;
        let below = own < other;
        let apart = if below { other - own } else { own - other };
        let size = Scaled::ratio(&apart, &(den << shift)).float();
        if below { -size } else { size }
    }

    /// Writes this many significant digits, or a bound if it is below [`SMALLEST`].
    fn digits(&self, count: usize) -> String {
        let (mut digits, mut power) = ("0".repeat(count), 0);
        if !self.mantissa.is_zero() {
            power = self.log10().floor() as i128;
            if power < SMALLEST {
                return format!("below 1e{SMALLEST}");
            }
            loop {
                let scale = (count as i128 - 1 - power).max(1) as u64;
                digits = self.scaled_by_ten(scale).to_string();
                match digits.len().cmp(&count) {
                    Ordering::Equal => break,
                    Ordering::Less => power -= 1,
                    Ordering::Greater => power += 1,
                }
            }
        }
        let (first, rest) = digits.split_at(1);
        match power {
            0 => format!("{first}.{rest}"),
            -4..0 => format!("0.{}{digits}", "0".repeat(power.unsigned_abs() as usize - 1)),
            power => format!("{first}.{rest}e{power}"),
        }
    }

    /// The nearest integer to `self * 10^power`, for a power of at least 1.
    fn scaled_by_ten(&self, power_of_ten: u64) -> Natural {
        // Exact as long as a tie is possible; beyond that, the few digits shown need no more than
        // this.
        let bits = self.mantissa.bit_len() + 192;
        let five = Real::ratio(&Natural::from(5u64), &Natural::ONE, bits);
        let (scale, exponent) = power(&five, power_of_ten).into_parts();
        let mantissa = scale * &self.mantissa;
        let exponent = exponent + self.exponent + i128::from(power_of_ten);
        if exponent >= 0 {
            return mantissa << exponent as usize;
        }
        let shift = exponent.unsigned_abs() as usize;
        if shift > mantissa.bit_len() + 1 {
            return Natural::ZERO;
        }
        ((mantissa >> (shift - 1)) + Natural::ONE) >> 1
    }
}

impl fmt::Display for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.digits(4))
    }
}

impl fmt::Debug for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chance({self})")
    }
}
