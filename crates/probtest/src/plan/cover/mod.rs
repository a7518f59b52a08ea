//! Many outcomes: the smallest k at which all of them have been seen, except with chance epsilon.
//!
//! First bounds, then the tail itself on a circle, then inclusion-exclusion if the terms are few:
//! to decide what the circle leaves open, and to prove again what it found. What remains open is
//! reported as open.
//!
//! Below one half, the tail is compared with epsilon; above, their complements are compared,
//! because both the tail and epsilon would round to 1.

mod circle;
mod spread;
mod subsets;

use self::circle::{Approximation, Circle, CircleReading};
use self::spread::Spread;
use self::subsets::{FEW_TERMS, MOST_TERMS, Subsets};
use super::Chance;
use super::detect::{CountTooLarge, SettledCount, Tail, TailSide, nines};
use crate::claim::{Outcomes, Probability};
use crate::math::real::{Real, Scaled, power};
use crate::math::search::first;
use crate::math::special::UNIT;
use probtest_syntax::Natural;

/// Counts from here on don't fit.
const LIMIT: f64 = 9.2e18;
const LARGEST: u64 = 9_200_000_000_000_000_000;

/// Smaller values have fewer digits as floats, or none.
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
pub(super) fn settle(
    outcomes: &Outcomes,
    epsilon: &Probability,
) -> Result<SettledCount, CountTooLarge> {
    if let Some(tail) = simple(outcomes) {
        return tail.settle(epsilon);
    }
    // The rarest outcome alone needs this many, whatever the others.
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
        // Out of reach for floats: the union bound is at most `len (1 - p)^k` for the rarest p.
        let share = epsilon.enlarged(&format!("-{}/{}", spread.len - 1, spread.len));
        let upper = match Tail::of_one(rarest).settle(share.as_ref().unwrap_or(epsilon)) {
            Ok(upper) => upper.count.max(fewest),
            Err(_) if confirm.side(LARGEST) == TailSide::Below => LARGEST,
            Err(beyond) => return Err(beyond),
        };
        return Ok(confirm.settle((fewest, upper), fewest, upper));
    }
    let mut search = Search::new(&spread, goal);
    let upper = match union_count(&spread, goal.epsilon, fewest) {
        Ok(upper) => upper,
        // Close to 1, the union bound is far above the tail.
        Err(_) if search.side(LARGEST) == TailSide::Below => LARGEST,
        Err(beyond) => return Err(beyond),
    };
    let below = spread.product((upper - 1) as f64);
    if upper == fewest || below.value * (1.0 - below.error) > goal.epsilon * (1.0 + 1e-15) {
        return Ok(SettledCount::exact(upper));
    }
    let (lowest, count) = search.bracket(fewest, upper);
    if lowest == count {
        confirm.most = FEW_TERMS;
    }
    Ok(confirm.settle((lowest, count), fewest, upper))
}

/// The smallest count for which the union bound is certainly below epsilon.
fn union_count(spread: &Spread, goal: f64, fewest: u64) -> Result<u64, CountTooLarge> {
    let mut k = fewest as f64;
    // The logarithm of the bound is convex in k: Newton's method stays left of the root.
    for _ in 0..60 {
        let bound = spread.union(k);
        let step = (bound.value / goal).ln() / bound.slope;
        if step.is_nan() || step <= 1e-12 * k {
            break;
        }
        k += step;
        if k >= LIMIT {
            return Err(CountTooLarge { log10: k.log10() });
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
            return Err(CountTooLarge { log10: (count as f64).log10() });
        }
    }
    Ok(count)
}

/// Epsilon as a float, and its complement.
#[derive(Clone, Copy, Debug)]
struct Goal {
    epsilon: f64,
    rest: f64,
}

impl Goal {
    fn new(epsilon: &Probability) -> Self {
        let (top, bottom) = epsilon.parts();
        Self { epsilon: epsilon.as_f64(), rest: Scaled::ratio(&(bottom - top), bottom).float() }
    }

    /// What to compare, and with which value.
    fn read(self) -> (CircleReading, f64) {
        if self.epsilon <= 0.5 {
            (CircleReading::Missed, self.epsilon)
        } else {
            (CircleReading::Seen, self.rest)
        }
    }

    /// Approximately where the product bound passes epsilon.
    fn product_root(self, spread: &Spread, fewest: u64, upper: u64) -> u64 {
        // The logarithm of the chance of seeing all is concave in k: from the left, Newton's method
        // never passes the root. For small tails, the right end is almost there.
        let (read, goal) = self.read();
        let mut k = if read == CircleReading::Missed { upper } else { fewest } as f64;
        for _ in 0..60 {
            let step = match read {
                CircleReading::Missed => {
                    let bound = spread.product(k);
                    (bound.value.max(1e-300) / goal).ln() / bound.slope
                }
                CircleReading::Seen => {
                    let (seen, rise) = spread.log_seen(k);
                    (goal.ln() - seen) / rise
                }
            };
            k = (k + step).clamp(fewest as f64, upper as f64);
            if step.is_nan() || step.abs() < 0.01 * k.sqrt() {
                break;
            }
        }
        (k as u64).clamp(fewest, upper)
    }
}

