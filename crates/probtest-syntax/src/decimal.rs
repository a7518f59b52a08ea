//! Between fractions, floats and decimals.

use dashu_base::BitTest;
use dashu_int::UBig;
use std::fmt;

/// The decimal that a float prints as, as a reduced fraction.
pub(crate) fn decimal_of(value: f64) -> (UBig, UBig) {
    let printed = Printed::of(value);
    let mut digits = printed.digits;
    let power = printed.power;
    // The shortest form has no trailing zero, so the digits share factors of 2
    // or factors of 5 with the power of ten, never both.
    let twos = power.min(digits.trailing_zeros());
    digits >>= twos;
    let mut fives = 0;
    while fives < power && digits.is_multiple_of(5) {
        digits /= 5;
        fives += 1;
    }
    let den = match 5u128.checked_pow(power - fives) {
        Some(small) => UBig::from(small),
        None => UBig::from(5u8).pow((power - fives) as usize),
    };
    (digits.into(), den << (power - twos) as usize)
}

/// `digits * 10^-power`, read off the shortest scientific form.
struct Printed {
    digits: u64,
    power: u32,
}

impl Printed {
    fn of(value: f64) -> Self {
        // Collects the digits without a string: a million outcomes are common.
        struct Reader {
            digits: u64,
            behind_point: i32,
            exponent: i32,
            negative: bool,
            stage: u8,
        }
        impl fmt::Write for Reader {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                for byte in text.bytes() {
                    match (byte, self.stage) {
                        (b'.', _) => self.stage = 1,
                        (b'e', _) => self.stage = 2,
                        (b'-', _) => self.negative = true,
                        (_, 2) => self.exponent = self.exponent * 10 + i32::from(byte - b'0'),
                        _ => {
                            self.digits = self.digits * 10 + u64::from(byte - b'0');
                            self.behind_point += i32::from(self.stage);
                        }
                    }
                }
                Ok(())
            }
        }
        let mut reader =
            Reader { digits: 0, behind_point: 0, exponent: 0, negative: false, stage: 0 };
        // Writing into this reader cannot fail.
        let _ = fmt::write(&mut reader, format_args!("{value:e}"));
        let exponent = if reader.negative { -reader.exponent } else { reader.exponent };
        // Below one, so the point always stands in front of the last digit.
        Self { digits: reader.digits, power: (reader.behind_point - exponent).unsigned_abs() }
    }
}

/// Rounds a fraction to the nearest float (ties to even; one ulp below 1e-307).
pub(crate) fn nearest_float(num: &UBig, den: &UBig) -> f64 {
    const BITS: i64 = 63;
    let shift = BITS + den.bit_len() as i64 - num.bit_len() as i64;
    // Strictly inside (0, 1), so the shift is never negative.
    let scaled = num << shift.unsigned_abs() as usize;
    let quotient = &scaled / den;
    let inexact = &quotient * den != scaled;
    // A sticky last bit makes the conversion below round as the exact value would.
    let mantissa = u64::try_from(quotient).unwrap_or(u64::MAX) | u64::from(inexact);
    let (half, rest) = (-(shift / 2), -(shift - shift / 2));
    if shift > 2000 {
        return 0.0;
    }
    let value = mantissa as f64 * 2f64.powi(half as i32) * 2f64.powi(rest as i32);
    // A probability is never exactly 1; as a float it may be.
    value.min(1.0)
}

/// The exact decimal form, when it ends within twenty places.
pub(crate) fn short_decimal(num: &UBig, den: &UBig) -> Option<String> {
    const PLACES: usize = 20;
    let scaled = num * UBig::from(10u8).pow(PLACES);
    if !(&scaled % den).is_zero() {
        return None;
    }
    let digits = format!("{:0>width$}", (scaled / den).to_string(), width = PLACES);
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
