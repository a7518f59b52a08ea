//! `probtest compare`: execute an old and a new version on the same seeds.

use probtest::claim::{Claim, Terms, Worse};
use probtest::settings::Given;
use probtest::{Error, Probability};

use crate::flags::{COMPARE, Flags, words};
use crate::git::{GitFlags, Versions};
use crate::output::{Exit, Failure};
use crate::processes::Tested;
use crate::program::Program;
use crate::run::{self, ProgramFlags};

/// Stands between the two programs.
const BETWEEN: &str = "---";

/// Executes an old and a new version on the same seeds until it is known whether the new one
/// violates more often, by so much or more. An exit code other than 0, a signal or a time-out is a
/// violation. Exit code 1 when the new version is worse, 3 when that is not known
#[derive(clap::Args)]
#[command(
    after_help = "Both versions get the same seed, as under `probtest run`, so they only differ because of your
change. If the results do not depend on the seed, the versions are compared as independent samples,
which takes more pairs; the report says so.

With --git, both versions are the same command in two revisions of this repository. Each revision
is checked out and built separately, and removed afterwards.

With --change, the means of numbers are compared: each version writes its number as the last line
of stdout.

Examples:
  probtest compare --p-change 0.01 -- ./old {seed} --- ./new {seed}
  probtest compare --p-change 0.01 --git main..HEAD -- cargo test walk_stays_below_ten
  probtest compare --change 0.5 --between 0,10 --worse lower -- ./old {seed} --- ./new {seed}"
)]
pub struct Options {
    /// The increase in the violation rate to catch: a
    /// decimal or a fraction, strictly between 0 and 1
    #[arg(long, value_name = "P", allow_negative_numbers = true, conflicts_with_all = ["change", "between", "worse"])]
    p_change: Option<String>,

    /// The change of the mean to catch
    #[arg(long, value_name = "D", allow_negative_numbers = true, requires_all = ["between", "worse"])]
    change: Option<f64>,

    /// The smallest and the largest number that a version can write
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, requires = "change")]
    between: Option<String>,

    /// Which numbers are worse
    #[arg(long, value_name = "WHICH", value_parser = ["higher", "lower"], requires = "change")]
    worse: Option<String>,

    #[command(flatten)]
    git: GitFlags,

    #[command(flatten)]
    flags: Flags<COMPARE>,

    #[command(flatten)]
    pub program: ProgramFlags,
}

pub fn run(options: &Options) -> Result<Exit, Failure> {
    let given = options.flags.given();
    let claim = options.claim(&given)?;
    // Removes what was checked out when this function ends.
    let versions = options.git.check_out(&options.program.command, options.program.quiet)?;
    let tested = tested(versions.as_ref(), &options.program.command, claim.compares_numbers())?;
    let claimed = options.claim_words(&claim);
    run::execute("probtest compare", &options.program, &given, &claim, claimed, tested)
}

/// Finds both versions.
pub fn tested(
    versions: Option<&Versions>,
    command: &[String],
    numbers: bool,
) -> Result<Tested, Failure> {
    let programs = match versions {
        Some(versions) => versions.programs(command)?,
        None => {
            let (old, new) = split(command)?;
            vec![Program::find(None, old)?, Program::find(None, new)?]
        }
    };
    Ok(Tested {
        programs,
        id: command.join("\0"),
        numbers,
        code: versions.map(Versions::code),
        replay: versions.map(Versions::words).unwrap_or_default(),
    })
}

/// Whether a command is two programs.
pub fn is_pair(command: &[String]) -> bool {
    command.iter().any(|word| word == BETWEEN)
}

fn split(command: &[String]) -> Result<(&[String], &[String]), Error> {
    let parts: Vec<&[String]> = command.split(|word| word == BETWEEN).collect();
    let (what, help) = match parts.as_slice() {
        [old, new] if !old.is_empty() && !new.is_empty() => return Ok((old, new)),
        [_] => (
            "there is one program, but a comparison needs two",
            "write the new version after `---`: -- ./old {seed} --- ./new {seed}; or give --git OLD..NEW for two revisions",
        ),
        [_, _] => (
            "there is a version on only one side of `---`",
            "write both: -- ./old {seed} --- ./new {seed}",
        ),
        _ => (
            "`---` separates two versions, but there are more",
            "compare two at a time; if the program itself takes `---`, wrap it in a script",
        ),
    };
    Err(Error::new(what, command.join(" "), help))
}

impl Options {
    fn claim(&self, given: &Given) -> Result<Claim, Error> {
        if let Some(text) = &self.p_change {
            let p_change = Probability::parse(text).map_err(|error| error.about("--p-change"))?;
            return with_chances(probtest::compare(p_change), given);
        }
        let (Some(change), Some(between), Some(worse)) = (self.change, &self.between, &self.worse)
        else {
            return Err(Error::new(
                "the comparison does not say which change to catch",
                "neither --p-change nor --change",
                "give --p-change, such as 0.01; or --change, --between and --worse for the mean of a number",
            ));
        };
        let ends = between.split_once(',');
        let ends = ends.and_then(|(low, high)| {
            let [low, high] = [low, high].map(|end| end.trim().parse::<f64>().ok());
            low.zip(high)
        });
        let (low, high) = ends.ok_or_else(|| {
            Error::new(
                "--between is not two numbers",
                between,
                "write the smallest and the largest number, such as 0,10",
            )
        })?;
        let worse = if worse == "higher" { Worse::Higher } else { Worse::Lower };
        let terms = probtest::compare_means().between(low, high);
        with_chances(terms.change(change).worse(worse), given)
    }

    /// The options that make this claim again.
    fn claim_words(&self, claim: &Claim) -> Vec<String> {
        let change = self.change.map(|change| change.to_string());
        words([
            ("--p-change", self.p_change.clone()),
            ("--change", change),
            ("--between", self.between.clone()),
            ("--worse", self.worse.clone()),
            ("--epsilon", claim.epsilon().map(ToString::to_string)),
            ("--false-alarm", claim.false_alarm().map(ToString::to_string)),
        ])
    }
}

fn with_chances<R>(mut terms: Terms<R>, given: &Given) -> Result<Claim, Error> {
    if let Some(epsilon) = given.probability("epsilon")? {
        terms = terms.epsilon(epsilon);
    }
    if let Some(false_alarm) = given.probability("false_alarm")? {
        terms = terms.false_alarm(false_alarm);
    }
    terms.claim()
}
