//! Positive reals rounded down, in 128 bits or in as many as are asked for.
//!
//! By hand, because the exponents of `dashu-float` end at 2^63 (a tail of 2^64
//! executions is beyond that) and its numbers live in memory of their own, where
//! 128 bits here need none: those decide all but the closest cases.
//!
//! Every operation rounds toward zero and loses at most two units in the last
//! place, so a chain of them is a lower bound, and its length says how far the
//! upper bound is.

use dashu_base::BitTest;
use dashu_int::UBig;
use std::cmp::Ordering;
use std::f64::consts::{LN_2, LOG10_2};

/// A positive real `mantissa * 2^exponent`, always rounded down.
pub(crate) trait Real: Clone {
    /// `num / den` rounded down. `bits` is how precise to be, where that can be chosen.
    fn ratio(num: &UBig, den: &UBig, bits: usize) -> Self;
    /// How many bits the mantissa has.
    fn bits(&self) -> usize;
    /// The product, one unit off at most.
    fn times(&self, other: &Self) -> Self;
    /// The sum, two units off at most.
    fn plus(&self, other: &Self) -> Self;
    /// A number at least `self * (1 + 2^-slack)`.
    fn raised(&self, slack: usize) -> Self;
    /// Which of the two is larger.
    fn order(&self, other: &Self) -> Ordering;
    /// The mantissa and the exponent.
    fn parts(&self) -> (UBig, i128);
}

/// `base^exponent` for an exponent of at least 1.
///
/// With `u = 2^(1 - bits)`, the result is low by a factor of at most
/// `(1 + u)^(2 exponent - 1)`: rounding the base costs one `u`, squaring doubles
/// the cost and adds one, a further factor adds two.
pub(crate) fn power<R: Real>(base: &R, exponent: u64) -> R {
    let mut result = base.clone();
    for bit in (0..63 - exponent.leading_zeros()).rev() {
        result = result.times(&result);
        if exponent >> bit & 1 == 1 {
            result = result.times(base);
        }
    }
    result
}

/// 128 bits: the first of them is always set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Short {
    mantissa: u128,
    exponent: i128,
}

impl Short {
    fn carried(mantissa: u128, carry: bool, exponent: i128) -> Self {
        if carry {
            Self {
                mantissa: mantissa >> 1 | 1 << 127,
                exponent: exponent + 1,
            }
        } else {
            Self { mantissa, exponent }
        }
    }
}

impl Real for Short {
    fn ratio(num: &UBig, den: &UBig, _bits: usize) -> Self {
        if let (Ok(num), Ok(den)) = (u64::try_from(num), u64::try_from(den))
            && num < den
        {
            return short_ratio(num, den);
        }
        let long = Long::ratio(num, den, 128);
        Self {
            mantissa: u128::try_from(long.mantissa).unwrap_or(u128::MAX),
            exponent: long.exponent,
        }
    }

    fn bits(&self) -> usize {
        128
    }

