//! The options of a test as flags: names, help and kinds come from the table of options.
//!
//! What stands on the command line is the test itself; environment variables fill in what
//! it leaves open.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::marker::PhantomData;

use clap::error::Result as Parsed;
use clap::{Arg, ArgAction, ArgMatches, Command};
use probtest::Error;
use probtest::claim::{Claim, Outcomes};
use probtest::settings::{
    Given, GivenBy, Kind, OPTIONS, Spec, Value, ignored_variables, read_count,
};

use crate::output::say;

/// The longest file of outcomes; a million outcomes of 30 digits fit.
const LONGEST_FILE: u64 = 32 << 20;
/// Short for as many outcomes of the same probability; no option of other doors.
const EQUAL: &str = "equal";

/// The options that make a claim.
const CLAIM: [&str; 5] = ["p", "epsilon", "tolerate", "false_alarm", "outcomes"];

/// Which options of the table a command takes.
pub trait Takes {
    fn takes(spec: &Spec) -> bool;
    /// The one that must be given.
    const NEEDED: Option<&'static str> = None;
    /// Whether their environment variables are read.
    const VARIABLES: bool = false;
    /// The help of an option that means something else here.
    fn help(_spec: &Spec) -> Option<&'static str> {
        None
    }
}

/// Says whether an option is part of a claim.
pub fn makes_claim(spec: &Spec) -> bool {
    CLAIM.contains(&spec.name)
}

