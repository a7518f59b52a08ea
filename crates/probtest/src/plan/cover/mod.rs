//! Many outcomes: the smallest k at which all have been seen, but for epsilon.
//!
//! Bounds first, then the tail itself on a circle, then inclusion and exclusion
//! where the terms are few: to decide what the circle leaves open, and to prove
//! again what it found. What stays open is reported as open.

mod circle;
mod search;
mod spread;
mod subsets;

use self::circle::{Circle, Read};
use self::search::{Goal, Search};
use self::spread::Spread;
use self::subsets::{FEW_TERMS, MOST_TERMS, Subsets};
use super::Chance;
use super::detect::{Beyond, Settled, Side, Tail, nines};
use crate::claim::{Outcomes, Probability};
use crate::math::real::{Real, power};
use crate::math::search::first;
use dashu_int::UBig;

/// Counts from here on do not fit.
const LIMIT: f64 = 9.2e18;
const LARGEST: u64 = 9_200_000_000_000_000_000;

/// What is smaller, floats hold with fewer digits or not at all.
const SMALLEST: f64 = 1e-290;

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
    let goal = Goal::new(epsilon);
    let mut confirm = Confirm {
        outcomes,
        spread: &spread,
        epsilon,
        size: goal.epsilon.min(goal.rest),
        most: MOST_TERMS,
        whole: false,
        built: None,
    };
    if let Some(rarest) = rarest
        && confirm.size.min(rarest.as_f64()) < SMALLEST
    {
        let upper = match union_count_beyond_floats(rarest, epsilon, spread.len) {
            Ok(upper) => upper.max(fewest),
            Err(_) if confirm.side(LARGEST) == Side::Below => LARGEST,
            Err(beyond) => return Err(beyond),
        };
        return Ok(confirm.settle((fewest, upper), fewest, upper));
    }
    let mut search = Search::new(&spread, goal);
    let upper = match union_count(&spread, goal.epsilon, fewest) {
        Ok(upper) => upper,
        // Next to 1 the union bound is far above the tail.
        Err(_) if search.side(LARGEST) == Side::Below => LARGEST,
        Err(beyond) => return Err(beyond),
    };
    let below = spread.product((upper - 1) as f64);
    if upper == fewest || below.value * (1.0 - below.error) > goal.epsilon * (1.0 + 1e-15) {
        return Ok(Settled::exact(upper));
    }
    let (lowest, count) = search.bracket(fewest, upper);
    if lowest == count {
        confirm.most = FEW_TERMS;
    }
    Ok(confirm.settle((lowest, count), fewest, upper))
}

/// A count for which the union bound is below epsilon, where floats do not
/// reach: `len (1 - p)^k` for the rarest p.
fn union_count_beyond_floats(
    rarest: &Probability,
    epsilon: &Probability,
    len: u64,
) -> Result<u64, Beyond> {
    let share = epsilon.enlarged(&format!("-{}/{len}", len - 1));
    let share = share.as_ref().unwrap_or(epsilon);
    Ok(Tail::of_one(rarest).settle(share)?.count)
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
            return Err(Beyond { log10: (count as f64).log10() });
        }
    }
    Ok(count)
}

/// Inclusion and exclusion at any k.
struct Confirm<'a> {
    outcomes: &'a Outcomes,
    spread: &'a Spread,
    epsilon: &'a Probability,
    /// Epsilon or what is left to 1, whichever is smaller.
    size: f64,
    /// More terms than this are not added up.
    most: usize,
    /// Whether outcomes that hardly matter are kept.
    whole: bool,
    /// The terms, and the smallest k for which they are enough.
    built: Option<(u64, Option<Subsets>)>,
}

