//! `probtest replay`: execute one execution of `run` again, alone.

use std::io::{IsTerminal, Write};

use probtest::run::{Cancel, Observation, REJECTIONS_IN_A_ROW};
use probtest::seed::{Replay, Stream};
use probtest_facts::{ReplayFacts, Verdict, Version};

use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::program::{Board, Ending, Foreground, Interrupt, Program, Told, Watcher};
use crate::reading::Reading;

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

    /// Kill the execution when it takes longer, such as 5s; it is a violation
    /// [default: no limit]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    timeout: Option<String>,

    /// The exit code that rejects, as in `probtest run`
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    reject_code: Option<String>,

    /// Write the result as one JSON object
    #[arg(long)]
    pub json: bool,

    /// The program and its arguments, behind `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Carries out the command.
///
/// # Errors
///
/// When the address, an option or the command cannot be used.
pub fn carry_out(options: &Options) -> Result<Exit, Failure> {
    environment::warn();
    let address: Replay = options.address.parse()?;
    let reading = Reading::of(options.timeout.as_ref(), options.reject_code.as_ref())?;
    let program = Program::find(&options.command)?;
    let no_system = |error| Failure::unfinished(format!("it could not be started: {error}"));
    let board = Board::new(reading.timeout.as_ref().map(|timeout| timeout.duration));
    let on_terminal = std::io::stdin().is_terminal();
    let _watcher = Watcher::start(&board).map_err(no_system)?;
    let _interrupt = Interrupt::listen(&board, &Cancel::new(), on_terminal).map_err(no_system)?;
    let foreground = Foreground {
        group: !on_terminal,
        stdout_to_stderr: options.json,
    };

    let stream = Stream::new(address.seed, &program.id());
    let mut rejected = 0;
    loop {
        let told = Told::by(&mut stream.attempt(address.index, rejected));
        say(&format!(
            "execution {}: PROBTEST_SEED={} PROBTEST_EXECUTION={}",
            address, told.seed, told.execution
        ));
        let ending = foreground.execute(&program, &board, told);
        if let Ending::Unstartable(why) = &ending {
            let word = &options.command[0];
            let what = format!("`{word}` cannot be started: {}", why.0);
            return Err(if why.is_for_good() {
                Failure::given(what, word, why.help(word))
            } else {
                Failure::unfinished(what)
            });
        }
        let observation = reading.observe(&ending, || None);
        if observation == Observation::Rejected {
            rejected += 1;
            if rejected < REJECTIONS_IN_A_ROW {
                say(&format!("rejected {rejected}, drawn again"));
                continue;
            }
        }
        return tell(options, address, told, rejected, &observation);
    }
}

fn tell(
    options: &Options,
    address: Replay,
    told: Told,
    rejected: u64,
    observation: &Observation,
) -> Result<Exit, Failure> {
    let (exit, verdict, message) = match observation {
        Observation::Violated(violation) => (
            Exit::Violated,
            Verdict::Violated,
            Some(violation.message.clone()),
        ),
        Observation::Broken(message) => (
            Exit::Unfinished,
            Verdict::Inconclusive,
            Some(message.clone()),
        ),
        Observation::Rejected => (
            Exit::Unfinished,
            Verdict::Inconclusive,
            Some(format!("rejected {rejected} times in a row")),
        ),
        _ => (Exit::Passed, Verdict::Passed, None),
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
            execution_seed: Some(told.seed),
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
