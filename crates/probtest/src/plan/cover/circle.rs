//! Many outcomes: the tail itself, by an integral over a circle.
//!
//! With a Poisson number of executions of mean z the outcomes are independent, so
//! `e^z prod(1 - e^(-p z))` generates `seen(n) / n!`, and e^z minus that generates `tail(n) / n!`.
//! Cauchy's formula on the circle of radius r = k, by the trapezoid rule, gives either for n near
//! k. Where the tail is small, the tail is read; where the chance of seeing all is small, that is
//! read: each with a small relative error.
//!
//! # Error bounds
//!
//! Let `w = e^(-p z)`, `f = 1 - w`, P the product of all f at z = r, s the sum of the p, x the real
//! part of z, u half a unit in the last place. Every function of the math library is assumed to be
//! within 4u.
//!
//! 1. **Decay.** `e^(pz) - 1 = 2 e^(pz/2) sinh(pz/2)`, and sinh has positive
//!    coefficients, so `|e^(pz) - 1| <= e^(-p(r-x)/2) (e^(pr) - 1)`. Hence
//!    `|e^(z-r) prod f| <= P e^(-(r-x)(1-s/2))`, and with w in place of f for one
//!    outcome g, `<= P w(r)/f(r) e^(-(r-x)(1-s/2-p_g/2))`. With several w, the
//!    factor is at most 1.
//! 2. **One factor.** Angle, cosine, product and p move `pz` by at most
//!    `20u pr`, and f by that times |w|. The three parts of f (see [`log_seen`])
//!    sum to at most 6|f|, which costs 62u|f|; the logarithm, the angle and
//!    their sums cost 24u + 7u |ln|f||.
//!    - pr <= 1: |f| is within a factor 3.6 of pr and |w| below 2.8, so f is wrong
//!      by less than `u (512 + 16 |ln pr|)` relative to itself.
//!    - pr > 1, |w| > 1/4: |f| < 5|w| and |ln|f|| < 0.7 + pr, so f is wrong by less
//!      than `u (512 + 64 pr) |w|`. For |w| <= 1/4 the logarithm is formed from w
//!      itself and the same holds with room to spare.
//! 3. **The product.** Expanded in these errors, 1. bounds each term by its value
//!    at z = r. With X the sum of `u (512 + 16 |ln pr|)` and
//!    `u (512 + 64 pr) w(r)/f(r)`, the product times `e^(z-r)` is wrong by at most
//!    `P (X e^(-(r-x)(1-s/2-p/2)) + X^2)`, p the largest with pr > 1.
//! 4. **One node.** Its weight, phase and the final trigonometry are wrong by
//!    `u (128 + 40 (r-x) + 24 |phase| + 8 |shift * angle|)` relative to it.
//! 5. **The rule** adds what belongs to n ± M, n ± 2M, ... for M nodes, weighted
//!    by Poisson probabilities relative to that at n; M makes them vanish.
//! 6. **Nodes left out** are below both `P e^(-(r-x)(1-s/2))` and, from
//!    `|f| <= 1 + |w|`, `e^(-(r-x) + sum |w|)`, which falls while x > 0.
//! 7. **Outcomes left out** change the value by at most their union bound.

use super::spread::{Group, Spread};
use crate::math::special::{Compensated, UNIT};
use std::f64::consts::{PI, TAU};

/// What to read off the circle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CircleReading {
    /// The tail: the chance that an outcome is missed.
    Missed,
    /// One minus the tail.
    Seen,
}

/// One evaluation around the circle, good for every n near the radius.
pub(super) struct Circle {
    radius: u64,
    nodes: Vec<Node>,
    /// M of the trapezoid rule.
    count: f64,
    /// The logarithm of the unit of the nodes and values.
    log_unit: f64,
    /// P, in that unit.
    product: f64,
    /// X: the error of the product.
    slip: f64,
    /// How fast an error of the product falls along the circle.
    decay: f64,
    /// A bound on the sum of the nodes left out, and of their weights.
    rest: (f64, f64),
    /// How many outcomes were left out, and their lowest rate.
    left_out: Option<(f64, f64)>,
}

struct Node {
    angle: f64,
    /// `-(r - x)`, and e to it.
    log_weight: f64,
    weight: f64,
    /// `r (sin(angle) - angle)`.
    phase: f64,
    /// The weight times what is read.
    re: f64,
    im: f64,
}

/// A value and its error, both times `e^log_unit`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Approximation {
    pub(super) value: f64,
    pub(super) error: f64,
    pub(super) log_unit: f64,
}

