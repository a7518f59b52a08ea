//! Every option of a test, once: its name, what it takes, where it can be given, and
//! which place wins.
//!
//! The attribute, the builder, the pytest marker, the command and the environment all
//! read this table, and a test compares the documents with it.

use std::time::Duration;

use crate::{Error, OnBudget, Outcomes, Probability, StartRate, parse_duration, read_cost};

pub use crate::conflicts::{apart, check_tolerate, conflict};
pub use crate::suggest::{closest, ignored_variables, suggestion};

/// The chance of missing where none is given.
pub const DEFAULT_EPSILON: &str = "0.05";
/// The chance of a false alarm where none is given: it costs a good program almost nothing.
pub const DEFAULT_FALSE_ALARM: &str = "1e-6";
/// The same where two versions are compared: that is asked once, not every night.
pub const DEFAULT_COMPARE_FALSE_ALARM: &str = "0.01";
/// The confidence of an estimate where none is given.
pub const DEFAULT_CONFIDENCE: &str = "0.95";
/// The most threads or processes that one test may ask for.
pub const MOST_JOBS: u64 = 1024;
/// The most executions of one test that may wait at the same time.
pub const MOST_CONCURRENCY: u64 = 10_000;

/// The most inputs that one test may draw to execute each of them often.
pub const MOST_INPUTS: u64 = 1_000_000;

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A probability strictly between 0 and 1.
    Probability,
    /// A list of probabilities that sum to at most 1.
    Outcomes,
    /// A claim on what the body returns; a value of the language, not text.
    Claim,
    /// A whole number of at least 1 and at most this.
    Count(u64),
    /// The same, or `auto`.
    CountOrAuto(u64),
    /// A run seed, decimal or hexadecimal.
    Seed,
    /// One execution, as a report names it.
    Address,
    /// A duration.
    Duration,
    /// A duration, or `off`.
    DurationOrOff,
    /// `pass` or `fail`.
    OnBudget,
    /// How often executions may start, such as `20/s`.
    StartRate,
    /// A cost: a number above 0.
    Cost,
    /// Types of exceptions; a value of the language, not text.
    Exceptions,
    /// How threads take turns; a value of the language, not text.
    Schedules,
    /// A path.
    Path,
    /// One of several parts, such as `3/16`.
    Shard,
    /// Any text.
    Text,
    /// Yes or no. Without a word that stands for the value, giving it says yes.
    Flag,
}

/// Who wins where the test and the run both give an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wins {
    /// The test: the run only fills in what it does not say.
    Test,
    /// The run.
    Run,
    /// The smaller of the two.
    Smaller,
}

/// One option.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Spec {
    /// Its name in the attribute, the builder and the marker; with dashes in flags.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Who wins.
    pub wins: Wins,
    /// Whether `#[probtest(..)]` and the builder take it.
    pub attribute: bool,
    /// Whether `@pytest.mark.probtest(..)` takes it.
    pub marker: bool,
    /// Whether `probtest run` takes it as a flag.
    pub command: bool,
    /// Whether pytest takes it as `--probtest-NAME` and as the ini key `probtest_NAME`.
    pub pytest: bool,
    /// The environment variable.
    pub variable: Option<&'static str>,
    /// What stands for the value in a help text.
    pub metavar: &'static str,
    /// A value that fits, as it is written in Rust.
    pub example: &'static str,
    /// What it does, in a few words.
    pub help: &'static str,
}

