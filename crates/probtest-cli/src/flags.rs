//! The options of a test as flags: names, help and kinds come from the option table.
//!
//! Flags count as set by the test itself; environment variables fill in what they leave open.

use std::fs::File;
use std::io::Read;

use clap::error::Result as Parsed;
use clap::{Arg, ArgAction, ArgMatches, Command};
use probtest::claim::{Claim, Outcomes};
use probtest::settings::{
    Given, GivenBy, OPTIONS, OptionKind, OptionValue, Spec, ignored_variables, read_count,
};
use probtest::{Error, Probability};

use crate::output::say;

/// The size limit of a file of outcomes: a million outcomes of 30 digits fit.
const LONGEST_FILE: u64 = 32 << 20;
/// Shorthand for this many outcomes of equal probability; other front ends don't have this option.
const EQUAL: &str = "equal";

/// The commands that take options from the table.
pub const RUN: u8 = 0;
pub const ESTIMATE: u8 = 1;
pub const COMPARE: u8 = 2;
pub const PLAN: u8 = 3;
pub const SENSITIVITY: u8 = 4;

/// Whether a command takes an option from the table.
fn takes(command: u8, spec: &Spec) -> bool {
    let claims = ["p", "epsilon", "tolerate", "false_alarm", "outcomes"].contains(&spec.name);
    match command {
        RUN => spec.command,
        PLAN => claims,
        SENSITIVITY => ["p", "epsilon"].contains(&spec.name),
        COMPARE if ["epsilon", "false_alarm"].contains(&spec.name) => true,
        // They make their own claims, which accept no budget.
        _ => spec.command && !claims && spec.name != "on_budget",
    }
}

/// Whether a command executes something, and therefore reads environment variables.
fn executes(command: u8) -> bool {
    ![PLAN, SENSITIVITY].contains(&command)
}

