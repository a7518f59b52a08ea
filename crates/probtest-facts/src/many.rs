//! What the tests of a run found out together.

use crate::form::{Version, forms, words};
use crate::test::{Share, TestFacts};

forms! {
    /// The results of many tests: the file of `pytest --probtest-json`, and the answer of
    /// `probtest report --json`.
    ///
    /// `T` is how a result is held: as [`TestFacts`], or as text that is not read yet.
    #[derive(Default)]
    pub struct ManyTests<T = TestFacts> {
        /// The version of the form.
        pub probtest: Version,
        /// The results.
        pub tests: Vec<T>,
        /// What the tests of one run promise together.
        pub suite: Option<SuiteFacts>,
        /// Of a report: the `suite` of each file, each once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub suites: Vec<SuiteFacts>,
        /// Of a report: sums over the tests.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub totals: Option<Totals>,
        /// Of a report: what the tests that passed without doubt promise together.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub promise: Option<Promise>,
        /// Of a report: what runs of the same code show together.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub evidence: Vec<EvidenceFacts>,
    }

    /// What runs of the same code show together.
    #[derive(Default)]
    #[serde(default)]
    pub struct EvidenceFacts {
        /// The id of the test.
        pub test: String,
        /// The claim in one line.
        pub claim_words: String,
        /// What tells this code from what it becomes when it is changed.
        pub code: Option<String>,
        /// How many runs there are, by their seeds.
        pub runs: u64,
        /// The executions of all of them.
        pub executed: u64,
        /// How many of those violated.
        pub violated: u64,
        /// The least violation rate that fits, with confidence 0.95.
        pub low: Option<f64>,
        /// The largest violation rate that fits.
        pub high: Option<f64>,
        /// How the rate differs from that of the code before, by more than chance explains.
        pub change: Option<RateChange>,
        /// What they show together.
        pub words: String,
    }

    /// What the tests of one run promise together.
    #[derive(Default)]
    #[serde(default)]
    pub struct SuiteFacts {
        /// The package of the tests, where it is known.
        pub package: Option<String>,
        /// What became of the tests that share an epsilon.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub epsilon: Option<SuiteEpsilon>,
        /// What became of the tests that share a chance of false alarms.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub false_alarm: Option<SuiteFalseAlarm>,
    }

    /// What became of the tests that share an epsilon.
    #[derive(Default)]
    #[serde(default)]
    pub struct SuiteEpsilon {
        /// What they share.
        #[serde(flatten)]
        pub share: Share,
        /// How many of them were executed.
        pub executed: u64,
        /// How many passed within budget.
        pub within_budget: u64,
        /// How many were executed more than once.
        pub repeated: u64,
        /// The probability that one or more tests pass although their claim is violated is at
        /// most this; null where nothing bounds it.
        pub bound: Option<f64>,
        /// The same in sentences.
        pub words: Vec<String>,
    }

    /// What became of the tests that share a chance of false alarms.
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
        /// How many that promise something about false alarms ended without a verdict.
        pub undecided: u64,
        /// The same in sentences.
        pub words: Vec<String>,
    }

    /// Sums over the tests of a report.
    #[derive(Default)]
    #[serde(default)]
    pub struct Totals {
        /// How many tests there are.
        pub tests: u64,
        /// How many of them need which attention.
        pub status: StatusCounts,
        /// Executions of all results.
        pub executed: u64,
        /// Attempts of all results that were drawn again.
        pub rejected: u64,
        /// Seconds of all results.
        pub seconds: f64,
    }

    /// How many tests need which attention.
    #[derive(Copy, Default, Eq)]
    #[serde(default)]
    pub struct StatusCounts {
        /// There is evidence against their claim.
        pub violated: u64,
        /// Nothing was decided.
        pub inconclusive: u64,
        /// Their verdict is one of a later version.
        pub unknown: u64,
        /// Shards of a test that were not merged.
        pub partial: u64,
        /// They passed, but there is a reason to doubt it.
        pub doubtful: u64,
        /// They passed with less than their claim, which they accept.
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
        /// How many they are.
        pub counted: u64,
        /// How many of these achieved less than their claim.
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
        /// It is another one; which code came first cannot be said, since one came back.
        Differs = "differs",
    }
}

impl SuiteFacts {
    /// What is promised, one sentence each.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let epsilon = self.epsilon.iter().flat_map(|part| &part.words);
        let alarms = self.false_alarm.iter().flat_map(|part| &part.words);
        epsilon.chain(alarms).map(String::as_str)
    }
}
