//! Tests from other projects that fail now and then: their rates are known, so every kind of claim
//! can be checked with them.
//!
//! A body does what such a test does; it isn't a coin with that rate. The rates are computed
//! separately.

use std::f64::consts::PI;

use probtest::{Settings, TestRng};
use rand::RngExt;

use super::estimating::{LOSES, loses};
use super::library::{self, TwoSided, is_right, tested};
use super::tolerate::name;
use super::{Case, Section};

/// The seeds of each row.
const SEEDS: u64 = 200;
/// For every promise here.
const WRONG: f64 = 0.05;

/// A test that fails by chance.
#[derive(Clone, Copy, Debug)]
struct Flake {
    /// What fails, and how often: four digits of `rate`.
    program: &'static str,
    passes: fn(&mut TestRng) -> bool,
    rate: fn() -> f64,
    /// A rate at most as large, which must be caught.
    caught: f64,
    /// An accepted rate that is at least as large, and one that isn't accepted.
    tolerated: (f64, f64),
    width: f64,
}

const FLAKES: [Flake; 5] = [
    Flake {
        program: "49 or more of 100 draws, each of probability 1/3: 8.515e-4",
        passes: few_of_a_third,
        rate: || above(100, 1.0 / 3.0, 49..=100),
        caught: 0.0008,
        tolerated: (0.001, 0.01),
        width: 0.004,
    },
    Flake {
        program: "a chi-square statistic with 9 degrees of freedom of 30 or more: 4.387e-4",
        passes: small_chi_square,
        rate: chi_square_above_30,
        caught: 0.0004,
        tolerated: (0.0005, 0.005),
        width: 0.004,
    },
    Flake {
        program: "no two of 200 000 random `u32` are the same: 0.009498",
        passes: some_are_the_same,
        rate: || {
            (0..200_000).map(|drawn| (-f64::from(drawn) / 2f64.powi(32)).ln_1p()).sum::<f64>().exp()
        },
        caught: 0.009,
        tolerated: (0.01, 0.05),
        width: 0.03,
    },
    Flake {
        program: "a share of 0.3 is off by more than 0.01 in 10 000 draws: 0.02829",
        passes: close_to_three_tenths,
        rate: || above(10_000, 0.3, 0..=2899) + above(10_000, 0.3, 3101..=10_000),
        caught: 0.028,
        tolerated: (0.03, 0.1),
        width: 0.04,
    },
    Flake {
        program: "one of 100 bins of a million normal numbers is off by 3 standard deviations (rand's sparkline): 0.2354",
        passes: histogram_fits,
        rate: a_bin_is_off,
        caught: 0.2,
        tolerated: (0.25, 0.5),
        width: 0.4,
    },
];

pub fn section() -> Section {
    let cases =
        FLAKES.iter().flat_map(|flake| [detect(*flake), tolerate(*flake), estimate(*flake)]);
    Section {
        title: "Flaky tests from real projects",
        about: "Flaky tests from real projects, with the rate at which each fails. The body does what the test does, and the rate is computed independently.",
        cases: cases.collect(),
    }
}

fn detect(flake: Flake) -> Case {
    let plan = library::detect(flake.caught, WRONG);
    let executions = plan.executions() as f64;
    let names = (format!("p = {}, epsilon = {WRONG}", flake.caught), flake.program.to_owned());
    let wrong = move |seed| !is_right(tested(plan.claim(), "flake", seed, flake.passes), false);
    Case::simulated(names, ("passes", WRONG), SEEDS, wrong)
        .with_exact(move || (executions * (-(flake.rate)()).ln_1p()).exp())
}

