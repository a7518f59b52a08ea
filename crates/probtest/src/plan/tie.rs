//! Two outcomes: what no moderate precision can tell.
//!
//! Ties are rare enough to be told apart beforehand. Let `p = a/b`, reduced.
//! The numerator `a^k + (b - a)^k` shares with `b^k` at most `b * k` (lifting
//! the exponent: an odd prime of `b` divides it only for odd k, and then as
//! often as it divides `b` and `k` together; two divides it at most as often as
//! it divides `b`, or once). So the tail has a denominator of at least
//! `b^(k-1) / k`, and only an epsilon with as large a denominator can tie.

use super::two::{Side, Tail};
use crate::claim::Probability;
use dashu_base::BitTest;
use dashu_int::UBig;

impl Tail {
    /// For a tiny `q`, `1 - (1 - q)^k` is so close to `k q` that only whole numbers
    /// tell `k q = 1 - epsilon` from the next `k`: it is at most `k q`, and with
    /// `q^k` taken off it is above `k q - (k q)^2` for `k >= 2`.
    pub(super) fn by_first_order(&self, epsilon: &Probability, count: u64) -> Side {
        let (top, bottom) = epsilon.parts();
        let most = UBig::from(count) * &self.num * bottom;
        let goal = (bottom - top) * &self.den;
        if most <= goal {
            return Side::NotBelow;
        }
        // k q - (1 - epsilon) = spare / (den * bottom) against (k num / den)^2, by their
        // lengths: the left is at least, the right at most this power of two.
        let spare = (most - goal).bit_len() + self.den.bit_len() - 2;
        let square = 2 * (64 - count.leading_zeros() as usize + self.num.bit_len());
        if count >= 2 && spare >= square + bottom.bit_len() {
            Side::Below
        } else {
            Side::Unknown
        }
    }

    /// Settles what no moderate precision can: ties, and a `q` next to 1/2.
    pub(super) fn settle_tie(&self, epsilon: &Probability, count: u64) -> Side {
        if self.may_tie(epsilon, count) {
            return self.exact_side(epsilon, count);
        }
        // The tail is convex in q, so it is never below its value 2^(1 - k) at 1/2.
        let (top, bottom) = epsilon.parts();
        let least = count - 1;
        if self.both && least < bottom.bit_len() as u64 && top << least as usize <= *bottom {
            return Side::NotBelow;
        }
        Side::Unknown
    }

    /// Whether the tail at `count` can equal epsilon at all.
    pub(super) fn may_tie(&self, epsilon: &Probability, count: u64) -> bool {
        let base = self.den.bit_len() as f64 - 1.0;
        let widest = epsilon.parts().1.bit_len() as f64;
        // One outcome alone shares nothing with its denominator.
        let lost = if self.both {
            (count as f64).log2()
        } else {
            0.0
        };
        // den >= 2^base; log2 rounds by far less than the two bits to spare.
        (count as f64 - 1.0) * base.max(1.0) - lost <= widest + 2.0
    }

    /// The side by exact fractions; only where [`Tail::may_tie`] keeps them small.
    fn exact_side(&self, epsilon: &Probability, count: u64) -> Side {
        let exponent = count as usize;
        let mut tail = self.rest.pow(exponent);
        if self.both {
            tail += self.num.pow(exponent);
        }
        let (top, bottom) = epsilon.parts();
        if tail * bottom < top * self.den.pow(exponent) {
            Side::Below
        } else {
            Side::NotBelow
        }
    }
}
