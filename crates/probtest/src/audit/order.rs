//! What an audit is to find out, what it hands out, and what comes back.

use std::time::Duration;

use probtest_facts::json::Written::Always;
use probtest_facts::json::{FromJson, ToJson, Value};
use probtest_facts::{json_object, json_variants};
use probtest_syntax::parse_duration;

use super::tried::OrderPurpose;
use crate::claim::{Error, Probability};
use crate::report::full_name;
use crate::seed::RunSeed;

/// What an audit is to find out.
#[derive(Clone, Debug)]
pub struct AuditSettings {
    /// The seed that those of all executions are derived from.
    pub seed: RunSeed,
    /// How often all intervals together hold the true rates, at least.
    pub confidence: f64,
    /// The width of an interval that is narrow enough. One that is half as wide as the rate
    /// that was seen is, too.
    pub precision: f64,
    /// The highest rate that is accepted: with it, a test is known well enough when all
    /// rates that fit are on one side of it.
    pub max_rate: Option<f64>,
    /// Tests of which it is known that they are flaky.
    pub known: Vec<String>,
    /// How long the audit may take.
    pub time: Option<Duration>,
    /// How long one execution may take: one that takes longer has failed.
    pub timeout: Option<Duration>,
    /// How many interpreters must have agreed on a test; 1 where every process is one.
    pub interpreters: u64,
    /// The hash seed that all interpreters have, where it is given.
    pub hash_seed: Option<u64>,
    /// Whether several executions may run in one process, one after the other.
    pub chains: bool,
    /// Whether seeds that the code sets are varied: each test is then executed with its own as well.
    pub varies: bool,
}

impl AuditSettings {
    /// The defaults: 95 %, a width of 0.05, no limits.
    pub fn new(seed: RunSeed) -> Self {
        AuditSettings {
            seed,
            confidence: 0.95,
            precision: 0.05,
            max_rate: None,
            known: Vec::new(),
            time: None,
            timeout: None,
            interpreters: 1,
            hash_seed: None,
            chains: true,
            varies: false,
        }
    }

    /// Reads an option, `time`, `timeout`, `max_rate`, `precision`, `confidence`, `interpreters` or `known`
    /// (a file with the id of a test in each line), that was given by a flag.
    ///
    /// # Errors
    /// When the text makes no sense, or the file cannot be read.
    pub fn read(&mut self, option: &str, flag: &'static str, text: &str) -> Result<(), Error> {
        let share = || {
            let read = Probability::parse(text).map_err(|error| error.about(flag));
            read.map(|share| share.as_f64())
        };
        let duration = || parse_duration(text).map_err(|error| error.about(flag));
        match option {
            "time" => self.time = Some(duration()?),
            "timeout" => self.timeout = Some(duration()?),
            "max_rate" => self.max_rate = Some(share()?),
            "precision" => self.precision = share()?,
            "confidence" => self.confidence = share()?,
            "interpreters" => {
                let given = text.trim().parse().ok().filter(|count| *count >= 2);
                let refused = || {
                    Error::new(
                        "an audit needs at least two interpreters: a single one cannot show what depends on it",
                        format!("{flag} {text}"),
                        "write a whole number of 2 or more, such as 8",
                    )
                };
                self.interpreters = given.ok_or_else(refused)?;
            }
            _ => {
                let read = std::fs::read_to_string(text).map_err(|error| {
                    Error::new(
                        format!("the file of known tests cannot be read: {error}"),
                        format!("{flag} {text}"),
                        "name a text file with one test id per line",
                    )
                })?;
                let lines = read.lines().map(str::trim);
                let names = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
                self.known = names.map(String::from).collect();
            }
        }
        Ok(())
    }
}

/// A test, by its id and its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedTest {
    /// The id.
    pub test: String,
    /// The package, where it is known.
    pub package: Option<String>,
    /// The target of the package, where it is known.
    pub target: Option<String>,
    /// Why it is not executed.
    pub apart: Option<Exclusion>,
    /// What tells its code from what it becomes when it is changed: what a journal holds of
    /// other code does not count.
    pub code: String,
}

impl NamedTest {
    /// Names a test by its id alone.
    pub fn new(test: impl Into<String>) -> Self {
        NamedTest { test: test.into(), ..NamedTest::default() }
    }