impl Circle {
    /// Evaluates the circle of radius `k`; `size` is roughly the value that matters.
    pub(super) fn new(spread: &Spread, k: u64, read: CircleReading, size: f64) -> Self {
        let radius = k as f64;
        let (groups, left_out) = spread.split(radius - radius.sqrt(), 1e-19 * size);
        let width = (2.0 * (46.0 - size.ln())).sqrt().max(9.5) + 2.0;
        // Odd, so that no node falls on the negative axis.
        let mut count = (((width * radius.sqrt()).ceil() + 32.0) as u64) | 1;
        // The estimate assumes a normal distribution; small circles need more nodes.
        while aliases(radius, -radius.sqrt(), count as f64) > 1e-20 * size {
            count = (count + count / 4) | 1;
        }
        let (slip, share) = slip(groups, radius);
        let sum = groups.iter().map(|group| group.times * group.p).sum::<f64>();
        let half_sum = (sum / 2.0).min(0.5);
        let real = log_seen(groups, radius, 0.0);
        let log_unit = match read {
            CircleReading::Missed => 0.0,
            CircleReading::Seen => real.re,
        };
        let product = (real.re - log_unit).exp();
        let total = match read {
            CircleReading::Missed => -real.re.exp_m1(),
            CircleReading::Seen => 1.0,
        };
        // What the omitted nodes may add, next to the norm they are divided by.
        let negligible = 1e-17 * total.max(UNIT * product) / (2.0 * (TAU * radius).sqrt());
        let mut nodes: Vec<Node> = Vec::new();
        let mut rest = (0.0, 0.0);
        for step in 0..=count / 2 {
            let angle = 2.0 * PI * step as f64 / count as f64;
            let half = (angle / 2.0).sin();
            let log_weight = -2.0 * radius * half * half;
            let weight = log_weight.exp();
            let x = radius * angle.cos();
            let seen = match step {
                0 => real,
                _ => log_seen(groups, x, radius * angle.sin()),
            };
            let (re, im) = match read {
                CircleReading::Missed => seen.missed(log_weight),
                CircleReading::Seen => {
                    let size = (seen.re - log_unit + log_weight).exp();
                    (size * seen.im.cos(), size * seen.im.sin())
                }
            };
            nodes.push(Node {
                angle,
                log_weight,
                weight,
                phase: radius * sin_minus(angle),
                re,
                im,
            });
            // On small circles every node counts and is cheap.
            if count <= 400 || x <= 0.0 {
                continue;
            }
            let by_decay = product * (log_weight * (1.0 - half_sum)).exp();
            let by_size = (log_weight + seen.size - log_unit).exp()
                + product * (-radius * (1.0 - half_sum)).exp();
            let bound = 1.01 * by_decay.min(by_size)
                + match read {
                    CircleReading::Missed => weight,
                    CircleReading::Seen => 0.0,
                };
            if bound.max(weight * total) <= negligible {
                rest = (bound * count as f64, weight * count as f64);
                break;
            }
        }
        Self {
            radius: k,
            nodes,
            count: count as f64,
            log_unit,
            product,
            slip: slip + 4.0 * UNIT * log_unit.abs(),
            decay: (1.0 - half_sum - share / 2.0).max(0.0),
            rest,
            left_out,
        }
    }

    /// Whether `n` is close enough.
    pub(super) fn reaches(&self, n: u64) -> bool {
        let away = n.abs_diff(self.radius) as f64;
        away * away <= self.radius as f64
    }

    pub(super) fn at(&self, n: u64) -> Approximation {
        let shift = (i128::from(n) - i128::from(self.radius)) as f64;
        let mut value = Compensated::default();
        let mut norm = Compensated::default();
        let (mut value_error, mut norm_error) = self.rest;
        for (index, node) in self.nodes.iter().enumerate() {
            let twice = if index == 0 { 1.0 } else { 2.0 };
            let (sin, cos) = (node.phase - shift * node.angle).sin_cos();
            value.add(twice * (cos * node.re - sin * node.im));
            norm.add(twice * node.weight * cos);
            let rounded = UNIT
                * (128.0 - 40.0 * node.log_weight
                    + 24.0 * node.phase.abs()
                    + 8.0 * (shift * node.angle).abs());
            let slipped = self.slip * (node.log_weight * self.decay).exp() + self.slip.powi(2);
            value_error +=
                twice * (node.re.hypot(node.im) * rounded + 1.01 * self.product * slipped);
            norm_error += twice * node.weight * rounded;
        }
        let value = value.sum / norm.sum;
        let left_out = self.left_out.map_or(0.0, |(times, rate)| times * (-rate * n as f64).exp());
        let outside = 2.0 * aliases(self.radius as f64, shift, self.count) + 1.01 * left_out;
        let error = 1.01 * (value_error + value.abs() * norm_error)
            / (norm.sum - norm_error).max(0.0)
            + outside * (-self.log_unit).exp();
        let sound = self.slip < 1e-3 && error >= 0.0;
        Approximation {
            value,
            error: if sound { error } else { f64::INFINITY },
            log_unit: self.log_unit,
        }
    }
}

