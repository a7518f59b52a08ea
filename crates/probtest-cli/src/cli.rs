//! The command line as a whole.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use probtest::settings::closest;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{audit, compare, plan, replay, report, run, sensitivity, shell};

/// Tests programs that use randomness: computes how many executions are enough,
/// runs them, and tells you what the result proves
#[derive(Parser, Debug)]
#[command(name = "probtest", version, after_help = after_help())]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Show how many executions a claim needs, or what a number of executions proves
    Plan(plan::Options),
    /// Show what happens if you plan with a p that is too large
    Sensitivity(sensitivity::Options),
    /// Run a program as often as its claim needs, and judge it
    Run(run::Options),
    /// Run a program until its violation rate is known precisely enough
    Estimate(run::EstimateOptions),
    /// Run an old and a new version on the same seeds: did it get worse?
    Compare(compare::Options),
    /// Measure how flaky each test of a cargo suite is
    Audit(audit::Options),
    /// Rerun a single execution of `run` or `compare`
    Replay(replay::Options),
    /// Report on a suite of tests, from their JSON results
    Report(report::Options),
    /// Put the shards of a suite together, and judge them
    Merge(report::MergeOptions),
    /// Print completions for a shell
    Completions(shell::CompletionsOptions),
    /// Write the manual page
    Man(shell::ManOptions),
}

fn after_help() -> String {
    format!(
        "Examples:
  probtest plan --p 0.01 --epsilon 0.02
  probtest run --p 0.01 --epsilon 0.02 -- ./simulate --seed {{seed}}
  probtest estimate --width 0.01 -- ./simulate --seed {{seed}}
  probtest compare --p-change 0.01 -- ./old {{seed}} --- ./new {{seed}}
  probtest replay 0x5eed:9 -- ./simulate --seed {{seed}}

{}
With --json the answer, or an object with the field `error`, is one JSON object on
stdout; errors appear on stderr as well.",
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
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return Exit::Usage;
    }
    let words = std::env::args_os().skip(1);
    let as_json = words.take_while(|word| word != "--").any(|word| word == "--json");
    explain(error).tell(as_json)
}

/// Puts clap's words into the form of every error here.
fn explain(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let (mut what, mut tips, mut usage) = (Vec::new(), Vec::new(), None);
    // What is wrong stands in the first paragraph, the advice behind it.
    let (first, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    for line in first.lines().map(str::trim) {
        match line.strip_prefix("[possible values: ") {
            Some(values) => tips.push(format!("write one of {}", values.trim_end_matches(']'))),
            None => what.push(line.trim_start_matches("error: ")),
        }
    }
    for line in rest.lines().map(str::trim) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            tips.push(tip.to_owned());
        } else if let Some(line) = line.strip_prefix("Usage: ") {
            usage = Some(line);
        }
    }
    let help = match (own_help(error), usage) {
        (Some(help), _) => help,
        (None, _) if !tips.is_empty() => tips.join("; "),
        (None, Some(usage)) => format!("write {usage}, or look at {}", more()),
        (None, None) => format!("look at {}", more()),
    };
    Failure::given(what.join(" "), given(error), help)
}

/// The page that says more: the one of the command, if there is such a command.
fn more() -> String {
    let word = std::env::args_os().nth(1).unwrap_or_default();
    match Cli::command().find_subcommand(&word) {
        Some(command) => format!("probtest {} --help", command.get_name()),
        None => "probtest --help".to_owned(),
    }
}

/// The word that is wrong; the whole line where it is not one word.
fn given(error: &clap::Error) -> String {
    let kinds =
        [ContextKind::InvalidSubcommand, ContextKind::InvalidValue, ContextKind::InvalidArg];
    let one_word = matches!(
        error.kind(),
        ErrorKind::UnknownArgument
            | ErrorKind::InvalidSubcommand
            | ErrorKind::InvalidValue
            | ErrorKind::TooManyValues
    );
    let word = kinds.into_iter().find_map(|kind| match error.get(kind) {
        Some(ContextValue::String(word)) if one_word => Some(word.clone()),
        _ => None,
    });
    let given = word.filter(|word| !word.is_empty()).unwrap_or_else(|| {
        let words = std::env::args_os().skip(1);
        let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
        format!("probtest {}", words.join(" "))
    });
    // One line, whatever stands in the words.
    given.replace(char::is_control, " ")
}

/// The word that clap takes for the one that was meant.
fn suggested(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(word) => Some(word),
        ContextValue::Strings(words) => words.first().map(String::as_str),
        _ => None,
    }
}

/// What clap cannot know: how a program is named, and where.
fn own_help(error: &clap::Error) -> Option<String> {
    let name = std::env::args_os().nth(1)?;
    let takes_program =
        ["run", "estimate", "replay", "compare"].contains(&&*name.to_string_lossy());
    match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::InvalidUtf8, _) => {
            Some("a command is Unicode text; pass other bytes to the program in a file".into())
        }
        (ErrorKind::UnknownArgument, Some(ContextValue::String(word)))
            if takes_program && !word.starts_with('-') =>
        {
            Some(format!("the program and its arguments go after `--`: -- {word} ..."))
        }
        (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) => {
            let command = Cli::command();
            let command = command.find_subcommand(&name).unwrap_or(&command);
            let flags = command.get_arguments().filter_map(|flag| flag.get_long());
            let flags: Vec<String> = flags.map(|flag| format!("--{flag}")).collect();
            let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
            // For a name of one letter, clap is bolder than our rule: `--pp` is `--p`.
            let meant = closest(word, &flags).or(suggested(error, ContextKind::SuggestedArg));
            meant.map(|meant| format!("did you mean `{meant}`?"))
        }
        (ErrorKind::InvalidSubcommand, _) => {
            let meant = suggested(error, ContextKind::SuggestedSubcommand);
            meant.map(|meant| format!("did you mean `{meant}`?"))
        }
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing)))
            if takes_program && missing.len() == 1 && missing[0].contains("COMMAND") =>
        {
            Some("write the program after `--`, such as -- ./simulate".into())
        }
        _ => None,
    }
}
