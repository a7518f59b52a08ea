//! Every option of a test, once: its name, what it takes, where you can set it, and which place
//! wins.
//!
//! The attribute, the builder, the pytest marker, the command and the environment all
//! read this table, and a test compares the documents with it.

use std::time::Duration;

use crate::text::shown;
use crate::{Error, OnBudget, Outcomes, Probability, StartRate, parse_duration, read_cost};

pub use crate::suggest::{closest, ignored_variables, suggestion};

/// The default chance of missing.
pub const DEFAULT_EPSILON: &str = "0.05";
/// The default chance of a false alarm. It is small because that costs a good program almost
/// nothing.
pub const DEFAULT_FALSE_ALARM: &str = "1e-6";
/// The same when two versions are compared, which you do once, not every night.
pub const DEFAULT_COMPARE_FALSE_ALARM: &str = "0.01";
/// The default confidence of an estimate.
pub const DEFAULT_CONFIDENCE: &str = "0.95";
/// The most threads or processes that one test may ask for.
pub const MOST_JOBS: u64 = 1024;
/// The most executions of one test that may wait at the same time.
pub const MOST_CONCURRENCY: u64 = 10_000;

/// The most inputs that one test may draw.
pub const MOST_INPUTS: u64 = 1_000_000;

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionKind {
    /// A probability strictly between 0 and 1.
    Probability,
    /// A list of probabilities that sum to at most 1.
    Outcomes,
    /// A claim about what the body returns; a value of the language, not text.
    Claim,
    /// A whole number of at least 1 and at most this.
    Count(u64),
    /// The same, or `auto`.
    CountOrAuto(u64),
    /// A run seed, decimal or hexadecimal.
    Seed,
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
    /// Any text, such as a path or `3/16`.
    Text,
    /// Yes or no. Without a metavar, the flag alone means yes.
    Flag,
}

/// Which value wins if the test and the run both set an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wins {
    /// The test's: the run only fills in what the test doesn't set.
    Test,
    /// The run's.
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
    pub kind: OptionKind,
    /// Which value wins.
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
    /// The name of the value in a help text.
    pub metavar: &'static str,
    /// An example value, as written in Rust.
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
    /// When the option doesn't take this text. The error calls the value `name`, as the user knows
    /// it.
    pub fn read(&self, name: &str, text: &str) -> Result<OptionValue, Error> {
        let read = match self.kind {
            OptionKind::Probability => Probability::parse(text).map(OptionValue::Probability),
            OptionKind::Outcomes => Outcomes::parse(text).map(OptionValue::Outcomes),
            OptionKind::CountOrAuto(_) if text.trim().eq_ignore_ascii_case("auto") => {
                Ok(OptionValue::Auto)
            }
            OptionKind::DurationOrOff if text.trim().eq_ignore_ascii_case("off") => {
                Ok(OptionValue::Off)
            }
            OptionKind::Count(most) => read_count(text, most).map(OptionValue::Count),
            OptionKind::CountOrAuto(most) => {
                let help = "write a number such as 4, or auto for one per core";
                let read = read_count(text, most).map(OptionValue::Count);
                read.map_err(|error| error.with_help(help))
            }
            OptionKind::Duration | OptionKind::DurationOrOff => {
                parse_duration(text).map(OptionValue::Duration)
            }
            OptionKind::OnBudget => text.parse().map(OptionValue::OnBudget),
            OptionKind::Flag => read_flag(text).map(OptionValue::Flag),
            OptionKind::StartRate => text.parse().map(OptionValue::StartRate),
            OptionKind::Cost => read_cost(text).map(OptionValue::Cost),
            OptionKind::Seed
            | OptionKind::Claim
            | OptionKind::Text
            | OptionKind::Exceptions
            | OptionKind::Schedules => Ok(OptionValue::Text(text.to_owned())),
        };
        read.map_err(|error| error.about(name.to_owned()))
    }
}

