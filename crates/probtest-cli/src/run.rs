//! `probtest run`: execute a program as often as the claim needs, and judge.

use std::cell::Cell;
use std::sync::{Arc, OnceLock};

use probtest::TestRng;
use probtest::budget::OnBudgetError;
use probtest::judge::{Reason, Verdict};
use probtest::report::{Report, command_line, run_line};
use probtest::run::{Cancel, Observation, REJECTIONS_IN_A_ROW, Violation};

use crate::claim_options::{Subject, claim_of_test};
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::program::{Board, Capture, Ending, Interrupt, Pool, Program, Told, Watcher};
use crate::progress::ProgressLine;
use crate::values::{Given, Timeout, timeout, whole};
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

/// What turns an ending into an observation.
pub struct Reading {
    /// The time that each execution has.
    pub timeout: Option<Timeout>,
    /// The exit code that rejects.
    pub reject_code: Option<i32>,
}

impl Reading {
    /// Reads the two options.
    ///
    /// # Errors
    ///
    /// When one of them makes no sense.
    pub fn of(time: Option<&String>, reject_code: Option<&String>) -> Result<Reading, Failure> {
        let help = "write the exit code that rejects, such as 77; 0 is a pass";
        let reject_code = reject_code
            .map(|text| whole("--reject-code", text, 1..=255, help))
            .transpose()?;
        Ok(Reading {
            timeout: time.map(|text| timeout("--timeout", text)).transpose()?,
            reject_code: reject_code.and_then(|code| i32::try_from(code).ok()),
        })
    }

    /// The options of `replay` that read in the same way.
    pub fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        if let Some(timeout) = &self.timeout {
            options.extend(["--timeout".to_owned(), timeout.text.clone()]);
        }
        if let Some(code) = self.reject_code {
            options.extend(["--reject-code".to_owned(), code.to_string()]);
        }
        options
    }

    /// Says what an ending means; `details` is asked for what the program wrote.
    pub fn observe(
        &self,
        ending: &Ending,
        details: impl FnOnce() -> Option<String>,
    ) -> Observation {
        if let Some(message) = ending.broken() {
            return Observation::Broken(message);
        }
        if let (Ending::Exited(status), Some(code)) = (ending, self.reject_code)
            && status.code() == Some(code)
        {
            return Observation::Rejected;
        }
        match ending.violation(self.timeout.as_ref()) {
            Some(message) => Observation::Violated(Box::new(Violation {
                message,
                location: None,
                details: details(),
            })),
            None => Observation::Passed,
        }
    }
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
    let cancel = Cancel::new();
    let program = Program::find(&options.way.command)?;
    let line = (!options.quiet).then(ProgressLine::on_terminal).flatten();
    let mut settings = accepting(options.way.settings(&program)?, options)?.cancel(cancel.clone());
    if let Some(line) = &line {
        settings = settings.progress(|progress| line.show(progress));
    }

    let no_system = |error| Failure::unfinished(format!("the test could not be started: {error}"));
    let board = Board::new(reading.timeout.as_ref().map(|timeout| timeout.duration));
    let pool = Pool::new(program, Arc::clone(&board)).map_err(no_system)?;
    let unstartable = OnceLock::new();
    let watcher = Watcher::start(&board).map_err(no_system)?;
    let interrupt = Interrupt::listen(&board, &cancel, false).map_err(no_system)?;
    // Under a tolerated rate no single execution is known to decide.
    let first_decides = claim.tolerated().is_none();
    let body =
        |rng: &mut TestRng| execute(rng, &pool, &board, &reading, &unstartable, first_decides);
    let report = probtest::run(&claim, settings, body);
    drop(line);
    drop((watcher, interrupt));
    if let (Some(failure), Ok(report)) = (unstartable.into_inner(), &report)
        && report.counts.executed == 0
    {
        return Err(failure);
    }
    tell(options, &reading, board.is_stopped(), report?)
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

/// Executes the program once. `first_decides` says that nobody waits for later
/// executions once this one has violated.
pub fn execute(
    rng: &mut TestRng,
    pool: &Pool,
    board: &Board,
    reading: &Reading,
    unstartable: &OnceLock<Failure>,
    first_decides: bool,
) -> Observation {
    let told = Told::by(rng);
    let look = |ending: Ending, capture: &Capture| {
        if let Ending::Unstartable(why) = &ending
            && why.is_for_good()
        {
            let word = &pool.program().words()[0];
            let what = format!("`{word}` cannot be started: {}", why.0);
            let _ = unstartable.set(Failure::given(what, word, why.help(word)));
        }
        reading.observe(&ending, || capture.text())
    };
    let observation = pool.execute(told, look).unwrap_or_else(|error| {
        Observation::Broken(format!("there is no place for its output: {error}"))
    });
    if board.is_stopped() {
        // Whatever it was, it may have come from the signal that stopped us.
        return Observation::Broken("it was stopped before its end".into());
    }
    let ends = match observation {
        Observation::Violated(_) => first_decides,
        Observation::Broken(_) => true,
        Observation::Rejected => rejected_in_a_row(told.execution) >= REJECTIONS_IN_A_ROW,
        _ => false,
    };
    if ends {
        // Nobody waits for later executions that are still under way.
        board.decide(told.execution);
    }
    observation
}

/// Counts a rejection. All attempts at one execution are made by one thread.
fn rejected_in_a_row(execution: u64) -> u64 {
    thread_local! {
        static REJECTED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    }
    let (last, rejected) = REJECTED.get();
    let rejected = if last == execution { rejected + 1 } else { 1 };
    REJECTED.set((execution, rejected));
    rejected
}

/// Writes the line that executes again what a limit of time has cut.
fn again(options: &Options, reading: &Reading, report: &Report) -> String {
    let claim = report.plan.claim();
    let mut words = options.subject.words(claim);
    for (option, value) in [
        ("--epsilon", claim.epsilon().to_string()),
        ("--seed", report.seed.to_string()),
        ("--max-executions", report.counts.executed.to_string()),
        ("--max-time", "off".to_owned()),
    ] {
        words.extend([option.to_owned(), value]);
    }
    words.extend(reading.options());
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
        output::print_json(&report.to_json())?;
    } else if !report.passed() || !options.quiet {
        output::print(&report.to_string())?;
    }
    Ok(exit)
}
