//! Why Philox: what a fresh stream costs with other generators.
//!
//! Each execution opens its own stream and draws 1, 8 or 64 numbers.

use std::hint::black_box;
use std::time::Instant;

use probtest::seed::{RunSeed, Stream};
use rand_core::{Rng, SeedableRng};

const STREAMS: u64 = 1_000_000;

fn main() {
    println!("nanoseconds for a fresh stream and its draws");
    println!("{:<26} {:>8} {:>8} {:>8}", "generator", "1 draw", "8 draws", "64 draws");
    let stream = Stream::new(RunSeed(1), "generators");
    row("Philox4x64-10 (TestRng)", |i, n| draw(stream.execution(i), n));
    let key = [7; 32];
    row("ChaCha8", |i, n| {
        let mut rng = chacha20::ChaCha8Rng::from_seed(key);
        rng.set_stream(i);
        draw(rng, n)
    });
    row("ChaCha12", |i, n| {
        let mut rng = chacha20::ChaCha12Rng::from_seed(key);
        rng.set_stream(i);
        draw(rng, n)
    });
    row("Xoshiro256++, SplitMix64", |i, n| {
        draw(rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(i), n)
    });
    row("PCG64, stream by index", |i, n| draw(rand_pcg::Pcg64::new(7, u128::from(i)), n));
}

fn draw(mut rng: impl Rng, draws: usize) -> u64 {
    (0..draws).fold(0, |sum, _| sum ^ rng.next_u64())
}

fn row(name: &str, execution: impl Fn(u64, usize) -> u64) {
    let time = |draws| {
        let mut best = f64::MAX;
        for _ in 0..5 {
            let began = Instant::now();
            let sum = (0..STREAMS).fold(0, |sum, index| sum ^ execution(index, draws));
            black_box(sum);
            best = best.min(began.elapsed().as_secs_f64());
        }
        best * 1e9 / STREAMS as f64
    };
    println!("{name:<26} {:>8.1} {:>8.1} {:>8.1}", time(1), time(8), time(64));
}
