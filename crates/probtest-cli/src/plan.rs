//! `probtest plan`: how many executions are enough, or what do some prove? `probtest sensitivity`:
//! what does it cost to believe in a p that is too large?

use probtest::claim::Probability;
use probtest::plan::{self, Plan};
use probtest::report::{self, Believed};
use probtest::settings::read_count;
use probtest_facts::PlanFacts;

use crate::flags::{Flags, PLAN, SENSITIVITY};
use crate::output::{Exit, Failure, print, print_json};

/// Shows how many executions are enough. Give two of --p (or --outcomes,
/// --equal), --epsilon and --executions: the answer is the third
#[derive(clap::Args)]
#[command(after_help = "Examples:
  probtest plan --p 0.01 --epsilon 0.02           executions for this p and epsilon
  probtest plan --tolerate 0.001 --p 0.01         executions to tell these two rates apart
  probtest plan --outcomes 1/6x6 --epsilon 0.05   executions to see each side of a die
  probtest plan --p 0.01 --executions 299         the epsilon that 299 executions achieve
  probtest plan --epsilon 0.05 --executions 299   the smallest p that 299 executions catch
  probtest plan --tolerate 0.05 --executions 60   the rate that fails in 60 executions")]
pub struct PlanOptions {
    #[command(flatten)]
    flags: Flags<PLAN>,

    /// Instead of planning, show what this many executions prove; --epsilon
    /// then has no default
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    executions: Option<String>,

    /// Write one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Shows what happens if you plan with p + p * factor while the real violation
/// probability is p: how many executions are missing, and how much likelier you
/// are to miss the violation
#[derive(clap::Args)]
#[command(after_help = "Examples:
  probtest sensitivity --p 0.01 --epsilon 0.05
  probtest sensitivity --p 0.01 --epsilon 0.05 --factor 0.5,1,2")]
pub struct SensitivityOptions {
    #[command(flatten)]
    flags: Flags<SENSITIVITY>,

    /// By how much p is overestimated; 1 means twice p [default:
    /// ten factors, evenly spaced from 0.01 to 5]
    #[arg(long, value_name = "FACTOR", value_delimiter = ',', allow_negative_numbers = true)]
    factor: Vec<String>,

    /// Write one JSON object
    #[arg(long)]
    pub json: bool,
}

pub fn run(options: &PlanOptions) -> Result<Exit, Failure> {
    let (text, facts) = answer(options)?;
    match options.json {
        true => print_json(&facts)?,
        false => print(&text)?,
    }
    Ok(Exit::Passed)
}

fn answer(options: &PlanOptions) -> Result<(String, PlanFacts), Failure> {
    let given = options.flags.given();
    let claim = options.flags.have_subject().then(|| given.claim()).transpose()?;
    let Some(executions) = &options.executions else {
        let Some(claim) = claim else {
            return Err(Failure::given(
                "there is nothing to plan",
                "neither --p nor --tolerate nor --outcomes nor --equal",
                "add the violation probability to catch, such as --p 0.01",
            ));
        };
        let plan = Plan::new(&claim)?;
        return Ok((report::plan_text(&plan), report::plan_facts(&plan)));
    };
    let k = read_count(executions, u64::MAX).map_err(|error| {
        let help = "write a number of executions, such as --executions 299";
        error.about("--executions").with_help(help)
    })?;
    if let Some(claim) = claim.as_ref().filter(|claim| claim.tolerated().is_some()) {
        let plan = Plan::new(claim)?;
        if let Some(answer) = report::attained_rate(&plan, k) {
            return Ok(answer);
        }
    }
    match (claim, given.probability("epsilon")?) {
        (Some(_), Some(epsilon)) => Err(Failure::given(
            "there is nothing to compute: probability, epsilon and executions are all given",
            format!("--epsilon {epsilon}, --executions {executions} and a probability"),
            "leave out --executions to plan, --epsilon for the epsilon achieved, or --p for the smallest p caught",
        )),
        (None, None) => Err(Failure::given(
            "--executions alone does not say what to compute",
            format!("--executions {executions}"),
            "add --p for the epsilon achieved, or --epsilon for the smallest p caught",
        )),
        (Some(claim), None) => match (claim.outcomes(), claim.p()) {
            (Some(outcomes), _) => {
                let miss = plan::miss(&claim, k);
                Ok(report::attained_cover(outcomes, k, &miss))
            }
            (None, Some(p)) => {
                let miss = plan::epsilon_attained(p, k)?;
                Ok(report::attained_epsilon(p, k, &miss))
            }
            (None, None) => unreachable!("the options make no other claims"),
        },
        (None, Some(epsilon)) => {
            let p = plan::smallest_p(k, epsilon)?;
            let miss = plan::epsilon_attained(&p, k)?;
            Ok(report::attained_p(k, epsilon, &p, &miss))
        }
    }
}

/// By how much p is overestimated: exactly, and as a number to show.
type Factor = (String, f64);

pub fn sensitivity(options: &SensitivityOptions) -> Result<Exit, Failure> {
    let claim = options.flags.given().claim()?;
    let (Some(p), Some(epsilon)) = (claim.p(), claim.epsilon()) else {
        return Err(Failure::Unfinished("the claim is not about p".into()));
    };
    let factors: Vec<Factor> = match options.factor.is_empty() {
        // Ten factors from 0.01 to 5, as in the paper's figure. They are kept as
        // fractions, since the steps of 4.99 / 9 have no decimal.
        true => (0..10_u16)
            .map(|i| 9 + 499 * i)
            .map(|numerator| (format!("{numerator}/900"), f64::from(numerator) / 900.0))
            .collect(),
        false => options.factor.iter().map(|text| read_factor(text)).collect::<Result<_, _>>()?,
    };
    let mut rows = Vec::new();
    for factor in factors {
        rows.push((factor.1, believe(p, &factor, epsilon)?));
    }
    let (text, facts) = report::sensitivity_answer(p, epsilon, &rows);
    match options.json {
        true => print_json(&facts)?,
        false => print(&text)?,
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
