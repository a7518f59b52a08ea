//! Two outcomes: the smallest k with `(1 - q)^k + q^k < epsilon`.
//!
//! Floating point proposes k; intervals of 128 bits confirm it at k and k - 1;
//! more bits follow only while epsilon lies inside such an interval. A tie is
//! beyond any precision and is settled by exact fractions.

use super::guess::{Guess, Proposal};
use super::real::{Long, Real, Short, one_minus_power, power};
use crate::claim::Probability;
use dashu_base::BitTest;
use dashu_int::UBig;
use std::cmp::Ordering;

/// Precision beyond which a count is left undecided; no input is known to reach
/// it.
const MOST_BITS: usize = 1 << 16;

/// The tail of one or two outcomes.
pub(super) struct Tail {
    /// `q = num / den`, the smaller of the two where both count.
    pub(super) num: UBig,
    /// `1 - q = rest / den`.
    pub(super) rest: UBig,
    pub(super) den: UBig,
    /// Whether `q^k` belongs to the tail.
    pub(super) both: bool,
}

/// A count that no execution fewer would do.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) count: u64,
    /// Every count below this one is too small.
    pub(super) lowest: u64,
}

/// The count is 2^63 or more.
pub(super) struct Beyond {
    pub(super) log10: f64,
}

/// On which side of epsilon a tail lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Below,
    NotBelow,
    Unknown,
}

impl Tail {
    /// The tail of a violation probability: the rarer of passing and violating
    /// decides, and neither may be missing.
    pub(super) fn of_both(p: &Probability) -> Self {
        let (num, den) = p.parts();
        let rest = den - num;
        let (num, rest) = if *num <= rest {
            (num.clone(), rest)
        } else {
            (rest, num.clone())
        };
        Self {
            num,
            rest,
            den: den.clone(),
            both: true,
        }
    }

    /// The tail of one outcome that must be seen.
    pub(super) fn of_one(p: &Probability) -> Self {
        let (num, den) = p.parts();
        Self {
            num: num.clone(),
            rest: den - num,
            den: den.clone(),
            both: false,
        }
    }

    /// The fewest executions for which the tail is not 1.
    fn fewest(&self) -> u64 {
        if self.both { 2 } else { 1 }
    }

    fn guess(&self, epsilon: &Probability) -> Guess {
        Guess::new((&self.num, &self.den), &self.rest, epsilon, self.both)
    }

    /// The smallest count whose tail is below epsilon.
    pub(super) fn settle(&self, epsilon: &Probability) -> Result<Settled, Beyond> {
        let guess = self.guess(epsilon);
        let near = match guess.propose() {
            Proposal::Certain(count) => {
                return Ok(Settled {
                    count,
                    lowest: count,
                });
            }
            Proposal::Beyond(log10) => return Err(Beyond { log10 }),
            Proposal::Near(near) => near,
        };
        let mut walk = Walk {
            tail: self,
            epsilon,
            guess: &guess,
            count: near,
        };
        let mut decided = walk.run::<Short>(128);
        let mut bits = 256;
        while decided.is_none() && bits <= MOST_BITS {
            decided = walk.run::<Long>(bits);
            bits *= 2;
        }
        let count = walk.count;
        if count >= 1 << 63 {
            return Err(Beyond {
                log10: (count as f64).log10(),
            });
        }
        let lowest = if decided.is_some() {
            count
        } else {
            count.saturating_sub(1).max(self.fewest())
        };
        // The upper neighbour is safe when the last step stayed undecided.
        Ok(Settled {
            count: if decided.is_some() { count } else { count + 1 },
            lowest,
        })
    }

