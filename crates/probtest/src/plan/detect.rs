//! One or two outcomes: the smallest k with `(1 - q)^k + q^k < epsilon`.
//!
//! Floating point proposes k and usually proves it; otherwise 128-bit intervals confirm it at k and
//! k - 1, with more bits while epsilon is inside such an interval. Where no precision is enough,
//! exact fractions settle a tie, and whole numbers an epsilon close to 1.

use crate::claim::Probability;
use crate::math::chance::Chance;
use crate::math::real::{Real, Scaled, apart, power};
use crate::math::special::UNIT;
use probtest_syntax::Natural;
use std::cmp::Ordering;
use std::f64::consts::{LN_2, LN_10};

/// The precision beyond which a count is left undecided; no known input reaches it.
const MOST_BITS: usize = 1 << 16;

pub(super) struct Tail {
    /// `q = num / den`, the smaller of the two if both count.
    num: Natural,
    /// `1 - q = rest / den`.
    rest: Natural,
    den: Natural,
    /// Whether `q^k` belongs to the tail.
    both: bool,
}

/// A count that is enough, while one execution fewer isn't.
#[derive(Debug)]
pub(super) struct SettledCount {
    pub(super) count: u64,
    /// Every count below this one is too small.
    pub(super) lowest: u64,
}

impl SettledCount {
    pub(super) fn exact(count: u64) -> Self {
        SettledCount { count, lowest: count }
    }
}

/// The count is 2^63 or more.
pub(super) struct CountTooLarge {
    pub(super) log10: f64,
}

/// On which side of epsilon a tail is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TailSide {
    Below,
    NotBelow,
    Unknown,
}

/// The leading ones of a probability close to 1, which say nothing.
pub(super) fn nines(probability: &Probability) -> usize {
    let (top, bottom) = probability.parts();
    bottom.bit_len() - (bottom - top).bit_len()
}

/// The precisions to try, in order.
fn precisions(epsilon: &Probability) -> impl Iterator<Item = usize> {
    // Close to 1 the second order counts, which needs twice as many bits.
    let more = 256.max(2 * nines(epsilon) + 128);
    let last = MOST_BITS.max(more);
    let rising = std::iter::successors(Some(more), |bits| Some(bits * 2));
    std::iter::once(128).chain(rising.take_while(move |bits| *bits <= last))
}

impl Tail {
    /// The tail of a violation probability: the rarer of passing and violating decides, and both
    /// must be seen.
    pub(super) fn of_both(p: &Probability) -> Self {
        let one = Self::of_one(p);
        let (num, rest) =
            if one.num <= one.rest { (one.num, one.rest) } else { (one.rest, one.num) };
        Self { num, rest, den: one.den, both: true }
    }

    /// The tail of one outcome that must be seen.
    pub(super) fn of_one(p: &Probability) -> Self {
        let (num, den) = p.parts();
        Self { num: num.clone(), rest: den - num, den: den.clone(), both: false }
    }

    /// The fewest executions for which the tail isn't 1.
    fn fewest(&self) -> u64 {
        if self.both { 2 } else { 1 }
    }

    /// The smallest count whose tail is below epsilon.
    pub(super) fn settle(&self, epsilon: &Probability) -> Result<SettledCount, CountTooLarge> {
        let guess = Guess::new(self, epsilon);
        let (mut count, is_certain) = guess.propose()?;
        if is_certain {
            return Ok(SettledCount::exact(count));
        }
        let decided = precisions(epsilon).any(|bits| self.walk(epsilon, &guess, &mut count, bits));
        if count >= 1 << 63 {
            return Err(CountTooLarge { log10: (count as f64).log10() });
        }
        if decided {
            return Ok(SettledCount::exact(count));
        }
        // The next higher count is safe if the last step stayed undecided.
        Ok(SettledCount { count: count + 1, lowest: count.saturating_sub(1).max(self.fewest()) })
    }