/// The options from the table that were given as flags of a command.
pub struct Flags<const COMMAND: u8> {
    texts: Vec<(&'static Spec, Vec<String>)>,
    equal: Option<String>,
}

impl<const COMMAND: u8> clap::FromArgMatches for Flags<COMMAND> {
    fn from_arg_matches(matches: &ArgMatches) -> Parsed<Self> {
        let texts = options(COMMAND).filter_map(|spec| {
            if is_switch(spec) {
                let given = matches.get_flag(spec.name);
                return given.then(|| (spec, vec!["yes".to_owned()]));
            }
            let values = matches.get_many::<String>(spec.name)?;
            Some((spec, values.cloned().collect()))
        });
        let equal = matches.try_get_one::<String>(EQUAL).ok().flatten();
        Ok(Flags { texts: texts.collect(), equal: equal.cloned() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Parsed<()> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<const COMMAND: u8> clap::Args for Flags<COMMAND> {
    fn augment_args(mut command: Command) -> Command {
        for spec in options(COMMAND) {
            command = command.arg(flag(COMMAND, spec));
            if spec.name == "outcomes" {
                command = command.arg(
                    Arg::new(EQUAL)
                        .long(EQUAL)
                        .value_name("N")
                        .help("Shorthand for N outcomes of probability 1/N")
                        .allow_negative_numbers(true)
                        .conflicts_with("p"),
                );
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn options(command: u8) -> impl Iterator<Item = &'static Spec> {
    OPTIONS.iter().filter(move |spec| takes(command, spec))
}

/// Whether an option takes no value.
fn is_switch(spec: &Spec) -> bool {
    spec.kind == OptionKind::Flag && spec.metavar.is_empty()
}

fn long(spec: &Spec) -> String {
    spec.name.replace('_', "-")
}

fn flag(command: u8, spec: &'static Spec) -> Arg {
    let arg = Arg::new(spec.name)
        .long(long(spec))
        .value_name(spec.metavar)
        .help(help(command, spec))
        .required(command == SENSITIVITY && spec.name == "p");
    let arg = match is_switch(spec) {
        true => arg.action(ArgAction::SetTrue),
        false => arg.allow_negative_numbers(true),
    };
    match spec.name {
        "jobs" => arg.short('j'),
        "tolerate" => arg.conflicts_with_all(["outcomes", EQUAL]),
        "outcomes" => arg.action(ArgAction::Append).conflicts_with_all(["p", EQUAL]),
        _ => arg,
    }
}

/// The help from the table, plus what only the command line can do.
fn help(command: u8, spec: &Spec) -> String {
    let help = match (command, spec.name) {
        (COMPARE, "epsilon") => {
            "The chance of passing a new version that is worse by that much (default 0.05)"
        }
        (COMPARE, "false_alarm") => {
            "The chance of calling a new version worse when it is not (default 0.01)"
        }
        _ => spec.help,
    };
    let more = match spec.name {
        "p" => ": a decimal (0.01, 1e-3) or a fraction (1/1024)",
        "outcomes" => {
            "; separate them with commas or repeat the option. `1/6x6` is 1/6 six times; `@FILE` reads a file with commas or one per line"
        }
        "max_time" => ". Checked between executions: add --timeout for programs that may hang",
        _ => "",
    };
    let (first, rest) = help.split_at(1);
    let variable = spec.variable.filter(|_| executes(command));
    let variable = variable.map(|name| format!(" [env: {name}]")).unwrap_or_default();
    format!("{}{rest}{more}{variable}", first.to_uppercase())
}

impl<const COMMAND: u8> Flags<COMMAND> {
    fn has(&self, name: &str) -> bool {
        self.texts.iter().any(|(spec, _)| spec.name == name)
    }

    /// Whether a claim was given, apart from its chances.
    pub fn have_subject(&self) -> bool {
        let subjects = ["p", "tolerate", "outcomes"];
        self.equal.is_some() || subjects.iter().any(|name| self.has(name))
    }

    /// Reads the flags, and the environment variables of options that they leave open.
    pub fn given(&self) -> Given {
        let mut given = Given::default();
        for (spec, texts) in &self.texts {
            let value = match spec.name {
                "outcomes" => read_outcomes(texts),
                _ => spec.read(&format!("--{}", long(spec)), &texts[0]),
            };
            given.set(spec.name, GivenBy::Test, value);
        }
        if let Some(text) = &self.equal {
            given.set("outcomes", GivenBy::Test, read_equal(text));
        }
        if executes(COMMAND) {
            let open = |name: &str| {
                options(COMMAND).any(|spec| spec.variable == Some(name) && !self.has(spec.name))
            };
            given.read_environment(variables().filter(|(name, _)| open(name)));
        }
        given
    }

    /// Writes the options from which this claim can be rebuilt, as they were given.
    pub fn claim_words(&self, claim: &Claim) -> Vec<String> {
        let listed = self.texts.iter().filter(|(spec, _)| spec.name == "outcomes");
        let listed = listed.flat_map(|(_, texts)| texts);
        let written = |value: Option<&Probability>| value.map(ToString::to_string);
        let rest = [
            ("--equal", self.equal.clone()),
            // Also if they came from the environment.
            ("--tolerate", written(claim.tolerated())),
            ("--false-alarm", written(claim.false_alarm())),
            ("--p", written(claim.p())),
            ("--epsilon", written(claim.epsilon())),
        ];
        words(listed.map(|entry| ("--outcomes", Some(entry.clone()))).chain(rest))
    }
}

/// Flags as command-line arguments, without those that have no value.
pub fn words(flags: impl IntoIterator<Item = (&'static str, Option<String>)>) -> Vec<String> {
    let given = flags.into_iter().filter_map(|(flag, value)| Some([flag.to_owned(), value?]));
    given.flatten().collect()
}

/// The environment. Non-Unicode text can't be a number either, which the reader reports.
fn variables() -> impl Iterator<Item = (String, String)> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    std::env::vars_os().map(move |(name, value)| (text(name), text(value)))
}

/// Warns on stderr about unknown variables.
pub fn warn_of_variables() {
    let unknown = Given::default().read_environment(variables());
    if let Some(warning) = ignored_variables(&unknown, |_| true) {
        say(warning);
    }
}

/// Warns on stderr if a replay was requested but doesn't take place.
pub fn warn_of_replay() {
    let set = std::env::var("PROBTEST_REPLAY").unwrap_or_default();
    let address = set.trim();
    if !address.is_empty() {
        say(format!(
            "warning: PROBTEST_REPLAY is not read here\n  given  {address}\n  help   write probtest replay {address} -- COMMAND to rerun one execution of a program"
        ));
    }
}

fn read_equal(text: &str) -> Result<OptionValue, Error> {
    const MOST: u64 = 1_000_000;
    let number = read_count(text, MOST).ok().and_then(|number| usize::try_from(number).ok());
    let Some(number @ 2..) = number else {
        return Err(Error::new(
            format!("--equal is not a whole number from 2 to {MOST}"),
            text,
            "write how many outcomes there are, such as --equal 6",
        ));
    };
    Outcomes::equal(number).map(OptionValue::Outcomes)
}

fn read_outcomes(entries: &[String]) -> Result<OptionValue, Error> {
    let read = |entry: &String| match entry.trim().strip_prefix('@') {
        Some(path) => read_list(path),
        None => Ok(entry.clone()),
    };
    let list: Vec<String> = entries.iter().map(read).collect::<Result<_, _>>()?;
    Outcomes::parse(&list.join(",")).map(OptionValue::Outcomes)
}

fn read_list(path: &str) -> Result<String, Error> {
    let refuse = |why: String| {
        Error::new(
            format!("the file of outcomes cannot be read: {why}"),
            format!("--outcomes @{path}"),
            "name a text file with one probability per line, or with commas between them",
        )
    };
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(LONGEST_FILE + 1).read_to_string(&mut text))
        .map_err(|error| refuse(error.to_string()))?;
    if text.len() as u64 > LONGEST_FILE {
        return Err(refuse(format!("it is longer than {} MiB", LONGEST_FILE >> 20)));
    }
    let entries: Vec<&str> = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .collect();
    match entries.is_empty() {
        true => Err(refuse("it contains no probabilities".into())),
        false => Ok(entries.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use clap::CommandFactory;

    /// The flags of a command that aren't in the table.
    fn own(command: &str) -> Vec<String> {
        let cli = Cli::command();
        let command = cli.find_subcommand(command).unwrap();
        let longs = command.get_arguments().filter_map(Arg::get_long);
        let named = |long: &str| OPTIONS.iter().any(|spec| super::long(spec) == long);
        longs.filter(|long| !named(long)).map(String::from).collect()
    }

    #[test]
    fn the_flags_of_run_are_those_of_the_table_with_their_help() {
        let cli = Cli::command();
        let run = cli.find_subcommand("run").unwrap();
        for spec in OPTIONS {
            let mut arguments = run.get_arguments();
            let found = arguments.find(|arg| arg.get_long() == Some(&long(spec)));
            assert_eq!(found.is_some(), spec.command, "{}", spec.name);
            if let Some(arg) = found {
                let help = arg.get_help().unwrap().to_string();
                assert!(help.contains(&spec.help[1..]), "{help}");
                let variable = spec.variable.unwrap_or_default();
                assert!(help.contains(variable), "{help}");
            }
        }
        let of_programs = "timeout reject-code infrastructure-exit-code json json-file quiet";
        assert_eq!(own("run").join(" "), format!("equal {of_programs}"));
        assert_eq!(own("estimate").join(" "), format!("width confidence {of_programs}"));
        assert_eq!(own("compare")[..6], ["p-change", "change", "between", "worse", "git", "build"]);
        assert_eq!(own("plan"), ["equal", "executions", "json"]);
    }
}
