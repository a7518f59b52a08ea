//! The results of a run.

use crate::form::{Version, forms, words};
use crate::test::{Share, TestFacts};

forms! {
    /// The results of many tests: what `pytest --probtest-json` and `probtest report --json` write.
    ///
    /// `T` is one result: [`TestFacts`], or text that hasn't been read yet.
    #[derive(Default)]
    pub struct ManyTests<T = TestFacts> {
        /// The version of the JSON form.
        pub probtest: Version,
        /// The results.
        pub tests: Vec<T>,
        /// What the tests of one run promise together.
        pub suite: Option<SuiteFacts>,
        /// In a report: the `suite` of each file, without repeats.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub suites: Vec<SuiteFacts>,
        /// In a report: sums over the tests.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub totals: Option<Totals>,
        /// In a report: what the tests that passed without doubt promise together.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub promise: Option<Promise>,
        /// In a report: what runs of the same code show together.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub evidence: Vec<EvidenceFacts>,
    }

    /// What runs of the same code show together.
    #[derive(Default)]
    #[serde(default)]
    pub struct EvidenceFacts {
        /// The id of the test.
        pub test: String,
        /// The claim as one line of text.
        pub claim_words: String,
        /// A fingerprint of the code, which changes when the code does.
        pub code: Option<String>,
        /// How many runs there are; runs with the same seed count once.
        pub runs: u64,
        /// The executions of all these runs.
        pub executed: u64,
        /// How many of those violated.
        pub violated: u64,
        /// The lowest violation rate that fits the data, with confidence 0.95.
        pub low: Option<f64>,
        /// The highest violation rate that fits the data.
        pub high: Option<f64>,
        /// How the rate differs from that of the code before, if chance doesn't explain it.
        pub change: Option<RateChange>,
        /// What the runs show together, as a sentence.
        pub words: String,
    }

    /// What the tests of one run promise together.
    #[derive(Default)]
    #[serde(default)]
    pub struct SuiteFacts {
        /// The package of the tests, if it is known.
        pub package: Option<String>,
        /// The results of the tests that share an epsilon.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub epsilon: Option<SuiteEpsilon>,
        /// The results of the tests that share a chance of false alarms.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub false_alarm: Option<SuiteFalseAlarm>,
    }

    /// The results of the tests that share an epsilon.
    #[derive(Default)]
    #[serde(default)]
    pub struct SuiteEpsilon {
        /// What they share.
        #[serde(flatten)]
        pub share: Share,
        /// How many of them ran.
        pub executed: u64,
        /// How many passed within budget.
        pub within_budget: u64,
        /// How many ran more than once.
        pub repeated: u64,
        /// A bound on the probability that one or more tests pass although their claim is violated;
        /// null if nothing bounds it.
        pub bound: Option<f64>,
        /// The same as sentences.
        pub words: Vec<String>,
    }

    /// The results of the tests that share a chance of false alarms.
    #[derive(Default)]
    #[serde(default)]
    pub struct SuiteFalseAlarm {
        /// What they share.
        #[serde(flatten)]
        pub share: Share,
        /// How many of them tolerate a rate.
        pub tolerating: u64,
        /// How many of them claim a mean or labels.
        pub numeric: u64,
        /// How many of them fail at their first violation.
        pub strict: u64,
        /// How many tests that promise something about false alarms ended without a verdict.
        pub undecided: u64,
        /// The same as sentences.
        pub words: Vec<String>,
    }

    /// Sums over the tests of a report.
    #[derive(Default)]
    #[serde(default)]
    pub struct Totals {
        /// How many tests there are.
        pub tests: u64,
        /// How many tests have which status.
        pub status: StatusCounts,
        /// Executions in all results.
        pub executed: u64,
        /// Attempts in all results that were rejected and retried.
        pub rejected: u64,
        /// Seconds that all results took.
        pub seconds: f64,
    }

    /// How many tests have which status.
    #[derive(Copy, Default, Eq)]
    #[serde(default)]
    pub struct StatusCounts {
        /// There is evidence against their claim.
        pub violated: u64,
        /// Nothing was decided.
        pub inconclusive: u64,
        /// Their verdict comes from a later version.
        pub unknown: u64,
        /// They are shards of a test that weren't merged.
        pub partial: u64,
        /// They passed, but with a doubt.
        pub doubtful: u64,
        /// They passed within a budget, with less than their claim, which they accept.
        pub within_budget: u64,
        /// Their rate was estimated.
        pub estimated: u64,
        /// They passed.
        pub passed: u64,
    }

    /// What the tests that passed without doubt promise together.
    #[derive(Copy, Default)]
    #[serde(default)]
    pub struct Promise {
        /// How many tests these are.
        pub counted: u64,
        /// How many of them achieved less than their claim.
        pub within_budget: u64,
        /// The largest chance that one misses what it looks for.
        pub miss_one: f64,
        /// A bound on the chance that any does.
        pub miss_any: f64,
        /// The sum of the chances.
        pub missed_on_average: f64,
        /// A bound on the chance that a test with `false_alarm` fails a program that keeps its
        /// claim.
        pub false_alarm_any: f64,
    }
}

words! {
    /// How a rate changed.
    pub enum RateChange {
        /// It is higher than before.
        Rose = "rose",
        /// It is lower than before.
        Fell = "fell",
        /// It is different. Which code came first is unclear, because one of them came back.
        Differs = "differs",
    }
}

impl SuiteFacts {
    /// What is promised, as sentences.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let epsilon = self.epsilon.iter().flat_map(|part| &part.words);
        let alarms = self.false_alarm.iter().flat_map(|part| &part.words);
        epsilon.chain(alarms).map(String::as_str)
    }
}
