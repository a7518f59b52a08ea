//! The command line as a whole.

use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{completions, man, plan, replay, reproduce, run, sensitivity};

/// Tests programs that use randomness: says how many executions are enough,
/// runs them, and tells what the answer is worth
#[derive(Parser, Debug)]
#[command(name = "probtest", version, after_help = after_help())]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, one file each.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Say how many executions are enough, or what some executions are worth
    Plan(plan::Options),
    /// Say what it costs to believe in a p that is too large
    Sensitivity(sensitivity::Options),
    /// Execute a program as often as the claim needs, and judge
    Run(run::Options),
    /// Execute one execution of `run` again, alone
    Replay(replay::Options),
    /// Carry out a study of the paper again
    Reproduce(reproduce::Options),
    /// Write the completions of a shell to stdout
    Completions(completions::Options),
    /// Write the manual page
    Man(man::Options),
}

fn after_help() -> String {
    format!(
        "Examples:
  probtest plan --p 0.01 --epsilon 0.02
  probtest run --p 0.01 --epsilon 0.02 -- ./simulate --seed {{seed}}
  probtest replay 0x5eed:9 -- ./simulate --seed {{seed}}

{}
With --json the answer, or an object with the field `error`, is one JSON object on
stdout; errors are told on stderr as well.",
        Exit::table()
    )
}

/// Tells what is wrong with the words of a command line, or shows the help that
/// was asked for.
pub fn refuse(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        // Help and version, on stdout; a closed pipe is no error.
        let _ = error.print();
        return Exit::Passed;
    }
    let words = std::env::args_os().skip(1);
    if words
        .take_while(|word| word != "--")
        .any(|word| word == "--json")
    {
        let text = error.render().to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        let line: Vec<&str> = first.lines().map(str::trim).collect();
        let line = line.join(" ");
        Failure::usage(line.trim_start_matches("error: ")).tell_json();
    }
    let _ = error.print();
    if let Some(help) = help(error) {
        let _ = writeln!(std::io::stderr(), "\n  help   {help}");
    }
    Exit::Usage
}

/// What clap cannot know: a program without `--` before it.
fn help(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let command = std::env::args_os().nth(1)?;
    let takes_program = command == "run" || command == "replay";
    (error.kind() == ErrorKind::UnknownArgument && takes_program && !word.starts_with('-'))
        .then(|| format!("the program and its arguments stand behind `--`: -- {word} ..."))
}
