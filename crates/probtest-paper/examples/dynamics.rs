//! Writes what can follow each action of an environment, as JSON.
//!
//! ```sh
//! cargo run --example dynamics -- slippery SFFF FFFF FHFF FFFG
//! cargo run --example dynamics -- firm cliff
//! cargo run --example dynamics -- slips
//! ```
//!
//! `starts` lists the states in which an episode begins. In `outcomes`, by state
//! and action, each outcome is probability, next state, reward, and whether the
//! episode has reached its end. `slips` writes the slips that agents beside the
//! cliff are trained with. `python/tests/test_dynamics.py` compares that with
//! the tables inside Gymnasium.

use std::process::ExitCode;

use probtest_paper::reinforcement::{ACTIONS, Dynamics, GYMNASIUM_42, Ground, cliff, lake};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words == ["slips"] {
        println!("{}", json!(GYMNASIUM_42));
        return ExitCode::SUCCESS;
    }
    match dynamics(&words) {
        Ok(dynamics) => {
            println!("{}", export(&dynamics));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn dynamics(words: &[String]) -> Result<Dynamics, String> {
    let (ground, place) = words.split_first().unzip();
    let ground = match ground.map(String::as_str) {
        Some("slippery") => Ground::Slippery,
        Some("firm") => Ground::Firm,
        _ => {
            return Err(format!(
                "the ground is missing\n  given  {}\n  help   write slippery or firm, then cliff or the rows of a lake",
                words.join(" ")
            ));
        }
    };
    match place.unwrap_or_default() {
        [only] if only == "cliff" => Ok(cliff::dynamics(ground)),
        rows => match lake::Map::parse(&rows.join(" ")) {
            Ok(map) => Ok(map.dynamics(ground)),
            Err(error) => Err(error),
        },
    }
}

fn export(dynamics: &Dynamics) -> Value {
    let outcomes = |state, action| -> Vec<Value> {
        let outcomes = dynamics.outcomes(state, action).iter();
        outcomes.map(|o| json!([o.probability, o.next, o.reward, o.terminated])).collect()
    };
    let state = |state| -> Vec<_> { (0..ACTIONS).map(|a| outcomes(state, a)).collect() };
    json!({
        "starts": dynamics.starts(),
        "outcomes": (0..dynamics.states()).map(state).collect::<Vec<_>>(),
    })
}
