//! The command `probtest`: plan, run and replay tests of any program that uses
//! randomness.
//!
//! One file for each command or two similar ones. `probtest::report` says what a plan or a
//! verdict means; here are only the options, the processes and the exit codes.

#[cfg(not(unix))]
compile_error!("the command `probtest` needs process groups and signals, which only Unix has");

mod audit;
mod compare;
mod flags;
mod output;
mod plan;
mod processes;
mod program;
mod replay;
mod report;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;
use output::{Exit, Failure, print, unfinished};
use probtest::settings::closest;

/// Tests programs that use randomness: computes how many executions are enough,
/// runs them, and tells you what the result proves
#[derive(Parser)]
#[command(
    name = "probtest",
    version,
    after_help = "Examples:
  probtest plan --p 0.01 --epsilon 0.02
  probtest run --p 0.01 --epsilon 0.02 -- ./simulate --seed {seed}
  probtest estimate --width 0.01 -- ./simulate --seed {seed}
  probtest compare --p-change 0.01 -- ./old {seed} --- ./new {seed}
  probtest replay 0x5eed:9 -- ./simulate --seed {seed}

Exit codes:
  0  passed: the whole plan, an accepted budget, or a shard's part; or there was nothing to judge
  1  violated: an execution is a counterexample
  2  usage: an option, a claim or the command is wrong; nothing was judged
  3  could not finish: interrupted, out of budget, or broken; no verdict

With --json the answer, or an object with the field `error`, is one JSON object on
stdout; errors appear on stderr as well."
)]
struct Cli {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Subcommand)]
enum Command {
    /// Show how many executions a claim needs, or what a number of executions proves
    Plan(plan::PlanOptions),
    /// Show what happens if you plan with a p that is too large
    Sensitivity(plan::SensitivityOptions),
    /// Run a program as often as its claim needs, and judge it
    Run(run::RunOptions),
    /// Run a program until its violation rate is known precisely enough
    Estimate(run::EstimateOptions),
    /// Run an old and a new version on the same seeds: did it get worse?
    Compare(compare::CompareOptions),
    /// Measure how flaky each test of a cargo suite is
    Audit(audit::AuditOptions),
    /// Rerun a single execution of `run` or `compare`
    Replay(replay::ReplayOptions),
    /// Report on a suite of tests, from their JSON results
    Report(report::ReportOptions),
    /// Merge the shards of a suite, and judge them as one run
    Merge(report::MergeOptions),
    /// Print completions for a shell
    Completions(CompletionsOptions),
    /// Write the manual page
    Man(ManOptions),
}

fn main() -> ExitCode {
    if let Some(written) = audit::write_down() {
        return written;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(refuse(&error) as u8),
    };
    let (json, result) = match &cli.command {
        Command::Plan(options) => (options.json, plan::run(options)),
        Command::Sensitivity(options) => (options.json, plan::sensitivity(options)),
        Command::Run(options) => (options.program.json, run::run(options)),
        Command::Audit(options) => (options.json, audit::run(options)),
        Command::Estimate(options) => (options.program.json, run::estimate(options)),
        Command::Compare(options) => (options.program.json, compare::run(options)),
        Command::Replay(options) => (options.json, replay::run(options)),
        Command::Report(options) => (options.json, report::run(options)),
        Command::Merge(options) => (options.json, report::merge(options)),
        Command::Completions(options) => (false, completions(options)),
        Command::Man(options) => (false, man(options)),
    };
    ExitCode::from(result.unwrap_or_else(|failure| failure.print(json)) as u8)
}

/// Writes the completions of a shell to stdout
#[derive(clap::Args)]
#[command(after_help = "Examples:
  probtest completions bash > ~/.local/share/bash-completion/completions/probtest
  probtest completions fish > ~/.config/fish/completions/probtest.fish")]
