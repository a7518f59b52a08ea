//! Audit: how flaky are the tests that are there, and what do their results depend on?
//!
//! ```text
//! Audit::begin(tests, settings)
//!   next()    -> an order: which test, with which seeds, one after the other in one fresh process
//!   observe() <- what its executions did
//!   finish()  -> the facts
//! ```
//!
//! It alone decides which test is executed next, when a test is known well enough, which rates
//! fit, and what a result depends on. Whoever executes the orders decides nothing. Nothing here
//! calls user code, looks at a clock or prints.
//!
//! # Intervals
//!
//! A test is executed until it is known well enough, so the number of its executions depends on
//! what they did, and a Clopper-Pearson interval would cover too little. The intervals are those
//! of a [`ConfidenceSequence`], which hold whenever one stops. Each has the confidence
//! `1 - (1 - confidence) / tests`, so that all of them together hold with the confidence.
//!
//! # Causes
//!
//! One seed that failed and one that passed are executed again [`ALONE`] times, each time
//! alone in a fresh process. Where the seed decides, all of these agree with what was seen. Were
//! it not so, and the test failed with any rate `r`, that would happen with probability at most
//! `(r (1 - r))^ALONE`, which is at most `4^-10`, one in a million.

mod journal;
mod tried;

pub use journal::AuditJournal;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use probtest_facts::{AuditEnd, AuditFacts, AuditOutcome, AuditedTest, Version};
use probtest_syntax::parse_duration;
use serde::{Deserialize, Serialize};

use crate::claim::{Error, Probability};
use crate::judge::confidence::ConfidenceSequence;
use crate::report::audit_rank;
use crate::seed::{RunSeed, Stream};
use tried::{Tried, Wanted};

