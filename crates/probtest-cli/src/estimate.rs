//! `probtest estimate`: execute a program until its violation rate is known.

use probtest::TestRng;
use probtest::claim::Probability;
use probtest::judge::Reason;
use probtest::report::{Estimate, command_line, estimate_line};

use crate::environment;
use crate::executor::Executor;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::reading::Reading;
use crate::way::Way;

/// Executes a program until its violation rate is known to within a width. An
/// exit code other than 0, a signal or a time-out is a violation; none decides
#[derive(clap::Args, Debug)]
#[command(
    after_help = "The interval is valid although the executions end when it is narrow enough. It takes
hardly more executions than Hoeffding's inequality asks for beforehand, and far fewer
where the rate is small or large. Ctrl-C ends it with the interval so far.

The program is told its seed as under `probtest run`.

Examples:
  probtest estimate --width 0.01 --confidence 0.95 -- ./simulate --seed {seed}
  probtest estimate --width 0.05 --jobs 4 --timeout 5s -- python3 test_walk.py"
)]
pub struct Options {
    /// The distance from the lower to the upper end of the interval, strictly
    /// between 0 and 1
    #[arg(long, value_name = "WIDTH", allow_negative_numbers = true)]
    width: String,

    /// The chance that the interval holds the true rate, strictly between 0 and
    /// 1 [default: 0.95]
    #[arg(long, value_name = "CONFIDENCE", allow_negative_numbers = true)]
    confidence: Option<String>,

    /// Write the answer as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    way: Way,
}

/// Carries out the command.
///
/// # Errors
///
/// When an option or the command cannot be used.
pub fn carry_out(options: &Options) -> Result<Exit, Failure> {
    if !options.quiet {
        environment::warn();
        environment::warn_of_replay();
    }
    let width = share("--width", &options.width, "0.01")?;
    let confidence = match &options.confidence {
        Some(text) => share("--confidence", text, "0.95")?,
        None => 0.95,
    };
    let reading = options.way.reading()?;
    let program = Program::find(&options.way.command)?;
    let settings = options.way.settings(&program)?;
    let no_system = |error| Failure::unfinished(format!("it could not be started: {error}"));
    let executor = Executor::start(program, reading, options.quiet).map_err(no_system)?;

    let body = |rng: &mut TestRng| executor.execute(rng, false);
    let estimate = probtest::estimate(width, confidence, executor.attend(settings), body)?;
    let (reading, stopped) = executor.end(estimate.counts.executed)?;
    tell(options, &reading, stopped, estimate)
}

/// Reads a number strictly between 0 and 1.
fn share(flag: &str, text: &str, example: &str) -> Result<f64, Failure> {
    let read = Probability::parse(text).map(|share| share.as_f64());
    read.ok().filter(|share| *share < 1.0).ok_or_else(|| {
        Failure::given(
            format!("{flag} is not strictly between 0 and 1"),
            text,
            format!("write a number such as {flag} {example}"),
        )
    })
}

/// Writes the line that executes again what a limit of time has cut.
fn again(options: &Options, reading: &Reading, estimate: &Estimate) -> String {
    let mut words = vec![
        "--width".to_owned(),
        options.width.trim().to_owned(),
        "--confidence".to_owned(),
        estimate.confidence.to_string(),
    ];
    words.extend(reading.options_again(estimate.seed, estimate.counts.executed));
    estimate_line(&words, &options.way.command)
}

fn tell(
    options: &Options,
    reading: &Reading,
    stopped: bool,
    mut estimate: Estimate,
) -> Result<Exit, Failure> {
    if stopped && estimate.unfinished.is_some() {
        estimate.unfinished = Some(Reason::Cancelled);
    }
    estimate.replay = estimate
        .address
        .map(|address| command_line(address, &reading.options(), &options.way.command));
    if estimate.time_limit().is_some() {
        estimate.rerun = Some(again(options, reading, &estimate));
    }
    if options.json {
        output::print_json(&estimate.facts())?;
    } else {
        output::print(&estimate.to_string())?;
    }
    Ok(if estimate.finished() {
        Exit::Passed
    } else {
        Exit::Unfinished
    })
}
