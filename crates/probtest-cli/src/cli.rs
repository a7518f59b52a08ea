//! The command line as a whole: what is wrong with one, completions, manual pages.

use std::path::PathBuf;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap_complete::Shell;
use clap_mangen::Man;
use probtest::settings::closest;

use crate::Cli;
use crate::output::{Exit, Failure, print};

/// Writes the completions of a shell to stdout
#[derive(clap::Args)]
#[command(after_help = "Examples:
  probtest completions bash > ~/.local/share/bash-completion/completions/probtest
  probtest completions fish > ~/.config/fish/completions/probtest.fish")]
pub struct CompletionsOptions {
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
pub struct ManOptions {
    /// Write probtest.1, probtest-plan.1 and so on into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn completions(options: &CompletionsOptions) -> Result<Exit, Failure> {
    // Through a buffer: written directly, a closed pipe is a panic.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "probtest", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Passed)
}

pub fn man(options: &ManOptions) -> Result<Exit, Failure> {
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
    Man::new(Cli::command()).render(&mut page).map_err(|error| {
        Failure::Unfinished(format!("the manual page cannot be written: {error}"))
    })?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Passed)
}

/// Says what is wrong with a command line, or shows the help that was asked for.
pub fn refuse(error: &clap::Error) -> Exit {
    let asks = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if asks || !error.use_stderr() {
        // Help and version; a closed pipe is no error.
        let _ = error.print();
        return if asks { Exit::Usage } else { Exit::Passed };
    }
    let words = std::env::args_os().skip(1);
    let as_json = words.take_while(|word| word != "--").any(|word| word == "--json");
    explain(error).tell(as_json)
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
            format!("{write}look at probtest{command} --help")
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
