//! Which violation rates fit a count of violations?
//!
//! The Clopper-Pearson interval: exact if the number of executions is fixed in advance. After a
//! sequential stop it covers too little; use it only if the number of executions didn't depend on
//! what was seen.
//!
//! Both ends are quantiles of a beta distribution. They are found on the logit scale, where the
//! density is log-concave: then Newton's method on the logarithm of the distribution can't
//! oscillate. The distribution is the density, computed with Stirling's remainder, times an
//! integral of it relative to its end point. Nothing loops over executions, so 10^18 of them cost
//! as much as 10.

use super::special::{logistic, stirling};
use probtest_syntax::{Error, Probability};

/// Finds the lowest and the highest violation rate that fit a count of violations, to 12 digits.
///
/// The confidence is taken as the decimal that it prints as; each end may be wrong with half of the
/// remaining probability.
///
/// # Errors
/// When there is no execution, there are more violations than executions, or the confidence isn't
/// strictly between 0 and 1.
pub fn clopper_pearson(
    violations: u64,
    executions: u64,
    confidence: f64,
) -> Result<(f64, f64), Error> {
    let log_half = left_half(violations, executions, confidence)?;
    let (x, rest) = (violations as f64, (executions - violations) as f64);
    let n = executions as f64;
    let low = match violations {
        0 => 0.0,
        _ if violations == executions => (log_half / n).exp(),
        _ => logistic(quantile(x, rest + 1.0, log_half)),
    };
    let high = match violations {
        _ if violations == executions => 1.0,
        0 => -(log_half / n).exp_m1(),
        _ => logistic(-quantile(rest, x + 1.0, log_half)),
    };
    // A confidence close to 0 leaves a single point; rounding must not swap the ends.
    Ok((low.min(high), high))
}

/// The logarithm of half the error probability, if the arguments are valid.
pub(crate) fn left_half(violations: u64, executions: u64, confidence: f64) -> Result<f64, Error> {
    if executions == 0 {
        return Err(Error::new(
            "without an execution, nothing is known about a rate",
            "0 executions",
            "run at least one execution",
        ));
    }
    if violations > executions {
        return Err(Error::new(
            format!("{violations} violations are more than {executions} executions"),
            format!("{violations} violations, {executions} executions"),
            "count each execution at most once",
        ));
    }
    Ok(log_left(confidence)? - std::f64::consts::LN_2)
}

/// The logarithm of the error probability.
pub(super) fn log_left(confidence: f64) -> Result<f64, Error> {
    let confidence = Probability::from_f64(confidence).map_err(|_| {
        Error::new(
            "the confidence is not strictly between 0 and 1",
            format!("{confidence:?}"),
            "write a confidence such as 0.95",
        )
    })?;
    Ok(confidence.complement().as_f64().ln())
}

/// Finds the lowest and the highest violation rate that fit a first violation at execution
/// `executions`, if the test ended with it, even if a plan limits the executions. For this,
/// [`clopper_pearson`] would be wider than necessary.
///
/// # Errors
/// When there is no execution, or the confidence isn't strictly between 0 and 1.
pub fn first_violation(executions: u64, confidence: f64) -> Result<(f64, f64), Error> {
    // The lower end asks how early such a rare violation occurs; there the two agree.
    let (low, _) = clopper_pearson(1, executions, confidence)?;
    let high = match executions {
        1 => 1.0,
        // The executions before it all passed.
        _ => clopper_pearson(0, executions - 1, confidence)?.1,
    };
    Ok((low.min(high), high))
}

/// The logit below which a beta distribution has the given (logarithm of) probability.
fn quantile(a: f64, b: f64, log_target: f64) -> f64 {
    let nodes = gauss_legendre();
    let mode = (a / b).ln();
    let scale = (a * (b / (a + b))).sqrt();
    let peak = scale.ln() - 0.5 * (2.0 * std::f64::consts::PI).ln() - stirling(a) - stirling(b)
        + stirling(a + b);
    let mut u = mode - 1.0 / scale;
    // Concave and increasing: after the first step the search only moves up.
    for _ in 0..60 {
        let integral = below(&nodes, a, b, u, scale);
        let log_below = peak + log_ratio(a, b, mode, mode - u) + integral.ln();
        let step = ((log_target - log_below) * integral).clamp(-50.0, 50.0);
        u += step;
        // The remaining error is the square of this step.
        if step.abs() <= 1e-14 * u.abs().max(1.0) {
            break;
        }
    }
    u
}

/// The logarithm of the density at `u - d`, relative to that at the logit `u`.
fn log_ratio(a: f64, b: f64, u: f64, d: f64) -> f64 {
    // Two forms of one formula: close to 1, `t` would lose `1 - t`.
    if u <= 0.0 {
        -a * d - (a + b) * (logistic(u) * (-d).exp_m1()).ln_1p()
    } else {
        b * d - (a + b) * (logistic(-u) * d.exp_m1()).ln_1p()
    }
}

/// The nodes and weights of Gauss-Legendre integration.
fn gauss_legendre() -> [(f64, f64); 16] {
    std::array::from_fn(|index| {
        let mut x = (std::f64::consts::PI * (index as f64 + 0.75) / 16.5).cos();
        let mut derivative = 1.0;
        for _ in 0..8 {
            let (mut before, mut value) = (1.0, x);
            for n in 2..=16 {
                let n = f64::from(n);
                (before, value) = (value, ((2.0 * n - 1.0) * x * value - (n - 1.0) * before) / n);
            }
            derivative = 16.0 * (x * value - before) / (x * x - 1.0);
            x -= value / derivative;
        }
        (x, 2.0 / ((1.0 - x * x) * derivative * derivative))
    })
}

/// The integral of the density below the logit `u`, relative to the density there.
fn below(nodes: &[(f64, f64); 16], a: f64, b: f64, u: f64, scale: f64) -> f64 {
    // Down to e^-45, past which there is nothing left to add.
    const PANELS: i32 = 32;
    let mut far = 1.0 / scale;
    while log_ratio(a, b, u, far) > -45.0 {
        far *= 1.5;
    }
    while log_ratio(a, b, u, far / 1.5) < -45.0 {
        far /= 1.5;
    }
    let width = far / f64::from(PANELS);
    let mut sum = 0.0;
    for panel in 0..PANELS {
        for (x, weight) in nodes {
            let d = width * (f64::from(panel) + 0.5 + 0.5 * x);
            sum += weight * log_ratio(a, b, u, d).exp();
        }
    }
    sum * width / 2.0
}
