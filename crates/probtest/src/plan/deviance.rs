//! How far a count is from what a rate lets expect, without cancellation.

/// Returns `x ln(x / m) + m - x`: how far `x` is from its mean `m`, in nats.
///
/// Next to the mean the terms cancel; there a series takes their place.
fn from_mean(x: f64, m: f64) -> f64 {
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

/// Finds where an increasing condition begins to hold between `holds_not` and
/// `holds`, to the last digit, and returns the side where it holds.
pub(crate) fn first_where(
    mut holds_not: f64,
    mut holds: f64,
    condition: impl Fn(f64) -> bool,
) -> f64 {
    // About 60 halvings are needed, more only for ends next to 0. There
    // the middle of the exponents keeps the relative error small.
    for _ in 0..400 {
        let (low, high) = (holds_not.min(holds), holds_not.max(holds));
        let middle = if low > 0.0 && high > 4.0 * low {
            low.sqrt() * high.sqrt()
        } else if low == 0.0 && high > 1e-300 {
            high / 16.0
        } else {
            low + (high - low) / 2.0
        };
        if middle <= low || middle >= high || high - low <= 1e-15 * high {
            break;
        }
        if condition(middle) {
            holds = middle;
        } else {
            holds_not = middle;
        }
    }
    holds
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
                assert!(
                    (found - plain).abs() <= 1e-12 * m,
                    "{x} {m}: {found} {plain}"
                );
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

    #[test]
    fn the_first_place_is_found_in_both_directions_and_next_to_zero() {
        for place in [1e-200, 1e-9, 0.3, 0.999_999] {
            let up = first_where(0.0, 1.0, |p| p >= place);
            assert!(up >= place && (up / place - 1.0).abs() < 1e-14, "{up}");
            let down = first_where(1.0, 0.0, |p| p <= place);
            assert!(
                down <= place && (down / place - 1.0).abs() < 1e-14,
                "{down}"
            );
        }
    }
}
