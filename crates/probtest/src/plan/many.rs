//! Many outcomes: the smallest k at which all have been seen, but for epsilon.
//!
//! Bounds first, then the tail itself on a circle, then inclusion and exclusion
//! where the circle is too coarse and the terms are few. What stays open is
//! reported as open.

use super::Chance;
use super::circle::Circle;
use super::real::{Real, Short, power};
use super::spread::Spread;
use super::subsets::Subsets;
use super::two::{Beyond, Settled, Side, Tail, Value};
use crate::claim::{Outcomes, Probability};
use dashu_int::UBig;

/// Counts from here on do not fit.
const LIMIT: f64 = 9.2e18;

/// How close to 1 an epsilon may be for floats to tell it from 1.
const NEAREST: f64 = 1e-9;

/// One outcome, or two that leave no room for a third, are simpler.
fn simple(outcomes: &Outcomes) -> Option<Tail> {
    let mut each = outcomes.iter();
    match (each.next(), each.next(), each.next()) {
        (Some(only), None, _) => Some(Tail::of_one(only)),
        (Some(one), Some(other), None) => {
            let ((a, b), (c, d)) = (one.parts(), other.parts());
            (b == d && a + c == *b).then(|| Tail::of_both(one))
        }
        _ => None,
    }
}

/// The smallest count whose tail is below epsilon.
pub(super) fn settle(outcomes: &Outcomes, epsilon: &Probability) -> Result<Settled, Beyond> {
    if let Some(tail) = simple(outcomes) {
        return tail.settle(epsilon);
    }
    // The rarest outcome alone needs this many, whatever the others are.
    let rarest = outcomes.runs().iter().map(|(p, _)| p).min();
    let alone = match rarest {
        Some(rarest) => Tail::of_one(rarest).settle(epsilon)?.lowest,
        None => 1,
    };
    let spread = Spread::new(outcomes);
    let fewest = alone.max(spread.len);
    let goal = epsilon.as_f64();
    let upper = union_count(&spread, goal, fewest)?;
    if upper == fewest {
        return Ok(Settled {
            count: upper,
            lowest: upper,
        });
    }
    let below = spread.product((upper - 1) as f64);
    if below.value * (1.0 - below.error) > goal * (1.0 + 1e-15) {
        return Ok(Settled {
            count: upper,
            lowest: upper,
        });
    }
    // Closer to 1 floats see nothing: the count found there is safe, not smallest.
    let reachable = goal.min(1.0 - NEAREST);
    let start = product_root(&spread, reachable, upper, fewest);
    let mut search = Search {
        spread: &spread,
        goal: reachable,
        circle: None,
    };
    let (lowest, count) = search.bracket(start, fewest, upper, reachable < goal);
    if lowest == count {
        return Ok(Settled { count, lowest });
    }
    Ok(refine(outcomes, &spread, epsilon, lowest, count))
}

/// The smallest count for which the union bound certainly is below epsilon.
fn union_count(spread: &Spread, goal: f64, fewest: u64) -> Result<u64, Beyond> {
    let mut k = fewest as f64;
    // The logarithm of the bound is convex in k: Newton's method stays left of
    // the root.
    for _ in 0..60 {
        let bound = spread.union(k);
        let step = (bound.value / goal).ln() / bound.slope;
        if step.is_nan() || step <= 1e-12 * k {
            break;
        }
        k += step;
        if k >= LIMIT {
            return Err(Beyond { log10: k.log10() });
        }
    }
    let certain = |k: u64| {
        let bound = spread.union(k as f64);
        bound.value * (1.0 + bound.error) < goal * (1.0 - 1e-15)
    };
    let mut count = (k.floor() as u64 + 1).max(fewest);
    if count > fewest && certain(count - 1) {
        count -= 1;
    }
    let mut more = 1;
    while !certain(count) {
        count += more;
        more *= 2;
        if count as f64 >= LIMIT {
            return Err(Beyond {
                log10: (count as f64).log10(),
            });
        }
    }
    Ok(count)
}