    /// What tells it from every other test of the audit, and what its seeds are derived from.
    pub(super) fn id(&self) -> String {
        full_name(self.package.as_deref(), self.target.as_deref(), &self.test)
    }
}

/// Why a test is not executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// It is switched off, with the reason.
    Ignored(String),
    /// It could not be listed, so that nothing is known of it, with the reason.
    Unlisted(String),
    /// It has a claim of its own.
    Claimed,
}

/// What is to be executed next.
#[derive(Clone, Debug, PartialEq)]
pub enum NextOrder {
    /// Executions of one test.
    Order(Order),
    /// Nothing until an order that is under way has ended.
    Wait,
    /// Nothing more.
    Done,
}

/// Executions of one test in one process that has not executed it before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The test, by its place in the list that the audit began with.
    pub test: usize,
    /// The seeds of the executions, one after the other.
    pub seeds: Vec<u64>,
    /// No execution begins later than this after the first one.
    pub soon: Option<Duration>,
    /// Whether to find out where the test has its randomness from.
    pub watches: bool,
    /// Whether to vary the seeds that the code sets.
    pub varies: bool,
    /// The number of the interpreter; 0 where every process is one of its own.
    pub interpreter: u64,
    /// The number of the last new seed, with it or before it.
    pub(super) last: u64,
    pub(super) wanted: OrderPurpose,
}

impl ToJson for Order {
    fn to_json(&self) -> Value {
        Value::object(&[
            ("seeds", Always, &self.seeds),
            ("interpreter", Always, &self.interpreter),
            ("last", Always, &self.last),
            ("wanted", Always, &self.wanted),
        ])
    }
}

impl FromJson for Order {
    /// Reads an order that was made: how it was to run no longer matters.
    fn from_json(value: Value) -> Option<Self> {
        let mut members = value.into_members()?;
        Some(Order {
            test: 0,
            seeds: members.take("seeds")?,
            soon: None,
            watches: false,
            varies: false,
            interpreter: members.take("interpreter")?,
            last: members.take("last")?,
            wanted: members.take("wanted")?,
        })
    }
}

/// What came of an order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderResult {
    /// What the executions did, as far as there were some, in order.
    pub seen: Vec<Outcome>,
    /// Where the test has its randomness from, if that was found out.
    pub randomness: Option<Randomness>,
    /// Whether something drew that later executions in the process share, such as a fixture
    /// of a module.
    pub shares: bool,
    /// Whether the audit ended it: what the next execution would have done is not known.
    pub cut: bool,
    /// Whether the interpreter has not collected the test.
    pub uncollected: bool,
    /// What failed in its executions without failing them, one text for each of these.
    pub unnoticed: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

json_object!(OrderResult default {
    seen,
    randomness,
    shares,
    cut,
    uncollected,
    unnoticed,
    seconds,
});

impl OrderResult {
    /// What failed after the last execution, such as the end of its process, belongs to that one.
    pub(super) fn within(mut self, executions: usize) -> OrderResult {
        let beyond = self.seen.split_off(self.seen.len().min(executions));
        let is_failure = |outcome: &Outcome| matches!(outcome, Outcome::Failed(_));
        if let (Some(failure), Some(last)) =
            (beyond.into_iter().find(is_failure), self.seen.last_mut())
            && !is_failure(last)
        {
            *last = failure;
        }
        self
    }
}

/// What one execution did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed as it is marked to.
    Expected,
    /// It failed, with what it said.
    Failed(String),
    /// It skipped, with the reason.
    Skipped(String),
    /// It could not run, with the reason: nothing is known of it.
    NotRun(String),
}

json_variants!(Outcome {
    "passed" => Passed,
    "expected" => Expected,
    "failed" => Failed(message),
    "skipped" => Skipped(reason),
    "not_run" => NotRun(reason),
});

/// Where a test has its randomness from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Randomness {
    /// It has none.
    Nothing,
    /// It sets the same seeds in each execution, at these places.
    Fixed(Vec<String>),
}

json_variants!(Randomness {
    "nothing" => Nothing,
    "fixed" => Fixed(places),
});

/// An execution that a line to copy is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The test, by its place in the list that the audit began with.
    pub test: usize,
    /// The seed.
    pub seed: u64,
    /// The seed of the interpreter, where the result depends on it.
    pub interpreter: Option<u32>,
}
