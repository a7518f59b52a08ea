//! Many outcomes as floats: bounds on the tail from above and below.
//!
//! The union bound `sum (1 - p)^k` is above the tail. The product `1 - prod(1 - (1 - p)^k)` is
//! below it, because outcomes that compete for executions are negatively associated. If both agree
//! on k, it is proven.

use crate::claim::Outcomes;
use crate::math::special::{Compensated, UNIT};

/// Equal outcomes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) p: f64,
    /// `-ln(1 - p)`.
    pub(super) rate: f64,
    pub(super) times: f64,
}

/// The outcomes, rarest first.
pub(super) struct Spread {
    pub(super) groups: Vec<Group>,
    /// How many outcomes there are from each group on.
    left: Vec<f64>,
    pub(super) len: u64,
}

/// A value, how it falls with k, and its error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) value: f64,
    /// `-d ln(value) / dk`.
    pub(super) slope: f64,
    /// The largest relative error.
    pub(super) error: f64,
}

impl Spread {
    pub(super) fn new(outcomes: &Outcomes) -> Self {
        let mut pairs: Vec<(f64, f64)> =
            outcomes.runs().iter().map(|(p, times)| (p.as_f64(), *times as f64)).collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        // Equal as floats; the error bounds cover the difference.
        let equal = pairs.chunk_by(|a, b| a.0 == b.0).map(|equal| {
            let (p, times) = (equal[0].0, equal.iter().map(|(_, times)| times).sum());
            Group { p, rate: -(-p).ln_1p(), times }
        });
        let groups: Vec<Group> = equal.collect();
        let mut left = vec![0.0; groups.len()];
        let mut count = 0.0;
        for (slot, group) in left.iter_mut().zip(&groups).rev() {
            count += group.times;
            *slot = count;
        }
        Self { groups, left, len: outcomes.len() as u64 }
    }

    /// The groups that matter at `k`, and a bound on what the others add to the tail.
    pub(super) fn active(&self, k: f64, negligible: f64) -> (&[Group], f64) {
        let (groups, others) = self.split(k, negligible);
        let bound = others.map_or(0.0, |(times, rate)| times * (-rate * k).exp());
        (groups, bound)
    }

    /// The groups that matter at `k`; for the others, the number of outcomes and their lowest rate.
    pub(super) fn split(&self, k: f64, negligible: f64) -> (&[Group], Option<(f64, f64)>) {
        let cut = self
            .groups
            .partition_point(|group| self.len as f64 * (-group.rate * k).exp() > negligible);
        let others = self.groups.get(cut).map(|next| (self.left[cut], next.rate));
        (&self.groups[..cut], others)
    }

    /// `sum (1 - p)^k`: never below the tail.
    pub(super) fn union(&self, k: f64) -> Bound {
        self.sum(k, |_, term| (term, 1.0))
    }

    /// `1 - prod(1 - (1 - p)^k)`: never above the tail.
    pub(super) fn product(&self, k: f64) -> Bound {
        let logarithm = self.sum(k, log_complement);
        let value = -(-logarithm.value).exp_m1();
        let shrink = (-logarithm.value).exp() * logarithm.value / value;
        Bound {
            value,
            slope: logarithm.slope * shrink,
            error: logarithm.error * shrink.max(0.1) + 16.0 * UNIT,
        }
    }

    /// The logarithm of `prod(1 - (1 - p)^k)` and how it rises with k: for tails so close to 1 that
    /// only the complement counts.
    pub(super) fn log_seen(&self, k: f64) -> (f64, f64) {
        let logarithm = self.sum(k, log_complement);
        (-logarithm.value, logarithm.slope * logarithm.value)
    }

    /// Sums a function of `(1 - p)^k`, which it gets as minus its logarithm and as itself; the
    /// function also returns how much faster it grows than its argument.
    fn sum(&self, k: f64, shape: impl Fn(f64, f64) -> (f64, f64)) -> Bound {
        let mut value = Compensated::default();
        let (mut slope, mut error) = (0.0, 0.0);
        for (index, group) in self.groups.iter().enumerate() {
            let exponent = group.rate * k;
            let term = (-exponent).exp();
            if self.left[index] * term < 1e-19 * value.sum {
                error += self.left[index] * term * 2.0;
                break;
            }
            let (shaped, growth) = shape(exponent, term);
            value.add(group.times * shaped);
            let weight = group.times * term * growth;
            slope += weight * group.rate;
            error += (weight * exponent + group.times * shaped) * 16.0 * UNIT;
        }
        let value = value.sum.max(f64::MIN_POSITIVE);
        Bound { value, slope: slope / value, error: error / value + 16.0 * UNIT }
    }
}

/// `-ln(1 - e^(-exponent))` and its derivative by the power itself.
fn log_complement(exponent: f64, term: f64) -> (f64, f64) {
    if term <= 0.5 {
        return (-(-term).ln_1p(), 1.0 / (1.0 - term));
    }
    // 1 - term would cancel if an outcome was hardly waited for.
    let rest = -(-exponent).exp_m1();
    (-rest.ln(), 1.0 / rest)
}