/// The options that were given as flags, for a command that takes `T`.
pub struct Flags<T> {
    texts: Vec<(&'static Spec, Vec<String>)>,
    equal: Option<String>,
    takes: PhantomData<T>,
}

impl<T: Takes> clap::FromArgMatches for Flags<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Parsed<Self> {
        let texts = options::<T>().filter_map(|spec| {
            if is_switch(spec) {
                let given = matches.get_flag(spec.name);
                return given.then(|| (spec, vec!["yes".to_owned()]));
            }
            let values = matches.get_many::<String>(spec.name)?;
            Some((spec, values.cloned().collect()))
        });
        let equal = matches.try_get_one::<String>(EQUAL).ok().flatten();
        Ok(Flags { texts: texts.collect(), equal: equal.cloned(), takes: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Parsed<()> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<T: Takes> clap::Args for Flags<T> {
    fn augment_args(mut command: Command) -> Command {
        for spec in options::<T>() {
            command = command.arg(flag::<T>(spec));
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

impl<T> fmt::Debug for Flags<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.texts.iter().map(|(spec, texts)| (spec.name, texts));
        f.debug_map().entries(texts).finish()
    }
}

fn options<T: Takes>() -> impl Iterator<Item = &'static Spec> {
    OPTIONS.iter().filter(|spec| T::takes(spec))
}

/// Says whether giving an option is all that there is to say.
fn is_switch(spec: &Spec) -> bool {
    spec.kind == Kind::Flag && spec.metavar.is_empty()
}

/// The name of an option on the command line.
fn long(spec: &Spec) -> String {
    spec.name.replace('_', "-")
}

fn flag<T: Takes>(spec: &'static Spec) -> Arg {
    let mut arg = Arg::new(spec.name)
        .long(long(spec))
        .value_name(spec.metavar)
        .help(help(T::help(spec), spec, T::VARIABLES))
        .required(T::NEEDED == Some(spec.name));
    arg = match is_switch(spec) {
        true => arg.action(ArgAction::SetTrue),
        false => arg.allow_negative_numbers(true),
    };
    match spec.name {
        "jobs" => arg = arg.short('j'),
        "tolerate" => arg = arg.conflicts_with_all(["outcomes", EQUAL]),
        "outcomes" => {
            arg = arg.action(ArgAction::Append).conflicts_with_all(["p", EQUAL]);
        }
        _ => {}
    }
    arg
}

/// The help of the table, with what only the command line can do.
fn help(own: Option<&str>, spec: &Spec, variables: bool) -> String {
    let more = match spec.name {
        "p" => ": a decimal (0.01, 1e-3) or a fraction (1/1024)",
        "outcomes" => {
            "; separate them with commas or repeat the option. `1/6x6` is 1/6 six times; `@FILE` reads a file with commas or one per line"
        }
        "max_time" => ". Checked between executions: add --timeout for programs that may hang",
        _ => "",
    };
    let (first, rest) = own.unwrap_or(spec.help).split_at(1);
    let mut help = format!("{}{rest}{more}", first.to_uppercase());
    if let Some(variable) = spec.variable.filter(|_| variables) {
        help.push_str(&format!(" [env: {variable}]"));
    }
    help
}

impl<T: Takes> Flags<T> {
    pub fn has(&self, name: &str) -> bool {
        self.texts.iter().any(|(spec, _)| spec.name == name)
    }

    /// Says whether a claim was given, apart from its chances.
    pub fn have_subject(&self) -> bool {
        let subjects = ["p", "tolerate", "outcomes"];
        self.equal.is_some() || subjects.iter().any(|name| self.has(name))
    }

    /// Reads the flags, and behind them the environment variables of the same options.
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
        if T::VARIABLES {
            let open = |name: &str| {
                options::<T>().any(|spec| spec.variable == Some(name) && !self.has(spec.name))
            };
            given.read_environment(variables().filter(|(name, _)| open(name)));
        }
        given
    }

    /// Writes the options that make this claim again, as they were given.
    pub fn claim_words(&self, claim: &Claim) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |option: &str, value: &str| {
            words.extend([option.to_owned(), value.to_owned()]);
        };
        let listed = self.texts.iter().find(|(spec, _)| spec.name == "outcomes");
        for entry in listed.iter().flat_map(|(_, texts)| texts) {
            add("--outcomes", entry);
        }
        if let Some(number) = &self.equal {
            add("--equal", number);
        }
        // Also where they came from the environment.
        let rest = [
            ("--tolerate", claim.tolerated()),
            ("--false-alarm", claim.false_alarm()),
            ("--p", claim.p()),
            ("--epsilon", claim.epsilon()),
        ];
        for (option, value) in rest {
            if let Some(value) = value {
                add(option, &value.to_string());
            }
        }
        words
    }
}

/// The environment; what is not Unicode is no number either, and the reader says so.
fn variables() -> impl Iterator<Item = (String, String)> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    std::env::vars_os().map(move |(name, value)| (text(name), text(value)))
}

/// Warns on stderr about variables that mean nothing.
pub fn warn_of_variables() {
    let unknown = Given::default().read_environment(variables());
    if let Some(warning) = ignored_variables(&unknown, |_| true) {
        say(warning);
    }
}

/// Warns on stderr where a replay was asked for and none takes place.
pub fn warn_of_replay() {
    let set = std::env::var("PROBTEST_REPLAY").unwrap_or_default();
    let address = set.trim();
    if !address.is_empty() {
        say(format!(
            "warning: PROBTEST_REPLAY is not read here\n  given  {address}\n  help   write probtest replay {address} -- COMMAND to rerun one execution of a program"
        ));
    }
}

fn read_equal(text: &str) -> Result<Value, Error> {
    const MOST: u64 = 1_000_000;
    let number = read_count(text, MOST).ok().filter(|number| *number > 1);
    let number = number.and_then(|number| usize::try_from(number).ok());
    let number = number.ok_or_else(|| {
        Error::new(
            format!("--equal is not a whole number from 2 to {MOST}"),
            text,
            "write how many outcomes there are, such as --equal 6",
        )
    })?;
    Outcomes::equal(number).map(Value::Outcomes)
}

fn read_outcomes(entries: &[String]) -> Result<Value, Error> {
    let mut list = Vec::new();
    for entry in entries {
        match entry.trim().strip_prefix('@') {
            Some(path) => list.push(read_list(path)?),
            None => list.push(entry.clone()),
        }
    }
    Outcomes::parse(&list.join(",")).map(Value::Outcomes)
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
        let most = LONGEST_FILE >> 20;
        return Err(refuse(format!("it is longer than {most} MiB")));
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

    /// The flags of a command that are not in the table.
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