    /// Moves a nearby count to the smallest one; false if `bits` bits can't tell.
    fn walk(&self, epsilon: &Probability, guess: &Guess, count: &mut u64, bits: usize) -> bool {
        // Each step lands within the error of the precision; three are usual.
        for _ in 0..40 {
            let (before, here, steps) = self.compare(epsilon, guess, *count, bits);
            match (before, here) {
                (TailSide::NotBelow, TailSide::Below) => return true,
                (_, TailSide::NotBelow) => {
                    *count = count.saturating_add(steps.clamp(1.0, 9e17) as u64);
                    if *count >= 1 << 63 {
                        return true;
                    }
                }
                (TailSide::Below, _) => {
                    let fewer = (-steps).clamp(1.0, 9e17) as u64;
                    *count = count.saturating_sub(fewer).max(self.fewest());
                }
                _ => return false,
            }
        }
        false
    }

    /// On which side the tail at `count` is, decided with as many bits as it takes.
    pub(super) fn side(&self, epsilon: &Probability, count: u64) -> TailSide {
        if count < self.fewest() {
            return TailSide::NotBelow;
        }
        let guess = Guess::new(self, epsilon);
        precisions(epsilon)
            .map(|bits| self.compare(epsilon, &guess, count, bits).1)
            .find(|side| *side != TailSide::Unknown)
            .unwrap_or(TailSide::Unknown)
    }

    /// The sides at `count - 1` and at `count`, and how far `count` is from the
    /// goal, in executions.
    fn compare(
        &self,
        epsilon: &Probability,
        guess: &Guess,
        count: u64,
        bits: usize,
    ) -> (TailSide, TailSide, f64) {
        let before = count - 1;
        // Either side may tie, and the smaller count has the smaller denominator.
        if self.may_tie(epsilon, before.max(1)) {
            let side = |count| self.exact_side(epsilon, count);
            return (side(before), side(count), 0.0);
        }
        if let Some(found) = self.by_first_order(epsilon, count) {
            return found;
        }
        let complement = Real::ratio(&self.rest, &self.den, bits);
        let (tail, tail_before) = if before == 0 {
            (complement.clone(), None)
        } else {
            let first = power(&complement, before);
            let tail = first.times(&complement);
            // Below one unit in the last place, the slack covers the second term.
            let reach = (bits as f64 + 2.0) * LN_2;
            if guess.lead().is_some_and(|lead| lead * (before as f64) < reach) {
                let q = Real::ratio(&self.num, &self.den, bits);
                let second = power(&q, before);
                (tail.plus(&second.times(&q)), Some(first.plus(&second)))
            } else {
                (tail, Some(first))
            }
        };
        let (top, bottom) = epsilon.parts();
        let goal = Real::ratio(top, bottom, bits);
        // At most 2 count + 3 units of 2^(1 - bits) too low; doubled for the second order.
        let slack = bits - 4 - (64 - count.leading_zeros() as usize);
        let side = |tail: &Real, count: u64| {
            if tail.order(&goal.raised(bits)) != Ordering::Less {
                TailSide::NotBelow
            } else if tail.raised(slack).order(&goal) == Ordering::Less {
                TailSide::Below
            } else {
                self.by_the_half(epsilon, count)
            }
        };
        let (order, log) = apart(tail.parts(), goal.parts());
        let steps = log.over(guess.slow).float();
        let steps = if order == Ordering::Less { -steps } else { steps };
        let before = match &tail_before {
            Some(tail) if before >= self.fewest() => side(tail, before),
            _ => TailSide::NotBelow,
        };
        (before, side(&tail, count), steps)
    }

