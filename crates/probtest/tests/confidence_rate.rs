//! Confidence sequences for a rate: their coverage, computed exactly, and edge cases.

use crate::common::ever;
use probtest::judge::confidence::{AimedSequence, ConfidenceSequence};
use probtest::judge::interval::clopper_pearson;

/// The probability that the interval ever misses the true rate `p` within `most` executions.
fn ever_lost(p: f64, most: usize, interval: impl Fn(u64, u64) -> (f64, f64)) -> f64 {
    ever(p, most, |x, n| {
        let (low, high) = interval(x as u64, n as u64);
        p < low || p > high
    })
}

const RATES: [f64; 7] = [0.001, 0.02, 0.1, 0.3, 0.5, 0.8, 0.99];

#[test]
fn the_true_rate_is_ever_lost_with_at_most_the_chance_that_the_confidence_leaves() {
    for confidence in [0.5, 0.9, 0.99] {
        let sequence = ConfidenceSequence::new(confidence).unwrap();
        for p in RATES {
            let lost = ever_lost(p, 120, |x, n| sequence.interval(x, n));
            assert!(lost <= 1.0 - confidence, "{p} at {confidence}: {lost}");
        }
    }
}

#[test]
fn an_aimed_sequence_loses_the_true_rate_with_at_most_the_chance_left() {
    for (width, confidence) in [(0.3, 0.9), (0.1, 0.5), (0.5, 0.99)] {
        let sequence = AimedSequence::new(width, confidence).unwrap();
        let mut most_lost = 0.0_f64;
        for p in RATES {
            let lost = ever_lost(p, 150, |x, n| sequence.interval(x, n));
            assert!(lost <= 1.0 - confidence, "{p}, {width}, {confidence}: {lost}");
            most_lost = most_lost.max(lost);
        }
        // The chance is used, not wasted: at least half of it is spent somewhere.
        assert!(most_lost > 0.25 * (1.0 - confidence), "{most_lost}");
    }
}

#[test]
fn a_plain_interval_looked_at_after_every_execution_loses_more_than_it_says() {
    // The oracle above must be able to fail.
    let lost = ever_lost(0.3, 60, |x, n| clopper_pearson(x, n, 0.9).unwrap());
    assert!(lost > 0.1, "{lost}");
}

#[test]
fn an_aimed_sequence_is_narrow_enough_at_its_most_executions_whatever_was_seen() {
    for (width, confidence) in [(0.9, 0.5), (0.5, 0.95), (0.1, 0.95), (0.02, 0.95), (0.001, 0.999)]
    {
        let sequence = AimedSequence::new(width, confidence).unwrap();
        let most = sequence.most_executions();
        let hoeffding = (2.0 * (2.0 / (1.0 - confidence)).ln() / (width * width)).ceil();
        assert!((sequence.hoeffding() as f64 - hoeffding).abs() <= 1.0);
        // ln(2 / 0.5) is the smallest threshold here, and ln(1 / 0.98) is added to it.
        assert!(most as f64 <= 1.016 * hoeffding + 1.0, "{most} {hoeffding}");
        let steps = most.min(400);
        for step in 0..=steps {
            let x = (u128::from(most) * u128::from(step) / u128::from(steps)) as u64;
            let (low, high) = sequence.interval(x, most);
            assert!(high - low <= width * (1.0 + 1e-9), "{x} of {most}: {low} {high}");
        }
    }
    let sequence = AimedSequence::new(0.02, 0.95).unwrap();
    assert_eq!((sequence.hoeffding(), sequence.most_executions()), (18_445, 18_546));
}

#[test]
fn no_count_of_violations_is_narrow_before_the_least_executions() {
    for (width, confidence) in [(0.3, 0.5), (0.1, 0.95), (0.02, 0.95)] {
        let sequence = AimedSequence::new(width, confidence).unwrap();
        let least = sequence.least_executions();
        assert!(sequence.interval(0, least).1 <= width);
        for x in 0..least {
            let (low, high) = sequence.interval(x, least - 1);
            assert!(high - low > width, "{x} of {}: {low} {high}", least - 1);
        }
    }
}

#[test]
fn intervals_hold_the_observed_rate_and_are_mirrored_for_every_size() {
    for executions in [1_u64, 2, 10, 299, 1_000_000, 1_000_000_000, 1 << 53, u64::MAX] {
        for violations in [0, 1, executions / 1000, executions / 2, executions - 1, executions] {
            for confidence in [1e-12, 0.5, 0.95, 1.0 - 1e-10, 1f64.next_down()] {
                let general = ConfidenceSequence::new(confidence).unwrap();
                let aimed = AimedSequence::new(0.01, confidence).unwrap();
                let mirrored = executions - violations;
                for (found, mirror) in [
                    (
                        general.interval(violations, executions),
                        general.interval(mirrored, executions),
                    ),
                    (aimed.interval(violations, executions), aimed.interval(mirrored, executions)),
                ] {
                    let (low, high) = found;
                    let rate = violations as f64 / executions as f64;
                    let case =
                        format!("{violations} of {executions} at {confidence}: {low} {high}");
                    assert!(0.0 <= low && low <= high && high <= 1.0, "{case}");
                    assert!(low <= rate * (1.0 + 1e-12) && rate <= high * (1.0 + 1e-12), "{case}");
                    assert!((1.0 - mirror.1 - low).abs() <= 1e-12, "{case} {mirror:?}");
                }
            }
        }
    }
}

#[test]
fn the_end_for_no_violation_solves_the_equation_of_the_mixture() {
    // For x = 0 the mixture is gamma(n + 1/2) / (gamma(1/2) n!), computed as a product.
    let n = 1000_u32;
    let mixture: f64 = (1..=n).map(|k| ((f64::from(k) - 0.5) / f64::from(k)).ln()).sum();
    let expected = -((0.05_f64.ln() + mixture) / f64::from(n)).exp_m1();
    let (_, high) = ConfidenceSequence::new(0.95).unwrap().interval(0, u64::from(n));
    assert!((high / expected - 1.0).abs() < 1e-10, "{high} {expected}");
}

#[test]
fn the_most_executions_of_a_billion_lose_no_digits() {
    // Ends at n = 1e9 solve (p - x/n)^2 n / (2 p (1 - p)) = ln 20 + ln(pi n / 2) / 2
    // to first order; the deviation of 1e-3 relative is the second order.
    let (low, high) = ConfidenceSequence::new(0.95).unwrap().interval(500_000_000, 1_000_000_000);
    let enough = 20.0_f64.ln() + 0.5 * (std::f64::consts::PI * 0.5e9).ln();
    let expected = (enough / 2e9).sqrt();
    for apart in [0.5 - low, high - 0.5] {
        assert!((apart / expected - 1.0).abs() < 1e-4, "{apart} {expected}");
    }
}

#[test]
fn odd_confidences_and_widths_are_refused() {
    for given in [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY] {
        let error = ConfidenceSequence::new(given).unwrap_err();
        assert!(error.what().starts_with("the confidence "), "{error}");
        let error = AimedSequence::new(0.1, given).unwrap_err();
        assert!(error.what().starts_with("the confidence "), "{error}");
        let error = AimedSequence::new(given, 0.95).unwrap_err();
        assert!(error.what().starts_with("the width "), "{error}");
    }
}
