//! `probtest run` and `probtest estimate`: execute a program as often as a claim needs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use probtest::claim::Claim;
use probtest::judge::Verdict;
use probtest::machine::{Journal, TestRun, code_key};
use probtest::report::{ANY_INDEX, command_line};
use probtest::seed::Address;
use probtest::settings::{DEFAULT_CONFIDENCE, Given};
use probtest::{Probability, Settings};
use probtest_facts::TestFacts;

use crate::flags::{ESTIMATE, Flags, RUN, warn_of_replay, warn_of_variables, words};
use crate::output::{self, Destination, Exit, Failure, say, unfinished};
use crate::processes::{EndingFlags, Processes, Tested};
use crate::program::Reports;

/// Runs a program as often as its claim needs. An exit code other than 0, a
/// signal or a time-out is a violation, and the first one decides
#[derive(clap::Args)]
#[command(
    after_help = "Each execution gets its own seed, a whole number below 2^31. The program reads it from the
environment variable PROBTEST_SEED, and the number of the execution from PROBTEST_EXECUTION;
{seed} and {execution} in its arguments are replaced by the same numbers. With --max-cost, the
program can write its cost to the file named by PROBTEST_COST_FILE, one number per line. With
--outcomes or --equal, it writes which outcome occurred to the file named by
PROBTEST_OUTCOME_FILE: 0 for the first one listed. No other PROBTEST_ variables are passed on, and
stdin is empty.

When the program exits, whatever it left running in its process group is killed. An execution
that writes more than 256 MiB to a stream ends the test without a verdict.

Examples:
  probtest run --p 0.01 --epsilon 0.02 -- ./simulate --seed {seed}
  probtest run --p 1/1024 --jobs 4 --timeout 5s -- python3 test_walk.py
  probtest run --equal 6 -- sh -c './roll > $PROBTEST_OUTCOME_FILE'
  probtest run --p 0.05 --reject-code 77 -- sh -c './draw && ./check'"
)]
pub struct RunOptions {
    #[command(flatten)]
    flags: Flags<RUN>,

    #[command(flatten)]
    pub program: ProgramFlags,
}

/// Runs a program until its violation rate is known to within a width. An
/// exit code other than 0, a signal or a time-out is a violation, but never
/// fails an estimate
#[derive(clap::Args)]
#[command(
    after_help = "The executions stop as soon as the interval is narrow enough, and the interval is still valid.
This takes hardly more executions than Hoeffding's inequality asks for, and far fewer if the rate
is close to 0 or 1. Press Ctrl-C to stop early with the interval so far.

The program gets its seed as under `probtest run`.

Examples:
  probtest estimate --width 0.01 --confidence 0.95 -- ./simulate --seed {seed}
  probtest estimate --width 0.05 --jobs 4 --timeout 5s -- python3 test_walk.py"
)]
pub struct EstimateOptions {
    /// The distance from the lower to the upper end of the interval,
    /// strictly between 0 and 1
    #[arg(long, value_name = "WIDTH", allow_negative_numbers = true)]
    width: String,

    /// The chance that the interval contains the true rate, strictly between
    /// 0 and 1
    #[arg(
        long,
        value_name = "CONFIDENCE",
        default_value = DEFAULT_CONFIDENCE,
        allow_negative_numbers = true
    )]
    confidence: String,

    #[command(flatten)]
    flags: Flags<ESTIMATE>,

    #[command(flatten)]
    pub program: ProgramFlags,
}

/// What can be said about any program.
#[derive(clap::Args)]
pub struct ProgramFlags {
    #[command(flatten)]
    endings: EndingFlags,

    /// Write the answer as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Also write it to this file, which starts out as unfinished, so that a run that dies
    /// never counts as a pass
    #[arg(long, value_name = "FILE")]
    json_file: Option<PathBuf>,

    /// Print nothing when a test passes, and show no progress
    #[arg(short, long)]
    pub quiet: bool,

