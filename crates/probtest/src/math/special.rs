//! Special functions in floats, without cancellation.

use std::f64::consts::LN_2;

/// Half a unit in the last place, relative to one.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// Returns `x ln(x / m) + m - x`: how far `x` is from its mean `m`, in nats.
///
/// Close to the mean the terms cancel, so a series replaces them.
pub(crate) fn from_mean(x: f64, m: f64) -> f64 {
    if x == 0.0 {
        return m;
    }
    if m == 0.0 {
        return f64::INFINITY;
    }
    let apart = x - m;
    if apart.abs() > 0.1 * (x + m) {
        return x * (x / m).ln() - apart;
    }
    let v = apart / (x + m);
    let square = v * v;
    let (mut sum, mut term, mut odd) = (apart * v, 2.0 * x * v, 1.0);
    loop {
        term *= square;
        odd += 2.0;
        let more = sum + term / odd;
        if more == sum {
            return sum;
        }
        sum = more;
    }
}

/// Returns the logarithm of the likelihood of the observed rate, `x` of `n`,
/// relative to that of the rate `p`: `n` times the Kullback-Leibler divergence.
pub(crate) fn deviance(x: f64, n: f64, p: f64) -> f64 {
    from_mean(x, n * p) + from_mean(n - x, n * (1.0 - p))
}

/// What Stirling's formula `(x + 1/2) ln x - x + ln(2 pi) / 2` leaves of
/// `ln gamma(x + 1)`, for `x >= 1`.
pub(crate) fn stirling(x: f64) -> f64 {
    let (sum, x) = shifted(x, |x| (x + 0.5) * (1.0 / x).ln_1p() - 1.0);
    let square = 1.0 / (x * x);
    let series = 1.0 / 12.0
        - square
            * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0)));
    sum + series / x
}

/// `ln gamma(x + 1/2)` less `x ln x - x + ln(2 pi) / 2`.
pub(crate) fn half_stirling(x: f64) -> f64 {
    if x == 0.0 {
        return -0.5 * LN_2;
    }
    let (sum, x) = shifted(x, |x| {
        // gamma(x + 1/2) = gamma(x + 3/2) / (x + 1/2)
        (x + 1.0) * (x + 1.0).ln() - x * x.ln() - 1.0 - (x + 0.5).ln()
    });
    let square = 1.0 / (x * x);
    let series = 1.0 / 24.0
        - square * (7.0 / 2880.0 - square * (31.0 / 40320.0 - square * (127.0 / 215_040.0)));
    sum - series / x
}

/// Steps up to where a series in 1/x is exact, adding up the changes.
fn shifted(mut x: f64, step: impl Fn(f64) -> f64) -> (f64, f64) {
    let mut sum = 0.0;
    while x < 16.0 {
        sum += step(x);
        x += 1.0;
    }
    (sum, x)
}

/// The rate with this logit.
pub(crate) fn logistic(logit: f64) -> f64 {
    if logit < 0.0 { logit.exp() / (1.0 + logit.exp()) } else { 1.0 / (1.0 + (-logit).exp()) }
}

/// Adds many floats with the error of only a few additions.
#[derive(Default, Clone, Copy)]
pub(crate) struct Compensated {
    pub(crate) sum: f64,
    lost: f64,
}

impl Compensated {
    #[inline]
    pub(crate) fn add(&mut self, value: f64) {
        let value = value - self.lost;
        let sum = self.sum + value;
        self.lost = (sum - self.sum) - value;
        self.sum = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_next_to_the_mean_continues_the_formula() {
        for m in [1e-3, 1.0, 7e8] {
            for ratio in [0.818, 0.8182, 1.2221, 1.2223] {
                let x: f64 = m * ratio;
                let plain = x * (x / m).ln() + m - x;
                let found = from_mean(x, m);
                assert!((found - plain).abs() <= 1e-12 * m, "{x} {m}: {found} {plain}");
            }
        }
        // The leading term is (x - m)^2 / (2 m); the plain formula would give noise.
        let found = from_mean(1e15 + 3e3, 1e15);
        assert!((found / 4.5e-9 - 1.0).abs() < 1e-10, "{found}");
    }

    #[test]
    fn the_deviance_is_the_difference_of_log_likelihoods() {
        let (x, n, p): (f64, f64, f64) = (3.0, 20.0, 0.4);
        let log = |q: f64| x * q.ln() + (n - x) * (1.0 - q).ln();
        assert!((deviance(x, n, p) - (log(0.15) - log(p))).abs() < 1e-12);
        assert_eq!(deviance(0.0, 5.0, 0.0), 0.0);
        assert_eq!(deviance(5.0, 5.0, 0.0), f64::INFINITY);
    }
}
