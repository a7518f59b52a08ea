//! Is the bound on the rounding errors of a walk valid?
//!
//! The bound is added to an error before it is compared with its limit, so a bound that is too
//! small would break a promise unnoticed. It is checked twice: against exact fractions, and by
//! counting the roundings themselves, operation by operation.

use dashu_base::FloatEncoding;
use dashu_int::UBig;

use super::walk::{Boundaries, Shape, walk};
use crate::claim::Probability;
use crate::math::binomial::{Jump, PreciseRate};

/// Half a unit in the last place: the largest error of one operation.
const HALF_UNIT: f64 = f64::EPSILON / 2.0;

/// A positive number and how many half units it may be off by, to first order.
#[derive(Clone, Copy)]
struct Counted(f64, f64);

impl Counted {
    fn times(self, other: Counted) -> Self {
        Counted(self.0 * other.0, self.1 + other.1 + 1.0)
    }

    fn over(self, other: Counted) -> Self {
        Counted(self.0 / other.0, self.1 + other.1 + 1.0)
    }

    /// The error of a sum of positive numbers is at most that of its worst part, plus one.
    fn plus(self, other: Counted) -> Self {
        // Adding zero doesn't round.
        if self.0 == 0.0 || other.0 == 0.0 {
            return if self.0 == 0.0 { other } else { self };
        }
        Counted(self.0 + other.0, self.1.max(other.1) + 1.0)
    }
}

/// The chances of a jump by the same operations, with each rounding counted.
fn counted_jump(executions: u64, rate: PreciseRate, first: usize, kept: usize) -> Vec<Counted> {
    let odds = Counted(rate.of, 1.0).over(Counted(rate.rest, 1.0));
    let mode = (((executions as f64 + 1.0) * rate.of) as u64).min(executions);
    let number = |n: u64| Counted(n as f64, 0.0);
    let mut weights = vec![Counted(1.0, 0.0)];
    for k in (first as u64 + 1..=mode).rev() {
        let ratio = number(k).over(number(executions - k + 1).times(odds));
        weights.insert(0, weights[0].times(ratio));
    }
    for k in mode..(first + kept - 1) as u64 {
        let ratio = number(executions - k).over(number(k + 1)).times(odds);
        weights.push(weights[weights.len() - 1].times(ratio));
    }
    let sum = weights.iter().copied().reduce(Counted::plus).unwrap();
    weights.iter().map(|weight| weight.over(sum)).collect()
}

#[test]
fn the_units_of_a_jump_are_at_least_its_counted_roundings() {
    for (executions, rate, cut) in [
        (1, 0.3, 1e-40),
        (10, 0.5, 1e-40),
        (300, 0.01, 1e-20),
        (1000, 0.001, 1e-40),
        (5000, 0.02, 1e-60),
        (100_000, 1e-5, 1e-100),
        (1_000_000_000, 1e-8, 1e-30),
        (400, 0.9, 1e-40),
    ] {
        let rate = PreciseRate::new(rate);
        let jump = Jump::new(executions, rate, usize::MAX >> 1, cut);
        let (first, chances) = jump.chances();
        let counted = counted_jump(executions, rate, first, chances.len());
        let mut from_here = Counted(0.0, 0.0);
        for (ours, counted) in chances.iter().zip(&counted).rev() {
            assert!((ours / counted.0 - 1.0).abs() < 1e-12, "the same chance");
            from_here = from_here.plus(*counted);
            for roundings in [counted.1, from_here.1] {
                assert!(
                    roundings <= jump.units(),
                    "{executions} {rate:?}: {roundings} {}",
                    jump.units()
                );
            }
        }
    }
}

/// How many ways, weighted by their chances, end in a pass and in a failure, and how many there
/// are.
fn exactly(boundaries: &Boundaries, (hit, all): (u64, u64)) -> (UBig, UBig, UBig) {
    let (hit, all) = (UBig::from(hit), UBig::from(all));
    let miss = &all - &hit;
    let mut going = vec![UBig::ONE];
    let (mut passed, mut failed) = (UBig::ZERO, UBig::ZERO);
    for n in 1..=boundaries.most() {
        passed *= &all;
        failed *= &all;
        let mut next = vec![UBig::ZERO; going.len() + 1];
        for (x, ways) in going.iter().enumerate() {
            next[x] += ways * &miss;
            match boundaries.fail.get(x + 1) {
                Some(fail) if n > *fail => next[x + 1] += ways * &hit,
                _ => failed += ways * &hit,
            }
        }
        for (ways, pass) in next.iter_mut().zip(&boundaries.pass) {
            if *pass <= n {
                passed += std::mem::take(ways);
            }
        }
        while next.last().is_some_and(UBig::is_zero) {
            next.pop();
        }
        going = next;
    }
    (passed, failed, all.pow(boundaries.most() as usize))
}