struct CompletionsOptions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Writes the manual page of probtest to stdout, or one page for each command
/// to a folder
#[derive(clap::Args)]
#[command(after_help = "Examples:
  probtest man | man -l -
  probtest man --out ~/.local/share/man/man1")]
struct ManOptions {
    /// Write probtest.1, probtest-plan.1 and so on into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

fn completions(options: &CompletionsOptions) -> Result<Exit, Failure> {
    // Through a buffer: written directly, a closed pipe is a panic.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "probtest", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Passed)
}

fn man(options: &ManOptions) -> Result<Exit, Failure> {
    if let Some(folder) = &options.out {
        std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
            .map_err(|error| {
                Failure::given(
                    format!("the manual pages cannot be written: {error}"),
                    format!("--out {}", folder.display()),
                    "name a folder that you can write to",
                )
            })?;
        return Ok(Exit::Passed);
    }
    let mut page = Vec::new();
    Man::new(Cli::command())
        .render(&mut page)
        .map_err(unfinished("the manual page cannot be written"))?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Passed)
}

/// Says what is wrong with a command line, or shows the help that was asked for.
fn refuse(error: &clap::Error) -> Exit {
    let asks = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if asks || !error.use_stderr() {
        // Help and version; a closed pipe is no error.
        let _ = error.print();
        return if asks { Exit::Usage } else { Exit::Passed };
    }
    let words = std::env::args_os().skip(1);
    let as_json = words.take_while(|word| word != "--").any(|word| word == "--json");
    explain(error).print(as_json)
}

/// Puts clap's words into the form of every error here.
fn explain(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let (mut what, mut tips, mut usage) = (Vec::new(), Vec::new(), None);
    // The first paragraph says what is wrong, and the rest is advice.
    let (first, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    for line in first.lines().map(str::trim) {
        match line.strip_prefix("[possible values: ") {
            Some(values) => tips.push(format!("write one of {}", values.trim_end_matches(']'))),
            None => what.push(line.trim_start_matches("error: ")),
        }
    }
    for line in rest.lines().map(str::trim) {
        tips.extend(line.strip_prefix("tip: ").map(String::from));
        usage = line.strip_prefix("Usage: ").or(usage);
    }
    let help = match (own_help(error), usage) {
        (Some(help), _) => help,
        (None, _) if !tips.is_empty() => tips.join("; "),
        (None, usage) => {
            let write = usage.map(|usage| format!("write {usage}, or "));
            let word = std::env::args_os().nth(1).unwrap_or_default();
            let command = Cli::command();
            // The page of the command, if there is such a command.
            let command = command.find_subcommand(&word);
            let command = command.map(|command| format!(" {}", command.get_name()));
            let [write, command] = [write, command].map(Option::unwrap_or_default);
            format!("{write}see probtest{command} --help")
        }
    };
    Failure::given(what.join(" "), given(error), help)
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
    // One line, whatever the words contain.
    given.replace(char::is_control, " ")
}

/// What clap cannot know: how a program is named, and where.
fn own_help(error: &clap::Error) -> Option<String> {
    let name = std::env::args_os().nth(1)?;
    let takes_program =
        ["run", "estimate", "replay", "compare"].contains(&&*name.to_string_lossy());
    let did_you_mean = |meant: &str| format!("did you mean `{meant}`?");
    // The word that clap suggests.
    let suggested = |kind| match error.get(kind)? {
        ContextValue::String(word) => Some(word.as_str()),
        ContextValue::Strings(words) => words.first().map(String::as_str),
        _ => None,
    };
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
            closest(word, &flags).or(suggested(ContextKind::SuggestedArg)).map(did_you_mean)
        }
        (ErrorKind::InvalidSubcommand, _) => {
            suggested(ContextKind::SuggestedSubcommand).map(did_you_mean)
        }
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing)))
            if takes_program && missing.len() == 1 && missing[0].contains("COMMAND") =>
        {
            Some("write the program after `--`, such as -- ./simulate".into())
        }
        _ => None,
    }
}