/// What an option can hold.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionValue {
    /// A probability.
    Probability(Probability),
    /// A list of outcomes.
    Outcomes(Outcomes),
    /// A count.
    Count(u64),
    /// As many as the machine can run.
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
        Error::of(
            "a count",
            format!("is not a whole number {range}"),
            shown(text),
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

const ATTRIBUTE: u8 = 1;
const MARKER: u8 = 2;
const COMMAND: u8 = 4;
const PYTEST: u8 = 8;
const EVERYWHERE: u8 = ATTRIBUTE | MARKER | COMMAND | PYTEST;
const NOWHERE: u8 = 0;

/// Starts a row of the table; the test wins unless the row says otherwise.
const fn option(
    name: &'static str,
    kind: OptionKind,
    places: u8,
    metavar: &'static str,
    example: &'static str,
) -> Spec {
    Spec {
        name,
        kind,
        wins: Wins::Test,
        attribute: places & ATTRIBUTE != 0,
        marker: places & MARKER != 0,
        command: places & COMMAND != 0,
        pytest: places & PYTEST != 0,
        variable: None,
        metavar,
        example,
        help: "",
    }
}

impl Spec {
    const fn wins(self, wins: Wins) -> Spec {
        Spec { wins, ..self }
    }

    const fn variable(self, variable: &'static str) -> Spec {
        Spec { variable: Some(variable), ..self }
    }

    const fn help(self, help: &'static str) -> Spec {
        Spec { help, ..self }
    }
}

/// All options, in the order of the documentation.
pub const OPTIONS: &[Spec] = &[
    option("p", OptionKind::Probability, EVERYWHERE, "P", "0.01")
        .variable("PROBTEST_P")
        .help("the violation probability to catch"),
    option("epsilon", OptionKind::Probability, EVERYWHERE, "EPSILON", "0.02")
        .variable("PROBTEST_EPSILON")
        .help("the chance of missing it (default 0.05)"),
    option("tolerate", OptionKind::Probability, EVERYWHERE, "RATE", "0.001")
        .help("the violation rate that is fine; p defaults to ten times this rate"),
    option("false_alarm", OptionKind::Probability, EVERYWHERE, "CHANCE", "1e-6")
        .variable("PROBTEST_FALSE_ALARM")
        .help("the chance of failing a program within the tolerated rate (default 1e-6)"),
    option("outcomes", OptionKind::Outcomes, ATTRIBUTE | MARKER | COMMAND, "LIST", "[1/6; 6]")
        .help("the probability of each outcome that must be seen, instead of p"),
    option("inputs", OptionKind::Count(MOST_INPUTS), ATTRIBUTE | MARKER, "N", "50")
        .help("how many inputs to draw; p and epsilon then hold for each of them"),
    option(
        "claim",
        OptionKind::Claim,
        ATTRIBUTE | MARKER,
        "",
        "probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.05)",
    )
    .help("a claim on the mean or the labels that the body returns, instead of the options above"),
    option("schedules", OptionKind::Schedules, ATTRIBUTE, "", "pct(depth = 2)")
        .help("how the threads of a concurrent body take turns (feature `shuttle`); with `pct`, p follows from the depth"),
    option("jobs", OptionKind::CountOrAuto(MOST_JOBS), EVERYWHERE, "N", "4")
        .wins(Wins::Run)
        .variable("PROBTEST_JOBS")
        .help("how many executions run at the same time; `auto` means one per core (default 1)"),
    option("isolate", OptionKind::Flag, MARKER | PYTEST, "", "")
        .wins(Wins::Run)
        .help("run the test in its own process, so a crash fails only this test"),
    option("batch", OptionKind::Count(u64::MAX), MARKER, "N", "1000")
        .help("how many executions one call of the test covers; it returns one entry for each"),
    option("seed", OptionKind::Seed, EVERYWHERE, "SEED", "0x5eed")
        .wins(Wins::Run)
        .variable("PROBTEST_SEED")
        .help("the run seed, decimal or 0x.. (default: a fresh one)"),
    option("replay", OptionKind::Text, PYTEST, "SEED:INDEX", "0x5eed:9")
        .wins(Wins::Run)
        .variable("PROBTEST_REPLAY")
        .help("run only this execution: SEED:INDEX, or SEED:INDEX:TEST for one test"),
    option("max_executions", OptionKind::Count(u64::MAX), EVERYWHERE, "N", "10_000")
        .wins(Wins::Smaller)
        .variable("PROBTEST_MAX_EXECUTIONS")
        .help("stop after this many executions; a plan that needs more ends without a verdict"),
    option("max_time", OptionKind::DurationOrOff, EVERYWHERE, "TIME", "\"30s\"")
        .variable("PROBTEST_MAX_TIME")
        .help("stop after this time, such as 30s or 1m30s; `off` removes every time limit"),
    option("on_budget", OptionKind::OnBudget, EVERYWHERE, "WORD", "\"pass\"")
        .variable("PROBTEST_ON_BUDGET")
        .help("`pass` accepts what was achieved when a budget runs out first; `fail` (default) does not"),
    option("max_rejections", OptionKind::Count(u64::MAX), ATTRIBUTE | MARKER, "N", "10_000")
        .help("how many rejected attempts to allow (default: 10 per planned execution, at least 1000)"),
    option("concurrency", OptionKind::Count(MOST_CONCURRENCY), ATTRIBUTE | MARKER | PYTEST, "N", "50")
        .wins(Wins::Run)
        .variable("PROBTEST_CONCURRENCY")
        .help("how many executions of an async test wait at the same time, in one event loop"),
    option("threads", OptionKind::Flag, MARKER, "", "true")
        .help("the body may run on several threads, so concurrency also works for tests that are not async"),
    option("infrastructure", OptionKind::Exceptions, MARKER, "", "(ConnectionError, TimeoutError)")
        .help("exceptions that prove nothing: probtest retries the execution after a pause"),
    option("max_unavailable", OptionKind::Count(u64::MAX), ATTRIBUTE | MARKER | COMMAND, "N", "1000")
        .help("how many attempts may fail because of infrastructure (default: 1 per planned execution, at least 100)"),
    option("rate", OptionKind::StartRate, EVERYWHERE, "RATE", "\"20/s\"")
        .variable("PROBTEST_RATE")
        .help("how often executions may start, such as 20/s or 100/min"),
    option("max_cost", OptionKind::Cost, EVERYWHERE, "COST", "5.0")
        .wins(Wins::Smaller)
        .variable("PROBTEST_MAX_COST")
        .help("stop when the cost that executions report adds up to this"),
    option("confirm", OptionKind::Flag, EVERYWHERE, "YES|NO", "false")
        .variable("PROBTEST_CONFIRM")
        .help("rerun an execution that violates before reporting it (default yes)"),
    option("shrink", OptionKind::Flag, ATTRIBUTE | MARKER | PYTEST, "YES|NO", "false")
        .variable("PROBTEST_SHRINK")
        .help("shrink an execution that violates before reporting it (default yes)"),
    option("shrink_time", OptionKind::Duration, ATTRIBUTE | MARKER | PYTEST, "TIME", "\"10s\"")
        .variable("PROBTEST_SHRINK_TIME")
        .help("how long shrinking may take (default 2s)"),
    option("suite_epsilon", OptionKind::Probability, PYTEST, "CHANCE", "0.05")
        .wins(Wins::Run)
        .variable("PROBTEST_SUITE_EPSILON")
        .help("one epsilon for the whole suite, divided among its tests"),
    option("suite_false_alarm", OptionKind::Probability, PYTEST, "CHANCE", "0.001")
        .wins(Wins::Run)
        .variable("PROBTEST_SUITE_FALSE_ALARM")
        .help("one false_alarm for the whole suite, divided among its tests"),
    option("suite_max_time", OptionKind::Duration, PYTEST, "TIME", "\"10m\"")
        .wins(Wins::Run)
        .variable("PROBTEST_SUITE_MAX_TIME")
        .help("one time limit for all tests of a process together, such as 10m"),
    option("strict", OptionKind::Flag, COMMAND | PYTEST, "", "1")
        .wins(Wins::Run)
        .variable("PROBTEST_STRICT")
        .help("fail tests that would pass in doubt"),
    option("vary_seeds", OptionKind::Flag, PYTEST, "", "1")
        .wins(Wins::Run)
        .help("mix the seed of each execution into the constant seeds that the code sets, such as default_rng(42)"),
    option("memory", OptionKind::Text, PYTEST, "FOLDER", "off")
        .wins(Wins::Run)
        .variable("PROBTEST_MEMORY")
        .help("the folder for remembered counterexamples, `source` for probtest-regressions in the project, or `off`"),
    option("executor", OptionKind::Text, PYTEST, "ENGINE", "dask:local")
        .wins(Wins::Run)
        .help("the cluster to run on: dask:ADDRESS, dask:local, ray:auto, ray:local, or ray:ADDRESS"),
    option("shard", OptionKind::Text, COMMAND | PYTEST, "I/N", "3/16")
        .wins(Wins::Run)
        .variable("PROBTEST_SHARD")
        .help("run only this part of each test's executions, such as 3/16; `probtest merge` puts the parts together"),
    option("journal", OptionKind::Text, COMMAND | PYTEST, "FOLDER", "journal")
        .wins(Wins::Run)
        .variable("PROBTEST_JOURNAL")
        .help("record what each execution did in this folder, so a run that dies can continue"),
    option("journal_key", OptionKind::Text, COMMAND | PYTEST, "TEXT", "v1.2")
        .wins(Wins::Run)
        .variable("PROBTEST_JOURNAL_KEY")
        .help("identifies the code in a journal; change it when the code changes (default: a hash of the code)"),
    option("report", OptionKind::Text, NOWHERE, "FOLDER", "reports")
        .wins(Wins::Run)
        .variable("PROBTEST_REPORT")
        .help("write one JSON file for each test to this folder"),
    option("execution", OptionKind::Count(u64::MAX), NOWHERE, "N", "")
        .variable("PROBTEST_EXECUTION")
        .help("set by `probtest run` for the program under test; setting it yourself has no effect"),
    option("cost_file", OptionKind::Text, NOWHERE, "FILE", "")
        .variable("PROBTEST_COST_FILE")
        .help("set by `probtest run --max-cost` for the program under test, which writes its cost there; setting it yourself has no effect"),
    option("outcome_file", OptionKind::Text, NOWHERE, "FILE", "")
        .variable("PROBTEST_OUTCOME_FILE")
        .help("set by `probtest run --outcomes` for the program under test, which writes the number of its outcome there; setting it yourself has no effect"),
];

/// Which of these options of one test conflicts with the others, and why.
pub fn conflict<'a>(given: &[&'a str]) -> Option<(&'a str, Error)> {
    for (place, one) in given.iter().enumerate() {
        if let Some(error) = given[..place].iter().find_map(|other| apart(one, other)) {
            return Some((one, error));
        }
    }
    let find = |name: &str| given.iter().copied().find(|other| *other == name);
    if find("claim").is_some() {
        return given.iter().find_map(|name| Some((*name, beside_claim(name)?)));
    }
    let (tolerate, outcomes) = (find("tolerate"), find("outcomes"));
    if let (Some(inputs), Some(other)) = (find("inputs"), tolerate.or(outcomes)) {
        return Some((inputs, beside_inputs(other)));
    }
    let (culprit, what, both, help) = match (find("p"), tolerate, outcomes, find("false_alarm")) {
        (Some(_), _, Some(outcomes), _) => (
            outcomes,
            "the test gives both p and outcomes",
            "p and outcomes",
            "keep p to catch violations, or outcomes to see each outcome",
        ),
        (_, Some(tolerate), Some(_), _) => (
            tolerate,
            "tolerate limits how often violations occur, but outcomes lists what must be seen",
            "tolerate and outcomes",
            "keep tolerate and p for a violation rate, or outcomes to see each outcome",
        ),
        (_, None, _, Some(false_alarm)) => (
            false_alarm,
            "false_alarm is the chance of failing a program within the tolerated rate, but this test tolerates no rate",
            "false_alarm without tolerate",
            "add tolerate, such as tolerate = 0.001, or leave false_alarm out",
        ),
        _ => return None,
    };
    Some((culprit, Error::new(what, both, help)))
}