    #[inline]
    fn times(&self, other: &Self) -> Self {
        let (a1, a0) = (self.mantissa >> 64, self.mantissa & u128::from(u64::MAX));
        let (b1, b0) = (other.mantissa >> 64, other.mantissa & u128::from(u64::MAX));
        let low = a0 * b0;
        let (cross, over) = (a1 * b0).overflowing_add(a0 * b1);
        let (middle, over_again) = cross.overflowing_add(low >> 64);
        let high =
            a1 * b1 + (middle >> 64) + (u128::from(over) << 64) + (u128::from(over_again) << 64);
        let exponent = self.exponent + other.exponent + 128;
        if high >> 127 == 1 {
            Self {
                mantissa: high,
                exponent,
            }
        } else {
            Self {
                mantissa: high << 1 | (middle >> 63 & 1),
                exponent: exponent - 1,
            }
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let (large, small) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        let shift = large.exponent - small.exponent;
        if shift >= 128 {
            return *large;
        }
        let (sum, carry) = large
            .mantissa
            .overflowing_add(small.mantissa >> shift as u32);
        Self::carried(sum, carry, large.exponent)
    }

    fn raised(&self, slack: usize) -> Self {
        let more = self.mantissa.checked_shr(slack as u32).unwrap_or(0);
        // One for the shift, one for the carry.
        let (sum, carry) = self.mantissa.overflowing_add(more + 2);
        let raised = Self::carried(sum, carry, self.exponent);
        Self {
            mantissa: raised.mantissa | u128::from(carry),
            ..raised
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        let exponents = self.exponent.cmp(&other.exponent);
        exponents.then(self.mantissa.cmp(&other.mantissa))
    }

    fn parts(&self) -> (UBig, i128) {
        (self.mantissa.into(), self.exponent)
    }
}

/// The leading 128 bits of a fraction below one, by three divisions.
fn short_ratio(num: u64, den: u64) -> Short {
    let den = u128::from(den);
    let mut rest = u128::from(num);
    let mut digit = || {
        let over = rest << 64;
        rest = over % den;
        over / den
    };
    let (first, second, third) = (digit(), digit(), digit());
    // The fraction is at least 2^-64, so 192 places hold 128 leading bits.
    let high = first << 64 | second;
    let shift = high.leading_zeros();
    Short {
        mantissa: high << shift | third >> (64 - shift),
        exponent: -128 - i128::from(shift),
    }
}

/// As many bits as are asked for.
#[derive(Clone, Debug)]
pub(crate) struct Long {
    // Exactly `bits` bits.
    mantissa: UBig,
    exponent: i128,
    bits: usize,
}

impl Long {
    /// Cuts a mantissa to `bits` bits; shorter ones are filled up.
    fn cut(mantissa: UBig, exponent: i128, bits: usize) -> Self {
        let long = mantissa.bit_len();
        let (mantissa, exponent) = if long >= bits {
            (mantissa >> (long - bits), exponent + (long - bits) as i128)
        } else {
            (mantissa << (bits - long), exponent - (bits - long) as i128)
        };
        Self {
            mantissa,
            exponent,
            bits,
        }
    }
}

impl Real for Long {
    fn ratio(num: &UBig, den: &UBig, bits: usize) -> Self {
        let shift = bits as i128 + den.bit_len() as i128 - num.bit_len() as i128;
        let quotient = if shift >= 0 {
            (num << shift as usize) / den
        } else {
            num / (den << (-shift) as usize)
        };
        Self::cut(quotient, -shift, bits)
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn times(&self, other: &Self) -> Self {
        let product = if std::ptr::eq(self, other) {
            self.mantissa.sqr()
        } else {
            &self.mantissa * &other.mantissa
        };
        Self::cut(product, self.exponent + other.exponent, self.bits)
    }

    fn plus(&self, other: &Self) -> Self {
        let (large, small) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        let shift = large.exponent - small.exponent;
        if shift >= self.bits as i128 {
            return large.clone();
        }
        let sum = &large.mantissa + (&small.mantissa >> shift as usize);
        Self::cut(sum, large.exponent, self.bits)
    }

    fn raised(&self, slack: usize) -> Self {
        let sum = &self.mantissa + (&self.mantissa >> slack) + UBig::from(3u8);
        let raised = Self::cut(sum, self.exponent, self.bits);
        Self {
            mantissa: raised.mantissa | UBig::ONE,
            ..raised
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        let exponents = self.exponent.cmp(&other.exponent);
        exponents.then_with(|| self.mantissa.cmp(&other.mantissa))
    }

    fn parts(&self) -> (UBig, i128) {
        (self.mantissa.clone(), self.exponent)
    }
}

/// A positive number far beyond the range of a float, to within a few units in
/// the last place of one: `size * 2^exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled {
    size: f64,
    exponent: i64,
}

impl Scaled {
    pub(crate) fn ratio(num: &UBig, den: &UBig) -> Self {
        let lead = |value: &UBig| {
            let extra = value.bit_len().saturating_sub(64);
            let top = if extra == 0 {
                u64::try_from(value)
            } else {
                u64::try_from(value >> extra)
            };
            (top.unwrap_or(u64::MAX) as f64, extra as i64)
        };
        let ((top, up), (bottom, down)) = (lead(num), lead(den));
        Self {
            size: top / bottom,
            exponent: up - down,
        }
    }

    /// The value where a float can hold it, zero below.
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
        Self {
            size: -(-float).ln_1p(),
            exponent: 0,
        }
    }

    /// `-ln(self)`, for numbers below one.
    pub(crate) fn minus_ln(self) -> Self {
        Self {
            size: -(self.size.ln() + self.exponent as f64 * LN_2),
            exponent: 0,
        }
    }

    /// The base-ten logarithm.
    pub(crate) fn log10(self) -> f64 {
        self.size.log10() + self.exponent as f64 * LOG10_2
    }

    pub(crate) fn over(self, other: Self) -> Self {
        Self {
            size: self.size / other.size,
            exponent: self.exponent - other.exponent,
        }
    }
}

/// A number as `mantissa * 2^exponent`.
pub(crate) type Parts<'a> = (&'a UBig, i128);

/// Which of two numbers is larger, and the size of the logarithm of their quotient.
pub(crate) fn apart(own: Parts<'_>, other: Parts<'_>) -> (Ordering, Scaled) {
    let size = |(mantissa, exponent): Parts<'_>| mantissa.bit_len() as i128 + exponent;
    let sizes = size(own) - size(other);
    if sizes.abs() > 2 {
        let log = (sizes as f64 * LN_2).abs();
        let log = Scaled {
            size: log,
            exponent: 0,
        };
        return (sizes.cmp(&0), log);
    }
    let low = own.1.min(other.1);
    let align = |(mantissa, exponent): Parts<'_>| mantissa << (exponent - low) as usize;
    let (own, other) = (align(own), align(other));
    let order = own.cmp(&other);
    let (large, small) = match order {
        Ordering::Less => (other, own),
        _ => (own, other),
    };
    let part = Scaled::ratio(&(&large - small), &large);
    (order, part.minus_ln_complement())
}
