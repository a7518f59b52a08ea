//! Do the outcomes of one program sum to at most one?
//!
//! Decided by fixed-point sums when the answer is clear, and exactly when it is
//! close. Ten times 0.1 is exactly 1 and allowed.

use crate::Probability;
use dashu_base::{BitTest, Gcd};
use dashu_int::UBig;
use std::collections::HashMap;

/// Binary places of the quick sum. A million values below 1 stay far inside a
/// `u128`, and the sum is off by less than a million units.
const PLACES: usize = 100;
/// Binary places of the careful sum.
const CAREFUL_PLACES: usize = 1024;
/// The widest common denominator that is worth an exact sum, in bits.
const WIDEST: usize = 4096;

/// The sum, rounded for reading, if it exceeds one.
pub(crate) fn above_one(runs: &[(Probability, usize)], len: usize) -> Option<String> {
    let one = 1u128 << PLACES;
    let mut below: u128 = 0;
    for (probability, times) in runs {
        below += fixed(probability) * *times as u128;
    }
    if below + len as u128 <= one {
        return None;
    }
    if below <= one && !exceeds(runs) {
        return None;
    }
    let sum = below as f64 / one as f64;
    Some(if sum > 1.0 { format!("{sum}") } else { "slightly more than 1".into() })
}

/// The value in fixed point, rounded down.
fn fixed(probability: &Probability) -> u128 {
    let (num, den) = probability.parts();
    if let (Ok(num), Ok(den)) = (u64::try_from(num), u64::try_from(den)) {
        let den = u128::from(den);
        let high = u128::from(num) << 64;
        let low = (high % den) << 64;
        return ((high / den) << (PLACES - 64)) + ((low / den) >> (128 - PLACES));
    }
    u128::try_from((num << PLACES) / den).unwrap_or(u128::MAX)
}

/// Whether the sum is above one, exactly wherever a common denominator can be
/// held, else to within 2^-1000.
fn exceeds(runs: &[(Probability, usize)]) -> bool {
    let mut tops: HashMap<&UBig, UBig> = HashMap::new();
    for (probability, times) in runs {
        let (num, den) = probability.parts();
        *tops.entry(den).or_insert(UBig::ZERO) += num * UBig::from(*times);
    }
    match common_denominator(tops.keys().copied()) {
        Some(common) => {
            let total: UBig =
                tops.iter().fold(UBig::ZERO, |sum, (den, num)| sum + num * (&common / *den));
            total > common
        }
        None => {
            // Rounded down, so this never refuses a sum of exactly one.
            let total: UBig = tops
                .iter()
                .fold(UBig::ZERO, |sum, (den, num)| sum + (num << CAREFUL_PLACES) / *den);
            total > UBig::ONE << CAREFUL_PLACES
        }
    }
}

fn common_denominator<'a>(denominators: impl Iterator<Item = &'a UBig>) -> Option<UBig> {
    let mut common = UBig::ONE;
    for den in denominators {
        if (&common % den).is_zero() {
            continue;
        }
        let shared = (&common).gcd(den);
        common *= den / shared;
        if common.bit_len() > WIDEST {
            return None;
        }
    }
    Some(common)
}