impl Spec {
    /// Finds an option by its name.
    pub fn find(name: &str) -> Option<&'static Spec> {
        OPTIONS.iter().find(|spec| spec.name == name)
    }

    /// Reads a value that was given as text.
    ///
    /// # Errors
    /// When the text is none of what the option takes; the error calls the value by
    /// `name`, as the user knows it.
    pub fn read(&self, name: &str, text: &str) -> Result<Value, Error> {
        let read = match self.kind {
            Kind::Probability => Probability::parse(text).map(Value::Probability),
            Kind::Outcomes => Outcomes::parse(text).map(Value::Outcomes),
            Kind::CountOrAuto(_) if text.trim().eq_ignore_ascii_case("auto") => Ok(Value::Auto),
            Kind::Count(most) => read_count(text, most).map(Value::Count),
            Kind::CountOrAuto(most) => {
                let help = "write a number such as 4, or auto for one per core";
                let read = read_count(text, most).map(Value::Count);
                read.map_err(|error| error.with_help(help))
            }
            Kind::Duration => parse_duration(text).map(Value::Duration),
            Kind::DurationOrOff if text.trim().eq_ignore_ascii_case("off") => Ok(Value::Off),
            Kind::DurationOrOff => parse_duration(text).map(Value::Duration),
            Kind::OnBudget => text.parse().map(Value::OnBudget),
            Kind::Flag => read_flag(text).map(Value::Flag),
            Kind::StartRate => text.parse().map(Value::StartRate),
            Kind::Cost => read_cost(text).map(Value::Cost),
            Kind::Seed
            | Kind::Address
            | Kind::Path
            | Kind::Claim
            | Kind::Shard
            | Kind::Text
            | Kind::Exceptions
            | Kind::Schedules => Ok(Value::Text(text.to_owned())),
        };
        read.map_err(|error| error.about(name.to_owned()))
    }
}

/// What an option can hold.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A probability.
    Probability(Probability),
    /// A list of outcomes.
    Outcomes(Outcomes),
    /// A count.
    Count(u64),
    /// As many as the machine can do.
    Auto,
    /// A duration.
    Duration(Duration),
    /// No limit at all.
    Off,
    /// What happens when a budget ends first.
    OnBudget(OnBudget),
    /// How often executions may start.
    StartRate(StartRate),
    /// A cost.
    Cost(f64),
    /// Yes or no.
    Flag(bool),
    /// Anything that is read later.
    Text(String),
}

/// Reads a whole number from 1 to `most`.
///
/// # Errors
/// When the text is something else.
pub fn read_count(text: &str, most: u64) -> Result<u64, Error> {
    let digits = text.trim();
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse::<u64>().ok().filter(|_| plain);
    number.filter(|number| (1..=most).contains(number)).ok_or_else(|| {
        let range = match most {
            u64::MAX => "of 1 or more".to_owned(),
            most => format!("from 1 to {most}"),
        };
        let given = match digits {
            "" => format!("\"{text}\""),
            _ => text.to_owned(),
        };
        Error::of(
            "a count",
            format!("is not a whole number {range}"),
            given,
            "write a number such as 1000, or leave it out",
        )
    })
}

/// Reads yes or no.
fn read_flag(text: &str) -> Result<bool, Error> {
    match text.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        _ => Err(Error::of(
            "a flag",
            "is neither yes nor no",
            text.to_owned(),
            "write 1 or 0, true or false, yes or no, on or off",
        )),
    }
}

const NONE: Spec = Spec {
    name: "",
    kind: Kind::Flag,
    wins: Wins::Test,
    attribute: false,
    marker: false,
    command: false,
    pytest: false,
    variable: None,
    metavar: "",
    example: "",
    help: "",
};

/// An option that a test can give, in every language.
const OF_TEST: Spec = Spec { attribute: true, marker: true, command: true, pytest: true, ..NONE };

