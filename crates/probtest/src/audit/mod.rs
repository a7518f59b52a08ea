//! Audit: how flaky are existing tests, and what do their results depend on?
//!
//! ```text
//! Audit::begin(tests, settings)
//!   next()    -> an order: which test, with which seeds, one after the other in one fresh process
//!   observe() <- what its executions did
//!   finish()  -> the facts
//! ```
//!
//! It alone decides which test runs next, when a test is known well enough, which rates fit, and
//! what a result depends on. Whatever runs the orders decides nothing. Nothing here calls user
//! code, reads a clock or prints.
//!
//! # Intervals
//!
//! A test runs until it is known well enough, so the number of its executions depends on what they
//! did, and a Clopper-Pearson interval would cover too little. The intervals come from a
//! [`ConfidenceSequence`], which is valid whenever you stop, at `1 - (1 - confidence) / tests`
//! each, so that all of them together hold with probability `confidence`. With a journal, `tests`
//! counts all tests that were audited under its seed: a test that runs again because it failed was
//! chosen among all of them.
//!
//! An execution that was still running when the audit ended counts as failed for the highest rate
//! that fits, and as passed for the lowest. Only the first execution of a process counts. Some
//! orders have more, to see what a process keeps from one to the next and whether anything is
//! random.
//!
//! # Causes
//!
//! One seed that failed and one that passed run [`ALONE`] more times, each time alone in a fresh
//! process. If the seed decides, all of these agree with what was seen. If it doesn't, and the test
//! fails at any rate `r`, they agree with probability at most `(r (1 - r))^ALONE`, which is at most
//! `4^-10`, one in a million.
//!
//! An execution that came after others in its process, and does something else each time it is
//! alone, runs again after the same ones, in its own interpreter. Only if it always repeats there
//! what it did at first does its result depend on earlier executions.
//!
//! If constant seeds are varied, a test first runs once with its own. If it passes, but fails with
//! nearly all other seeds, at a rate above [`NEARLY`], it runs [`ALONE`] times with its own. If
//! these seeds didn't matter, it would pass every time with probability at most `(1 -
//! NEARLY)^ALONE`, one in ten million.
//!
//! # Interpreters
//!
//! Processes that are forked from an interpreter share its hash seed and what was drawn while it
//! imported modules. So orders name an interpreter, and several of them have to agree on a test
//! before it is decided ([`AuditSettings::interpreters`]). A test whose result depends on the
//! interpreter for a share `q` of them is missed with probability `q^m + (1 - q)^m` when `m` have
//! agreed.
//!
//! [`ELSEWHERE`] of the executions with the same seed run in other interpreters, among them the one
//! in which the other result was seen. If these disagree, the seed runs [`ALONE`] more times in one
//! interpreter of each result. The interpreter decides if both repeat their results; by chance that
//! has probability at most `4^-10`. Then each interpreter is one observation: only the first
//! execution in each counts. Otherwise the first executions of all processes count, and the
//! interval holds for the interpreters that were started, whose number is reported next to it.

mod accepted;
mod journal;
mod order;
mod sample;
mod tried;

pub use accepted::accept;
pub use journal::AuditJournal;
pub use order::{
    AuditSettings, Exclusion, NamedTest, NextOrder, Order, OrderResult, Outcome, Randomness,
    Replayed,
};

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use probtest_facts::{AuditCause, AuditEnd, AuditFacts, AuditOutcome, AuditedTest, Version};

use crate::claim::Error;
use crate::judge::confidence::ConfidenceSequence;
use crate::seed::Stream;
use accepted::{Accepted, check};
use tried::{OrderPurpose, TriedTest};

/// How often one seed is executed again, alone.
pub const ALONE: u64 = 10;
/// A test that fails at a higher rate than this, though not with its own seeds, has expected values.
pub const NEARLY: f64 = 0.8;
/// How many of these run in other interpreters than the first, where there are several.
pub const ELSEWHERE: u64 = ALONE / 2;
/// How often what came before it is executed again with it.
const TOGETHER: u64 = 5;
/// The executions of the first order: enough to see whether a test draws at all.
const FIRST: u64 = 4;
/// The most executions of one order.
const MOST: u64 = 256;
/// How long an order may go on beginning executions: the first one of a test, and any other.
const SOON: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(1)];