    /// The result of [`Tail::compare`], if whole numbers can tell.
    ///
    /// For a tiny `q`, `1 - (1 - q)^k` is so close to `k q` that only whole numbers can tell
    /// `k q = 1 - epsilon` from the next `k`: it is at most `k q` and, after subtracting `q^k`,
    /// above `k q - (k q)^2` for `k >= 2`.
    fn by_first_order(
        &self,
        epsilon: &Probability,
        count: u64,
    ) -> Option<(TailSide, TailSide, f64)> {
        if epsilon.as_f64() < 0.5 {
            return None;
        }
        let (top, bottom) = epsilon.parts();
        let each = &self.num * bottom;
        let goal = (bottom - top) * &self.den;
        let side = |count: u64| {
            let most = Natural::from(count) * &each;
            if most <= goal || count < self.fewest() {
                return Some(TailSide::NotBelow);
            }
            // k q - (1 - epsilon) = spare / (den * bottom) against (k num / den)^2, by
            // their lengths: the left is at least, the right at most this power of two.
            let spare = (most - &goal).bit_len() + self.den.bit_len() - 2;
            let square = 2 * (64 - count.leading_zeros() as usize + self.num.bit_len());
            (count >= 2 && spare >= square + bottom.bit_len()).then_some(TailSide::Below)
        };
        let (before, here) = (side(count - 1)?, side(count)?);
        let most = Natural::from(count) * &each;
        let far = |large: &Natural, small: &Natural| Scaled::ratio(&(large - small), &each).float();
        let steps = if goal < most { -far(&most, &goal) } else { far(&goal, &most) };
        Some((before, here, steps))
    }

    /// What a `q` close to 1/2 tells: the tail is convex in q, so it is never below its value
    /// `2^(1 - k)` at 1/2.
    fn by_the_half(&self, epsilon: &Probability, count: u64) -> TailSide {
        let (top, bottom) = epsilon.parts();
        let least = count - 1;
        if self.both && least < bottom.bit_len() as u64 && top << least as usize <= *bottom {
            TailSide::NotBelow
        } else {
            TailSide::Unknown
        }
    }

    /// Whether the tail at `count` can equal epsilon at all.
    ///
    /// Let `q = a/b`, reduced. The numerator `a^k + (b - a)^k` shares with `b^k` at most `b * k`
    /// (lifting the exponent: an odd prime of `b` divides it only for odd k, and then as often as
    /// it divides `b` and `k` together; two divides it at most as often as it divides `b`, or
    /// once). So the tail has a denominator of at least `b^(k-1) / k`, and only an epsilon with a
    /// denominator as large can tie.
    fn may_tie(&self, epsilon: &Probability, count: u64) -> bool {
        let base = self.den.bit_len() as f64 - 1.0;
        let widest = epsilon.parts().1.bit_len() as f64;
        // One outcome alone shares nothing with its denominator.
        let lost = if self.both { (count as f64).log2() } else { 0.0 };
        // den >= 2^base; log2 rounds by far less than the two bits to spare.
        (count as f64 - 1.0) * base.max(1.0) - lost <= widest + 2.0
    }

    /// The side by exact fractions; only if [`Tail::may_tie`] keeps them small.
    fn exact_side(&self, epsilon: &Probability, count: u64) -> TailSide {
        if count < self.fewest() {
            return TailSide::NotBelow;
        }
        let exponent = count as usize;
        let mut tail = self.rest.pow(exponent);
        if self.both {
            tail += self.num.pow(exponent);
        }
        let (top, bottom) = epsilon.parts();
        if tail * bottom < top * self.den.pow(exponent) {
            TailSide::Below
        } else {
            TailSide::NotBelow
        }
    }

    /// A lower bound of the tail with a relative error below `2^-64`, close enough to be on the
    /// right side of `epsilon`.
    pub(super) fn chance(&self, count: u64, epsilon: Option<&Probability>) -> Chance {
        if count < self.fewest() {
            // Nothing can have been seen yet.
            return Chance::one();
        }
        let mut bits = 256;
        if let Some(epsilon) = epsilon {
            if !self.may_tie(epsilon, count) {
                let guess = Guess::new(self, epsilon);
                bits = precisions(epsilon)
                    .find(|bits| self.compare(epsilon, &guess, count, *bits).1 != TailSide::Unknown)
                    .unwrap_or(MOST_BITS);
            }
            bits += 128 + nines(epsilon);
        }
        let complement = Real::ratio(&self.rest, &self.den, bits);
        let mut all = power(&complement, count);
        // How much faster `q^k` falls than `(1 - q)^k`.
        let lead = Scaled::ratio(&self.rest, &self.num).log10() * LN_10;
        if self.both && lead * (count as f64) < bits as f64 {
            all = all.plus(&power(&Real::ratio(&self.num, &self.den, bits), count));
        }
        let (mantissa, exponent) = all.into_parts();
        // 2^64 executions cost at most 72 bits.
        let good = mantissa.bit_len() - 72;
        Chance::new(mantissa, exponent, good)
    }
}