/// All options, in the order of the documentation.
pub const OPTIONS: &[Spec] = &[
    Spec {
        name: "p",
        kind: Kind::Probability,
        variable: Some("PROBTEST_P"),
        metavar: "P",
        example: "0.01",
        help: "the violation probability to catch",
        ..OF_TEST
    },
    Spec {
        name: "epsilon",
        kind: Kind::Probability,
        variable: Some("PROBTEST_EPSILON"),
        metavar: "EPSILON",
        example: "0.02",
        help: "the chance of missing it (default 0.05)",
        ..OF_TEST
    },
    Spec {
        name: "tolerate",
        kind: Kind::Probability,
        metavar: "RATE",
        example: "0.001",
        help: "the violation rate that is fine; p defaults to ten times this rate",
        ..OF_TEST
    },
    Spec {
        name: "false_alarm",
        kind: Kind::Probability,
        variable: Some("PROBTEST_FALSE_ALARM"),
        metavar: "CHANCE",
        example: "1e-6",
        help: "the chance of failing a program within the tolerated rate (default 1e-6)",
        ..OF_TEST
    },
    Spec {
        name: "outcomes",
        kind: Kind::Outcomes,
        metavar: "LIST",
        example: "[1/6; 6]",
        help: "the probability of each outcome that must be seen, instead of p",
        pytest: false,
        ..OF_TEST
    },
    Spec {
        name: "inputs",
        kind: Kind::Count(MOST_INPUTS),
        metavar: "N",
        example: "50",
        help: "how many inputs to draw; p and epsilon then hold for each of them",
        attribute: true,
        marker: true,
        ..NONE
    },
    Spec {
        name: "claim",
        kind: Kind::Claim,
        example: "probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.05)",
        help: "a claim on the mean or the labels that the body returns, instead of the options above",
        command: false,
        pytest: false,
        ..OF_TEST
    },
    Spec {
        name: "schedules",
        kind: Kind::Schedules,
        attribute: true,
        example: "pct(depth = 2)",
        help: "how the threads of a concurrent body take turns (feature `shuttle`); with `pct`, p follows from the depth",
        ..NONE
    },
    Spec {
        name: "jobs",
        kind: Kind::CountOrAuto(MOST_JOBS),
        wins: Wins::Run,
        variable: Some("PROBTEST_JOBS"),
        metavar: "N",
        example: "4",
        help: "how many executions run at the same time; `auto` means one per core (default 1)",
        ..OF_TEST
    },
    Spec {
        name: "isolate",
        kind: Kind::Flag,
        wins: Wins::Run,
        marker: true,
        pytest: true,
        help: "run the test in its own process, so a crash fails only this test",
        ..NONE
    },
    Spec {
        name: "batch",
        kind: Kind::Count(u64::MAX),
        metavar: "N",
        example: "1000",
        help: "how many executions one call of the test makes",
        marker: true,
        ..NONE
    },
    Spec {
        name: "seed",
        kind: Kind::Seed,
        wins: Wins::Run,
        variable: Some("PROBTEST_SEED"),
        metavar: "SEED",
        example: "0x5eed",
        help: "the run seed, decimal or 0x.. (default: a fresh one)",
        ..OF_TEST
    },
    Spec {
        name: "replay",
        kind: Kind::Address,
        wins: Wins::Run,
        pytest: true,
        variable: Some("PROBTEST_REPLAY"),
        metavar: "SEED:INDEX",
        example: "0x5eed:9",
        help: "run only this execution: SEED:INDEX, or SEED:INDEX:TEST for one test",
        ..NONE
    },
    Spec {
        name: "max_executions",
        kind: Kind::Count(u64::MAX),
        wins: Wins::Smaller,
        variable: Some("PROBTEST_MAX_EXECUTIONS"),
        metavar: "N",
        example: "10_000",
        help: "stop after this many executions; a plan that needs more ends without a verdict",
        ..OF_TEST
    },
    Spec {
        name: "max_time",
        kind: Kind::DurationOrOff,
        variable: Some("PROBTEST_MAX_TIME"),
        metavar: "TIME",
        example: "\"30s\"",
        help: "stop after this time, such as 30s or 1m30s; `off` removes every time limit",
        ..OF_TEST
    },
    Spec {
        name: "on_budget",
        kind: Kind::OnBudget,
        variable: Some("PROBTEST_ON_BUDGET"),
        metavar: "WORD",
        example: "\"pass\"",
        help: "`pass` accepts what was achieved when a budget runs out first; `fail` (default) does not",
        ..OF_TEST
    },
    Spec {
        name: "max_rejections",
        kind: Kind::Count(u64::MAX),
        metavar: "N",
        example: "10_000",
        help: "how many rejected attempts to allow (default: 10 per planned execution, at least 1000)",
        command: false,
        pytest: false,
        ..OF_TEST
    },
    Spec {
        name: "concurrency",
        kind: Kind::Count(MOST_CONCURRENCY),
        wins: Wins::Run,
        variable: Some("PROBTEST_CONCURRENCY"),
        metavar: "N",
        example: "50",
        help: "how many executions of an async test wait at the same time, in one event loop",
        command: false,
        ..OF_TEST
    },
    Spec {
        name: "threads",
        example: "true",
        help: "the body may run on several threads, so concurrency also works for tests that are not async",
        marker: true,
        ..NONE
    },
    Spec {
        name: "infrastructure",
        kind: Kind::Exceptions,
        example: "(ConnectionError, TimeoutError)",
        help: "exceptions that prove nothing: probtest retries the execution after a pause",
        marker: true,
        ..NONE
    },
    Spec {
        name: "max_unavailable",
        kind: Kind::Count(u64::MAX),
        metavar: "N",
        example: "1000",
        help: "how many attempts may fail because of infrastructure (default: 1 per planned execution, at least 100)",
        pytest: false,
        ..OF_TEST
    },
    Spec {
        name: "rate",
        kind: Kind::StartRate,
        variable: Some("PROBTEST_RATE"),
        metavar: "RATE",
        example: "\"20/s\"",
        help: "how often executions may start, such as 20/s or 100/min",
        ..OF_TEST
    },
    Spec {
        name: "max_cost",
        kind: Kind::Cost,
        wins: Wins::Smaller,
        variable: Some("PROBTEST_MAX_COST"),
        metavar: "COST",
        example: "5.0",
        help: "stop when the cost that executions report adds up to this",
        ..OF_TEST
    },
    Spec {
        name: "confirm",
        kind: Kind::Flag,
        variable: Some("PROBTEST_CONFIRM"),
        metavar: "YES|NO",
        example: "false",
        help: "rerun an execution that violates before reporting it (default yes)",
        ..OF_TEST
    },
    Spec {
        name: "shrink",
        kind: Kind::Flag,
        variable: Some("PROBTEST_SHRINK"),
        metavar: "YES|NO",
        example: "false",
        help: "shrink an execution that violates before reporting it (default yes)",
        command: false,
        ..OF_TEST
    },
    Spec {
        name: "shrink_time",
        kind: Kind::Duration,
        variable: Some("PROBTEST_SHRINK_TIME"),
        metavar: "TIME",
        example: "\"10s\"",
        help: "how long shrinking may take (default 2s)",
        command: false,
        ..OF_TEST
    },
    Spec {
        name: "suite_epsilon",
        kind: Kind::Probability,
        wins: Wins::Run,
        pytest: true,
        variable: Some("PROBTEST_SUITE_EPSILON"),
        metavar: "CHANCE",
        example: "0.05",
        help: "one epsilon for the whole suite, divided among its tests",
        ..NONE
    },
    Spec {
        name: "suite_false_alarm",
        kind: Kind::Probability,
        wins: Wins::Run,
        pytest: true,
        variable: Some("PROBTEST_SUITE_FALSE_ALARM"),
        metavar: "CHANCE",
        example: "0.001",
        help: "one false_alarm for the whole suite, divided among its tests",
        ..NONE
    },
    Spec {
        name: "suite_max_time",
        kind: Kind::Duration,
        wins: Wins::Run,
        pytest: true,
        variable: Some("PROBTEST_SUITE_MAX_TIME"),
        metavar: "TIME",
        example: "\"10m\"",
        help: "one time limit for all tests of a process together, such as 10m",
        ..NONE
    },
    Spec {
        name: "strict",
        wins: Wins::Run,
        command: true,
        pytest: true,
        variable: Some("PROBTEST_STRICT"),
        example: "1",
        help: "fail tests that would pass in doubt",
        ..NONE
    },
    Spec {
        name: "vary_seeds",
        wins: Wins::Run,
        pytest: true,
        example: "1",
        help: "mix the seed of each execution into the constant seeds that the code sets, such as default_rng(42)",
        ..NONE
    },
    Spec {
        name: "memory",
        kind: Kind::Path,
        wins: Wins::Run,
        pytest: true,
        variable: Some("PROBTEST_MEMORY"),
        metavar: "FOLDER",
        example: "off",
        help: "the folder for remembered counterexamples, `source` for probtest-regressions in the project, or `off`",
        ..NONE
    },
    Spec {
        name: "executor",
        kind: Kind::Path,
        wins: Wins::Run,
        pytest: true,
        metavar: "ENGINE",
        example: "dask:local",
        help: "the cluster to run on: dask:ADDRESS, dask:local, ray:auto, ray:local, or ray:ADDRESS",
        ..NONE
    },
    Spec {
        name: "shard",
        kind: Kind::Shard,
        wins: Wins::Run,
        command: true,
        pytest: true,
        variable: Some("PROBTEST_SHARD"),
        metavar: "I/N",
        example: "3/16",
        help: "run only this part of each test's executions, such as 3/16; `probtest merge` puts the parts together",
        ..NONE
    },
    Spec {
        name: "journal",
        kind: Kind::Path,
        wins: Wins::Run,
        command: true,
        pytest: true,
        variable: Some("PROBTEST_JOURNAL"),
        metavar: "FOLDER",
        example: "journal",
        help: "a folder that records what each execution did, so a run that dies can continue",
        ..NONE
    },
    Spec {
        name: "journal_key",
        kind: Kind::Text,
        wins: Wins::Run,
        command: true,
        pytest: true,
        variable: Some("PROBTEST_JOURNAL_KEY"),
        metavar: "TEXT",
        example: "v1.2",
        help: "identifies the code in a journal; change it when the code changes (default: a hash of the code)",
        ..NONE
    },
    Spec {
        name: "report",
        kind: Kind::Path,
        wins: Wins::Run,
        variable: Some("PROBTEST_REPORT"),
        metavar: "FOLDER",
        example: "reports",
        help: "write one JSON file for each test to this folder",
        ..NONE
    },
    Spec {
        name: "execution",
        kind: Kind::Count(u64::MAX),
        variable: Some("PROBTEST_EXECUTION"),
        metavar: "N",
        help: "set by `probtest run` for the program under test; not read",
        ..NONE
    },
    Spec {
        name: "cost_file",
        kind: Kind::Path,
        variable: Some("PROBTEST_COST_FILE"),
        metavar: "FILE",
        help: "set by `probtest run --max-cost` for the program under test, which writes its cost there; not read",
        ..NONE
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_one_row_and_its_variable_is_its_name_in_capitals() {
        for (place, spec) in OPTIONS.iter().enumerate() {
            assert!(OPTIONS[..place].iter().all(|other| other.name != spec.name));
            if let Some(variable) = spec.variable {
                assert_eq!(variable, format!("PROBTEST_{}", spec.name.to_uppercase()));
            }
        }
    }

    #[test]
    fn counts_have_no_sign_point_or_exponent() {
        assert_eq!(read_count(" 7 ", 9).unwrap(), 7);
        for text in ["", "0", "10", "-1", "+1", "1e3", "1.0", "99999999999999999999"] {
            assert!(read_count(text, 9).is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn options_that_say_two_claims_do_not_go_together() {
        for (given, culprit, what) in [
            (&["outcomes", "p"][..], "outcomes", "both p and outcomes"),
            (&["outcomes", "tolerate"], "tolerate", "tolerate limits"),
            (&["p", "false_alarm"], "false_alarm", "tolerates no rate"),
            (&["p", "claim"], "p", "both p and claim"),
            (&["p", "inputs", "tolerate"], "inputs", "tolerate is a different claim"),
            (&["outcomes", "inputs"], "inputs", "outcomes is a different claim"),
            (&["claim", "inputs"], "inputs", "claim is a different claim"),
            (&["claim", "epsilon"], "epsilon", "inside the claim"),
            (&["on_budget", "claim"], "on_budget", "decided as a whole"),
            (&["claim", "concurrency", "jobs"], "jobs", "one process"),
            (&["infrastructure", "p", "batch"], "batch", "one call"),
        ] {
            let (name, error) = conflict(given).unwrap();
            assert_eq!(name, culprit);
            assert!(error.what().contains(what), "{error}");
        }
        for given in [
            &["p", "tolerate", "false_alarm", "epsilon", "on_budget"][..],
            &["outcomes", "epsilon", "on_budget"],
            &["p", "inputs", "epsilon", "on_budget"],
            &["claim", "jobs", "seed", "max_time", "max_executions"],
        ] {
            assert_eq!(conflict(given), None);
        }
    }

    #[test]
    fn a_tolerated_rate_is_compared_exactly() {
        let rate = |text| Probability::parse(text).unwrap();
        assert!(check_tolerate(&rate("0.0099999999999999999999"), &rate("1/100")).is_ok());
        for tolerate in ["0.010", "0.01000000000000000000001"] {
            assert!(check_tolerate(&rate(tolerate), &rate("1/100")).is_err());
        }
    }

    #[test]
    fn an_error_calls_the_value_by_the_name_that_the_user_knows() {
        let spec = Spec::find("max_time").unwrap();
        assert_eq!(spec.read("max_time", "off"), Ok(Value::Off));
        let error = spec.read("--max-time", "30").unwrap_err();
        assert_eq!(error.what(), "--max-time has no unit");
    }
}