/// A running audit.
#[derive(Debug)]
pub struct Audit {
    settings: AuditSettings,
    accepted: Accepted,
    sequence: ConfidenceSequence,
    tests: Vec<TriedTest>,
    queue: TestQueue,
    under_way: u64,
    /// The tests of which something was observed since [`Audit::news`] was last asked.
    changed: BTreeSet<usize>,
    /// The interpreters that orders were handed out for.
    interpreters: u64,
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
    /// When there is no test, two tests have the same id, or a probability of the settings is not
    /// strictly between 0 and 1.
    ///
    /// ```
    /// use probtest::audit::{Audit, AuditSettings, OrderResult, NamedTest, NextOrder, Outcome};
    /// use probtest::seed::RunSeed;
    /// use std::time::Duration;
    ///
    /// let mut audit = Audit::begin(vec![NamedTest::new("coin")], AuditSettings::new(RunSeed(7)))?;
    /// while let NextOrder::Order(order) = audit.next(Duration::ZERO) {
    ///     let flip = |seed: &u64| match seed % 2 {
    ///         0 => Outcome::Passed,
    ///         _ => Outcome::Failed("tails".into()),
    ///     };
    ///     let seen = order.seeds.iter().map(flip).collect();
    ///     audit.observe(&order, OrderResult { seen, ..OrderResult::default() });
    /// }
    /// let facts = audit.finish(|_| None);
    /// let rate = facts.audited[0].rate.as_ref().unwrap();
    /// assert!(rate.low < 0.5 && 0.5 < rate.high);
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn begin(tests: Vec<NamedTest>, settings: AuditSettings) -> Result<Audit, Error> {
        let executed = tests.iter().filter(|test| test.apart.is_none()).count();
        if tests.is_empty() {
            return Err(Error::new(
                "there are no tests to audit",
                "0 tests",
                "name tests that exist",
            ));
        }
        let mut ids = BTreeSet::new();
        if let Some(twice) = tests.iter().find(|test| !ids.insert(test.id())) {
            return Err(Error::new(
                "two tests have the same id",
                twice.id(),
                "audit them separately",
            ));
        }
        check("precision", Some(settings.precision))?;
        let names: Vec<_> = tests.iter().map(|test| (test.id(), &*test.test)).collect();
        let accepted = Accepted::find(settings.max_rate, &settings.known, &names)?;
        // Refused as it was given, before it is divided.
        ConfidenceSequence::new(settings.confidence)?;
        let sequence = together(&settings, executed)?;
        let tests: Vec<TriedTest> =
            tests.into_iter().map(|test| TriedTest::new(test, &settings)).collect();
        let mut queue = TestQueue::default();
        for (place, test) in tests.iter().enumerate() {
            queue.put(place, test, &settings);
        }
        Ok(Audit {
            sequence,
            tests,
            queue,
            under_way: 0,
            changed: BTreeSet::new(),
            interpreters: 0,
            settings,
            accepted,
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
        self.sequence = together(&self.settings, journal.together(self.settings.seed))?;
        for (id, order, made) in journal.begin(self.settings.seed)? {
            if let Some(test) = places.get(&id) {
                self.take(&Order { test: *test, ..order }, made);
            }
        }
        self.journal = Some(journal);
        Ok(())
    }

    /// Says what to execute next, after this much time, where every process is an interpreter of its own.
    pub fn next(&mut self, elapsed: Duration) -> NextOrder {
        self.next_of(elapsed, std::iter::once(0))
    }

    /// Says what to execute next, after this much time, and in which interpreter: in the present one
    /// if something is wanted there, else in one to start. Never in the others, which are busy.
    pub fn next_in(
        &mut self,
        elapsed: Duration,
        present: Option<u64>,
        others: &[u64],
    ) -> NextOrder {
        let unexplained = self.queue.unexplained.iter();
        let targets = unexplained.flat_map(|place| self.tests[*place].targets());
        let targets: Vec<u64> = targets.filter(|at| !others.contains(at)).collect();
        let fresh = self.interpreters + 1;
        self.next_of(elapsed, present.into_iter().chain(targets).chain([fresh]))
    }

    fn next_of(
        &mut self,
        elapsed: Duration,
        interpreters: impl IntoIterator<Item = u64>,
    ) -> NextOrder {
        self.elapsed = elapsed;
        self.is_over |= self.settings.time.is_some_and(|time| elapsed >= time);
        if self.is_over || self.is_interrupted {
            return NextOrder::Done;
        }
        let first = interpreters.into_iter().find_map(|interpreter| {
            let first = self.queue.first(&self.tests, &self.settings, interpreter)?;
            Some((interpreter, first))
        });
        match first {
            Some((interpreter, (place, wanted))) => {
                NextOrder::Order(self.order(place, wanted, interpreter))
            }
            None if self.under_way > 0 => NextOrder::Wait,
            None => NextOrder::Done,
        }
    }

    fn order(&mut self, place: usize, wanted: OrderPurpose, interpreter: u64) -> Order {
        let test = &mut self.tests[place];
        let stream = Stream::new(self.settings.seed, &test.named.id());
        // As programs get them: more than 31 bits do not fit into every integer.
        let seed = |index| stream.execution(index).execution_seed() >> 33;
        let seeds = match test.again(wanted) {
            Some(seeds) => seeds,
            None => {
                let first = test.handed + 1;
                test.handed += match wanted {
                    OrderPurpose::Own => 1,
                    _ => test.length(&self.settings),
                };
                (first..=test.handed).map(seed).collect()
            }
        };
        let order = Order {
            test: place,
            seeds,
            last: test.handed,
            // All that came before it belongs to what is executed again.
            soon: (wanted == OrderPurpose::New).then_some(SOON[usize::from(test.executions > 0)]),
            watches: wanted == OrderPurpose::New && !test.is_watched,
            varies: self.settings.varies && wanted != OrderPurpose::Own,
            interpreter,
            wanted,
        };
        test.begin(wanted, interpreter);
        self.under_way += 1;
        self.interpreters = self.interpreters.max(interpreter);
        self.queue.put(place, test, &self.settings);
        order
    }

    /// The seed of an interpreter: of its hashes, and of what is drawn on import.
    pub fn interpreter_seed(&self, interpreter: u64) -> u32 {
        let stream = Stream::new(self.settings.seed, "interpreter");
        (stream.execution(interpreter).execution_seed() >> 32) as u32
    }

    /// Takes back an order that was not begun.
    pub fn take_back(&mut self, order: &Order) {
        let test = &mut self.tests[order.test];
        test.end(order);
        self.under_way = self.under_way.saturating_sub(1);
        self.queue.put(order.test, test, &self.settings);
    }

    /// Takes what came of an order.
    pub fn observe(&mut self, order: &Order, made: OrderResult) {
        self.take_back(order);
        let not_run = |outcome: &Outcome| matches!(outcome, Outcome::NotRun(_));
        // What could not run today may tomorrow.
        if let Some(journal) = &mut self.journal
            && !made.seen.iter().any(not_run)
        {
            journal.add(&self.tests[order.test].named.id(), order, &made);
        }
        self.take(order, made);
    }

    fn take(&mut self, order: &Order, made: OrderResult) {
        self.processes += 1;
        self.interpreters = self.interpreters.max(order.interpreter);
        let test = &mut self.tests[order.test];
        test.handed = test.handed.max(order.last);
        test.take(order, made.within(order.seeds.len()), &self.sequence);
        self.queue.put(order.test, test, &self.settings);
        self.changed.insert(order.test);
    }

    /// Ends the audit: nothing more is handed out.
    pub fn interrupt(&mut self) {
        self.is_interrupted = true;
    }

    /// The tests that have failed and have been decided since this was last asked.
    pub fn news(&mut self) -> Vec<AuditedTest> {
        let mut news = Vec::new();
        for place in std::mem::take(&mut self.changed) {
            let test = &mut self.tests[place];
            if !test.is_told && test.failing.is_some() && test.is_decided(&self.settings) {
                test.is_told = true;
                news.push(test.facts(&self.settings));
            }
        }
        news
    }

    /// How many tests are known well enough, and how many there are.
    pub fn progress(&self) -> (usize, usize) {
        let decided = |test: &&TriedTest| test.is_decided(&self.settings);
        (self.tests.iter().filter(decided).count(), self.tests.len())
    }

    /// Returns the facts. `replay` writes the line that executes a test again with a seed.
    pub fn finish(mut self, replay: impl Fn(Replayed) -> Option<String>) -> AuditFacts {
        let audited: Vec<AuditedTest> = (0..)
            .zip(&self.tests)
            .map(|(place, test)| {
                let mut facts = test.facts(&self.settings);
                let failing = test.failing.as_ref();
                // Where the seed does not decide, a line would not either.
                let failing =
                    failing.filter(|_| facts.depends_on != Some(AuditCause::SomethingElse));
                // Where it is not known what decides, the interpreter may.
                let of_interpreter = match facts.depends_on {
                    None => facts.outcome == AuditOutcome::Fails && facts.interpreters > 0,
                    ref cause => *cause == Some(AuditCause::Interpreter),
                };
                let replayed = failing.and_then(|sample| {
                    Some(Replayed {
                        test: place,
                        seed: sample.replayable()?,
                        interpreter: of_interpreter
                            .then(|| self.interpreter_seed(sample.interpreter)),
                    })
                });
                facts.replay = replayed.and_then(&replay);
                facts
            })
            .collect();
        let undecided = audited.iter().any(|test| {
            !test.decided
                || matches!(test.outcome, AuditOutcome::NotReached | AuditOutcome::Unfinished)
        });
        if let Some(journal) = &mut self.journal
            && !undecided
        {
            journal.end();
        }
        let mut facts = AuditFacts {
            probtest: Version,
            audited,
            seed: self.settings.seed.to_string(),
            confidence: self.settings.confidence,
            precision: self.settings.precision,
            max_rate: None,
            ended: match (self.is_interrupted, undecided) {
                (true, _) => AuditEnd::Interrupted,
                (_, true) => AuditEnd::Time,
                _ => AuditEnd::Decided,
            },
            executions: self.tests.iter().map(|test| test.executions).sum(),
            processes: self.processes,
            interpreters: self.interpreters,
            hash_seed: self.settings.hash_seed,
            time: self.settings.time.map(|time| time.as_secs_f64()),
            seconds: self.elapsed.as_secs_f64(),
            unknown: Vec::new(),
        };
        self.accepted.apply_to(&mut facts);
        facts
    }
}

/// The intervals of this many tests, all of which hold with the confidence of the settings.
fn together(settings: &AuditSettings, tests: usize) -> Result<ConfidenceSequence, Error> {
    let left = (1.0 - settings.confidence) / tests.max(1) as f64;
    ConfidenceSequence::new(1.0 - left)
}

/// The tests that something is wanted of, in the order in which they come.
#[derive(Debug, Default)]
struct TestQueue {
    /// The place in the order of those that are not decided.
    keys: BTreeMap<usize, u64>,
    ordered: BTreeSet<(u64, usize)>,
    /// Those of which it is not known what their result depends on.
    unexplained: BTreeSet<usize>,
}

impl TestQueue {
    /// Puts a test where it belongs after a change.
    fn put(&mut self, place: usize, test: &TriedTest, settings: &AuditSettings) {
        // Numbers that are not negative are ordered as their bits are.
        let key = test.is_open(settings).then(|| test.urgency().max(0.0).to_bits());
        let old = match key {
            Some(key) => self.keys.insert(place, key),
            None => self.keys.remove(&place),
        };
        if let Some(old) = old {
            self.ordered.remove(&(old, place));
        }
        self.ordered.extend(key.map(|key| (key, place)));
        match key.is_some() && !test.is_explained(settings) {
            true => self.unexplained.insert(place),
            false => self.unexplained.remove(&place),
        };
    }

    /// Finds what is to be executed next in an interpreter: tests that nothing is known of, causes,
    /// then those that had least time.
    fn first(
        &self,
        tests: &[TriedTest],
        settings: &AuditSettings,
        interpreter: u64,
    ) -> Option<(usize, OrderPurpose)> {
        let explains = |place: &usize| {
            let wanted = tests[*place].explaining(settings, interpreter)?;
            Some((*place, wanted))
        };
        let new = |place: usize| {
            let is_new = tests[place].wants_new(settings, interpreter);
            is_new.then_some((place, OrderPurpose::New))
        };
        let (_, first) = self.ordered.first()?;
        if tests[*first].executions == 0 {
            return explains(first).or_else(|| new(*first));
        }
        self.unexplained
            .iter()
            .find_map(explains)
            .or_else(|| self.ordered.iter().find_map(|(_, place)| new(*place)))
    }
}