    /// Where the tail at `count` lies, decided by as many bits as it takes.
    pub(super) fn side(&self, epsilon: &Probability, count: u64) -> Side {
        if count < self.fewest() {
            return Side::NotBelow;
        }
        let guess = self.guess(epsilon);
        let mut side = self.compare::<Short>(epsilon, &guess, count, 128).1;
        let mut bits = 256;
        while side == Side::Unknown && bits <= MOST_BITS {
            side = self.settle_tie(epsilon, count);
            if side != Side::Unknown {
                break;
            }
            side = self.compare::<Long>(epsilon, &guess, count, bits).1;
            bits *= 2;
        }
        side
    }

    /// The sides at `count - 1` and at `count`, and how far `count` is from the
    /// goal, in executions.
    fn compare<R: Real>(
        &self,
        epsilon: &Probability,
        guess: &Guess,
        count: u64,
        bits: usize,
    ) -> (Side, Side, f64) {
        let q = R::ratio(&self.num, &self.den, bits);
        let complement = R::ratio(&self.rest, &self.den, bits);
        let before = count - 1;
        // Below one unit in the last place the second term is left to the slack.
        let second = guess
            .lead()
            .filter(|lead| lead * (before as f64) < (bits as f64 + 2.0) * std::f64::consts::LN_2);
        let second = |exponent: u64| second.map(|_| power(&q, exponent));
        let (top, bottom) = epsilon.parts();
        if epsilon.as_f64() < 0.5 {
            self.compare_small(
                R::ratio(top, bottom, bits),
                guess,
                count,
                &complement,
                second,
                &q,
            )
        } else {
            let goal = R::ratio(&(bottom - top), bottom, bits);
            self.compare_large((goal, epsilon), guess, count, &complement, second, &q)
        }
    }

    /// For an epsilon below one half: the tail itself against epsilon.
    fn compare_small<R: Real>(
        &self,
        goal: R,
        guess: &Guess,
        count: u64,
        complement: &R,
        second: impl Fn(u64) -> Option<R>,
        q: &R,
    ) -> (Side, Side, f64) {
        let before = count - 1;
        let (tail, tail_before) = if before == 0 {
            (complement.clone(), None)
        } else {
            let first = power(complement, before);
            match second(before) {
                Some(second) => (
                    first.times(complement).plus(&second.times(q)),
                    Some(first.plus(&second)),
                ),
                None => (first.times(complement), Some(first)),
            }
        };
        // Low by 2 count + 3 units of 2^(1 - bits) at most; doubled for the second order.
        let slack = tail.bits() - 4 - (64 - count.leading_zeros() as usize);
        let side = |tail: &R| {
            if tail.order(&goal.raised(goal.bits())) != Ordering::Less {
                Side::NotBelow
            } else if tail.raised(slack).order(&goal) == Ordering::Less {
                Side::Below
            } else {
                Side::Unknown
            }
        };
        let steps = tail.gap(&goal).ln_1p() / guess.rate();
        let before = match &tail_before {
            Some(tail) if before >= self.fewest() => side(tail),
            _ => Side::NotBelow,
        };
        (before, side(&tail), steps)
    }

    /// For an epsilon of at least one half: `1 - (1 - q)^k` against
    /// `1 - epsilon + q^k`, because the tail itself would hide both behind a 1.
    fn compare_large<R: Real>(
        &self,
        (goal, epsilon): (R, &Probability),
        guess: &Guess,
        count: u64,
        complement: &R,
        second: impl Fn(u64) -> Option<R>,
        q: &R,
    ) -> (Side, Side, f64) {
        let bits = goal.bits();
        let side = |count: u64, seen: &R| {
            let (low, high) = match second(count) {
                Some(second) => {
                    let sum = goal.plus(&second);
                    let slack = bits - 4 - (64 - count.leading_zeros() as usize);
                    let high = goal
                        .raised(bits)
                        .plus(&second.raised(slack))
                        .raised(bits - 2);
                    (sum, high)
                }
                // A second term left out is below one unit of the first.
                None => (goal.clone(), goal.raised(bits - 4)),
            };
            let gap = seen.gap(&low);
            if seen.order(&high) == Ordering::Greater {
                (Side::Below, gap)
            } else if seen.raised(bits - 11).order(&low) == Ordering::Less {
                (Side::NotBelow, gap)
            } else {
                (self.by_first_order(epsilon, count), gap)
            }
        };
        let (before, seen) = if count > self.fewest() {
            let seen_before = one_minus_power(q, complement, count - 1);
            let seen = q.plus(&seen_before.times(complement));
            (side(count - 1, &seen_before).0, seen)
        } else {
            (Side::NotBelow, one_minus_power(q, complement, count))
        };
        let (here, gap) = side(count, &seen);
        let exponent = guess.rate() * count as f64;
        let stretch = if exponent > 1e-8 {
            exponent.exp_m1() / exponent
        } else {
            1.0
        };
        (before, here, -gap / (1.0 + gap) * stretch * count as f64)
    }