/// About where the product bound passes epsilon.
fn product_root(spread: &Spread, goal: f64, upper: u64, fewest: u64) -> u64 {
    // The logarithm of what is seen is concave in k: from the left Newton's method
    // never passes the root. For small tails the right end is almost there.
    let mut k = if goal <= 0.5 { upper } else { fewest } as f64;
    for _ in 0..60 {
        let step = if goal <= 0.5 {
            let bound = spread.product(k);
            apart(bound.value, goal) / bound.slope
        } else {
            let (seen, rise) = spread.log_seen(k);
            ((1.0 - goal).ln() - seen) / rise
        };
        k = (k + step).clamp(fewest as f64, upper as f64);
        if step.is_nan() || step.abs() < 0.01 * k.sqrt() {
            break;
        }
    }
    (k as u64).clamp(fewest, upper)
}

/// How far a tail is from the goal, in a measure that is almost straight in k:
/// its logarithm or, where that is flat, minus that of its complement.
fn apart(tail: f64, goal: f64) -> f64 {
    if goal <= 0.5 {
        (tail.max(1e-300) / goal).ln()
    } else {
        ((1.0 - goal) / (1.0 - tail).max(1e-15)).ln()
    }
}

/// Looks for the count with the tail itself.
struct Search<'a> {
    spread: &'a Spread,
    goal: f64,
    circle: Option<Circle>,
}