/// How likely n ± M are under a Poisson distribution of mean r, relative to n = r + shift.
fn aliases(r: f64, shift: f64, count: f64) -> f64 {
    // The integral of ln(t / r) from r to r + d: it bounds the sums of logarithms.
    let area = |d: f64| {
        if d > -r { (r + d) * (d / r).ln_1p() - d } else { r }
    };
    let above = (area(shift) - area(shift + count)).exp();
    let below =
        if r + shift < count { 0.0 } else { (area(shift + 1.0) - area(shift + 1.0 - count)).exp() };
    above + below
}

/// X, and the largest p among those with pr > 1.
fn slip(groups: &[Group], radius: f64) -> (f64, f64) {
    let (mut slip, mut share) = (0.0, 0.0);
    for group in groups {
        let mean = group.p * radius;
        if mean <= 1.0 {
            slip += group.times * (512.0 - 16.0 * mean.ln());
        } else {
            let w = (-mean).exp();
            slip += group.times * (512.0 + 64.0 * mean) * w / (1.0 - w);
            share = group.p;
        }
    }
    // Smaller floats have fewer digits than needed.
    let held = groups.first().is_none_or(|group| group.p > 1e-290);
    (if held { UNIT * slip } else { f64::INFINITY }, share)
}

/// `sin(x) - x` without cancellation, up to pi.
fn sin_minus(x: f64) -> f64 {
    let square = x * x;
    let mut term = -x * square / 6.0;
    let mut sum = term;
    for n in 2..if x > 0.5 { 20 } else { 10 } {
        term *= -square / ((2 * n) * (2 * n + 1)) as f64;
        sum += term;
    }
    sum
}

/// `ln prod(1 - e^(-p z))`, and the sum of all `|e^(-p z)|`. A logarithm, because the product of a
/// million factors leaves the range of floats.
#[derive(Clone, Copy)]
struct Logarithm {
    re: f64,
    im: f64,
    size: f64,
}

impl Logarithm {
    /// One minus e to the logarithm, times a weight.
    fn missed(&self, log_weight: f64) -> (f64, f64) {
        let (a, b) = (self.re, self.im);
        let weight = log_weight.exp();
        if a > 1.0 {
            // To the left of the origin, the product is huge where the weight is tiny.
            let size = (a + log_weight).exp();
            return (weight - size * b.cos(), -size * b.sin());
        }
        // -(e^(a + ib) - 1), keeping small values.
        let half = (b / 2.0).sin();
        let re = 2.0 * half * half - a.exp_m1() * b.cos();
        (weight * re, -weight * a.exp() * b.sin())
    }
}

/// Adds up `ln(1 - w)` for `w = e^(-p z)`, `z = x + iy`.
///
/// For a large w, `1 - w` is formed as `2 sin(py/2)^2 - expm1(-px) cos(py)` and `e^(-px) sin(py)`,
/// which don't cancel: their squares are bounded by
/// `|1 - w|^2 = expm1(-px)^2 + 4 e^(-px) sin(py/2)^2`.
fn log_seen(groups: &[Group], x: f64, y: f64) -> Logarithm {
    let (mut re, mut im) = (Compensated::default(), Compensated::default());
    let mut all = 0.0;
    for group in groups {
        let size = (-group.p * x).exp();
        let (a, b) = if size <= 0.25 {
            let (sin, cos) = (group.p * y).sin_cos();
            log_complement(size * cos, -size * sin, size)
        } else {
            let (sin, cos) = (0.5 * group.p * y).sin_cos();
            let bulge = 2.0 * sin * sin;
            let re = bulge - (-group.p * x).exp_m1() * (1.0 - bulge);
            let im = 2.0 * size * sin * cos;
            (log_size(re, im), im.atan2(re))
        };
        re.add(group.times * a);
        im.add(group.times * b);
        all += group.times * size;
    }
    Logarithm { re: re.sum, im: im.sum, size: all }
}

/// `ln |re + i im|`, finite even if the square isn't.
#[inline]
fn log_size(re: f64, im: f64) -> f64 {
    let square = re * re + im * im;
    if (1e-200..1e200).contains(&square) {
        0.5 * square.ln()
    } else {
        re.hypot(im).clamp(1e-300, f64::MAX).ln()
    }
}

