//! What an audit has to find out, what it hands out, and what comes back.

use std::time::Duration;

use probtest_facts::json::Written::Always;
use probtest_facts::json::{FromJson, ToJson, Value};
use probtest_facts::{json_object, json_variants};
use probtest_syntax::parse_duration;

use super::tried::OrderPurpose;
use crate::claim::{Error, Probability};
use crate::report::full_name;
use crate::seed::RunSeed;

/// What an audit has to find out.
#[derive(Clone, Debug)]
pub struct AuditSettings {
    /// The seed from which the seeds of all executions are derived.
    pub seed: RunSeed,
    /// The probability, at least, that all intervals contain the true rates.
    pub confidence: f64,
    /// How narrow an interval must be. One that is at most half as wide as the observed rate is
    /// narrow enough, too.
    pub precision: f64,
    /// The highest rate you accept. A test is then known well enough once all rates that fit the
    /// data are on one side of it.
    pub max_rate: Option<f64>,
    /// Tests that are known to be flaky.
    pub known: Vec<String>,
    /// How long the audit may take.
    pub time: Option<Duration>,
    /// How long one execution may take; if it takes longer, it failed.
    pub timeout: Option<Duration>,
    /// How many interpreters must agree on a test; 1 if every process has its own.
    pub interpreters: u64,
    /// The hash seed of all interpreters, if it is set.
    pub hash_seed: Option<u64>,
    /// Whether several executions may run in one process, one after the other.
    pub chains: bool,
    /// Whether to vary the seeds that the code sets: each test then also runs with its own seeds.
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
    /// When the text is invalid, or the file can't be read.
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
                        "an audit needs at least two interpreters: one alone cannot show what depends on the interpreter",
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
    /// The package, if it is known.
    pub package: Option<String>,
    /// The target of the package, if it is known.
    pub target: Option<String>,
    /// Why it isn't run, if it isn't.
    pub apart: Option<Exclusion>,
    /// A fingerprint of its code, which changes when the code does: what a journal has from other
    /// code doesn't count.
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

/// Why a test isn't run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// It is turned off, with the reason.
    Ignored(String),
    /// It couldn't be listed, so nothing is known about it, with the reason.
    Unlisted(String),
    /// It has its own claim.
    Claimed,
}

/// What to run next.
#[derive(Clone, Debug, PartialEq)]
pub enum NextOrder {
    /// Executions of one test.
    Order(Order),
    /// Nothing until a running order has ended.
    Wait,
    /// Nothing more.
    Done,
}

/// Executions of one test in one process that hasn't run it before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The test, by its place in the list that the audit began with.
    pub test: usize,
    /// The seeds of the executions, one after the other.
    pub seeds: Vec<u64>,
    /// No execution may start later than this after the first one.
    pub soon: Option<Duration>,
    /// Whether to find out where the test gets its randomness from.
    pub watches: bool,
    /// Whether to vary the seeds that the code sets.
    pub varies: bool,
    /// The number of the interpreter; 0 if every process has its own.
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

/// The result of an order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderResult {
    /// What the executions did, in order.
    pub seen: Vec<Outcome>,
    /// Where the test gets its randomness from, if that was found out.
    pub randomness: Option<Randomness>,
    /// Whether something drew that later executions in the process share, such as a module's
    /// fixture.
    pub shares: bool,
    /// Whether the audit cut it short: what the next execution would have done isn't known.
    pub cut: bool,
    /// Whether the interpreter didn't collect the test.
    pub uncollected: bool,
    /// What failed in its executions without failing them, one message for each.
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
    /// It failed as its marker expects.
    Expected,
    /// It failed, with its message.
    Failed(String),
    /// It skipped, with the reason.
    Skipped(String),
    /// It couldn't run, with the reason: nothing is known about it.
    NotRun(String),
}

json_variants!(Outcome {
    "passed" => Passed,
    "expected" => Expected,
    "failed" => Failed(message),
    "skipped" => Skipped(reason),
    "not_run" => NotRun(reason),
});

/// Where a test gets its randomness from.
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

/// An execution that needs a line to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The test, by its place in the list that the audit began with.
    pub test: usize,
    /// The seed.
    pub seed: u64,
    /// The seed of the interpreter, if the result depends on it.
    pub interpreter: Option<u32>,
}
