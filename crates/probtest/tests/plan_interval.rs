//! Intervals in edge cases: nothing hangs, and ends aren't swapped.

use probtest::judge::interval::{clopper_pearson, first_violation};
use std::time::{Duration, Instant};

#[test]
fn an_interval_holds_the_observed_rate_for_every_size() {
    for executions in [1, 2, 10, 299, 1 << 20, 1 << 40, (1 << 53) + 1, u64::MAX] {
        for violations in [0, 1, executions / 3, executions / 2, executions - 1, executions] {
            for confidence in [1e-300, 0.01, 0.5, 0.95, 1.0 - 1e-10, 1f64.next_down()] {
                let start = Instant::now();
                let (low, high) = clopper_pearson(violations, executions, confidence).unwrap();
                // Generous for a debug build on a busy machine; this looks for a hang.
                assert!(start.elapsed() < Duration::from_secs(2));
                let rate = violations as f64 / executions as f64;
                let case = format!("{violations} of {executions} at {confidence}: {low} {high}");
                assert!(0.0 <= low && low <= high && high <= 1.0, "{case}");
                assert!(low <= rate * (1.0 + 1e-12) && rate * (1.0 - 1e-12) <= high, "{case}");
            }
        }
    }
}

#[test]
fn the_ends_are_exact_where_nothing_or_everything_was_violated() {
    let (low, high) = clopper_pearson(0, 100, 0.95).unwrap();
    assert_eq!(low, 0.0);
    assert!((high - (1.0 - 0.025f64.powf(0.01))).abs() < 1e-15);
    assert_eq!(clopper_pearson(100, 100, 0.95).unwrap().1, 1.0);
}

#[test]
fn more_violations_than_executions_and_odd_confidences_are_refused() {
    let what = |violations, executions| {
        let error = clopper_pearson(violations, executions, 0.95).unwrap_err();
        error.what()
    };
    assert_eq!(what(0, 0), "without an execution, nothing is known about a rate");
    assert_eq!(what(3, 2), "3 violations are more than 2 executions");
    for confidence in [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY] {
        let error = clopper_pearson(1, 2, confidence).unwrap_err();
        assert!(error.what().starts_with("the confidence "), "{error}");
    }
}

#[test]
fn the_interval_of_a_first_violation_covers_what_it_promises() {
    // The share of all endings whose interval contains the rate, summed exactly: the first
    // violation occurs at n with probability (1 - rate)^(n - 1) * rate, and after k passes the test
    // ends with none.
    const MOST: u64 = 299;
    for confidence in [0.5, 0.95, 0.999] {
        let intervals: Vec<_> =
            (1..=MOST).map(|n| first_violation(n, confidence).unwrap()).collect();
        for k in [1, 2, 10, MOST] {
            for rate in [1e-4, 0.001, 0.01, 0.0123, 0.1, 0.3, 0.5, 0.9, 0.999] {
                let holds = |(low, high): (f64, f64)| low <= rate && rate <= high;
                let (mut covered, mut none_yet) = (0.0, 1.0);
                for interval in &intervals[..k as usize] {
                    if holds(*interval) {
                        covered += none_yet * rate;
                    }
                    none_yet *= 1.0 - rate;
                }
                if holds(clopper_pearson(0, k, confidence).unwrap()) {
                    covered += none_yet;
                }
                assert!(
                    covered >= confidence - 1e-9,
                    "{covered} for rate {rate}, k {k}, confidence {confidence}"
                );
            }
        }
    }
}

#[test]
fn after_a_first_violation_the_interval_of_a_fixed_count_is_too_wide() {
    let (_, fixed) = clopper_pearson(1, 9, 0.95).unwrap();
    let (_, stopped) = first_violation(9, 0.95).unwrap();
    assert!(stopped < fixed);
    assert!(first_violation(0, 0.95).is_err());
    assert!(first_violation(5, 1.0).is_err());
}
