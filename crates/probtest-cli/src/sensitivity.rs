//! `probtest sensitivity`: what does it cost to believe in a p that is too large?

use probtest::claim::Probability;
use probtest::plan;
use probtest::report::{self, Believed};
use probtest::settings::Spec;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags::{Flags, Takes};
use crate::output;

/// Shows what happens if you plan with p + p * factor while the real violation
/// probability is p: how many executions are missing, and how much likelier the
/// violation is missed
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  probtest sensitivity --p 0.01 --epsilon 0.05
  probtest sensitivity --p 0.01 --epsilon 0.05 --factor 0.5,1,2")]
pub struct Options {
    #[command(flatten)]
    flags: Flags<SensitivityTakes>,

    /// By how much p is overestimated; 1 means twice p [default:
    /// ten factors, evenly spaced from 0.01 to 5]
    #[arg(long, value_name = "FACTOR", value_delimiter = ',', allow_negative_numbers = true)]
    factor: Vec<String>,

    /// Write one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The two options of the table that make the real claim.
pub struct SensitivityTakes;

impl Takes for SensitivityTakes {
    const NEEDED: Option<&'static str> = Some("p");

    fn takes(spec: &Spec) -> bool {
        ["p", "epsilon"].contains(&spec.name)
    }
}

/// By how much p is overestimated: exactly, and as a number to show.
type Factor = (String, f64);

pub fn run(options: &Options) -> Result<Exit, Failure> {
    let claim = options.flags.given().claim()?;
    let (Some(p), Some(epsilon)) = (claim.p(), claim.epsilon()) else {
        return Err(Failure::unfinished("the claim is not about p"));
    };
    let factors = if options.factor.is_empty() {
        evenly_spaced()
    } else {
        let read = options.factor.iter().map(|text| read_factor(text));
        read.collect::<Result<_, _>>()?
    };
    let mut rows = Vec::new();
    for factor in factors {
        rows.push((factor.1, believe(p, &factor, epsilon)?));
    }
    let (text, facts) = report::sensitivity_answer(p, epsilon, &rows);
    if options.json {
        output::print_json(&facts)?;
    } else {
        output::print(&text)?;
    }
    Ok(Exit::Passed)
}

fn believe(
    p: &Probability,
    (exact, factor): &Factor,
    epsilon: &Probability,
) -> Result<Believed, Failure> {
    match plan::overestimated(p, exact) {
        Ok(believed) => Ok(Some(plan::sensitivity(p, &believed, epsilon)?)),
        // Refused for what it is, and not for how it is written. The sum is rounded.
        Err(_) if p.as_f64() * (1.0 + factor) > 1.0 - 1e-12 => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Ten factors from 0.01 to 5, as in the paper's figure. They are kept as
/// fractions, since the steps of 4.99 / 9 have no decimal.
fn evenly_spaced() -> Vec<Factor> {
    (0..10_u16)
        .map(|i| 9 + 499 * i)
        .map(|numerator| (format!("{numerator}/900"), f64::from(numerator) / 900.0))
        .collect()
}

fn read_factor(text: &str) -> Result<Factor, Failure> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let value = match text.split_once('/') {
        Some((above, below)) => number(above).zip(number(below)).map(|(a, b)| a / b),
        None => number(text),
    };
    match value {
        Some(value) if value.is_finite() && value >= 0.0 => Ok((text.trim().to_owned(), value)),
        _ => Err(Failure::given(
            "--factor is not a number of 0 or more",
            format!("\"{text}\""),
            "write by how much p is overestimated, such as 0.5 for one and a half times p",
        )),
    }
}
