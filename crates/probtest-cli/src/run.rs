//! `probtest run`: execute a program as often as the claim needs, and judge.

use probtest::TestRng;
use probtest::budget::OnBudgetError;
use probtest::judge::{Reason, Verdict};
use probtest::report::{Report, command_line, run_line};

use crate::claim_options::{Subject, claim_of_test};
use crate::environment;
use crate::executor::Executor;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::reading::Reading;
use crate::values::Given;
use crate::way::Way;

/// Executes a program as often as the claim needs. An exit code other than 0, a
/// signal or a time-out is a violation, and the first one decides
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Each execution has a seed of its own. The program finds it in the environment as
PROBTEST_SEED, the number of the execution as PROBTEST_EXECUTION, and {seed} and
{execution} in its arguments are replaced by them. The seed is a whole number below
2^31. Other PROBTEST_ variables are not handed on. stdin is empty. What the program leaves running in its process group is killed
when it ends; an execution that writes more than 256 MiB to a stream ends the test
without a verdict.

Examples:
  probtest run --p 0.01 --epsilon 0.02 -- ./simulate --seed {seed}
  probtest run --p 1/1024 --jobs 4 --timeout 5s -- python3 test_walk.py
  probtest run --p 0.05 --reject-code 77 -- sh -c './draw && ./check'"
)]
pub struct Options {
    #[command(flatten)]
    subject: Subject,

    /// The chance of missing it, strictly between 0 and 1 [default: 0.05]
    /// [env: PROBTEST_EPSILON]
    #[arg(long, value_name = "EPSILON", allow_negative_numbers = true)]
    epsilon: Option<String>,

    /// What the test is when --max-executions or --max-time end before the plan:
    /// `fail`, or `pass` to accept what was attained; the report says so
    /// [default: fail] [env: PROBTEST_ON_BUDGET]
    #[arg(long, value_name = "WORD")]
    on_budget: Option<String>,

    /// Write the report as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Say nothing when the test passes, and show no progress
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    way: Way,
}

/// Carries out the command.
///
/// # Errors
///
/// When an option, the claim or the command cannot be used.
pub fn carry_out(options: &Options) -> Result<Exit, Failure> {
    if !options.quiet {
        environment::warn();
        environment::warn_of_replay();
    }
    let claim = claim_of_test(&options.subject, options.epsilon.as_ref())?;
    let reading = options.way.reading()?;
    let program = Program::find(&options.way.command)?;
    let settings = accepting(options.way.settings(&program)?, options)?;
    let no_system = |error| Failure::unfinished(format!("the test could not be started: {error}"));
    let executor = Executor::start(program, reading, options.quiet).map_err(no_system)?;

    // Under a tolerated rate no single execution is known to decide.
    let first_decides = claim.tolerated().is_none();
    let body = |rng: &mut TestRng| executor.execute(rng, first_decides);
    let report = probtest::run(&claim, executor.attend(settings), body)?;
    let (reading, stopped) = executor.end(report.counts.executed)?;
    tell(options, &reading, stopped, report)
}

/// Reads what follows when the executions or the time end before the plan.
fn accepting<'a>(
    mut settings: probtest::Options<'a>,
    options: &Options,
) -> Result<probtest::Options<'a>, Failure> {
    let word = Given::find(
        "--on-budget",
        options.on_budget.as_ref(),
        "PROBTEST_ON_BUDGET",
    );
    if let Some(word) = word {
        let read = |_, text: &str| {
            text.parse()
                .map_err(|error: OnBudgetError| Failure::usage(error))
        };
        settings = settings.on_budget(word.read(read)?);
    }
    Ok(settings)
}

/// Writes the line that executes again what a limit of time has cut.
fn again(options: &Options, reading: &Reading, report: &Report) -> String {
    let claim = report.plan.claim();
    let mut words = options.subject.words(claim);
    words.extend(["--epsilon".to_owned(), claim.epsilon().to_string()]);
    words.extend(reading.options_again(report.seed, report.counts.executed));
    run_line(&words, &options.way.command)
}

fn tell(
    options: &Options,
    reading: &Reading,
    stopped: bool,
    mut report: Report,
) -> Result<Exit, Failure> {
    if stopped && matches!(report.verdict, Verdict::Inconclusive(_)) {
        report.verdict = Verdict::Inconclusive(Reason::Cancelled);
    }
    report.replay = report
        .address
        .map(|address| command_line(address, &reading.options(), &options.way.command));
    if report.time_limit().is_some() {
        report.replay = Some(again(options, reading, &report));
    }
    let exit = match report.verdict {
        Verdict::Passed | Verdict::WithinBudget(_) => Exit::Passed,
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Inconclusive(_) => Exit::Unfinished,
    };
    if options.json {
        output::print_json(&report.facts())?;
    } else if !report.passed() || !options.quiet {
        output::print(&report.to_string())?;
    }
    Ok(exit)
}
