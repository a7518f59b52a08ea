//! A first guess in floating point, certified where its margin allows.
//!
//! Most counts end here, after a handful of elementary functions. The margin
//! grants each of them eight units in the last place, far more than any
//! mathematics library in use errs.

use crate::claim::Probability;
use dashu_base::BitTest;
use dashu_int::UBig;

/// A positive number far beyond the range of a float: `size * 2^exponent`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled {
    size: f64,
    exponent: i64,
}

impl Scaled {
    /// A fraction to within a few units in the last place of a float.
    pub(super) fn ratio(num: &UBig, den: &UBig) -> Self {
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
    pub(super) fn float(self) -> f64 {
        if self.exponent < -3000 {
            return 0.0;
        }
        let half = (self.exponent / 2) as i32;
        self.size * 2f64.powi(half) * 2f64.powi(self.exponent as i32 - half)
    }

    /// `-ln(1 - self)`.
    fn minus_ln_complement(self) -> Self {
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

    /// The base-ten logarithm.
    pub(super) fn log10(self) -> f64 {
        self.size.log10() + self.exponent as f64 * std::f64::consts::LOG10_2
    }

    pub(super) fn over(self, other: Self) -> Self {
        Self {
            size: self.size / other.size,
            exponent: self.exponent - other.exponent,
        }
    }
}

/// The two terms of the tail, `(1 - q)^k + q^k` or only the first, as decay
/// rates, and the size of epsilon.
pub(super) struct Guess {
    /// `-ln(1 - q)`.
    slow: Scaled,
    /// `-ln q`, where `q^k` belongs to the tail.
    fast: Option<f64>,
    /// `-ln epsilon`.
    goal: Scaled,
    epsilon: f64,
}

/// What floating point can say about the count.
pub(super) enum Proposal {
    /// The count, proven.
    Certain(u64),
    /// Close to the count.
    Near(u64),
    /// At least 2^63; the base-ten logarithm of the count.
    Beyond(f64),
}

impl Guess {
    /// From `q`, its complement and epsilon; `both` says whether `q^k` counts.
    pub(super) fn new(q: (&UBig, &UBig), rest: &UBig, epsilon: &Probability, both: bool) -> Self {
        let (num, den) = q;
        let small = Scaled::ratio(num, den);
        let slow = if small.float() <= 0.5 {
            small.minus_ln_complement()
        } else {
            minus_ln(Scaled::ratio(rest, den))
        };
        let fast = both.then(|| minus_ln(small).float());
        let (top, bottom) = epsilon.parts();
        let goal = if epsilon.as_f64() < 0.5 {
            minus_ln(Scaled::ratio(top, bottom))
        } else {
            Scaled::ratio(&(bottom - top), bottom).minus_ln_complement()
        };
        Self {
            slow,
            fast,
            goal,
            epsilon: epsilon.as_f64(),
        }
    }

    /// `-ln(1 - q)` as a float; zero when it is below every float.
    pub(super) fn rate(&self) -> f64 {
        self.slow.float()
    }

    /// How much faster `q^k` falls than `(1 - q)^k`, if it counts.
    pub(super) fn lead(&self) -> Option<f64> {
        self.fast.map(|fast| fast - self.rate())
    }

    /// Proposes the count.
    pub(super) fn propose(&self) -> Proposal {
        let first = self.goal.over(self.slow);
        // 2^63 is 9.22e18; close to it the careful arithmetic decides.
        if first.log10() > 18.97 {
            return Proposal::Beyond(first.log10());
        }
        let mut root = first.float();
        let goal = self.goal.float();
        let rate = self.rate();
        if let Some(lead) = self.lead() {
            // The logarithm of the tail is convex in k, so Newton's method from
            // the left of the root never passes it.
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
            return Proposal::Beyond(first.log10());
        }
        let k = count as u64;
        if self.is_below(k) && (count == fewest || self.is_above(k - 1)) {
            Proposal::Certain(k)
        } else {
            Proposal::Near(k)
        }
    }

    fn is_below(&self, k: u64) -> bool {
        self.tail(k)
            .is_some_and(|(tail, margin)| tail < self.epsilon * (1.0 - margin))
    }

    fn is_above(&self, k: u64) -> bool {
        self.tail(k)
            .is_some_and(|(tail, margin)| tail > self.epsilon * (1.0 + margin))
    }

    /// The tail at `k` and the relative error it may have, where floats reach.
    fn tail(&self, k: u64) -> Option<(f64, f64)> {
        let rate = self.rate();
        if rate < 1e-290 || self.epsilon < 1e-290 {
            return None;
        }
        let first_exponent = rate * k as f64;
        let first = (-first_exponent).exp();
        let (second, second_error) = match self.fast {
            Some(fast) => {
                let exponent = fast * k as f64;
                let second = (-exponent).exp();
                (second, exponent * (second / first))
            }
            None => (0.0, 0.0),
        };
        // A relative error of the rate grows by the exponent; the rate itself
        // carries that of q, the logarithm and the product.
        const UNIT: f64 = f64::EPSILON / 2.0;
        let margin = UNIT * (16.0 + 16.0 * first_exponent + 16.0 * second_error);
        let tail = first + second;
        (tail > 1e-300).then_some((tail, margin))
    }
}

/// `-ln` of a number below one, which may be below every float.
fn minus_ln(value: Scaled) -> Scaled {
    let size = -(value.size.ln() + value.exponent as f64 * std::f64::consts::LN_2);
    Scaled { size, exponent: 0 }
}
