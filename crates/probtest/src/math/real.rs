//! Positive reals, rounded down to a given number of bits.
//!
//! Written by hand, because the exponents of libraries end at 2^63, too small for a tail of 2^64
//! executions, and because 128-bit products, which decide all but the closest cases, take a hundred
//! times as long with `dashu-float`.
//!
//! Every operation rounds toward zero and loses at most two units in the last place, so a chain of
//! operations gives a lower bound, and its length says how far above the upper bound is.

use probtest_syntax::Natural;
use std::cmp::Ordering;
use std::f64::consts::{LN_2, LOG10_2};

/// A number as `mantissa * 2^exponent`.
pub(crate) type BinaryParts<'a> = (&'a Natural, i128);

/// A positive real `mantissa * 2^exponent`, always rounded down.
#[derive(Clone, Debug)]
pub(crate) struct Real {
    // Exactly `bits` bits.
    mantissa: Natural,
    exponent: i128,
    bits: usize,
}

impl Real {
    /// Cuts a mantissa to `bits` bits; shorter ones are padded.
    fn cut(mantissa: Natural, exponent: i128, bits: usize) -> Self {
        let long = mantissa.bit_len();
        let (mantissa, exponent) = if long >= bits {
            (mantissa >> (long - bits), exponent + (long - bits) as i128)
        } else {
            (mantissa << (bits - long), exponent - (bits - long) as i128)
        };
        Self { mantissa, exponent, bits }
    }

    /// `num / den` rounded down to this many bits.
    pub(crate) fn ratio(num: &Natural, den: &Natural, bits: usize) -> Self {
        let shift = bits as i128 + den.bit_len() as i128 - num.bit_len() as i128;
        let quotient = if shift >= 0 {
            (num << shift as usize) / den
        } else {
            num / (den << (-shift) as usize)
        };
        Self::cut(quotient, -shift, bits)
    }

    /// A positive float, exactly.
    pub(crate) fn from_f64(value: f64, bits: usize) -> Self {
        let (mantissa, exponent) = decode(value).unwrap_or((u64::MAX, 1 << 15));
        Self::cut(mantissa.into(), exponent, bits)
    }

    /// The product, at most one unit off.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let exponent = self.exponent + other.exponent;
        if self.bits == 128
            && let (Some(own), Some(others)) = (self.mantissa.to_u128(), other.mantissa.to_u128())
        {
            let (mantissa, shift) = leading(own, others);
            return Self { mantissa: mantissa.into(), exponent: exponent + shift, bits: 128 };
        }
        let product = if std::ptr::eq(self, other) {
            self.mantissa.square()
        } else {
            &self.mantissa * &other.mantissa
        };
        Self::cut(product, exponent, self.bits)
    }

    /// The sum, at most two units off.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let (large, small) =
            if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let shift = large.exponent - small.exponent;
        if shift >= self.bits as i128 {
            return large.clone();
        }
        let sum = &large.mantissa + (&small.mantissa >> shift as usize);
        Self::cut(sum, large.exponent, self.bits)
    }

    /// A number at least `self * (1 + 2^-slack)`.
    pub(crate) fn raised(&self, slack: usize) -> Self {
        let sum = &self.mantissa + (&self.mantissa >> slack) + Natural::from(3u64);
        let raised = Self::cut(sum, self.exponent, self.bits);
        Self { mantissa: raised.mantissa.or_one(), ..raised }
    }

    /// Which of the two is larger.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let exponents = self.exponent.cmp(&other.exponent);
        exponents.then_with(|| self.mantissa.cmp(&other.mantissa))
    }

    pub(crate) fn parts(&self) -> BinaryParts<'_> {
        (&self.mantissa, self.exponent)
    }

    pub(crate) fn into_parts(self) -> (Natural, i128) {
        (self.mantissa, self.exponent)
    }
}

/// The size of a float as mantissa and exponent, exactly; `None` if it isn't finite.
pub(crate) fn decode(value: f64) -> Option<(u64, i128)> {
    let bits = value.abs().to_bits();
    let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    value.is_finite().then_some(match exponent {
        // Subnormal floats have no implied leading one.
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, i128::from(exponent) - 1075),
    })
}