/// A first guess in floating point, certified if its margin allows.
///
/// Most counts end here, after a handful of elementary functions. The margin allows each of them an
/// error of eight units in the last place, far more than any math library in use has.
struct Guess {
    /// `-ln(1 - q)`.
    slow: Scaled,
    /// `-ln q`, if `q^k` belongs to the tail.
    fast: Option<f64>,
    /// `-ln epsilon`.
    goal: Scaled,
    epsilon: f64,
}

impl Guess {
    fn new(tail: &Tail, epsilon: &Probability) -> Self {
        let small = Scaled::ratio(&tail.num, &tail.den);
        let slow = if small.float() <= 0.5 {
            small.minus_ln_complement()
        } else {
            Scaled::ratio(&tail.rest, &tail.den).minus_ln()
        };
        let fast = tail.both.then(|| small.minus_ln().float());
        let (top, bottom) = epsilon.parts();
        let goal = if epsilon.as_f64() < 0.5 {
            Scaled::ratio(top, bottom).minus_ln()
        } else {
            Scaled::ratio(&(bottom - top), bottom).minus_ln_complement()
        };
        Self { slow, fast, goal, epsilon: epsilon.as_f64() }
    }

    /// `-ln(1 - q)` as a float; zero if it is smaller than any float.
    fn rate(&self) -> f64 {
        self.slow.float()
    }

    /// How much faster `q^k` falls than `(1 - q)^k`, if it counts.
    fn lead(&self) -> Option<f64> {
        self.fast.map(|fast| fast - self.rate())
    }

    /// A count close to the smallest one, and whether floats are certain that it is the smallest.
    fn propose(&self) -> Result<(u64, bool), CountTooLarge> {
        let first = self.goal.over(self.slow);
        // 2^63 is 9.22e18; close to it the careful arithmetic decides.
        let beyond = CountTooLarge { log10: first.log10() };
        if beyond.log10 > 18.97 {
            return Err(beyond);
        }
        let mut root = first.float();
        let goal = self.goal.float();
        let rate = self.rate();
        if let Some(lead) = self.lead() {
            // The logarithm of the tail is convex in k, so Newton's method from the left of the
            // root never passes it.
            for _ in 0..20 {
                let second = (-lead * root).exp();
                if second < 1e-18 {
                    break;
                }
                let above = goal - rate * root + second.ln_1p();
                let slope = rate + lead * second / (1.0 + second);
                let step = above / slope;
                root += step;
                if step.abs() < 1e-9 * root {
                    break;
                }
            }
        }
        let fewest = if self.fast.is_some() { 2.0 } else { 1.0 };
        let count = (root.floor() + 1.0).max(fewest);
        if count >= 9.3e18 {
            return Err(beyond);
        }
        let k = count as u64;
        let is_below = |(tail, margin)| tail < self.epsilon * (1.0 - margin);
        let is_above = |(tail, margin)| tail > self.epsilon * (1.0 + margin);
        let is_certain = self.tail(k).is_some_and(is_below)
            && (count == fewest || self.tail(k - 1).is_some_and(is_above));
        Ok((k, is_certain))
    }

    /// The tail at `k` and its relative error, if it is in the range of floats.
    fn tail(&self, k: u64) -> Option<(f64, f64)> {
        let rate = self.rate();
        if rate < 1e-290 || self.epsilon < 1e-290 {
            return None;
        }
        let first_exponent = rate * k as f64;
        let first = (-first_exponent).exp();
        let (second, second_error) = self.fast.map_or((0.0, 0.0), |fast| {
            let exponent = fast * k as f64;
            let second = (-exponent).exp();
            (second, exponent * (second / first))
        });
        // A relative error of the rate is multiplied by the exponent; the rate itself has the
        // errors of q, the logarithm and the product.
        let margin = UNIT * (16.0 + 16.0 * first_exponent + 16.0 * second_error);
        let tail = first + second;
        (tail > 1e-300).then_some((tail, margin))
    }
}
