//! Few different outcomes: inclusion-exclusion with a proven error.
//!
//! `tail(k)` is the alternating sum of `(1 - sum of a subset)^k`. Outcomes of equal probability are
//! counted together, so the number of terms is the product of the counts plus one. The positive and
//! the negative terms are summed separately and never subtracted; ties are settled by exact
//! integers.

use crate::claim::{Outcomes, Probability};
use crate::math::real::{Real, power};
use crate::plan::detect::TailSide;
use probtest_syntax::Natural;
use std::cmp::Ordering;

/// The most terms that are worth adding up.
pub(super) const MOST_TERMS: usize = 4096;
/// So few terms are added up even if floats are already certain.
pub(super) const FEW_TERMS: usize = 128;
/// The most bits to try before exact integers.
const MOST_BITS: usize = 4096;
/// The most bits that exact integers may have, over all terms.
const MOST_EXACT: usize = 1 << 22;
/// The widest common denominator, in bits.
const WIDEST: usize = 1 << 14;

/// The terms of the alternating sum.
pub(super) struct Subsets {
    /// `bottom - sum of the subset`, how many such subsets, and their sign.
    terms: Vec<SubsetTerm>,
    bottom: Natural,
    /// A bound on what the outcomes left out add.
    left_out: f64,
}

struct SubsetTerm {
    rest: Natural,
    times: Natural,
    plus: bool,
}

impl Subsets {
    /// Lists the terms of the outcomes with a probability of at most `largest`; `None` if there are
    /// more than `most`.
    pub(super) fn new(
        outcomes: &Outcomes,
        largest: f64,
        left_out: f64,
        most: usize,
    ) -> Option<Self> {
        let mut kept: Vec<(&Probability, usize)> = Vec::new();
        for (p, times) in outcomes.runs().iter().filter(|(p, _)| p.as_f64() <= largest) {
            match kept.iter_mut().find(|(other, _)| *other == p) {
                Some((_, count)) => *count += times,
                None => kept.push((p, *times)),
            }
            let terms = kept.iter().try_fold(1usize, |all, (_, times)| all.checked_mul(times + 1));
            if terms.is_none_or(|terms| terms > most) {
                return None;
            }
        }
        let mut bottom = Natural::ONE;
        for (p, _) in &kept {
            let den = p.parts().1;
            bottom = &bottom * (den / bottom.gcd(den));
            if bottom.bit_len() > WIDEST {
                return None;
            }
        }
        let mut terms = vec![SubsetTerm { rest: bottom.clone(), times: Natural::ONE, plus: false }];
        for (p, times) in kept {
            let (num, den) = p.parts();
            let share = num * (&bottom / den);
            let mut more = Vec::with_capacity(terms.len() * (times + 1));
            let mut ways = Natural::ONE;
            for taken in 0..=times {
                let taken_share = &share * Natural::from(taken as u64);
                for term in &terms {
                    // Outcomes sum to at most one, so the rest never falls below zero.
                    more.push(SubsetTerm {
                        rest: &term.rest - &taken_share,
                        times: &term.times * &ways,
                        plus: term.plus ^ (taken % 2 == 1),
                    });
                }
                ways =
                    ways * Natural::from((times - taken) as u64) / Natural::from(taken as u64 + 1);
            }
            terms = more;
        }
        // The empty subset isn't a miss, and all outcomes can't be missed at once if they sum to
        // one.
        terms.retain(|term| term.rest != bottom && !term.rest.is_zero());
        Some(Self { terms, bottom, left_out })
    }

    /// On which side of epsilon the tail at `k` is.
    pub(super) fn side(&self, epsilon: &Probability, k: u64) -> TailSide {
        let precisions = std::iter::successors(Some(128), |bits| Some(bits * 2));
        precisions
            .take_while(|bits| *bits <= MOST_BITS)
            .map(|bits| self.compare(epsilon, k, bits))
            .find(|side| *side != TailSide::Unknown)
            .or_else(|| self.exact_side(epsilon, k))
            .unwrap_or(TailSide::Unknown)
    }

    /// The positive and the negative terms, rounded down.
    fn sums(&self, k: u64, bits: usize) -> (Option<Real>, Option<Real>) {
        let sum = |plus: bool| {
            let terms = self.terms.iter().filter(|term| term.plus == plus).map(|term| {
                let value = power(&Real::ratio(&term.rest, &self.bottom, bits), k);
                if term.times.is_one() {
                    return value;
                }
                value.times(&Real::ratio(&term.times, &Natural::ONE, bits))
            });
            terms.reduce(|sum, value| sum.plus(&value))
        };
        (sum(true), sum(false))
    }

    fn compare(&self, epsilon: &Probability, k: u64, bits: usize) -> TailSide {
        let (top, bottom) = epsilon.parts();
        let goal = Real::ratio(top, bottom, bits);
        let (plus, minus) = self.sums(k, bits);
        let Some(plus) = plus else { return TailSide::Unknown };
        // 2k units for the power, three for the factor, two for each sum.
        let lost = 2 * k.max(2) as u128 + 2 * self.terms.len() as u128 + 8;
        let slack = bits - 3 - (128 - lost.leading_zeros() as usize);
        let mut most = plus.raised(slack);
        if self.left_out > 0.0 {
            let left_out = Real::from_f64(2.0 * self.left_out, bits);
            most = most.plus(&left_out).raised(bits - 2);
        }
        let (least_goal, most_goal) = match minus {
            Some(minus) => {
                let most = goal.raised(bits).plus(&minus.raised(slack)).raised(bits - 2);
                (goal.plus(&minus), most)
            }
            None => (goal.clone(), goal.raised(bits)),
        };
        if most.order(&least_goal) == Ordering::Less {
            TailSide::Below
        } else if plus.order(&most_goal) != Ordering::Less {
            TailSide::NotBelow
        } else {
            TailSide::Unknown
        }
    }

    /// The side by exact integers, if they aren't too wide.
    fn exact_side(&self, epsilon: &Probability, k: u64) -> Option<TailSide> {
        let wide = (self.bottom.bit_len() as u64).checked_mul(k)?;
        let all = wide.checked_mul(self.terms.len() as u64)?;
        if self.left_out > 0.0 || all > MOST_EXACT as u64 {
            return None;
        }
        let (mut plus, mut minus) = (Natural::ZERO, Natural::ZERO);
        for term in &self.terms {
            let value = term.rest.pow(k as usize) * &term.times;
            if term.plus { plus += value } else { minus += value }
        }
        let (top, bottom) = epsilon.parts();
        let goal = minus * bottom + top * self.bottom.pow(k as usize);
        Some(if plus * bottom < goal { TailSide::Below } else { TailSide::NotBelow })
    }

    /// The tail at `k` as mantissa, exponent and number of correct leading bits, computed with this
    /// many bits; only if nothing was left out.
    pub(super) fn value(&self, k: u64, bits: usize) -> Option<(Natural, i128, usize)> {
        let (plus, minus) = self.sums(k, bits);
        let (plus, exponent) = plus?.into_parts();
        let minus = minus.map(Real::into_parts);
        let Some((minus, lower)) = minus.filter(|(_, lower)| exponent - lower <= bits as i128)
        else {
            return Some((plus, exponent, bits - 90));
        };
        let shift = usize::try_from(exponent - lower).ok()?;
        // Aligned to the lower exponent, so nothing is lost.
        let aligned = (plus << shift).max(minus.clone()) - minus;
        let good = (aligned.bit_len() as i128 - shift as i128 - 90).max(0) as usize;
        (good > 40).then_some((aligned, lower, good))
    }
}
