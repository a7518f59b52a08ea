//! Many outcomes: the tail itself, by an integral over a circle.
//!
//! With a Poisson number of executions of mean z the outcomes are independent,
//! so `e^z (1 - prod(1 - e^(-p z)))` generates `tail(n) / n!`. Cauchy's formula
//! on the circle of radius k, by the trapezoid rule, gives the tail for n
//! near k. The rule is wrong only by the tails at n ± M, n ± 2M, ... for M nodes,
//! each weighted by a Poisson probability relative to that at n; M is chosen so
//! that these vanish. All coefficients are positive, so rounding errors stay
//! relative to the value on the real axis.

use super::spread::{Compensated, Group, Spread, UNIT};
use std::f64::consts::PI;

/// One evaluation around the circle, good for every n near the radius.
pub(super) struct Circle {
    radius: u64,
    nodes: Vec<Node>,
    /// What the tail may be wrong by.
    error: f64,
}

struct Node {
    /// The angle.
    angle: f64,
    /// `e^(r (cos - 1))`.
    weight: f64,
    /// `r (sin(angle) - angle)`.
    phase: f64,
    /// The weight times `1 - prod(1 - e^(-p z))`.
    re: f64,
    im: f64,
}

impl Circle {
    /// Goes around the circle of radius `k`; `size` is about how large the tail
    /// is.
    pub(super) fn new(spread: &Spread, k: u64, size: f64) -> Self {
        let radius = k as f64;
        let (groups, dropped) = spread.active(radius, 1e-19 * size);
        let width = (2.0 * (46.0 - size.ln())).sqrt().max(9.5) + 2.0;
        // Odd, so that no node falls on the negative axis.
        let count = ((width * radius.sqrt()).ceil() + 32.0) as u64 | 1;
        let mut nodes = Vec::new();
        let mut quiet = 0;
        for step in 0..=count / 2 {
            let angle = 2.0 * PI * step as f64 / count as f64;
            let half = (angle / 2.0).sin();
            let log_weight = -2.0 * radius * half * half;
            let weight = log_weight.exp();
            let (x, y) = (radius * angle.cos(), radius * angle.sin());
            let (re, im) = missed(groups, x, y, log_weight);
            nodes.push(Node {
                angle,
                weight,
                phase: radius * sin_minus(angle),
                re,
                im,
            });
            // On small circles every node counts and is cheap.
            let total = nodes[0].re;
            let small = re.hypot(im) < 1e-21 * total && weight < 1e-21;
            quiet = if small { quiet + 1 } else { 0 };
            if quiet == 3 && count > 400 {
                break;
            }
        }
        let total = nodes[0].re.abs();
        let exponents: f64 = groups
            .iter()
            .map(|group| group.times * (-group.p * radius).exp() * (group.p * radius + 4.0))
            .sum();
        // A relative error of w = e^(-p z) is that of its exponent; near n = r ± sqrt(r)
        // the sum loses a factor below two. Doubled once more to be safe.
        let shrink = (1.0 - total).clamp(0.0, 1.0) / (1.0 - largest(groups, radius)).max(1e-3);
        let error = UNIT * (256.0 * total + 64.0 * exponents * shrink.max(1e-3))
            + 1e-18 * size
            + 2.0 * dropped;
        Self {
            radius: k,
            nodes,
            error,
        }
    }

    /// Whether `n` is near enough.
    pub(super) fn reaches(&self, n: u64) -> bool {
        let away = n.abs_diff(self.radius) as f64;
        away * away <= self.radius as f64
    }

    /// The tail at `n` and what it may be wrong by.
    pub(super) fn tail(&self, n: u64) -> (f64, f64) {
        let shift = if n >= self.radius {
            (n - self.radius) as f64
        } else {
            -((self.radius - n) as f64)
        };
        let mut tail = Compensated::default();
        let mut norm = Compensated::default();
        for (index, node) in self.nodes.iter().enumerate() {
            let twice = if index == 0 { 1.0 } else { 2.0 };
            let (sin, cos) = (node.phase - shift * node.angle).sin_cos();
            tail.add(twice * (cos * node.re - sin * node.im));
            norm.add(twice * node.weight * cos);
        }
        (tail.sum / norm.sum, self.error)
    }
}

/// The largest `e^(-p r)`: that of the rarest outcome.
fn largest(groups: &[Group], radius: f64) -> f64 {
    groups
        .first()
        .map_or(0.0, |group| (-group.p * radius).exp())
}

/// `sin(x) - x` without cancellation.
fn sin_minus(x: f64) -> f64 {
    if x > 0.5 {
        return x.sin() - x;
    }
    let square = x * x;
    let mut term = -x * square / 6.0;
    let mut sum = term;
    for n in 2..12 {
        term *= -square / ((2 * n) * (2 * n + 1)) as f64;
        sum += term;
    }
    sum
}

/// `1 - prod(1 - e^(-p z))` at `z = x + iy`, times a weight.
fn missed(groups: &[Group], x: f64, y: f64, log_weight: f64) -> (f64, f64) {
    let (mut re, mut im) = (Compensated::default(), Compensated::default());
    for group in groups {
        let size = (-group.p * x).exp();
        let (sin, cos) = (group.p * y).sin_cos();
        let (a, b) = log_complement(size * cos, -size * sin, size);
        re.add(group.times * a);
        im.add(group.times * b);
    }
    let (a, b) = (re.sum, im.sum);
    let weight = log_weight.exp();
    if a > 1.0 {
        // Left of the origin the product is huge where the weight is tiny.
        let size = (a + log_weight).exp();
        return (weight - size * b.cos(), -size * b.sin());
    }
    // -(e^(a + ib) - 1), keeping small values.
    let half = (b / 2.0).sin();
    let re = 2.0 * a.exp() * half * half - a.exp_m1();
    (weight * re, -weight * a.exp() * b.sin())
}

/// `ln(1 - w)` for `w = a + ib` of the given size.
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
    use super::super::Chance;
    use super::super::subsets::Subsets;
    use super::*;
    use crate::claim::Outcomes;

    #[test]
    fn the_error_bound_holds_against_inclusion_and_exclusion() {
        for list in [
            "1/6 x 6",
            "1/300 x 300",
            "0.01 x 20, 0.02 x 40",
            "1e-5 x 50",
            "1e-9, 3e-9, 0.2",
        ] {
            let outcomes = Outcomes::parse(list).unwrap();
            let spread = Spread::new(&outcomes);
            let subsets = Subsets::new(&outcomes, 1.0, 0.0).unwrap();
            let rarest = spread.groups[0].p;
            for waits in [2.0, 4.0, 8.0, 16.0, 40.0] {
                let k = (waits / rarest) as u64 + outcomes.len() as u64;
                let size = spread.union(k as f64).value.min(1.0);
                let circle = Circle::new(&spread, k, size);
                for n in [k, k - 1, k + (k as f64).sqrt() as u64] {
                    let (mantissa, exponent, good) = subsets.value(n).unwrap();
                    let truth = Chance::new(mantissa, exponent, good).value();
                    let (tail, error) = circle.tail(n);
                    assert!(
                        (tail - truth).abs() <= error,
                        "{list} at {n}: {tail} {truth} {error}"
                    );
                    assert!(error < 1e-12, "{list} at {n}: {error}");
                }
            }
        }
    }
}