/// How often one seed is executed again, alone.
pub const ALONE: u64 = 10;
/// How often what came before it is executed again with it.
const TOGETHER: u64 = 5;
/// The executions of the first order: enough to see whether a test draws at all.
const FIRST: u64 = 4;
/// The most executions of one order.
const MOST: u64 = 256;
/// How long an order may go on beginning executions: the first one of a test, and any other.
const SOON: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(1)];

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
    /// Whether several executions may run in one process, one after the other.
    pub chains: bool,
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
            chains: true,
        }
    }

    /// Reads an option, `time`, `max_rate`, `precision`, `confidence` or `known` (a file with the id
    /// of a test in each line), that was given by a flag.
    ///
    /// # Errors
    /// When the text makes no sense, or the file cannot be read.
    pub fn read(&mut self, option: &str, flag: &'static str, text: &str) -> Result<(), Error> {
        let share = || {
            let read = Probability::parse(text).map_err(|error| error.about(flag));
            read.map(|share| share.as_f64())
        };
        match option {
            "time" => {
                self.time = Some(parse_duration(text).map_err(|error| error.about(flag))?);
            }
            "max_rate" => self.max_rate = Some(share()?),
            "precision" => self.precision = share()?,
            "confidence" => self.confidence = share()?,
            _ => {
                let read = std::fs::read_to_string(text).map_err(|error| {
                    Error::new(
                        format!("the file of known tests cannot be read: {error}"),
                        format!("{flag} {text}"),
                        "name a text file with the id of a test in each line",
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
pub struct Named {
    /// The id.
    pub test: String,
    /// The package, where it is known.
    pub package: Option<String>,
    /// The target of the package, where it is known.
    pub target: Option<String>,
    /// Why it is not executed.
    pub apart: Option<Apart>,
}

impl Named {
    /// Names a test by its id alone.
    pub fn new(test: impl Into<String>) -> Self {
        Named {
            test: test.into(),
            ..Named::default()
        }
    }

    /// What tells it from every other test of the audit, and what its seeds are derived from.
    fn id(&self) -> String {
        let place = [&self.package, &self.target].map(|part| part.as_deref().unwrap_or_default());
        match place {
            ["", ""] => self.test.clone(),
            [package, target] => format!("{package} {target} {}", self.test),
        }
    }
}

/// Why a test is not executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apart {
    /// It is switched off, with the reason.
    Ignored(String),
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The test, by its place in the list that the audit began with.
    #[serde(skip)]
    pub test: usize,
    /// The seeds of the executions, one after the other.
    pub seeds: Vec<u64>,
    /// No execution begins later than this after the first one.
    #[serde(skip)]
    pub soon: Option<Duration>,
    /// Whether to find out where the test has its randomness from.
    #[serde(skip)]
    pub watches: bool,
    /// The number of the last new seed, with it or before it.
    last: u64,
    wanted: Wanted,
}

/// What came of an order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Made {
    /// What the executions did, as far as there were some, in order.
    pub seen: Vec<Outcome>,
    /// Where the test has its randomness from, if that was found out.
    pub randomness: Option<Randomness>,
    /// Whether something drew that later executions in the process share, such as a fixture
    /// of a module.
    pub shares: bool,
    /// Whether the audit ended it.
    pub cut: bool,
    /// How long it took.
    pub seconds: f64,
}

/// What one execution did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed as it is marked to.
    Expected,
    /// It failed, with what it said.
    Failed(String),
    /// It skipped, with the reason.
    Skipped(String),
}

/// Where a test has its randomness from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Randomness {
    /// It has none.
    Nothing,
    /// It sets the same seeds in each execution, at these places.
    Fixed(Vec<String>),
}

/// An audit under way.
#[derive(Debug)]
pub struct Audit {
    settings: AuditSettings,
    sequence: ConfidenceSequence,
    tests: Vec<Tried>,
    processes: u64,
    elapsed: Duration,
    is_over: bool,
    is_interrupted: bool,
    journal: Option<AuditJournal>,
}

impl Audit {
    /// Begins an audit of these tests.
    ///
    /// # Errors
    /// When there is no test, two tests have one id, or a probability of the settings is not
    /// strictly between 0 and 1.
    ///
    /// ```
    /// use probtest::audit::{Audit, AuditSettings, Made, Named, NextOrder, Outcome};
    /// use probtest::seed::RunSeed;
    /// use std::time::Duration;
    ///
    /// let mut audit = Audit::begin(vec![Named::new("coin")], AuditSettings::new(RunSeed(7)))?;
    /// while let NextOrder::Order(order) = audit.next(Duration::ZERO) {
    ///     let flip = |seed: &u64| match seed % 2 {
    ///         0 => Outcome::Passed,
    ///         _ => Outcome::Failed("tails".into()),
    ///     };
    ///     let seen = order.seeds.iter().map(flip).collect();
    ///     audit.observe(&order, Made { seen, ..Made::default() });
    /// }
    /// let facts = audit.finish(|_, _| None);
    /// let rate = facts.audited[0].rate.as_ref().unwrap();
    /// assert!(rate.low < 0.5 && 0.5 < rate.high);
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn begin(tests: Vec<Named>, settings: AuditSettings) -> Result<Audit, Error> {
        let executed = tests.iter().filter(|test| test.apart.is_none()).count();
        if tests.is_empty() {
            return Err(Error::new(
                "there is no test to audit",
                "0 tests",
                "name tests that there are",
            ));
        }
        let mut ids = BTreeSet::new();
        if let Some(twice) = tests.iter().find(|test| !ids.insert(test.id())) {
            return Err(Error::new(
                "two tests have one id",
                twice.id(),
                "audit them one after the other",
            ));
        }
        for (name, value) in [
            ("precision", Some(settings.precision)),
            ("highest rate", settings.max_rate),
        ] {
            if value.is_some_and(|value| !(value > 0.0 && value < 1.0)) {
                return Err(Error::new(
                    format!("the {name} is not strictly between 0 and 1"),
                    format!("{:?}", value.unwrap_or_default()),
                    "write a probability such as 0.01",
                ));
            }
        }
        // That it is a probability is looked at as it was given.
        ConfidenceSequence::new(settings.confidence)?;
        let left = (1.0 - settings.confidence) / executed.max(1) as f64;
        Ok(Audit {
            sequence: ConfidenceSequence::new(1.0 - left)?,
            tests: tests.into_iter().map(Tried::new).collect(),
            settings,
            processes: 0,
            elapsed: Duration::ZERO,
            is_over: false,
            is_interrupted: false,
            journal: None,
        })
    }

    /// Goes on where a journal ends, and keeps in it what is observed from now on.
    ///
    /// # Errors
    /// When the journal is of another audit, or cannot be read or written.
    pub fn keep(&mut self, mut journal: AuditJournal) -> Result<(), Error> {
        let ids = (0..).zip(&self.tests);
        let places: BTreeMap<String, usize> =
            ids.map(|(place, test)| (test.named.id(), place)).collect();
        for (id, order, made) in journal.begin(self.settings.seed)? {
            if let Some(test) = places.get(&id) {
                self.take(
                    &Order {
                        test: *test,
                        ..order
                    },
                    made,
                );
            }
        }
        self.journal = Some(journal);
        Ok(())
    }

    /// Says what is to be executed next, after so much time.
    pub fn next(&mut self, elapsed: Duration) -> NextOrder {
        self.elapsed = elapsed;
        self.is_over |= self.settings.time.is_some_and(|time| elapsed >= time);
        if self.is_over || self.is_interrupted {
            return NextOrder::Done;
        }
        let wanted = (0..).zip(&self.tests).filter_map(|(place, test)| {
            let wanted = test.wanted(&self.sequence, &self.settings)?;
            Some((test.urgency(wanted), place, wanted))
        });
        let first = wanted.min_by(|one, other| one.0.total_cmp(&other.0));
        let Some((_, place, wanted)) = first else {
            let under_way = self.tests.iter().any(|test| test.under_way > 0);
            return if under_way {
                NextOrder::Wait
            } else {
                NextOrder::Done
            };
        };
        NextOrder::Order(self.order(place, wanted))
    }

    fn order(&mut self, place: usize, wanted: Wanted) -> Order {
        let test = &mut self.tests[place];
        let stream = Stream::new(self.settings.seed, &test.named.id());
        // As programs get them: more than 31 bits do not fit into every integer.
        let seed = |index| stream.execution(index).execution_seed() >> 33;
        let seeds = match test.again(wanted) {
            Some(seeds) => seeds,
            None => {
                let first = test.handed + 1;
                test.handed += test.length(&self.settings);
                (first..=test.handed).map(seed).collect()
            }
        };
        test.under_way += 1;
        test.begin(wanted);
        Order {
            test: place,
            seeds,
            last: test.handed,
            // All that came before it belongs to what is executed again.
            soon: (wanted == Wanted::New).then_some(SOON[usize::from(test.executions > 0)]),
            watches: wanted == Wanted::New && !test.is_watched,
            wanted,
        }
    }

    /// Takes what came of an order.
    pub fn observe(&mut self, order: &Order, made: Made) {
        let test = &mut self.tests[order.test];
        test.under_way = test.under_way.saturating_sub(1);
        test.end(order.wanted);
        if let Some(journal) = &mut self.journal
            && !made.cut
        {
            journal.add(&test.named.id(), order, &made);
        }
        self.take(order, made);
    }

    fn take(&mut self, order: &Order, made: Made) {
        self.processes += 1;
        let test = &mut self.tests[order.test];
        test.handed = test.handed.max(order.last);
        test.take(order.wanted, &order.seeds, made);
    }

    /// Ends the audit: nothing more is handed out.
    pub fn interrupt(&mut self) {
        self.is_interrupted = true;
    }

    /// The tests that have been decided since this was asked last, as far as something is to
    /// be said about them.
    pub fn news(&mut self) -> Vec<AuditedTest> {
        let (sequence, settings) = (&self.sequence, &self.settings);
        let decided = self.tests.iter_mut().filter(|test| {
            !test.is_told && test.failing.is_some() && test.is_decided(sequence, settings)
        });
        let tell = |test: &mut Tried| {
            test.is_told = true;
            test.facts(sequence, settings)
        };
        decided.map(tell).collect()
    }

    /// How many tests are known well enough, and how many there are.
    pub fn progress(&self) -> (usize, usize) {
        let decided = |test: &&Tried| test.is_decided(&self.sequence, &self.settings);
        (self.tests.iter().filter(decided).count(), self.tests.len())
    }

    /// Returns the facts. `replay` writes the line that executes a test again with a seed: it
    /// is given the place of the test and the seed.
    pub fn finish(mut self, replay: impl Fn(usize, u64) -> Option<String>) -> AuditFacts {
        let mut audited: Vec<AuditedTest> = (0..)
            .zip(&self.tests)
            .map(|(place, test)| {
                let mut facts = test.facts(&self.sequence, &self.settings);
                let seed = test.failing.as_ref().and_then(|sample| sample.replayable());
                facts.replay = seed.and_then(|seed| replay(place, seed));
                facts
            })
            .collect();
        let names: BTreeSet<&str> = audited.iter().map(|test| test.test.as_str()).collect();
        let known = self.settings.known.iter();
        let unknown = known
            .filter(|name| !names.contains(name.as_str()))
            .cloned()
            .collect();
        let undecided = audited.iter().any(|test| {
            !test.decided
                || matches!(
                    test.outcome,
                    AuditOutcome::NotReached | AuditOutcome::Unfinished
                )
        });
        if let Some(journal) = &mut self.journal
            && !undecided
        {
            journal.end();
        }
        audited.sort_by(|one, other| audit_rank(one).total_cmp(&audit_rank(other)));
        AuditFacts {
            probtest: Version,
            audited,
            seed: self.settings.seed.to_string(),
            confidence: self.settings.confidence,
            precision: self.settings.precision,
            max_rate: self.settings.max_rate,
            ended: match (self.is_interrupted, undecided) {
                (true, _) => AuditEnd::Interrupted,
                (_, true) => AuditEnd::Time,
                _ => AuditEnd::Decided,
            },
            executions: self.tests.iter().map(|test| test.executions).sum(),
            processes: self.processes,
            time: self.settings.time.map(|time| time.as_secs_f64()),
            seconds: self.elapsed.as_secs_f64(),
            unknown,
        }
    }
}