/// The leading 128 bits of a product of two 128-bit numbers, and how many bits were cut. Allocates
/// nothing, unlike the full product.
fn leading(own: u128, other: u128) -> (u128, i128) {
    let (a1, a0) = (own >> 64, own & u128::from(u64::MAX));
    let (b1, b0) = (other >> 64, other & u128::from(u64::MAX));
    let (cross, over) = (a1 * b0).overflowing_add(a0 * b1);
    let (middle, over_again) = cross.overflowing_add((a0 * b0) >> 64);
    let high = a1 * b1 + (middle >> 64) + ((u128::from(over) + u128::from(over_again)) << 64);
    if high >> 127 == 1 { (high, 128) } else { (high << 1 | (middle >> 63 & 1), 127) }
}

/// `base^exponent` for an exponent of at least 1.
///
/// With `u = 2^(1 - bits)`, the result is low by a factor of at most
/// `(1 + u)^(2 exponent - 1)`: rounding the base costs one `u`, squaring doubles
/// the cost and adds one, a further factor adds two.
pub(crate) fn power(base: &Real, exponent: u64) -> Real {
    let mut result = base.clone();
    for bit in (0..63 - exponent.leading_zeros()).rev() {
        result = result.times(&result);
        if exponent >> bit & 1 == 1 {
            result = result.times(base);
        }
    }
    result
}

/// A positive number that may be far outside the range of floats, `size * 2^exponent`, to within a
/// few units in the last place of a float.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled {
    size: f64,
    exponent: i64,
}

impl Scaled {
    pub(crate) fn ratio(num: &Natural, den: &Natural) -> Self {
        let lead = |value: &Natural| {
            let extra = value.bit_len().saturating_sub(64);
            let top = if extra == 0 { value.to_u64() } else { (value >> extra).to_u64() };
            (top.unwrap_or(u64::MAX) as f64, extra as i64)
        };
        let ((top, up), (bottom, down)) = (lead(num), lead(den));
        Self { size: top / bottom, exponent: up - down }
    }

    /// The value if a float can represent it; zero if it is too small.
    pub(crate) fn float(self) -> f64 {
        if self.exponent < -3000 {
            return 0.0;
        }
        let half = (self.exponent / 2) as i32;
        self.size * 2f64.powi(half) * 2f64.powi(self.exponent as i32 - half)
    }

    /// `-ln(1 - self)`.
    pub(crate) fn minus_ln_complement(self) -> Self {
        let float = self.float();
        if float < 1e-280 {
            // The next term of the series is 1e-280 times smaller.
            return self;
        }
        Self { size: -(-float).ln_1p(), exponent: 0 }
    }

    /// `-ln(self)`, for numbers below one.
    pub(crate) fn minus_ln(self) -> Self {
        Self { size: -(self.size.ln() + self.exponent as f64 * LN_2), exponent: 0 }
    }

    /// The base-ten logarithm.
    pub(crate) fn log10(self) -> f64 {
        self.size.log10() + self.exponent as f64 * LOG10_2
    }

    pub(crate) fn over(self, other: Self) -> Self {
        Self { size: self.size / other.size, exponent: self.exponent - other.exponent }
    }
}

/// Which of two numbers is larger, and the size of the logarithm of their quotient.
pub(crate) fn apart(own: BinaryParts<'_>, other: BinaryParts<'_>) -> (Ordering, Scaled) {
    let size = |(mantissa, exponent): BinaryParts<'_>| mantissa.bit_len() as i128 + exponent;
    let sizes = size(own) - size(other);
    if sizes.abs() > 2 {
        return (sizes.cmp(&0), Scaled { size: (sizes as f64 * LN_2).abs(), exponent: 0 });
    }
    let low = own.1.min(other.1);
    let align = |(mantissa, exponent): BinaryParts<'_>| mantissa << (exponent - low) as usize;
    let (own, other) = (align(own), align(other));
    let order = own.cmp(&other);
    let (large, small) = if order == Ordering::Less { (other, own) } else { (own, other) };
    let part = Scaled::ratio(&(&large - small), &large);
    (order, part.minus_ln_complement())
}
