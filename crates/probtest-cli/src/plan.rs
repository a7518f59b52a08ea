//! `probtest plan`: how many executions are enough, or what are some worth?

use probtest::plan::{self, Plan};
use probtest::report;
use probtest::settings::{Spec, read_count};
use probtest_facts::PlanFacts;

use crate::flags::{Flags, Takes, makes_claim};
use crate::output::{self, Exit, Failure};

/// Shows how many executions are enough. Give two of --p (or --outcomes,
/// --equal), --epsilon and --executions: the answer is the third
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  probtest plan --p 0.01 --epsilon 0.02           executions for this p and epsilon
  probtest plan --tolerate 0.001 --p 0.01         executions to tell these two rates apart
  probtest plan --outcomes 1/6x6 --epsilon 0.05   executions to see each side of a die
  probtest plan --p 0.01 --executions 299         the epsilon that 299 executions achieve
  probtest plan --epsilon 0.05 --executions 299   the smallest p that 299 executions catch
  probtest plan --tolerate 0.05 --executions 60   the rate that fails in 60 executions")]
pub struct Options {
    #[command(flatten)]
    flags: Flags<PlanTakes>,

    /// Instead of planning, show what this many executions prove; --epsilon
    /// then has no default
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    executions: Option<String>,

    /// Write one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The options of the table that make a claim.
pub struct PlanTakes;

impl Takes for PlanTakes {
    fn takes(spec: &Spec) -> bool {
        makes_claim(spec)
    }
}

pub fn run(options: &Options) -> Result<Exit, Failure> {
    let (text, facts) = answer(options)?;
    if options.json {
        output::print_json(&facts)?;
    } else {
        output::print(&text)?;
    }
    Ok(Exit::Passed)
}

fn answer(options: &Options) -> Result<(String, PlanFacts), Failure> {
    let given = options.flags.given();
    let claim = match options.flags.have_subject() {
        true => Some(given.claim()?),
        false => None,
    };
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
            "--executions alone does not say what they are for",
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
