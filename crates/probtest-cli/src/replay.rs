//! `probtest replay`: execute one execution of `run` again, alone.

use std::io::{IsTerminal, Write};

use probtest::judge::{Reason, Verdict};
use probtest::machine::{Executor, Next, TestRun};
use probtest::seed::Address;
use probtest::settings::Cancel;
use probtest::settings::DEFAULT_EPSILON;
use probtest::{Claim, Report, Settings};
use probtest_facts::{ReplayFacts, Verdict as VerdictFacts, Version};

use crate::endings::{EndingFlags, Endings};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags::warn_of_variables;
use crate::output;
use crate::program::{Ending, ExecutionSeed, Foreground, Interrupt, Program, Running, Timekeeper};

/// Executes one execution of `probtest run` again, alone, with this terminal as
/// its stdin, stdout and stderr. Exit code 0 when it passes, 1 when it violates
#[derive(clap::Args, Debug)]
#[command(
    after_help = "The command must be the same as in `probtest run`: the seed of an execution depends
on it. With --json, what the program writes to stdout goes to stderr.

Examples:
  probtest replay 0x5eed:9 -- ./simulate --seed {seed}
  probtest replay 0x5eed:9 --timeout 5s -- python3 test_walk.py"
)]
pub struct Options {
    /// The execution, as the report names it
    #[arg(value_name = "SEED:INDEX")]
    address: String,

    #[command(flatten)]
    endings: EndingFlags,

    /// Write the result as one JSON object
    #[arg(long)]
    pub json: bool,

    /// The program and its arguments, behind `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Makes executions with the streams of this process.
struct InForeground<'a> {
    program: &'a Program,
    foreground: Foreground,
    running: &'a Running,
    endings: Endings,
    /// What the last attempt was told.
    told: Option<ExecutionSeed>,
    unstartable: Option<Failure>,
}

impl Executor for InForeground<'_> {
    fn execute(&mut self, run: &mut TestRun<'_>) {
        while let Next::Attempt(attempt) = run.next() {
            if attempt.attempt > 0 {
                say(&format!("rejected {}, drawn again", attempt.attempt));
            }
            let told = ExecutionSeed::of(&attempt);
            self.told = Some(told);
            say(&format!(
                "execution {}: PROBTEST_SEED={} PROBTEST_EXECUTION={}",
                attempt.address(),
                told.seed,
                told.execution
            ));
            let ending = self.foreground.execute(self.program, self.running, told);
            if let Ending::Unstartable(why) = &ending {
                self.unstartable = Some(why.failure(self.program.word()));
            }
            let observation = self.endings.observe(&ending, || None);
            if run.observe(attempt.did(observation, true)).is_done() {
                return;
            }
        }
    }
}

/// Runs the command.
///
/// # Errors
///
/// When the address, an option or the command cannot be used.
pub fn run(options: &Options) -> Result<Exit, Failure> {
    warn_of_variables();
    let address: Address = options.address.parse()?;
    let endings = options.endings.read()?;
    let program = Program::find(&options.command)?;
    let no_system = |error| Failure::unfinished(format!("it could not be started: {error}"));
    let running = Running::new(endings.timeout());
    let on_terminal = std::io::stdin().is_terminal();
    let _timekeeper = Timekeeper::start(&running).map_err(no_system)?;
    let _interrupt = Interrupt::listen(&running, &Cancel::new(), on_terminal).map_err(no_system)?;
    let mut executor = InForeground {
        program: &program,
        foreground: Foreground {
            group: !on_terminal,
            stdout_to_stderr: options.json,
        },
        running: &running,
        endings,
        told: None,
        unstartable: None,
    };
    // Alone, an execution is looked at for itself, whatever was claimed.
    let claim = Claim::detect("1/2", DEFAULT_EPSILON)?;
    let settings = Settings::new(program.id()).replay(address);
    let mut run = TestRun::begin(&claim, settings)?;
    executor.execute(&mut run);
    let report = run.finish();
    match executor.unstartable {
        Some(failure) => Err(failure),
        None => tell(options, address, executor.told, &report),
    }
}

fn tell(
    options: &Options,
    address: Address,
    told: Option<ExecutionSeed>,
    report: &Report,
) -> Result<Exit, Failure> {
    let rejected = report.counts().rejected;
    let (exit, verdict, message) = match report.verdict() {
        Verdict::Violated(_) => {
            let message = report
                .violation()
                .map(|violation| violation.message.clone());
            (Exit::Violated, VerdictFacts::Violated, message)
        }
        Verdict::Inconclusive(Reason::Replayed { .. }) => {
            (Exit::Passed, VerdictFacts::Passed, None)
        }
        Verdict::Inconclusive(Reason::Broken { message, .. }) => (
            Exit::Unfinished,
            VerdictFacts::Inconclusive,
            Some(message.clone()),
        ),
        _ => (
            Exit::Unfinished,
            VerdictFacts::Inconclusive,
            Some(format!("rejected {rejected} times in a row")),
        ),
    };
    let because = message.as_ref().map_or(String::new(), |m| format!(": {m}"));
    say(&format!("execution {address} {verdict}{because}"));
    if options.json {
        output::print_json(&ReplayFacts {
            probtest: Version,
            verdict,
            address: address.to_string(),
            seed: address.seed.to_string(),
            index: address.index,
            execution_seed: told.map(|told| told.seed),
            rejected,
            message,
        })?;
    }
    Ok(exit)
}

/// Tells on stderr: stdout belongs to the program.
fn say(words: &str) {
    let _ = writeln!(std::io::stderr(), "probtest: {words}");
}