fn tolerate(flake: Flake) -> Case {
    let (tolerate, p) = flake.tolerated;
    let claim = TwoSided { tolerate, p, false_alarm: WRONG, epsilon: WRONG };
    let plan = claim.plan();
    let names = (name(claim), flake.program.to_owned());
    let wrong = move |seed| !is_right(tested(plan.claim(), "flake", seed, flake.passes), true);
    Case::simulated(names, ("fails", WRONG), SEEDS, wrong).with_exact(move || {
        1.0 - claim.plan().chance_of_passing((flake.rate)()).unwrap_or(f64::NAN)
    })
}

fn estimate(flake: Flake) -> Case {
    let names = (format!("width = {}, confidence = 0.95", flake.width), flake.program.to_owned());
    let wrong = move |seed| {
        let settings = Settings::new("flake").seed(seed);
        let asked = (flake.width, 1.0 - WRONG);
        loses((flake.rate)(), asked, settings, flake.passes)
    };
    Case::simulated(names, (LOSES, WRONG), SEEDS, wrong)
}

fn few_of_a_third(rng: &mut TestRng) -> bool {
    (0..100).filter(|_| rng.random_range(0..3) == 0).count() < 49
}

fn small_chi_square(rng: &mut TestRng) -> bool {
    (0..9).map(|_| normals(rng).0.powi(2)).sum::<f64>() < 30.0
}

fn some_are_the_same(rng: &mut TestRng) -> bool {
    let mut seen = vec![0u64; 1 << 19];
    (0..200_000).any(|_| {
        let drawn: u32 = rng.random();
        // Numbers from 1, since 0 marks a free slot.
        let (mut place, entry) = (drawn as usize % seen.len(), u64::from(drawn) + 1);
        while seen[place] != 0 && seen[place] != entry {
            place = (place + 1) % seen.len();
        }
        std::mem::replace(&mut seen[place], entry) == entry
    })
}

fn close_to_three_tenths(rng: &mut TestRng) -> bool {
    let drawn = (0..10_000).filter(|_| rng.random_range(0..10) < 3).count();
    drawn.abs_diff(3000) <= 100
}

/// Two independent normal numbers.
fn normals(rng: &mut TestRng) -> (f64, f64) {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    let (sin, cos) = (2.0 * PI * rng.random::<f64>()).sin_cos();
    (radius * cos, radius * sin)
}

const NUMBERS: f64 = 1e6;
const BINS: usize = 100;
/// The bins cover six standard deviations on both sides.
const WIDTH: f64 = 12.0 / BINS as f64;

fn histogram_fits(rng: &mut TestRng) -> bool {
    let mut bins = [0u32; BINS];
    for _ in 0..(NUMBERS / 2.0) as u32 {
        let (first, second) = normals(rng);
        for number in [first, second] {
            if let Some(bin) = bins.get_mut(((number + 6.0) / WIDTH) as usize) {
                *bin += 1;
            }
        }
    }
    (0..BINS).all(|bin| fits(bin, f64::from(bins[bin])))
}

/// Whether a bin agrees with the density in its middle. The original has a standard deviation of
/// one half, and accepts a density that is off by 0.0001: six numbers.
fn fits(bin: usize, count: f64) -> bool {
    let expected = NUMBERS * WIDTH * density((bin as f64 + 0.5) * WIDTH - 6.0);
    let deviation = (count * (1.0 - count / NUMBERS)).sqrt();
    (count - expected).abs() <= (3.0 * deviation).max(6.0)
}

fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// The chance that some bin doesn't fit.
///
/// Counts of a fixed number of draws are independent Poisson numbers, given their sum. So the
/// chance that all bins fit is that of Poisson numbers, times how much more likely the sum is given
/// that they fit, from its first four moments, which leaves an error of about one in a million.
fn a_bin_is_off() -> f64 {
    let (mut fit, mut moments) = (1.0, [0.0; 4]);
    for bin in 0..BINS {
        let left = bin as f64 * WIDTH - 6.0;
        let mean = NUMBERS * integral(density, left, left + WIDTH, 100);
        let counts = lattice(mean as u64, |count| mean / (count + 1) as f64);
        let counts: Vec<_> =
            counts.into_iter().filter(|(count, _)| fits(bin, *count as f64)).collect();
        let chance: f64 = counts.iter().map(|(_, chance)| chance).sum();
        let average = |of: &dyn Fn(f64) -> f64| {
            counts.iter().map(|(count, weight)| of(*count as f64 - mean) * weight).sum::<f64>()
                / chance
        };
        let shift = average(&|count| count);
        let [second, third, fourth] =
            [2, 3, 4].map(|power| average(&|count| (count - shift).powi(power)));
        for (sum, part) in
            moments.iter_mut().zip([shift, second, third, fourth - 3.0 * second * second])
        {
            *sum += part;
        }
        fit *= chance;
    }
    let [shift, variance, third, fourth] = moments;
    let x = -shift / variance.sqrt();
    let (skew, excess) = (third / variance.powf(1.5), fourth / variance.powi(2));
    let correction = 1.0
        + skew / 6.0 * (x.powi(3) - 3.0 * x)
        + excess / 24.0 * (x.powi(4) - 6.0 * x * x + 3.0)
        + skew * skew / 72.0 * (x.powi(6) - 15.0 * x.powi(4) + 45.0 * x * x - 15.0);
    1.0 - fit * density(x) * correction * (2.0 * PI * NUMBERS / variance).sqrt()
}

fn chi_square_above_30() -> f64 {
    let weight = |x: f64| x.powf(3.5) * (-x / 2.0).exp();
    let (below, above) =
        (integral(weight, 0.0, 30.0, 10_000), integral(weight, 30.0, 200.0, 10_000));
    above / (below + above)
}

/// By Simpson's rule.
fn integral(of: impl Fn(f64) -> f64, low: f64, high: f64, parts: u32) -> f64 {
    let step = (high - low) / f64::from(parts);
    let part = |part| {
        let left = low + step * f64::from(part);
        step / 6.0 * (of(left) + 4.0 * of(left + step / 2.0) + of(left + step))
    };
    (0..parts).map(part).sum()
}

/// The chance that a binomial count is in a range.
fn above(trials: u64, rate: f64, range: std::ops::RangeInclusive<u64>) -> f64 {
    let up = |count| (trials - count) as f64 / (count + 1) as f64 * rate / (1.0 - rate);
    let counts = lattice((trials as f64 * rate) as u64, up);
    counts.into_iter().filter(|(count, _)| range.contains(count)).map(|(_, chance)| chance).sum()
}

/// The probabilities of whole numbers, from the ratios of neighbors: those of at least 1e-25 of the
/// largest.
fn lattice(mode: u64, up: impl Fn(u64) -> f64) -> Vec<(u64, f64)> {
    let likely = |(_, weight): &(u64, f64)| *weight > 1e-25;
    let begin = (mode, 1.0);
    let upward = std::iter::successors(Some(begin), |(count, weight)| {
        Some((count + 1, weight * up(*count)))
    });
    let downward = std::iter::successors(Some(begin), |(count, weight)| {
        let next = count.checked_sub(1)?;
        Some((next, weight / up(next)))
    });
    let mut all: Vec<_> =
        upward.take_while(likely).chain(downward.take_while(likely).skip(1)).collect();
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    all.iter_mut().for_each(|(_, weight)| *weight /= sum);
    all
}

#[cfg(test)]
mod tests {
    use super::super::page::digits;
    use super::*;

    /// The numbers are also known from SciPy, and the last one from a convolution of all bins.
    #[test]
    fn the_rates_are_those_of_the_table() {
        for flake in FLAKES {
            let computed = digits((flake.rate)());
            assert!(flake.program.ends_with(&format!(": {computed}")), "{flake:?} {computed}");
            assert!(
                (flake.rate)() >= flake.caught && (flake.rate)() <= flake.tolerated.0,
                "{flake:?}"
            );
        }
    }
}
