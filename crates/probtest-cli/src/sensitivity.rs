//! `probtest sensitivity`: what does it cost to believe in a p that is too large?

use probtest::claim::Probability;
use probtest::plan;
use probtest::report::{self, Believed};
use serde_json::Value;

use crate::claim_options::{EPSILON, read_epsilon, read_p};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// Says what it costs to plan with p + p * factor where the real violation
/// probability is p: how many executions are missing, and how much likelier the
/// violation is missed
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  probtest sensitivity --p 0.01 --epsilon 0.05
  probtest sensitivity --p 0.01 --epsilon 0.05 --factor 0.5,1,2")]
pub struct Options {
    /// The real violation probability, strictly between 0 and 1
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    p: String,

    /// The chance of missing it, strictly between 0 and 1
    #[arg(long, value_name = "EPSILON", default_value = EPSILON, allow_negative_numbers = true)]
    epsilon: String,

    /// By how much p is overestimated; 1 believes in twice p [default: ten
    /// factors, evenly spaced from 0.01 to 5]
    #[arg(
        long,
        value_name = "FACTOR",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    factor: Vec<String>,

    /// Write one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The factors that are shown when none is given: how many, and from where to where.
const FACTORS: (u32, f64, f64) = (10, 0.01, 5.0);

/// Carries out the command.
///
/// # Errors
///
/// When an option cannot be used, or a claim has no plan.
pub fn carry_out(options: &Options) -> Result<Exit, Failure> {
    let p = read_p(&options.p)?;
    let epsilon = read_epsilon(&options.epsilon)?;
    let factors = if options.factor.is_empty() {
        evenly_spaced()
    } else {
        let read = options.factor.iter().map(|text| read_factor(text));
        read.collect::<Result<_, _>>()?
    };
    let mut rows = Vec::new();
    for factor in factors {
        rows.push((factor, believe(&p, factor, &epsilon)?));
    }
    if options.json {
        output::print_json(&Value::Object(report::sensitivity_json(
            &p, &epsilon, &rows,
        )))?;
    } else {
        output::print(&report::sensitivity_text(&p, &epsilon, &rows))?;
    }
    Ok(Exit::Passed)
}

fn believe(p: &Probability, factor: f64, epsilon: &Probability) -> Result<Believed, Failure> {
    match plan::overestimated(p, factor) {
        Ok(believed) => Ok(Believed::In(Box::new(plan::sensitivity(
            p, &believed, epsilon,
        )?))),
        Err(_) => Ok(Believed::Impossible),
    }
}

fn evenly_spaced() -> Vec<f64> {
    let (count, first, last) = FACTORS;
    let step = (last - first) / f64::from(count - 1);
    (0..count).map(|i| first + f64::from(i) * step).collect()
}

fn read_factor(text: &str) -> Result<f64, Failure> {
    match text.trim().parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor >= 0.0 => Ok(factor),
        _ => Err(Failure::given(
            "--factor is not a number of 0 or more",
            format!("\"{text}\""),
            "write by how much p is overestimated, such as 0.5 for one and a half times p",
        )),
    }
}
