//! The result of an audit: how flaky each test of a suite is.

use crate::form::{Version, forms, words};
use crate::test::Rate;

forms! {
    /// How flaky each test of a suite is: `probtest audit --json` and `pytest --probtest-audit`.
    ///
    /// The intervals of all tests hold together with probability at least `confidence`, whenever
    /// the audit ended.
    #[must_use = "facts say how flaky tests are: write them, or look at `audited`"]
    pub struct AuditFacts {
        /// The version of the JSON form.
        pub probtest: Version,
        /// The tests, those to look at first at the top.
        pub audited: Vec<AuditedTest>,
        /// The seed of the audit, as text: JSON numbers do not hold 64 bits.
        pub seed: String,
        /// The probability, at least, that all intervals contain the true rates.
        pub confidence: f64,
        /// How narrow an interval must be.
        pub precision: f64,
        /// The highest rate you accept.
        pub max_rate: Option<f64>,
        /// Why the audit ended.
        pub ended: AuditEnd,
        /// Executions of all tests, including those that repeated an earlier seed.
        pub executions: u64,
        /// How many processes they ran in.
        pub processes: u64,
        /// How many interpreters they were forked from, each with its own hash seed and its own
        /// random numbers on import; 0 if every process has its own interpreter.
        #[serde(default)]
        pub interpreters: u64,
        /// The hash seed of all interpreters, if `PYTHONHASHSEED` sets it.
        #[serde(default)]
        pub hash_seed: Option<u64>,
        /// The audit's time limit, in seconds; null without a limit.
        pub time: Option<f64>,
        /// How long the audit took, in seconds.
        pub seconds: f64,
        /// Tests that are listed as known to be flaky, but don't exist.
        #[serde(default)]
        pub unknown: Vec<String>,
    }

    /// How flaky one test is, and what that depends on.
    pub struct AuditedTest {
        /// The id of the test.
        pub test: String,
        /// The package, if it is known.
        pub package: Option<String>,
        /// The target of the package, such as `lib` or `test walk`, if it is known.
        pub target: Option<String>,
        /// How often it fails.
        pub outcome: AuditOutcome,
        /// What its result depends on; null if that isn't known.
        pub depends_on: Option<AuditCause>,
        /// Executions that count for the rate, each with its own seed.
        pub executed: u64,
        /// How many of them failed.
        pub failed: u64,
        /// How many failed as `xfail` expects.
        #[serde(default)]
        pub expected: u64,
        /// Executions that skipped; they don't count.
        #[serde(default)]
        pub skipped: u64,
        /// Executions that couldn't run, so nothing is known about them.
        #[serde(default)]
        pub not_run: u64,
        /// Executions that repeated an earlier seed, to find out what the result depends on.
        #[serde(default)]
        pub repeated: u64,
        /// Executions with their own seed that were still running when the audit ended. They count
        /// as failed for the highest rate that fits the data, and as passed for the lowest.
        #[serde(default)]
        pub unended: u64,
        /// How long the longest of these had been running, in seconds.
        #[serde(default)]
        pub unended_seconds: f64,
        /// How many interpreters it ran in; 0 if every process has its own interpreter.
        #[serde(default)]
        pub interpreters: u64,
        /// How many interpreters didn't collect it.
        #[serde(default)]
        pub uncollected: u64,
        /// Executions in which something failed without failing the test: a thread that wasn't
        /// joined, or a value that the test returned.
        #[serde(default)]
        pub unnoticed: u64,
        /// The message of the first of these.
        #[serde(default)]
        pub unnoticed_message: Option<String>,
        /// The failure rates that fit the data.
        pub rate: Option<Rate>,
        /// Whether the audit found out all it was asked to.
        pub decided: bool,
        /// Whether the test is listed as known to be flaky.
        #[serde(default)]
        pub known: bool,
        /// How it compares with the highest rate you accept; null if it has no rate.
        pub limit: Option<AuditLimit>,
        /// The seed of an execution that failed.
        pub seed: Option<String>,
        /// A line you can copy to rerun it.
        pub replay: Option<String>,
        /// The message of an execution that failed or skipped.
        pub message: Option<String>,
        /// Whether it passed with the seeds that its code sets, which other executions vary; null
        /// if that wasn't checked.
        #[serde(default)]
        pub own_seeds: Option<bool>,
        /// Where the test sets the same seeds in every execution.
        #[serde(default)]
        pub fixed_seeds: Vec<String>,
        /// How long its executions took, in seconds.
        pub seconds: f64,
        /// A summary on one line.
        pub summary: String,
    }
}

words! {
    /// Why an audit ended.
    pub enum AuditEnd {
        /// It found out everything.
        Decided = "decided",
        /// The time ran out.
        Time = "time",
        /// Someone stopped it.
        Interrupted = "interrupted",
    }

    /// How often a test fails.
    pub enum AuditOutcome {
        /// Sometimes, or with every seed except those that its code sets.
        Fails = "fails",
        /// In every execution.
        FailsAlways = "fails_always",
        /// In no execution.
        NeverFailed = "never_failed",
        /// An execution was still running when the audit ended, and none had finished.
        Unfinished = "unfinished",
        /// It didn't run: the audit ended first.
        NotReached = "not_reached",
        /// Every execution skipped.
        Skipped = "skipped",
        /// It couldn't be listed, or none of its executions could run.
        CouldNotRun = "could_not_run",
        /// It has its own claim, which decides how often it runs; the audit leaves it out.
        Claimed = "claimed",
    }

    /// What the result of a test depends on.
    pub enum AuditCause {
        /// The seed: the same seed gives the same result, other seeds give others.
        Seed = "seed",
        /// Earlier executions: it has one result alone, and another after itself in the same
        /// process.
        EarlierExecutions = "earlier_executions",
        /// Something else: the same seed gives different results.
        SomethingElse = "something_else",
        /// The interpreter: with the same seed, the result changes with the hash seed and the
        /// random numbers drawn on import.
        Interpreter = "interpreter",
        /// The seeds that its code sets: it passes with them and fails with nearly all others, as a
        /// test does that compares with hard-coded values.
        ExpectedValues = "expected_values",
        /// Nothing: all executions in an interpreter are copies of one.
        Nothing = "nothing",
    }

    /// How a rate compares with the highest rate you accept.
    pub enum AuditLimit {
        /// All rates that fit the data are above it.
        Above = "above",
        /// None of them is above it.
        Below = "below",
        /// Some of them are above it.
        Undecided = "undecided",
    }
}
