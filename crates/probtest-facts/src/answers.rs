//! The answers of the command that aren't results of tests.

use crate::form::{Version, forms, words};
use crate::parts::Claim;
use crate::test::Verdict;

forms! {
    /// How many executions are enough, or what a number of them proves: `probtest plan --json`.
    ///
    /// The fields of the claim are on the same level as the others.
    #[derive(Default)]
    pub struct PlanFacts {
        /// The version of the JSON form.
        pub probtest: Version,
        /// The number of executions.
        pub executions: u64,
        /// The claim. If epsilon is the answer, it has no exact text.
        #[serde(flatten)]
        pub claim: Claim,
        /// The chance of missing after that many executions.
        #[serde(default)]
        pub miss: f64,
        /// Its logarithm to base 10, if it is too small for a double.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss_log10: Option<f64>,
        /// The chance of missing after one execution fewer; 1 with `tolerate`, because a test that
        /// is cut short promises nothing.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss_before: Option<f64>,
        /// Its logarithm to base 10, if it is too small for a double.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss_before_log10: Option<f64>,
        /// The fewest executions that could be enough. Less than `executions` only if that count
        /// isn't certain to be the minimum.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub lowest_executions: Option<u64>,
        /// With `tolerate` and a given number of executions: the violation rate that passes with
        /// probability at most epsilon when the plan is cut short after them.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub rate_caught: Option<f64>,
        /// With `tolerate`: how many executions it takes if none violates.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fewest_executions: Option<u64>,
        /// With `tolerate`: the most violations with which the test still passes.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub allowed_violations: Option<u64>,
        /// With `tolerate`: how many executions it takes on average at the tolerated rate.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub expected_at_tolerate: Option<f64>,
        /// With `tolerate`: how many executions it takes on average at p.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub expected_at_p: Option<f64>,
        /// With `tolerate`: the chance of failing a program at the tolerated rate.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub false_alarm_attained: Option<f64>,
        /// With `tolerate`: how many executions a test would take that looks only at the end.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fixed_executions: Option<u64>,
        /// How many violations such a test would allow.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fixed_allowed: Option<u64>,
    }

    /// What it costs to overestimate p: `probtest sensitivity --json`.
    #[derive(Default)]
    pub struct SensitivityFacts {
        /// The version of the JSON form.
        pub probtest: Version,
        /// The true p.
        pub p: f64,
        /// The same number as exact text.
        pub p_exact: String,
        /// The chance of missing it.
        pub epsilon: f64,
        /// The same number as exact text.
        pub epsilon_exact: String,
        /// One row for each factor.
        pub rows: Vec<BelievedFacts>,
    }

    /// What happens if you plan for p + p * factor.
    #[derive(Default)]
    #[serde(default)]
    pub struct BelievedFacts {
        /// The factor.
        pub factor: f64,
        /// The p that you plan for; null if it isn't a probability.
        pub believed: Option<f64>,
        /// The same number as exact text.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub believed_exact: Option<String>,
        /// The executions that the true p needs.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub executions: Option<u64>,
        /// The executions that are planned for the believed p.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub executions_believed: Option<u64>,
        /// How many executions are missing; negative if there are more than needed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub short: Option<i64>,
        /// The chance of missing the true p.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss: Option<f64>,
        /// Its logarithm to base 10, if it is too small for a double.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss_log10: Option<f64>,
        /// How far that is above epsilon; negative if it is below.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub added_miss: Option<f64>,
        /// What is special about this row.
        pub note: Option<BelievedNote>,
    }

    /// One execution, replayed: `probtest replay --json`.
    #[derive(Default)]
    pub struct ReplayFacts {
        /// The version of the JSON form.
        pub probtest: Version,
        /// The result of the replay.
        pub verdict: Verdict,
        /// The address, `SEED:INDEX`.
        pub address: String,
        /// The run seed.
        pub seed: String,
        /// The index of the execution.
        pub index: u64,
        /// The seed that the program was given.
        pub execution_seed: Option<u64>,
        /// How often it was rejected and retried.
        #[serde(default)]
        pub rejected: u64,
        /// How it violated, or why it couldn't run.
        pub message: Option<String>,
    }

    /// Why there is no answer.
    #[derive(Eq)]
    pub struct ErrorFacts {
        /// The version of the JSON form.
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
        /// The kind of error.
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
    /// What is special about a believed p.
    pub enum BelievedNote {
        /// It is 1 or more.
        NotAProbability = "not_a_probability",
        /// It is above one half, so its plan is that of its complement.
        Symmetric = "symmetric",
    }

    /// Why a command didn't do what you asked.
    pub enum ErrorKind {
        /// The command or its input is wrong.
        Usage = "usage",
        /// The command couldn't finish.
        Unfinished = "unfinished",
    }
}