/// `ln(1 - w)` for `w = a + ib` of the given size, at most 1/4.
#[inline]
fn log_complement(a: f64, b: f64, size: f64) -> (f64, f64) {
    let terms = match size {
        ..1e-9 => 2,
        1e-9..1e-3 => 6,
        _ => {
            let re = 0.5 * (size * size - 2.0 * a).ln_1p();
            return (re, (-b).atan2(1.0 - a));
        }
    };
    // Horner: w (1 + w (1/2 + w (1/3 + ...))).
    let (mut re, mut im) = (1.0 / f64::from(terms), 0.0);
    for n in (1..terms).rev() {
        let next = re * a - im * b + 1.0 / f64::from(n);
        im = re * b + im * a;
        re = next;
    }
    (-(re * a - im * b), -(re * b + im * a))
}

#[cfg(test)]
mod tests {
    use super::super::subsets::{MOST_TERMS, Subsets};
    use super::*;
    use crate::claim::Outcomes;
    use crate::plan::Chance;

    /// Compares all counts with inclusion-exclusion in this many bits.
    fn holds(list: &str, counts: impl IntoIterator<Item = u64>, bits: usize, sharp: f64) {
        let outcomes = Outcomes::parse(list).unwrap();
        let spread = Spread::new(&outcomes);
        let subsets = Subsets::new(&outcomes, 1.0, 0.0, MOST_TERMS).unwrap();
        for k in counts {
            let missed = spread.union(k as f64).value.min(1.0);
            let seen = spread.log_seen(k as f64).0.exp();
            let circles = [(CircleReading::Missed, missed), (CircleReading::Seen, seen)]
                .map(|(read, size)| (read, Circle::new(&spread, k, read, size)));
            let root = (k as f64).sqrt() as u64;
            for n in [k, k - 1, k + root, k - root] {
                if n < outcomes.len() as u64 {
                    continue;
                }
                let (mantissa, exponent, good) = subsets.value(n, bits).unwrap();
                let chance = Chance::new(mantissa, exponent, good);
                for (read, circle) in &circles {
                    let truth = match read {
                        CircleReading::Missed => chance.value(),
                        CircleReading::Seen => chance.complement().value(),
                    };
                    let reading = circle.at(n);
                    let unit = reading.log_unit.exp();
                    let (value, error) = (reading.value * unit, reading.error * unit);
                    // The unit is exact in the search, which compares logarithms.
                    let scaled = 4.0 * UNIT * (1.0 - reading.log_unit) * value;
                    let off = (value - truth).abs();
                    let at = format!("{read:?} {list} at {n}: {value:e} {truth:e} {error:e}");
                    assert!(off <= error + scaled, "{at}");
                    assert!(error < sharp, "{at}");
                }
            }
        }
    }

    #[test]
    fn the_error_bound_holds_against_inclusion_and_exclusion() {
        for list in
            ["1/6 x 6", "1/300 x 300", "0.01 x 20, 0.02 x 20", "1e-5 x 50", "1e-9, 3e-9, 0.2"]
        {
            let outcomes = Outcomes::parse(list).unwrap();
            let rarest = Spread::new(&outcomes).groups[0].p;
            let counts = [2.0, 4.0, 8.0, 16.0, 40.0]
                .map(|waits| (waits / rarest) as u64 + outcomes.len() as u64);
            holds(list, counts, 512, 2e-12);
        }
    }

    #[test]
    fn the_error_bound_holds_where_outcomes_have_hardly_been_waited_for() {
        for list in [
            "0.5, 1e-6",
            "0.5, 1e-4",
            "33/500, 3e-9",
            "31/50, 9/50, 1/500000000",
            "0.999, 1e-12",
            "0.3, 0.3, 0.3, 1e-15",
            "0.04, 3e-6",
            "1e-3, 1e-7, 1e-11",
            "1e-30, 0.2 x 3",
            "1e-200, 0.1",
            "0.9, 0.05, 0.01, 1e-3, 1e-5, 1e-8",
            "1e-8 x 3, 0.2 x 4",
            "1/6 x 6",
            "1e-2 x 40",
        ] {
            let fewest = Outcomes::parse(list).unwrap().len() as u64;
            let more = [60, 100, 333, 1000, 4000, 20_000, 1_000_000];
            holds(list, (fewest..fewest + 14).chain(more), 1100, 2e-12);
        }
    }

    #[test]
    fn what_is_seen_is_told_to_its_own_size() {
        let outcomes = Outcomes::parse("1e-200, 0.1").unwrap();
        let circle = Circle::new(&Spread::new(&outcomes), 50, CircleReading::Seen, 1e-200);
        let reading = circle.at(50);
        assert!(reading.error < 1e-11 * reading.value, "{reading:?}");
    }
}
