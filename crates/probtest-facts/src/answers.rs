//! What the command answers besides the results of tests.

use crate::form::{Version, forms, words};
use crate::parts::Claim;
use crate::test::Verdict;

forms! {
    /// How many executions are enough, or what a number of them proves: `probtest plan --json`.
    ///
    /// The fields of the claim are next to the others.
    #[derive(Default)]
    pub struct PlanFacts {
        /// The version of the form.
        pub probtest: Version,
        /// The executions.
        pub executions: u64,
        /// The claim. Where the epsilon is the answer, it has no exact text.
        #[serde(flatten)]
        pub claim: Claim,
        /// The chance of missing after as many.
        #[serde(default)]
        pub miss: f64,
        /// Its logarithm to base 10, where a double cannot hold it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss_log10: Option<f64>,
        /// The chance of missing after one fewer; 1 with `tolerate`, since a test that is cut
        /// short promises nothing.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss_before: Option<f64>,
        /// Its logarithm to base 10, where a double cannot hold it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss_before_log10: Option<f64>,
        /// The least number that could be enough, where the count is not certain.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub lowest_executions: Option<u64>,
        /// With `tolerate` and executions that are given: the violation rate that is accepted with
        /// probability epsilon at most when the plan is cut short after them.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub rate_caught: Option<f64>,
        /// With `tolerate`: executions without a violation.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fewest_executions: Option<u64>,
        /// With `tolerate`: the violations that still pass.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub allowed_violations: Option<u64>,
        /// With `tolerate`: executions on average at the tolerated rate.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub expected_at_tolerate: Option<f64>,
        /// With `tolerate`: executions on average at p.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub expected_at_p: Option<f64>,
        /// With `tolerate`: the chance of failing a program at the tolerated rate.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub false_alarm_attained: Option<f64>,
        /// With `tolerate`: executions of a test that looks only at the end.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fixed_executions: Option<u64>,
        /// The violations that such a test allows.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fixed_allowed: Option<u64>,
    }

    /// What a belief in a larger p costs: `probtest sensitivity --json`.
    #[derive(Default)]
    pub struct SensitivityFacts {
        /// The version of the form.
        pub probtest: Version,
        /// The real p.
        pub p: f64,
        /// The same as exact text.
        pub p_exact: String,
        /// The chance of missing it.
        pub epsilon: f64,
        /// The same as exact text.
        pub epsilon_exact: String,
        /// One row for each factor.
        pub rows: Vec<BelievedFacts>,
    }

    /// What comes of believing in p + p * factor.
    #[derive(Default)]
    #[serde(default)]
    pub struct BelievedFacts {
        /// The factor.
        pub factor: f64,
        /// The p that is believed in; null if it is not a probability.
        pub believed: Option<f64>,
        /// The same as exact text.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub believed_exact: Option<String>,
        /// The executions that the real p needs.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub executions: Option<u64>,
        /// The executions that are planned for the p that is believed in.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub executions_believed: Option<u64>,
        /// How many are missing; negative where there are more than needed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub short: Option<i64>,
        /// The chance of missing the real p.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss: Option<f64>,
        /// Its logarithm to base 10, where a double cannot hold it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss_log10: Option<f64>,
        /// How much that is above epsilon; negative where it is below.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub added_miss: Option<f64>,
        /// What is special about the row.
        pub note: Option<BelievedNote>,
    }

    /// One execution, executed again: `probtest replay --json`.
    #[derive(Default)]
    pub struct ReplayFacts {
        /// The version of the form.
        pub probtest: Version,
        /// What became of it.
        pub verdict: Verdict,
        /// `SEED:INDEX`.
        pub address: String,
        /// The run seed.
        pub seed: String,
        /// The number of the execution.
        pub index: u64,
        /// The seed that the program was given.
        pub execution_seed: Option<u64>,
        /// How often it was drawn again.
        #[serde(default)]
        pub rejected: u64,
        /// How it violated, or why it could not be run.
        pub message: Option<String>,
    }

    /// Why there is no answer.
    #[derive(Eq)]
    pub struct ErrorFacts {
        /// The version of the form.
        pub probtest: Version,
        /// The error.
        pub error: ErrorWords,
        /// The exit code of the command.
        #[serde(default)]
        pub exit_code: u8,
    }

    /// What is wrong, what was given, and what to do.
    #[derive(Eq)]
    pub struct ErrorWords {
        /// Whose fault it is.
        pub kind: ErrorKind,
        /// What is wrong.
        pub message: String,
        /// What was given.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub given: Option<String>,
        /// What to do.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub help: Option<String>,
    }
}

words! {
    /// What is special about a belief.
    pub enum BelievedNote {
        /// It is 1 or more.
        NotAProbability = "not_a_probability",
        /// It is above one half, and its plan is that of its complement.
        Symmetric = "symmetric",
    }

    /// Why a command did not do what was asked.
    pub enum ErrorKind {
        /// It is wrong as it was written.
        Usage = "usage",
        /// It could not finish.
        Unfinished = "unfinished",
    }
}