/// Why `inputs` conflicts with any claim that isn't about a violation probability.
fn beside_inputs(other: &str) -> Error {
    Error::new(
        format!("inputs means that p is caught for each input, but {other} is a different claim"),
        format!("inputs and {other}"),
        format!(
            "keep p and inputs, or leave out inputs: then {other} covers input and program together"
        ),
    )
}

/// Why an option conflicts with `claim`, if it does.
fn beside_claim(name: &str) -> Option<Error> {
    let (what, help) = match name {
        "p" | "tolerate" | "outcomes" => (
            format!("the test gives both {name} and claim"),
            format!("keep claim for what the body returns, or {name} for what each execution shows"),
        ),
        "epsilon" | "false_alarm" => (
            format!("{name} belongs inside the claim, not next to it"),
            format!("write it inside, such as claim = probtest::mean()...{name}(0.01)"),
        ),
        "on_budget" => (
            "a claim on a mean or on labels is decided as a whole, so there is no partial result to accept".to_owned(),
            "leave out on_budget; if time or executions run out first, the report says what is known so far".to_owned(),
        ),
        "inputs" => return Some(beside_inputs("claim")),
        _ => return None,
    };
    Some(Error::new(what, format!("{name} and claim"), help))
}

/// Checks that the tolerated rate is below the one to catch.
///
/// # Errors
/// When it isn't: some rate would have to both pass and fail.
pub fn check_tolerate(tolerate: &Probability, p: &Probability) -> Result<(), Error> {
    if tolerate < p {
        return Ok(());
    }
    Err(Error::new(
        "tolerate is not below p, so the same rate would have to both pass and fail",
        format!("tolerate = {tolerate}, p = {p}"),
        "raise p, the rate to catch, or lower tolerate",
    ))
}

