//! What an audit found out: how flaky each test of a suite is.

use crate::form::{Version, forms, words};
use crate::test::Rate;

forms! {
    /// How flaky each test of a suite is: `probtest audit --json` and `pytest --probtest-audit`.
    ///
    /// The intervals of all tests hold together with the confidence, whenever the audit ended.
    #[must_use = "facts say how flaky tests are: write them, or look at `audited`"]
    pub struct AuditFacts {
        /// The version of the form.
        pub probtest: Version,
        /// The tests, those to look at first in front.
        pub audited: Vec<AuditedTest>,
        /// The seed of the audit, as text: JSON numbers do not hold 64 bits.
        pub seed: String,
        /// How often all intervals together hold the true rates, at least.
        pub confidence: f64,
        /// The width of an interval that is narrow enough.
        pub precision: f64,
        /// The highest rate that is accepted.
        pub max_rate: Option<f64>,
        /// Why the audit ended.
        pub ended: AuditEnd,
        /// Executions of all tests, those with a seed that came before too.
        pub executions: u64,
        /// The processes that they ran in.
        pub processes: u64,
        /// The interpreters that they were forked from, each with its own hash seed and its own random
        /// numbers on import; 0 where every process is an interpreter of its own.
        #[serde(default)]
        pub interpreters: u64,
        /// The hash seed that all interpreters have, where it was given by `PYTHONHASHSEED`.
        #[serde(default)]
        pub hash_seed: Option<u64>,
        /// The time that the audit was given, in seconds; null without a limit.
        pub time: Option<f64>,
        /// How long it took.
        pub seconds: f64,
        /// Tests that were to be known and are not there.
        #[serde(default)]
        pub unknown: Vec<String>,
    }

    /// How flaky one test is, and what that depends on.
    pub struct AuditedTest {
        /// The id of the test.
        pub test: String,
        /// The package, where it is known.
        pub package: Option<String>,
        /// The target of the package, such as `lib` or `test walk`, where it is known.
        pub target: Option<String>,
        /// How often it fails.
        pub outcome: AuditOutcome,
        /// What its result depends on; null where that is not known.
        pub depends_on: Option<AuditCause>,
        /// Executions that count for the rate, each with a seed of its own.
        pub executed: u64,
        /// How many of them failed.
        pub failed: u64,
        /// How many failed as `xfail` expects.
        #[serde(default)]
        pub expected: u64,
        /// Executions that skipped, which do not count.
        #[serde(default)]
        pub skipped: u64,
        /// Executions that could not run, so that nothing is known of them.
        #[serde(default)]
        pub not_run: u64,
        /// Executions with a seed that came before, which tell what the result depends on.
        #[serde(default)]
        pub repeated: u64,
        /// Executions with a seed of their own that did not end before the audit did. They count as failed
        /// for the highest rate that fits, and as passed for the lowest.
        #[serde(default)]
        pub unended: u64,
        /// How long the longest of these had been running.
        #[serde(default)]
        pub unended_seconds: f64,
        /// The interpreters that it was executed in; 0 where every process is an interpreter of its own.
        #[serde(default)]
        pub interpreters: u64,
        /// The interpreters that have not collected it.
        #[serde(default)]
        pub uncollected: u64,
        /// Executions in which something failed without failing the test: a thread that nobody asked, or a
        /// value that the test returned.
        #[serde(default)]
        pub unnoticed: u64,
        /// What the first of these was.
        #[serde(default)]
        pub unnoticed_message: Option<String>,
        /// The failure rates that fit.
        pub rate: Option<Rate>,
        /// Whether all that was asked is known.
        pub decided: bool,
        /// Whether it was known that the test is flaky.
        #[serde(default)]
        pub known: bool,
        /// How it compares with the highest rate that is accepted; null where it has no rate.
        pub limit: Option<AuditLimit>,
        /// The seed of an execution that failed.
        pub seed: Option<String>,
        /// The line to copy that executes it again.
        pub replay: Option<String>,
        /// What an execution that failed, or skipped, said.
        pub message: Option<String>,
        /// Whether it passed with the seeds that its code sets, where those were varied otherwise; null
        /// where that was not looked at.
        #[serde(default)]
        pub own_seeds: Option<bool>,
        /// Where the test sets the same seeds in every execution.
        #[serde(default)]
        pub fixed_seeds: Vec<String>,
        /// How long its executions took.
        pub seconds: f64,
        /// All of it in one line.
        pub summary: String,
    }
}

words! {
    /// Why an audit ended.
    pub enum AuditEnd {
        /// Everything is known.
        Decided = "decided",
        /// The time was over.
        Time = "time",
        /// Somebody stopped it.
        Interrupted = "interrupted",
    }

    /// How often a test fails.
    pub enum AuditOutcome {
        /// Sometimes, or with every seed but those that its code sets.
        Fails = "fails",
        /// In every execution.
        FailsAlways = "fails_always",
        /// In none.
        NeverFailed = "never_failed",
        /// An execution did not finish before the audit ended, and none before it had ended.
        Unfinished = "unfinished",
        /// It was not executed: the audit ended before.
        NotReached = "not_reached",
        /// Every execution skipped.
        Skipped = "skipped",
        /// It could not be listed, or no execution of it could run.
        CouldNotRun = "could_not_run",
        /// It has a claim of its own, and is executed as often as that needs elsewhere.
        Claimed = "claimed",
    }

    /// What the result of a test depends on.
    pub enum AuditCause {
        /// The same seed gives the same result, another one another.
        Seed = "seed",
        /// Alone it has one result, after itself in one process another.
        EarlierExecutions = "earlier_executions",
        /// The same seed gives different results.
        SomethingElse = "something_else",
        /// The interpreter: the same seed gives one result with one hash seed and what was drawn on import
        /// with it, and another result with others.
        Interpreter = "interpreter",
        /// The seeds that its code sets: it passes with them, and fails with nearly all others, as one
        /// that compares with hard-coded values does.
        ExpectedValues = "expected_values",
        /// Nothing: all executions in an interpreter are copies of one.
        Nothing = "nothing",
    }

    /// How a rate compares with the highest one that is accepted.
    pub enum AuditLimit {
        /// All rates that fit are above.
        Above = "above",
        /// None of them is.
        Below = "below",
        /// Some are.
        Undecided = "undecided",
    }
}