    /// The program and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

pub fn run(options: &RunOptions) -> Result<Exit, Failure> {
    let given = options.flags.given();
    let claim = given.claim()?;
    let tested = Tested::one(&options.program.command)?;
    let claimed = options.flags.claim_words(&claim);
    execute("probtest run", &options.program, &given, &claim, claimed, tested)
}

pub fn estimate(options: &EstimateOptions) -> Result<Exit, Failure> {
    let width = Probability::parse(&options.width).map_err(|error| error.about("--width"))?;
    let confidence = Probability::parse(&options.confidence);
    let confidence = confidence.map_err(|error| error.about("--confidence"))?;
    let claim = probtest::estimate(width).confidence(confidence).claim()?;
    let tested = Tested::one(&options.program.command)?;
    let claimed = words([
        ("--width", Some(options.width.trim().to_owned())),
        ("--confidence", Some(options.confidence.trim().to_owned())),
    ]);
    let given = options.flags.given();
    execute("probtest estimate", &options.program, &given, &claim, claimed, tested)
}

/// Executes a program until the claim is decided, and prints the report. `command` and `claimed`,
/// the options that make the claim, begin the line that makes the same executions again.
pub fn execute(
    command: &str,
    options: &ProgramFlags,
    given: &Given,
    claim: &Claim,
    claimed: Vec<String>,
    tested: Tested,
) -> Result<Exit, Failure> {
    if !options.quiet {
        warn_of_variables();
        warn_of_replay();
    }
    let endings = options.endings.read()?;
    if given.count("max_unavailable")?.is_some() && endings.infrastructure_exit_code.is_none() {
        return Err(Failure::given(
            "--max-unavailable limits how often infrastructure may fail, but no exit code means that it did",
            "--max-unavailable, no --infrastructure-exit-code",
            "add --infrastructure-exit-code, such as 75, or leave --max-unavailable out",
        ));
    }
    let settings = Settings::new(tested.id.clone()).flags();
    let settings = given.settings(settings, claim, Duration::ZERO, 1)?;
    // The draws of a program are not seen.
    let settings = settings.shrink_time(Duration::ZERO);
    let code = given.text("journal_key")?.or_else(|| tested.code.clone());
    let code = code.map_or_else(|| program_key(options, &tested), Ok);
    let (journal, code) = match given.text("journal")? {
        Some(folder) => {
            let (code, folder, shard) = (code?, Path::new(&folder), given.shard()?);
            let journal = Journal::open(folder, "", &tested.id, shard, Some(code.clone()))?;
            if let Some(news) = journal.news().filter(|_| !options.quiet) {
                say(news);
            }
            (Some(journal), Some(code))
        }
        // Without a journal, a program that cannot be read just has no code to add up by.
        None => (None, code.ok()),
    };
    let settings = match journal.as_ref().and_then(Journal::seed) {
        Some(seed) if given.seed()?.is_none() => settings.seed(seed.0),
        _ => settings,
    };
    // A program that reports none may still be run as often as it takes to see them all; its pass is in doubt.
    let settings = settings.unreported_outcomes();
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = given.jobs(cores)?;
    let replay_words = [tested.replay.clone(), endings.words()].concat();
    let reports =
        Reports { cost: given.max_cost()?.is_some(), outcome: claim.outcomes().is_some() };
    let processes = Processes::start(tested, endings, jobs, reports, options.quiet)
        .map_err(unfinished("the test could not start"))?;
    let mut run = TestRun::begin(claim, processes.attend(settings))?;
    if let Some(journal) = journal {
        run.keep(journal)?;
    }
    options.write_facts(&run.unfinished_facts())?;
    processes.execute(&mut run);
    let mut report = run.finish();
    if let Some(failure) = processes.end()
        && report.counts().executed == 0
    {
        return Err(failure);
    }
    let replay = |address| {
        let begin = format!("probtest replay {address}");
        command_line(&begin, &replay_words, &options.command)
    };
    report.set_replay(report.address().map(replay));
    let seed = report.seed();
    let any = Address { seed, index: ANY_INDEX };
    report.set_part_lines(Some(replay(any)), None, false);
    if report.time_limit().is_some() {
        // The same executions again, however long they take.
        let again = words([
            ("--seed", Some(seed.to_string())),
            ("--max-executions", Some(report.counts().executed.to_string())),
            ("--max-time", Some("off".to_owned())),
        ]);
        let words = [claimed, again, replay_words].concat();
        report.set_rerun(Some(command_line(command, &words, &options.command)));
    }
    let facts = TestFacts { code, ..report.facts() };
    options.write_facts(&facts)?;
    if options.json {
        output::print_json(&facts)?;
    } else if !report.passed() || !options.quiet {
        output::print(&report.to_string())?;
    }
    Ok(match report.verdict() {
        Verdict::Violated(_) => Exit::Violated,
        _ if report.accepted() => Exit::Passed,
        _ => Exit::Unfinished,
    })
}

/// Tells a program from what it becomes when it is changed: its file, and those that its
/// arguments name, such as a script after its interpreter.
fn program_key(options: &ProgramFlags, tested: &Tested) -> Result<String, Failure> {
    let programs = tested.programs.iter().map(|program| program.path.clone());
    let named = options.command.iter().skip(1).map(PathBuf::from);
    let files: Vec<PathBuf> = programs.chain(named.filter(|path| path.is_file())).collect();
    code_key(&files).map_err(|error| {
        Failure::given(
            format!(
                "the program cannot be read, so probtest cannot tell whether it changed: {error}"
            ),
            tested.programs[0].word(),
            "give --journal-key, a text that you change whenever the program changes",
        )
    })
}

impl ProgramFlags {
    /// Writes the file, where there is one, as a whole.
    fn write_facts(&self, facts: &TestFacts) -> Result<(), Failure> {
        match &self.json_file {
            None => Ok(()),
            Some(file) => Destination::new(file, "--json-file").write(&output::json(facts)),
        }
    }
}
