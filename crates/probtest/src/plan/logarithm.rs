//! Many outcomes: the product over all of them at one point of the circle.
//!
//! Kept as a logarithm, because a million factors leave the range of floats.
//! What each of the sums may be wrong by is derived in [`super::circle`].

use super::spread::{Compensated, Group};

/// `ln prod(1 - e^(-p z))`, and the sum of all `|e^(-p z)|`.
#[derive(Clone, Copy)]
pub(super) struct Logarithm {
    pub(super) re: f64,
    pub(super) im: f64,
    pub(super) size: f64,
}

impl Logarithm {
    /// One minus e to the logarithm, times a weight.
    pub(super) fn missed(&self, log_weight: f64) -> (f64, f64) {
        let (a, b) = (self.re, self.im);
        let weight = log_weight.exp();
        if a > 1.0 {
            // Left of the origin the product is huge where the weight is tiny.
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
/// For a large w, `1 - w` is formed as `2 sin(py/2)^2 - expm1(-px) cos(py)` and
/// `e^(-px) sin(py)`, which cancel nothing: their squares are bounded by
/// `|1 - w|^2 = expm1(-px)^2 + 4 e^(-px) sin(py/2)^2`.
pub(super) fn log_seen(groups: &[Group], x: f64, y: f64) -> Logarithm {
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
    Logarithm {
        re: re.sum,
        im: im.sum,
        size: all,
    }
}

/// `ln |re + i im|`, finite also where the square is not.
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
