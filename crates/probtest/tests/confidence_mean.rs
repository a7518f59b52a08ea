//! Confidence sequences for a mean: coverage, computed exactly for zeros and ones
//! and simulated for other numbers; one-sided bounds; edges.

mod common;

use common::ever;
use probtest::judge::confidence::{ConfidenceSequence, MeanSequence};
use probtest::seed::{RunSeed, Stream};
use rand::RngExt;

/// What a sequence says after so many ones among so many zeros and ones. The order
/// does not matter.
fn after(ones: usize, executions: usize, confidence: f64) -> MeanSequence {
    let mut sequence = MeanSequence::new(0.0, 1.0, confidence).unwrap();
    for index in 0..executions {
        sequence.add(if index < ones { 1.0 } else { 0.0 });
    }
    sequence
}

#[test]
fn the_true_mean_of_zeros_and_ones_is_ever_lost_with_at_most_the_chance_left() {
    let confidence = 0.8;
    for p in [0.02, 0.2, 0.5, 0.9] {
        let both = ever(p, 40, |x, n| {
            let (low, high) = after(x, n, confidence).interval();
            p < low || p > high
        });
        assert!(both <= 0.2, "{p}: {both}");
        let below = ever(p, 40, |x, n| p < after(x, n, confidence).at_least());
        assert!(below <= 0.2, "{p}: {below}");
        let above = ever(p, 40, |x, n| p > after(x, n, confidence).at_most());
        assert!(above <= 0.2, "{p}: {above}");
        // The chance is used somewhere: a sequence that never loses is worth little.
        assert!(below + above > 0.01, "{p}: {below} {above}");
    }
}

/// Loses the true mean in how many of `runs` sequences of 300 numbers, looked at
/// after each fifth?
fn lost(runs: u64, mean: f64, body: impl Fn(&mut probtest::TestRng) -> f64) -> usize {
    (0..runs)
        .filter(|seed| {
            let stream = Stream::new(RunSeed(*seed), "mean");
            let mut sequence = MeanSequence::new(-1.0, 2.0, 0.9).unwrap();
            (1..=300).any(|index| {
                sequence.add(body(&mut stream.execution(index)));
                if index % 5 > 0 {
                    return false;
                }
                let (low, high) = sequence.interval();
                mean < low || mean > high
            })
        })
        .count()
}

#[test]
fn means_of_other_numbers_are_lost_no_more_often_than_the_confidence_leaves() {
    // At most 6 of 60 are expected. The seeds are fixed; with fresh ones 30 or more
    // had probability below 1e-13.
    assert!(lost(60, 0.5, |rng| rng.random_range(0.0..1.0)) < 30);
    assert!(lost(60, 0.5, |rng| rng.random_range(-1.0..2.0)) < 30);
    let rare = |rng: &mut probtest::TestRng| if rng.random::<f64>() < 0.02 { 2.0 } else { 0.0 };
    assert!(lost(60, 0.04, rare) < 30);
}

#[test]
fn numbers_that_vary_little_have_a_narrow_interval() {
    let mut sequence = MeanSequence::new(0.0, 1.0, 0.95).unwrap();
    for index in 0..2000 {
        sequence.add(0.5 + if index % 2 == 0 { 0.01 } else { -0.01 });
    }
    let (low, high) = sequence.interval();
    // An interval for zeros and ones with this mean is much wider.
    let (wide_low, wide_high) = ConfidenceSequence::new(0.95).unwrap().interval(1000, 2000);
    assert!(low < 0.5 && 0.5 < high);
    assert!(10.0 * (high - low) < wide_high - wide_low, "{low} {high}");
}

#[test]
fn one_sided_bounds_are_tighter_than_the_ends_of_the_interval() {
    let sequence = after(30, 100, 0.95);
    let (low, high) = sequence.interval();
    assert!(low < sequence.at_least() && sequence.at_least() < 0.3);
    assert!(0.3 < sequence.at_most() && sequence.at_most() < high);
}

#[test]
fn intervals_hold_the_observed_mean_at_the_edges() {
    let empty = MeanSequence::new(-3.0, 5.0, 0.95).unwrap();
    assert_eq!(empty.interval(), (-3.0, 5.0));
    for value in [-3.0, 5.0, 1.0] {
        let mut sequence = empty.clone();
        let mut before = empty.interval();
        for _ in 0..100_000 {
            sequence.add(value);
        }
        let (low, high) = sequence.interval();
        assert!(low <= value && value <= high, "{value}: {low} {high}");
        assert!(high - low < before.1 - before.0);
        before = (low, high);
        assert!(before.1 - before.0 < 0.1, "{value}: {before:?}");
    }
    // What lies outside counts as the end.
    let (mut outside, mut end) = (empty.clone(), empty.clone());
    for (given, counted) in [(9.0, 5.0), (f64::NAN, -3.0), (-9.0, -3.0)] {
        outside.add(given);
        end.add(counted);
    }
    assert_eq!(outside.interval(), end.interval());
}

#[test]
fn ranges_and_confidences_that_make_no_sense_are_refused() {
    for (low, high) in [
        (1.0, 1.0),
        (2.0, 1.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
        (-f64::MAX, f64::MAX),
    ] {
        let error = MeanSequence::new(low, high, 0.95).unwrap_err();
        assert!(
            error.what().starts_with("the least number is not below"),
            "{error}"
        );
    }
    let error = MeanSequence::new(0.0, 1.0, 1.0).unwrap_err();
    assert!(error.what().starts_with("the confidence "), "{error}");
}
