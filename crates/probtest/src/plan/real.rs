//! Positive reals rounded down, in 128 bits or in as many as are asked for.
//!
//! Every operation rounds toward zero and loses at most two units in the last
//! place, so a chain of them is a lower bound, and its length says how far the
//! upper bound is. 128 bits need no memory of their own; they decide all but
//! the closest cases.

use dashu_base::BitTest;
use dashu_int::UBig;
use std::cmp::Ordering;

/// A positive real `mantissa * 2^exponent`, always rounded down.
pub(super) trait Real: Clone {
    /// `num / den` rounded down. `bits` is how precise to be, where that can be chosen.
    fn ratio(num: &UBig, den: &UBig, bits: usize) -> Self;
    /// How many bits the mantissa has.
    fn bits(&self) -> usize;
    /// The product, one unit off at most.
    fn times(&self, other: &Self) -> Self;
    /// The sum, two units off at most.
    fn plus(&self, other: &Self) -> Self;
    /// `2 - self` for values in (0, 1], one unit off at most.
    fn two_minus(&self) -> Self;
    /// A number at least `self * (1 + 2^-slack)`.
    fn raised(&self, slack: usize) -> Self;
    /// Which of the two is larger.
    fn order(&self, other: &Self) -> Ordering;
    /// `(self - other) / other`, to the precision of a float.
    fn gap(&self, other: &Self) -> f64;
    /// The mantissa and the exponent.
    fn parts(&self) -> (UBig, i128);
}

/// `base^exponent` for an exponent of at least 1.
///
/// With `u = 2^(1 - bits)`, the result is low by a factor of at most
/// `(1 + u)^(2 exponent - 1)`: rounding the base costs one `u`, squaring doubles
/// the cost and adds one, a further factor adds two.
pub(super) fn power<R: Real>(base: &R, exponent: u64) -> R {
    let mut result = base.clone();
    for bit in (0..63 - exponent.leading_zeros()).rev() {
        result = result.times(&result);
        if exponent >> bit & 1 == 1 {
            result = result.times(base);
        }
    }
    result
}

/// `1 - (1 - q)^exponent`, relative to its own size, given `q` and `1 - q`.
///
/// Doubling by `u(2 - u)` and stepping by `q + u(1 - q)` shrink an earlier
/// relative error, so at most 126 steps of four units each add up.
pub(super) fn one_minus_power<R: Real>(q: &R, complement: &R, exponent: u64) -> R {
    let mut result = q.clone();
    for bit in (0..63 - exponent.leading_zeros()).rev() {
        result = result.times(&result.two_minus());
        if exponent >> bit & 1 == 1 {
            result = q.plus(&result.times(complement));
        }
    }
    result
}

/// 128 bits: the first of them is always set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
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
        let shift = 128 + den.bit_len() as i128 - num.bit_len() as i128;
        let quotient = if shift >= 0 {
            (num << shift as usize) / den
        } else {
            num / (den << (-shift) as usize)
        };
        let extra = quotient.bit_len() - 128;
        let mantissa = u128::try_from(quotient >> extra).unwrap_or(u128::MAX);
        Self {
            mantissa,
            exponent: extra as i128 - shift,
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

    fn two_minus(&self) -> Self {
        // In units of 2^-127 the value is at most 2^127, and two is 2^128.
        let shift = -127 - self.exponent;
        let value = match shift {
            0 => self.mantissa,
            1..128 => {
                let kept = self.mantissa >> shift as u32;
                kept + u128::from(kept << shift as u32 != self.mantissa)
            }
            ..0 => self.mantissa << (-shift).min(127) as u32,
            _ => 1,
        };
        Self {
            mantissa: value.wrapping_neg(),
            exponent: -127,
        }
    }

    fn raised(&self, slack: usize) -> Self {
        let more = if slack >= 128 {
            0
        } else {
            self.mantissa >> slack
        };
        // One for the shift, one for the carry below.
        let (sum, carry) = self.mantissa.overflowing_add(more + 2);
        let raised = Self::carried(sum, carry, self.exponent);
        if carry {
            Self {
                mantissa: raised.mantissa | 1,
                ..raised
            }
        } else {
            raised
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.exponent
            .cmp(&other.exponent)
            .then(self.mantissa.cmp(&other.mantissa))
    }

    fn gap(&self, other: &Self) -> f64 {
        // Values on both sides of a power of two may still be close: halve the
        // smaller mantissa's scale instead of going through floats.
        let (own, theirs) = match self.exponent - other.exponent {
            0 => (self.mantissa, other.mantissa),
            1 => (self.mantissa, other.mantissa >> 1),
            -1 => (self.mantissa >> 1, other.mantissa),
            apart => {
                let ratio = self.mantissa as f64 / other.mantissa as f64;
                return ratio * 2f64.powi(apart.clamp(-2000, 1000) as i32) - 1.0;
            }
        };
        let size = own.abs_diff(theirs) as f64 / theirs as f64;
        if own < theirs { -size } else { size }
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
    let mantissa = if shift == 0 {
        high
    } else {
        high << shift | third >> (64 - shift.min(63))
    };
    // A shift of exactly 64 takes the whole third digit.
    let mantissa = if shift == 64 {
        second << 64 | third
    } else {
        mantissa
    };
    Short {
        mantissa,
        exponent: -128 - i128::from(shift),
    }
}

/// As many bits as are asked for.
#[derive(Clone, Debug)]
pub(super) struct Long {
    // Exactly `bits` bits.
    mantissa: UBig,
    exponent: i128,
    bits: usize,
}

impl Long {
    /// Cuts a mantissa to `bits` bits; shorter ones are filled up.
    pub(super) fn cut(mantissa: UBig, exponent: i128, bits: usize) -> Self {
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

    fn two_minus(&self) -> Self {
        let unit = self.bits as i128 - 1;
        let shift = -unit - self.exponent;
        let value = if shift > self.bits as i128 {
            UBig::ONE
        } else if shift >= 0 {
            (&self.mantissa >> shift as usize) + UBig::ONE
        } else {
            &self.mantissa << (-shift) as usize
        };
        Self::cut((UBig::ONE << self.bits) - value, -unit, self.bits)
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
        self.exponent
            .cmp(&other.exponent)
            .then_with(|| self.mantissa.cmp(&other.mantissa))
    }

    fn gap(&self, other: &Self) -> f64 {
        if self.exponent != other.exponent {
            return self.to_short().gap(&other.to_short());
        }
        let below = self.mantissa < other.mantissa;
        let size = if below {
            &other.mantissa - &self.mantissa
        } else {
            &self.mantissa - &other.mantissa
        };
        if size.is_zero() {
            return 0.0;
        }
        let ratio = Short::ratio(&size, &other.mantissa, 128);
        let size = ratio.mantissa as f64 * 2f64.powi(ratio.exponent.clamp(-2000, 1000) as i32);
        if below { -size } else { size }
    }

    fn parts(&self) -> (UBig, i128) {
        (self.mantissa.clone(), self.exponent)
    }
}

impl Long {
    fn to_short(&self) -> Short {
        let cut = Self::cut(self.mantissa.clone(), self.exponent, 128);
        let mantissa = u128::try_from(cut.mantissa).unwrap_or(u128::MAX);
        Short {
            mantissa,
            exponent: cut.exponent,
        }
    }
}