/// Whether a float is at least a fraction, exactly.
fn at_least(float: f64, (num, den): (&UBig, &UBig)) -> bool {
    let (whole, exponent) = float.decode().expect("a number");
    assert!(whole > 0 && exponent < 0, "{float} is not in 0..2^52");
    UBig::from(whole.unsigned_abs()) * den >= num << exponent.unsigned_abs() as usize
}

#[test]
fn exact_fractions_lie_within_the_bounds_of_a_walk_and_on_both_sides_of_its_sums() {
    // Counts floats above and below their fraction.
    let (mut above, mut below) = (0, 0);
    for (shape, (fewest, delay), rates) in [
        (shape(3.3, 24, 5), (5, 3), [(1, 10), (1, 2), (1, 3)]),
        (shape(40.0, 300, 5), (60, 50), [(1, 100), (1, 20), (1, 7)]),
        (shape(256.0, 785, 2), (329, 350), [(1, 1000), (1, 100), (1, 300)]),
        (shape(13.7, 400, 25), (80, 70), [(1, 20), (1, 10), (1, 13)]),
        (shape(1.4, 90, 50), (20, 11), [(1, 2), (3, 5), (9, 10)]),
    ] {
        let boundaries = shape.boundaries(fewest, delay);
        for (hit, all) in rates {
            let rate = PreciseRate::exact(&Probability::from_ratio(hit, all).unwrap());
            let (passed, failed, ways) = exactly(&boundaries, (hit, all));
            assert_eq!(&passed + &failed, ways, "every way ends");
            let walked = walk(&boundaries, rate, boundaries.most(), 1e-40);
            for (sum, bound, exact) in [
                (walked.passed, walked.passed_at_most(), &passed),
                (walked.failed, walked.failed_at_most(), &failed),
            ] {
                let exact = (exact, &ways);
                assert!(at_least(bound, exact), "{hit}/{all}: {bound} is too low");
                match at_least(sum, exact) {
                    true => above += 1,
                    false => below += 1,
                }
                // Equally far below, so that the bound holds in both directions.
                let low = 2.0 * sum - bound;
                assert!(!at_least(low, exact), "{hit}/{all}: {low} is too high");
                // And not a loose bound: nine digits are promised.
                assert!(bound - sum <= 1e-9 * sum, "{hit}/{all}: {bound} {sum}");
            }
        }
    }
    // Without the bound, those below would count as kept promises.
    assert!(above >= 5 && below >= 5, "{above} above, {below} below");
}

#[test]
fn the_bound_of_a_walk_is_at_least_its_counted_roundings() {
    // Many violations with short stretches in between, and few with long ones.
    for (shape, (fewest, delay), rates) in [
        (shape(13.7, 400, 25), (80, 70), [0.02, 0.05, 0.1]),
        (shape(256.0, 785, 2), (329, 350), [0.001, 0.01, 0.1]),
    ] {
        let boundaries = shape.boundaries(fewest, delay);
        for of in rates {
            let rate = PreciseRate::new(of);
            let roundings = counted_walk(&boundaries, rate, 1e-40);
            let walked = walk(&boundaries, rate, boundaries.most(), 1e-40);
            for (sum, bound, roundings) in [
                (walked.passed, walked.passed_at_most(), roundings.0),
                (walked.failed, walked.failed_at_most(), roundings.1),
            ] {
                let counted = sum * roundings * HALF_UNIT;
                assert!(bound - sum >= counted, "{of}: {} {counted}", bound - sum);
            }
        }
    }
}

fn shape(spacing: f64, most: u64, allowed: u64) -> Shape {
    Shape { spacing, group: 1, most, allowed }
}

/// The rounding errors of a walk's sums: passed and failed.
fn counted_walk(boundaries: &Boundaries, rate: PreciseRate, cut: f64) -> (f64, f64) {
    let zero = Counted(0.0, 0.0);
    let (mut passed, mut failed) = (zero, zero);
    let mut going = vec![Counted(1.0, 0.0)];
    let mut done = 0;
    for place in boundaries.places() {
        let jump = Jump::new(place - done, rate, boundaries.allowed() + 2, cut);
        let (first, chances) = jump.chances();
        let chances = counted_jump(place - done, rate, first, chances.len());
        let fails = boundaries.fail.iter().skip(1).take_while(|f| **f < place);
        let fails = fails.count() + 1;
        let mut next = vec![zero; fails];
        for (x, going) in going.iter().enumerate().filter(|(_, g)| g.0 > 0.0) {
            // From the rarest on, in the order that the jump sums them.
            let mut failing = zero;
            for (more, chance) in chances.iter().enumerate().rev() {
                let end = x + first + more;
                if end < fails {
                    next[end] = next[end].plus(going.times(*chance));
                } else {
                    failing = failing.plus(*chance);
                }
            }
            failed = failed.plus(going.times(failing));
        }
        for (sum, pass) in next.iter_mut().zip(&boundaries.pass) {
            if *pass <= place {
                passed = passed.plus(std::mem::replace(sum, zero));
            }
        }
        going = next;
        done = place;
    }
    (passed.1, failed.1)
}