impl Search<'_> {
    fn tail(&mut self, k: u64) -> (f64, f64) {
        match &self.circle {
            Some(circle) if circle.reaches(k) => circle.tail(k),
            _ => {
                let size = self.spread.union(k as f64).value.clamp(1e-300, 1.0);
                self.circle
                    .insert(Circle::new(self.spread, k, size))
                    .tail(k)
            }
        }
    }

    fn side(&mut self, k: u64) -> Side {
        let (tail, error) = self.tail(k);
        let error = error + self.goal * 2e-16;
        if tail + error < self.goal {
            Side::Below
        } else if tail - error > self.goal {
            Side::NotBelow
        } else {
            Side::Unknown
        }
    }

    /// The counts between which the smallest one lies: equal when it is known.
    /// `blind` says that counts that are too small cannot be told.
    fn bracket(&mut self, start: u64, fewest: u64, upper: u64, blind: bool) -> (u64, u64) {
        let k = self.approach(start, fewest, upper);
        // The union bound proves `upper`, and nothing below `fewest` is enough.
        let count = self.first(k, fewest, upper, |side| side == Side::Below);
        if blind {
            return (fewest, count);
        }
        let lowest = self.first(count, fewest, count, |side| side != Side::NotBelow);
        (lowest, count)
    }

    /// A count next to the goal: the secant method between two bounds, begun with
    /// the slope of the product bound.
    fn approach(&mut self, start: u64, fewest: u64, upper: u64) -> u64 {
        let (mut low, mut high) = (fewest, upper);
        let mut k = start;
        let mut last: Option<(u64, f64)> = None;
        for _ in 0..40 {
            let (tail, error) = self.tail(k);
            let here = apart(tail, self.goal);
            let size = if self.goal <= 0.5 { tail } else { 1.0 - tail };
            // Closer than this the sign of the distance is chance.
            if here.abs() * size <= error {
                break;
            }
            let slope = match last {
                Some((other, there)) if other != k && there != here => {
                    (there - here) / (k as f64 - other as f64)
                }
                _ if self.goal <= 0.5 => self.spread.product(k as f64).slope,
                _ => self.spread.log_seen(k as f64).1,
            };
            if here > 0.0 {
                low = k;
            } else {
                high = k;
            }
            let step = here / slope;
            if high - low <= 1 || step.abs() < 1.0 {
                break;
            }
            last = Some((k, here));
            let next = (k as f64 + step) as u64;
            let inside = !step.is_nan() && (low..=high).contains(&next) && next != k;
            k = if inside { next } else { low + (high - low) / 2 };
        }
        k
    }

    /// The smallest count in `low..=high` that the test accepts; `high` is known
    /// to be accepted, and whatever follows an accepted count is too.
    fn first(&mut self, near: u64, low: u64, high: u64, accepts: fn(Side) -> bool) -> u64 {
        let (mut low, mut high) = (low, high);
        let mut k = near.clamp(low, high);
        let mut stride = 1;
        // Gallop away from the start, so that the circle is rarely left.
        if k < high && !accepts(self.side(k)) {
            while k < high && !accepts(self.side(k)) {
                low = k + 1;
                k = k.saturating_add(stride).min(high);
                stride = stride.saturating_mul(2);
            }
            high = k;
        } else {
            while k > low {
                let next = k.saturating_sub(stride).max(low);
                high = k;
                if !accepts(self.side(next)) {
                    low = next + 1;
                    break;
                }
                k = next;
                high = k;
                stride = stride.saturating_mul(2);
            }
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if accepts(self.side(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        high
    }
}

/// Narrows a bracket by inclusion and exclusion, where the terms are few.
fn refine(
    outcomes: &Outcomes,
    spread: &Spread,
    epsilon: &Probability,
    lowest: u64,
    count: u64,
) -> Settled {
    let (groups, left_out) = spread.active(lowest as f64, epsilon.as_f64() * 1e-40);
    let largest = groups.last().map_or(0.0, |group| group.p);
    let (mut low, mut high) = (lowest, count);
    let Some(subsets) = Subsets::new(outcomes, largest, left_out * 2.0) else {
        return Settled {
            count: high,
            lowest: low,
        };
    };
    // What is open is narrowed from both ends.
    let mut open_low = low;
    let mut open_high = high;
    while low < high {
        let middle = low + (high - low) / 2;
        match subsets.side(epsilon, middle) {
            Side::Below => {
                high = middle;
                open_high = middle;
            }
            Side::NotBelow => {
                low = middle + 1;
                open_low = middle + 1;
            }
            Side::Unknown => break,
        }
    }
    if low == high {
        return Settled {
            count: high,
            lowest: high,
        };
    }
    Settled {
        count: open_high,
        lowest: open_low,
    }
}

/// The tail at `k`.
pub(super) fn chance(outcomes: &Outcomes, k: u64, epsilon: &Probability) -> Chance {
    if let Some(tail) = simple(outcomes) {
        return match tail.value(k, Some(epsilon)) {
            Value::One => Chance::one(),
            Value::Below { mantissa, exponent } => Chance::of_tail(mantissa, exponent),
        };
    }
    if k < outcomes.len() as u64 {
        return Chance::one();
    }
    let spread = Spread::new(outcomes);
    let size = spread.union(k as f64).value;
    // What is left out here is beyond every digit that is shown.
    let (groups, _) = spread.active(k as f64, size.min(1.0) * 1e-60);
    let largest = groups.last().map_or(1.0, |group| group.p);
    if let Some(subsets) = Subsets::new(outcomes, largest, 0.0)
        && let Some((mantissa, exponent, good)) = subsets.value(k)
    {
        return Chance::new(mantissa, exponent, good.min(190));
    }
    if size < 1e-30 {
        return rare(outcomes, &spread, k);
    }
    let size = size.min(1.0);
    let (tail, error) = Circle::new(&spread, k, size).tail(k);
    let good = (-(error / tail).log2()).ceil().clamp(14.0, 52.0) as usize;
    Chance::from_f64(tail.clamp(0.0, 1.0), good)
}

/// The tail where it is below 1e-30: then it is the union bound, but for a part
/// of 1e-30.
fn rare(outcomes: &Outcomes, spread: &Spread, k: u64) -> Chance {
    let slowest = spread.groups.first().map_or(0.0, |group| group.rate);
    let mut sum: Option<Short> = None;
    for (p, times) in outcomes.runs() {
        let behind = (-(-p.as_f64()).ln_1p() - slowest) * k as f64;
        if behind > 80.0 {
            continue;
        }
        let (num, den) = p.parts();
        let times = Short::ratio(&UBig::from(*times), &UBig::ONE, 128);
        let term = power(&Short::ratio(&(den - num), den, 128), k).times(&times);
        sum = Some(match sum {
            Some(sum) => sum.plus(&term),
            None => term,
        });
    }
    match sum {
        Some(sum) => {
            let (mantissa, exponent) = sum.parts();
            Chance::new(mantissa, exponent, 56)
        }
        None => Chance::one(),
    }
}
