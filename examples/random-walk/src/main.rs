//! The walk as a program, for `probtest run`: fails at position 10 or above.
//!
//! The seed is the first argument; `probtest run` puts it in place of `{seed}`.

use std::process::ExitCode;

use rand::SeedableRng;
use rand::rngs::StdRng;

fn main() -> ExitCode {
    let seed = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let Some(seed) = seed else {
        eprintln!("usage: random-walk SEED");
        return ExitCode::from(2);
    };
    let position = random_walk::walk(20, &mut StdRng::seed_from_u64(seed));
    println!("position {position} after 20 steps");
    ExitCode::from(u8::from(position >= 10))
}
