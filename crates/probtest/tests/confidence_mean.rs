//! The interval for a mean, which is valid after every execution: coverage, computed exactly for
//! zeros and ones and simulated for other numbers; edge cases.

use crate::common::ever;
use crate::decisions::Bench;
use probtest::judge::Observed;
use probtest::judge::confidence::ConfidenceSequence;
use probtest::plan::Plan;
use probtest::run::{Number, Observation};
use probtest::seed::{RunSeed, Stream};
use rand::RngExt;

/// What the judge of a mean has seen. It continues after its verdict.
struct Seen(Bench);

impl Seen {
    /// Starts with a claim about numbers between two bounds, with a mean in their middle.
    fn new(low: f64, high: f64) -> Seen {
        let (middle, margin) = ((low + high) / 2.0, (high - low) / 10.0);
        let claim = probtest::mean().between(low, high).within(middle, middle);
        Seen(Bench::new(&Plan::new(&claim.margin(margin).claim().unwrap()).unwrap()))
    }

    fn add(&mut self, value: f64) {
        let _ = self.0.judge(Observation::Number(Number(value)));
    }

    /// The interval that the report shows.
    fn interval(&mut self) -> (f64, f64) {
        match self.0.judge.observed(&self.0.counts) {
            Observed::Numbers { interval, .. } => interval,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_true_mean_of_zeros_and_ones_is_ever_lost_with_at_most_the_chance_left() {
    let mut most = 0.0_f64;
    for p in [0.02, 0.2, 0.5, 0.9] {
        // The order does not matter.
        let lost = ever(p, 60, |x, n| {
            let mut seen = Seen::new(0.0, 1.0);
            (0..n).for_each(|index| seen.add(if index < x { 1.0 } else { 0.0 }));
            let (low, high) = seen.interval();
            p < low || p > high
        });
        assert!(lost <= 0.05, "{p}: {lost}");
        most = most.max(lost);
    }
    // The chance is used somewhere: an interval that never misses says little.
    assert!(most > 0.002, "{most}");
}

/// How many of `runs` sequences of 300 numbers, checked after every tenth, miss the true mean?
fn lost(runs: u64, mean: f64, body: impl Fn(&mut probtest::TestRng) -> f64) -> usize {
    (0..runs)
        .filter(|seed| {
            let stream = Stream::new(RunSeed(*seed), "mean");
            let mut seen = Seen::new(-1.0, 2.0);
            (1..=300).any(|index| {
                seen.add(body(&mut stream.execution(index)));
                let (low, high) = match index % 10 {
                    0 => seen.interval(),
                    _ => return false,
                };
                mean < low || mean > high
            })
        })
        .count()
}

#[test]
fn means_of_other_numbers_are_lost_no_more_often_than_the_confidence_leaves() {
    // At most 3 of 60 are expected. The seeds are fixed; with fresh ones, 20 or more would have
    // probability below 1e-10.
    assert!(lost(60, 0.5, |rng| rng.random_range(0.0..1.0)) < 20);
    assert!(lost(60, 0.5, |rng| rng.random_range(-1.0..2.0)) < 20);
    let rare = |rng: &mut probtest::TestRng| if rng.random::<f64>() < 0.02 { 2.0 } else { 0.0 };
    assert!(lost(60, 0.04, rare) < 20);
}

#[test]
fn numbers_that_vary_little_have_a_narrow_interval() {
    let mut seen = Seen::new(0.0, 1.0);
    for index in 0..2000 {
        seen.add(0.5 + if index % 2 == 0 { 0.01 } else { -0.01 });
    }
    let (low, high) = seen.interval();
    // An interval for zeros and ones with this mean is much wider.
    let (wide_low, wide_high) = ConfidenceSequence::new(0.95).unwrap().interval(1000, 2000);
    assert!(low < 0.5 && 0.5 < high);
    assert!(5.0 * (high - low) < wide_high - wide_low, "{low} {high}");
}

#[test]
fn intervals_hold_the_observed_mean_at_the_edges() {
    assert_eq!(Seen::new(-3.0, 5.0).interval(), (-3.0, 5.0));
    for value in [-3.0, 5.0, 1.0] {
        let mut seen = Seen::new(-3.0, 5.0);
        (0..100_000).for_each(|_| seen.add(value));
        let (low, high) = seen.interval();
        assert!(low <= value && value <= high, "{value}: {low} {high}");
        assert!(high - low < 0.1, "{value}: {low} {high}");
    }
}