const BY_ONE_CALL: &str = "one call makes the whole batch";
const IN_ONE_LOOP: &str = "executions that wait at the same time share one process";

/// Options about how executions run that don't go together, because one of each pair would have no
/// effect. A test that sets both is refused. The run's options apply to the tests that can use
/// them, and not to the others.
const APART: &[(&str, &str, &str)] = &[
    ("batch", "concurrency", BY_ONE_CALL),
    ("batch", "inputs", BY_ONE_CALL),
    ("batch", "infrastructure", BY_ONE_CALL),
    ("batch", "max_unavailable", BY_ONE_CALL),
    ("batch", "rate", BY_ONE_CALL),
    ("batch", "max_cost", BY_ONE_CALL),
    ("concurrency", "jobs", IN_ONE_LOOP),
    ("concurrency", "isolate", IN_ONE_LOOP),
    ("concurrency", "executor", IN_ONE_LOOP),
];

/// Why two options can't be used together, if they can't.
pub fn apart(one: &str, other: &str) -> Option<Error> {
    let pair = |pair: &&(&str, &str, &str)| {
        (pair.0, pair.1) == (one, other) || (pair.1, pair.0) == (one, other)
    };
    APART.iter().find(pair).map(|(one, other, why)| {
        Error::new(
            format!("{one} and {other} do not go together: {why}"),
            format!("{one} and {other}"),
            format!("leave out {one} or {other}"),
        )
    })
}

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
        assert_eq!(spec.read("max_time", "off"), Ok(OptionValue::Off));
        let error = spec.read("--max-time", "30").unwrap_err();
        assert_eq!(error.what(), "--max-time has no unit");
    }
}
