//! The table of `docs/explanation/estimates.md`: how many executions an estimate
//! takes at several true rates.
//!
//! `cargo run --release -p probtest --example estimates`

use probtest::Settings;
use rand::RngExt;

const SEEDS: u64 = 100;
const CONFIDENCE: f64 = 0.95;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("| true rate | mean | least | most | Hoeffding | held the rate |");
    println!("|---|---|---|---|---|---|");
    for width in [0.02, 0.1] {
        for rate in [0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9] {
            row(width, rate)?;
        }
    }
    Ok(())
}

fn row(width: f64, rate: f64) -> Result<(), Box<dyn std::error::Error>> {
    let mut executed = Vec::new();
    let mut held = 0;
    let mut hoeffding = 0;
    for seed in 0..SEEDS {
        let settings = Settings::new("rate").seed(seed);
        let body = |rng: &mut probtest::TestRng| rng.random::<f64>() >= rate;
        let claim = probtest::estimate(width).confidence(CONFIDENCE);
        let found = probtest::check(claim, settings, body)?;
        executed.push(found.counts().executed);
        let interval = found.rate().expect("an estimate has a rate");
        held += u64::from(interval.low <= rate && rate <= interval.high);
        hoeffding = found.facts().hoeffding.unwrap_or(0);
    }
    let (least, most) = (executed.iter().min(), executed.iter().max());
    let (Some(least), Some(most)) = (least, most) else {
        return Ok(());
    };
    let mean = executed.iter().sum::<u64>() / SEEDS;
    println!(
        "| {rate} (width {width}) | {mean} | {least} | {most} | {hoeffding} | {held} of {SEEDS} |"
    );
    Ok(())
}