    /// A lower bound of the tail that is closer than `2^-64` relatively, and
    /// close enough to stand on its side of `epsilon`, as mantissa and exponent.
    pub(super) fn value(&self, count: u64, epsilon: Option<&Probability>) -> Value {
        if count < self.fewest() {
            return Value::One;
        }
        let mut bits = 256;
        if let Some(epsilon) = epsilon {
            while bits < MOST_BITS && !self.may_tie(epsilon, count) {
                let guess = self.guess(epsilon);
                if self.compare::<Long>(epsilon, &guess, count, bits).1 != Side::Unknown {
                    bits *= 2;
                    break;
                }
                bits *= 2;
            }
            // Next to 1 the leading digits are nines and say nothing.
            let (top, bottom) = epsilon.parts();
            bits += bottom.bit_len() - (bottom - top).bit_len();
        }
        let complement = Long::ratio(&self.rest, &self.den, bits);
        let first = power(&complement, count);
        let all = match self.lead() {
            Some(lead) if lead * (count as f64) < bits as f64 => {
                first.plus(&power(&Long::ratio(&self.num, &self.den, bits), count))
            }
            _ => first,
        };
        let (mantissa, exponent) = all.parts();
        Value::Below { mantissa, exponent }
    }

    /// How much faster `q^k` falls than `(1 - q)^k`, if it counts.
    fn lead(&self) -> Option<f64> {
        use super::guess::Scaled;
        let ratio = Scaled::ratio(&self.rest, &self.num);
        self.both.then(|| ratio.log10() * std::f64::consts::LN_10)
    }
}

/// The size of a tail.
pub(super) enum Value {
    /// Nothing can have been seen yet.
    One,
    /// `mantissa * 2^exponent`.
    Below { mantissa: UBig, exponent: i128 },
}

/// Walks from a near count to the smallest one.
struct Walk<'a> {
    tail: &'a Tail,
    epsilon: &'a Probability,
    guess: &'a Guess,
    count: u64,
}

impl Walk<'_> {
    /// Moves to the count as far as `bits` bits can tell; none while undecided.
    fn run<R: Real>(&mut self, bits: usize) -> Option<()> {
        // Each step lands within the error of the precision; three are usual.
        for _ in 0..40 {
            let (mut before, mut here, steps) =
                self.tail
                    .compare::<R>(self.epsilon, self.guess, self.count, bits);
            if here == Side::Unknown {
                here = self.tail.settle_tie(self.epsilon, self.count);
            }
            if before == Side::Unknown {
                before = self.tail.settle_tie(self.epsilon, self.count - 1);
            }
            match (before, here) {
                (Side::NotBelow, Side::Below) => return Some(()),
                (_, Side::NotBelow) => {
                    let more = steps.clamp(1.0, 9e17) as u64;
                    self.count = self.count.saturating_add(more);
                    if self.count >= 1 << 63 {
                        return Some(());
                    }
                }
                (Side::Below, _) => {
                    let fewer = (-steps).clamp(1.0, 9e17) as u64;
                    self.count = self.count.saturating_sub(fewer).max(self.tail.fewest());
                }
                _ => return None,
            }
        }
        None
    }
}