/// Searches for the count with the tail itself.
struct Search<'a> {
    spread: &'a Spread,
    goal: Goal,
    circle: Option<Circle>,
}

impl<'a> Search<'a> {
    fn new(spread: &'a Spread, goal: Goal) -> Self {
        Self { spread, goal, circle: None }
    }

    fn reading(&mut self, k: u64) -> Approximation {
        match &self.circle {
            Some(circle) if circle.reaches(k) => circle.at(k),
            _ => {
                let (read, goal) = self.goal.read();
                let size = match read {
                    CircleReading::Missed => self.spread.union(k as f64).value.clamp(1e-300, 1.0),
                    CircleReading::Seen => goal,
                };
                let circle = Circle::new(self.spread, k, read, size);
                self.circle.insert(circle).at(k)
            }
        }
    }

    /// On which side of epsilon the tail at `k` is.
    fn side(&mut self, k: u64) -> TailSide {
        let reading = self.reading(k);
        let (read, goal) = self.goal.read();
        // Infinite if nothing can be seen, zero if everything is: both compare correctly.
        let level = (goal.ln() - reading.log_unit).exp();
        let doubt = UNIT * (32.0 - 8.0 * goal.ln() + 8.0 * reading.log_unit.abs());
        let under = reading.value + reading.error < level * (1.0 - doubt);
        let over = reading.value - reading.error > level * (1.0 + doubt);
        match (read, under, over) {
            (CircleReading::Missed, true, _) | (CircleReading::Seen, _, true) => TailSide::Below,
            (CircleReading::Missed, _, true) | (CircleReading::Seen, true, _) => TailSide::NotBelow,
            _ => TailSide::Unknown,
        }
    }

    /// How far the count is from the goal, as a logarithm that is almost linear in k and positive
    /// if more executions are needed; and its error.
    fn apart(&mut self, k: u64) -> (f64, f64) {
        let reading = self.reading(k);
        let (read, goal) = self.goal.read();
        let value = reading.value.max(reading.error / 8.0).max(1e-300);
        let above = value.ln() + reading.log_unit - goal.ln();
        (if read == CircleReading::Missed { above } else { -above }, reading.error / value)
    }

    /// The counts between which the smallest one is: equal if it is known.
    fn bracket(&mut self, fewest: u64, upper: u64) -> (u64, u64) {
        let start = self.goal.product_root(self.spread, fewest, upper);
        let k = self.approach(start, fewest, upper);
        // The union bound proves `upper`, and nothing below `fewest` is enough.
        let count = first(k, (fewest, upper), |k| self.side(k) == TailSide::Below);
        let lowest = first(count, (fewest, count), |k| self.side(k) != TailSide::NotBelow);
        (lowest, count)
    }

