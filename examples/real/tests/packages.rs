//! Packages from the registry, tested against the probabilities that they document.
//!
//! `make real` runs these tests and puts their documented probabilities, from the lines above them,
//! into its table.

use std::sync::LazyLock;

use fastbloom::BloomFilter;
use probabilistic_collections::SipHasherBuilder;
use probabilistic_collections::bloom::BloomFilter as CollectionsFilter;
use probabilistic_collections::hyperloglog::HyperLogLog;
use probtest::{TestRng, probtest};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Geometric, Poisson};

/// The elements that are added to a filter. Those of the executions differ: two of 2^64 are equal
/// with probability below 1e-12.
fn elements() -> Vec<u64> {
    let mut rng = rand::rngs::StdRng::seed_from_u64(1);
    (0..10_000).map(|_| rng.random()).collect()
}

/// probabilistic-collections: a `HyperLogLog` has "a given error probability", 0.1 (docs of `HyperLogLog::new`)
#[probtest(tolerate = 0.35, p = 0.6)]
#[should_panic] // No register is zero, and the estimate divides by their number.
fn collections_hyperloglog(rng: &mut TestRng) -> bool {
    let hasher = SipHasherBuilder::from_seed(rng.random(), rng.random());
    let mut counter = HyperLogLog::<u64, _>::with_hasher(0.1, hasher);
    (0..1000).for_each(|item| counter.insert(&item));
    (counter.len() - 1000.0).abs() <= 0.1 * 1000.0
}

/// probabilistic-collections: a filter "with a maximum false positive probability", 0.01 (docs of `BloomFilter::new`)
#[probtest(tolerate = 0.01, p = 0.013)]
fn collections_bloom(rng: &mut TestRng) -> bool {
    static FILTER: LazyLock<CollectionsFilter<u64>> = LazyLock::new(|| {
        let hashers = [1, 2].map(|seed| SipHasherBuilder::from_seed(seed, seed));
        let mut filter = CollectionsFilter::with_hashers(10_000, 0.01, hashers);
        elements().iter().for_each(|element| filter.insert(element));
        filter
    });
    !FILTER.contains(&rng.random::<u64>())
}

/// fastbloom: `with_false_pos` is "a target false positive rate", 0.01 (README)
#[probtest(tolerate = 0.01, p = 0.013)]
fn fastbloom_filter(rng: &mut TestRng) -> bool {
    static FILTER: LazyLock<BloomFilter> =
        LazyLock::new(|| BloomFilter::with_false_pos(0.01).seed(&1).items(elements().iter()));
    !FILTER.contains(&rng.random::<u64>())
}

/// rand_distr: a Poisson number of mean 3 is 0 with probability e^-3 (docs of `Poisson`)
#[probtest(claim = probtest::fit().label("0", 0.049787068367863944).label("more", 0.950212931632136).distance(0.005))]
fn rand_distr_poisson(rng: &mut TestRng) -> &'static str {
    let count: f64 = Poisson::new(3.0).unwrap().sample(rng);
    if count == 0.0 { "0" } else { "more" }
}

/// rand_distr: failures before the first success, each of probability 1/4 (docs of `Geometric`)
#[probtest(claim = probtest::fit().label("0", "1/4").label("1", "3/16").label("2", "9/64").label("3", "27/64").distance(0.02))]
fn rand_distr_geometric(rng: &mut TestRng) -> u64 {
    // Numbers from 3 up share a label.
    Geometric::new(0.25).unwrap().sample(rng).min(3)
}

/// rand: each order of a shuffled slice is as likely as the others (docs of `SliceRandom::shuffle`)
#[probtest(claim = probtest::fit().labels((0..6).map(|first| (first.to_string(), "1/6"))).distance(0.02))]
fn rand_shuffle(rng: &mut TestRng) -> usize {
    let mut order = [0, 1, 2];
    order.shuffle(rng);
    2 * order[0] + usize::from(order[1] > order[2])
}
