//! Tails of the binomial distribution, for counts that nobody wants to loop over.

use super::jump::Rate;

/// The chance of at most `violations` in `executions`.
pub(super) fn at_most(violations: u64, executions: u64, rate: Rate) -> f64 {
    if violations >= executions {
        return 1.0;
    }
    // Terms that fall from the first one on are summed; the rest is the complement.
    if violations as f64 <= executions as f64 * rate.of {
        lower(violations, executions, rate)
    } else {
        1.0 - upper(violations + 1, executions, rate)
    }
}

/// The chance of more than `violations` in `executions`.
pub(super) fn more_than(violations: u64, executions: u64, rate: Rate) -> f64 {
    if violations >= executions {
        return 0.0;
    }
    if violations as f64 <= executions as f64 * rate.of {
        1.0 - lower(violations, executions, rate)
    } else {
        upper(violations + 1, executions, rate)
    }
}

/// The chance of at most `last`, which is not above the mean.
fn lower(last: u64, executions: u64, rate: Rate) -> f64 {
    let turned = rate.rest / rate.of;
    sum(log_chance(last, executions, rate), last, |done| {
        let k = last - done;
        k as f64 / (executions - k + 1) as f64 * turned
    })
}

/// The chance of at least `first`, which is above the mean.
fn upper(first: u64, executions: u64, rate: Rate) -> f64 {
    let odds = rate.of / rate.rest;
    let more = executions - first;
    sum(log_chance(first, executions, rate), more, |done| {
        let k = first + done;
        (executions - k) as f64 / (k + 1) as f64 * odds
    })
}

/// Sums a term and those after it, each a falling `ratio` of the one before.
fn sum(log_first: f64, more: u64, ratio: impl Fn(u64) -> f64) -> f64 {
    let (mut sum, mut term) = (1.0f64, 1.0);
    for done in 0..more {
        term *= ratio(done);
        sum += term;
        if term < sum * 1e-18 {
            break;
        }
    }
    (log_first.exp() * sum).min(1.0)
}

/// The logarithm of the chance of exactly `violations`, for fewer than all.
///
/// The two large terms that would cancel are taken together: how far the count
/// is from the expected one.
fn log_chance(violations: u64, executions: u64, rate: Rate) -> f64 {
    let (x, n) = (violations as f64, executions as f64);
    let rest = n - x;
    if violations == 0 {
        return n * log(rate.rest, rate.of);
    }
    if violations == executions {
        return n * log(rate.of, rate.rest);
    }
    let beyond = n * rate.of - x;
    let apart = x * distance(beyond / x) + rest * distance(-beyond / rest);
    let tau = 2.0 * std::f64::consts::PI;
    remainder(n) - remainder(x) - remainder(rest) - apart - 0.5 * (tau * x * (rest / n)).ln()
}

/// The logarithm of one part, from whichever of the two is smaller.
fn log(part: f64, other: f64) -> f64 {
    if other < 0.5 {
        (-other).ln_1p()
    } else {
        part.ln()
    }
}

/// `d - ln(1 + d)`.
fn distance(d: f64) -> f64 {
    if d.abs() > 0.01 {
        return d - d.ln_1p();
    }
    let mut power = d * d;
    let mut sum = 0.0;
    for k in 2..14 {
        let term = power / f64::from(k);
        sum += if k % 2 == 0 { term } else { -term };
        power *= d;
    }
    sum
}

/// What Stirling's formula leaves of the logarithm of a factorial.
fn remainder(n: f64) -> f64 {
    if n < 16.0 {
        let mut product = 1.0;
        let mut k = 1.0;
        while k <= n {
            product *= k;
            k += 1.0;
        }
        let tau = 2.0 * std::f64::consts::PI;
        return product.ln() - ((n + 0.5) * n.ln() - n + 0.5 * tau.ln());
    }
    let square = 1.0 / (n * n);
    (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / n
}

#[cfg(test)]
mod tests {
    use super::super::jump::Jump;
    use super::*;

    #[test]
    fn tails_are_the_sums_of_the_exact_chances() {
        for (n, r) in [
            (1, 0.3),
            (7, 0.3),
            (40, 0.5),
            (300, 0.01),
            (5000, 0.9),
            (90_000, 0.02),
        ] {
            let rate = Rate::new(r);
            let jump = Jump::new(n, rate, usize::MAX >> 1, 1e-80);
            for part in 0..=16 {
                let x = (n - 1) * part / 16;
                let above = jump.at_least(x as usize + 1);
                let ours = more_than(x, n, rate);
                assert!(
                    (ours - above).abs() <= 1e-11 * above + 1e-70,
                    "{n} {r} {x}: {ours} {above}"
                );
                let below = at_most(x, n, rate);
                assert!(
                    (below + above - 1.0).abs() < 1e-11,
                    "{n} {r} {x}: {below} {above}"
                );
            }
        }
    }

    #[test]
    fn a_million_times_rarer_is_the_same_tail() {
        // Both are Poisson with mean 5 but for 1e-6 relatively.
        let (near, far) = (Rate::new(5e-7), Rate::new(5e-13));
        let (a, b) = (
            more_than(9, 10_000_000, near),
            more_than(9, 10_000_000_000_000, far),
        );
        assert!((a / b - 1.0).abs() < 1e-5, "{a} {b}");
    }
}