    /// A count close to the goal: the secant method between two bounds, starting with the slope of
    /// the product bound.
    fn approach(&mut self, start: u64, fewest: u64, upper: u64) -> u64 {
        let (mut low, mut high) = (fewest, upper);
        let mut k = start;
        let mut last: Option<(u64, f64)> = None;
        for _ in 0..40 {
            let (here, error) = self.apart(k);
            // Closer than this, the sign of the distance is random.
            if here.abs() <= error {
                break;
            }
            let slope = match (last, self.goal.read().0) {
                (Some((other, there)), _) if other != k && there != here => {
                    (there - here) / (k as f64 - other as f64)
                }
                (_, CircleReading::Missed) => self.spread.product(k as f64).slope,
                (_, CircleReading::Seen) => self.spread.log_seen(k as f64).1,
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
}

/// Inclusion-exclusion at any k.
struct Confirm<'a> {
    outcomes: &'a Outcomes,
    spread: &'a Spread,
    epsilon: &'a Probability,
    /// Epsilon or its complement, whichever is smaller.
    size: f64,
    /// The most terms to add up.
    most: usize,
    /// Whether outcomes that hardly matter are kept.
    whole: bool,
    /// The terms, and the smallest k for which they are enough.
    built: Option<(u64, Option<Subsets>)>,
}

impl Confirm<'_> {
    fn side(&mut self, k: u64) -> TailSide {
        if self.built.as_ref().is_none_or(|(from, _)| k < *from) {
            self.built = Some((k, self.subsets(k)));
        }
        match &self.built {
            Some((_, Some(subsets))) => match subsets.side(self.epsilon, k) {
                TailSide::Unknown if !self.whole => {
                    // Perhaps closer than what was left out.
                    self.whole = true;
                    self.built = None;
                    self.side(k)
                }
                side => side,
            },
            _ => TailSide::Unknown,
        }
    }

    fn subsets(&self, k: u64) -> Option<Subsets> {
        // Smaller fractions of the goal are out of range for floats, so nothing is left out.
        if self.whole || self.size < 1e-240 {
            return Subsets::new(self.outcomes, 1.0, 0.0, self.most);
        }
        let (groups, left_out) = self.spread.active(k as f64, self.size * 1e-40);
        let largest = groups.last().map_or(1.0, |group| group.p);
        Subsets::new(self.outcomes, largest, left_out * 2.0, self.most)
    }

    /// Proves what floats found, or corrects it, within `fewest..=upper`.
    fn settle(&mut self, found: (u64, u64), fewest: u64, upper: u64) -> SettledCount {
        let mut lowest = found.0;
        let count = first(found.1, (fewest, upper), |k| match self.side(k) {
            TailSide::Below => true,
            TailSide::NotBelow => {
                lowest = lowest.max(k + 1);
                false
            }
            TailSide::Unknown => k >= found.1,
        });
        if lowest < count {
            lowest = first(lowest, (lowest, count), |k| self.side(k) != TailSide::NotBelow);
        }
        SettledCount { count, lowest: lowest.min(count) }
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
    // Close to 1, the leading digits are nines and say nothing.
    let nines = nines(epsilon);
    // What is left out here is beyond every digit shown.
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
    let reading = Circle::new(&spread, k, CircleReading::Missed, size).at(k);
    let good = (-(reading.error / reading.value).log2()).clamp(14.0, 52.0) as usize;
    Chance::from_f64(reading.value.clamp(0.0, 1.0), good)
}

/// The tail if it is below 1e-30: then it is the union bound, within a relative 1e-30.
fn rare(outcomes: &Outcomes, spread: &Spread, k: u64) -> Chance {
    let slowest = spread.groups.first().map_or(0.0, |group| group.rate);
    let counts = |p: &Probability| (-(-p.as_f64()).ln_1p() - slowest) * k as f64 <= 80.0;
    let terms = outcomes.runs().iter().filter(|(p, _)| counts(p)).map(|(p, times)| {
        let (num, den) = p.parts();
        let times = Real::ratio(&Natural::from(*times as u64), &Natural::ONE, 128);
        power(&Real::ratio(&(den - num), den, 128), k).times(&times)
    });
    let sum = terms.reduce(|sum, term| sum.plus(&term)).map(Real::into_parts);
    sum.map_or_else(Chance::one, |(mantissa, exponent)| Chance::new(mantissa, exponent, 56))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Floats may leave open on which side an epsilon is, but never give the wrong side, however
    /// close it is.
    #[test]
    fn floats_never_take_a_wrong_side_next_to_a_tie() {
        let mut decided = 0;
        for list in [
            "0.5, 1e-6",
            "33/500, 3e-9",
            "31/50, 9/50, 1/500000000",
            "0.09, 4e-7",
            "1e-3, 1e-7, 1e-11",
            "0.2, 0.3, 0.1",
            "1/6 x 6",
            "1e-9 x 2, 0.3",
            "0.01 x 20",
        ] {
            let outcomes = Outcomes::parse(list).unwrap();
            let spread = Spread::new(&outcomes);
            let subsets = Subsets::new(&outcomes, 1.0, 0.0, MOST_TERMS).unwrap();
            let fewest = outcomes.len() as u64;
            for k in (fewest..fewest + 8).chain([30, 100, 1000, 30_000]) {
                let (mantissa, exponent, _) = subsets.value(k, 400).unwrap();
                let whole = mantissa << 8usize;
                let size = 8 + exponent.unsigned_abs() as usize;
                for bits in [20, 30, 36, 40, 44, 48, 50, 52, 54, 60, 80] {
                    for up in [true, false] {
                        let part = &whole >> bits;
                        let near = if up { &whole + part } else { &whole - part };
                        let decimal = (near * Natural::from(10u64).pow(60)) >> size;
                        let Ok(epsilon) = Probability::parse(&format!("{decimal}e-60")) else {
                            continue;
                        };
                        let mut search = Search::new(&spread, Goal::new(&epsilon));
                        let side = search.side(k);
                        if side != TailSide::Unknown {
                            decided += 1;
                            let truth = subsets.side(&epsilon, k);
                            assert_eq!(side, truth, "{list} at {k}, epsilon {epsilon}");
                        }
                    }
                }
            }
        }
        assert!(decided > 800, "only {decided} were decided");
    }
}