impl Confirm<'_> {
    fn side(&mut self, k: u64) -> Side {
        if self.built.as_ref().is_none_or(|(from, _)| k < *from) {
            self.built = Some((k, self.subsets(k)));
        }
        match &self.built {
            Some((_, Some(subsets))) => match subsets.side(self.epsilon, k) {
                Side::Unknown if !self.whole => {
                    // Closer than what was left out, maybe.
                    self.whole = true;
                    self.built = None;
                    self.side(k)
                }
                side => side,
            },
            _ => Side::Unknown,
        }
    }

    fn subsets(&self, k: u64) -> Option<Subsets> {
        // Smaller parts of the goal are beyond floats: then nothing is left out.
        if self.whole || self.size < 1e-240 {
            return Subsets::new(self.outcomes, 1.0, 0.0, self.most);
        }
        let (groups, left_out) = self.spread.active(k as f64, self.size * 1e-40);
        let largest = groups.last().map_or(1.0, |group| group.p);
        Subsets::new(self.outcomes, largest, left_out * 2.0, self.most)
    }

    /// Proves what floats found, or corrects it, within `fewest..=upper`.
    fn settle(&mut self, found: (u64, u64), fewest: u64, upper: u64) -> Settled {
        let mut lowest = found.0;
        let count = first(found.1, (fewest, upper), |k| match self.side(k) {
            Side::Below => true,
            Side::NotBelow => {
                lowest = lowest.max(k + 1);
                false
            }
            Side::Unknown => k >= found.1,
        });
        if lowest < count {
            lowest = first(lowest, (lowest, count), |k| self.side(k) != Side::NotBelow);
        }
        Settled { count, lowest: lowest.min(count) }
    }
}

pub(super) fn chance(outcomes: &Outcomes, k: u64, epsilon: &Probability) -> Chance {
    if let Some(tail) = simple(outcomes) {
        return tail.chance(k, Some(epsilon));
    }
    if k < outcomes.len() as u64 {
        return Chance::one();
    }
    let spread = Spread::new(outcomes);
    let size = spread.union(k as f64).value;
    // Next to 1 the leading digits are nines and say nothing.
    let nines = nines(epsilon);
    // What is left out here is beyond every digit that is shown.
    let (groups, _) = spread.active(k as f64, size.min(1.0) * 1e-60);
    let largest = match groups.last() {
        Some(group) if size > 1e-240 && nines < 100 => group.p,
        _ => 1.0,
    };
    if let Some(subsets) = Subsets::new(outcomes, largest, 0.0, MOST_TERMS)
        && let Some((mantissa, exponent, good)) = subsets.value(k, 320 + nines)
    {
        return Chance::new(mantissa, exponent, good.min(190 + nines));
    }
    if size < 1e-30 {
        return rare(outcomes, &spread, k);
    }
    let size = size.min(1.0);
    let reading = Circle::new(&spread, k, Read::Missed, size).at(k);
    let good = (-(reading.error / reading.value).log2()).clamp(14.0, 52.0) as usize;
    Chance::from_f64(reading.value.clamp(0.0, 1.0), good)
}

/// The tail where it is below 1e-30: then it is the union bound, but for a part
/// of 1e-30.
fn rare(outcomes: &Outcomes, spread: &Spread, k: u64) -> Chance {
    let slowest = spread.groups.first().map_or(0.0, |group| group.rate);
    let mut sum: Option<Real> = None;
    for (p, times) in outcomes.runs() {
        let behind = (-(-p.as_f64()).ln_1p() - slowest) * k as f64;
        if behind > 80.0 {
            continue;
        }
        let (num, den) = p.parts();
        let times = Real::ratio(&UBig::from(*times), &UBig::ONE, 128);
        let term = power(&Real::ratio(&(den - num), den, 128), k).times(&times);
        sum = Some(match sum {
            Some(sum) => sum.plus(&term),
            None => term,
        });
    }
    match sum {
        Some(sum) => {
            let (mantissa, exponent) = sum.into_parts();
            Chance::new(mantissa, exponent, 56)
        }
        None => Chance::one(),
    }
}
