//! The result of one test.

use crate::form::{Version, forms, serialize, words};
use crate::json::Written::{Always, Flat};
use crate::json::{Fields, ToJson, Value};
use crate::parts::{Change, Claim, Input, LabelFacts, Story};

forms! {
    /// The result of one test, for every kind of claim.
    ///
    /// To be read, it must have `probtest`, `verdict`, `claim`, `executed`, and `test` or `nodeid`;
    /// the rest may be missing. When it is written, a field that doesn't apply is null; `nodeid`,
    /// `code`, `unavailable`, `cost` and `inputs` are left out.
    #[derive(Default)]
    #[must_use = "facts carry a verdict: write them, or look at `verdict`"]
    pub struct TestFacts {
        /// The version of the JSON form.
        pub probtest: Version,
        /// What is claimed; null if the test couldn't be started.
        pub kind: Option<Kind>,
        /// The id of the test.
        #[serde(default)]
        pub test: String,
        /// The id that pytest gives the test.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub nodeid: Option<String>,
        /// The package, if it is known.
        pub package: Option<String>,
        /// The target of the package, such as `lib`, `bin walks` or `test walk`, if it is known.
        pub target: Option<String>,
        /// A fingerprint of the code, if it is known. It changes when the code does; runs of the
        /// same code add up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub code: Option<String>,
        /// The result of the test.
        pub verdict: Verdict,
        /// The claim in numbers.
        pub claim: Claim,
        /// The claim as one line of text.
        #[serde(default)]
        pub claim_words: String,
        /// The executions that the claim needs. If the test stops as soon as it has seen enough:
        /// the most it can take.
        pub planned: Option<u64>,
        /// The chance of missing what the test looks for, after `planned` executions.
        pub miss: Option<f64>,
        /// The chance of failing a program at the tolerated rate.
        pub false_alarm: Option<f64>,
        /// The violation rates that fit the data: an interval that stays valid whenever the test
        /// stops.
        pub rate: Option<Rate>,
        /// What the executions returned, if the claim is about that.
        pub observed: Option<Observed>,
        /// Executions that count.
        pub executed: u64,
        /// Executions that passed.
        #[serde(default)]
        pub passed: u64,
        /// Executions that violated.
        #[serde(default)]
        pub violated: u64,
        /// Attempts that were rejected and retried.
        #[serde(default)]
        pub rejected: u64,
        /// Planned executions that were not needed or not reached.
        #[serde(default)]
        pub not_executed: u64,
        /// Attempts that failed because of their infrastructure, grouped by what failed. They prove
        /// nothing, were retried, and are counted nowhere else.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub unavailable: Vec<Unavailable>,
        /// What the executions cost, if the body reported it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub cost: Option<Cost>,
        /// The run seed, as text: JSON numbers do not hold 64 bits.
        pub seed: Option<String>,
        /// The execution to look at: the deciding one, the most extreme number, or the first
        /// violation of an estimate.
        pub index: Option<u64>,
        /// `SEED:INDEX` of that execution.
        pub address: Option<String>,
        /// A line you can copy to replay it.
        pub replay: Option<String>,
        /// A line you can copy to rerun the whole test, if no single execution decided.
        pub rerun: Option<String>,
        /// The evidence against the claim.
        pub finding: Option<Finding>,
        /// Why the plan wasn't finished.
        pub reason: Option<Reason>,
        /// What the test achieved, if it didn't finish its plan.
        pub attained: Option<Attained>,
        /// What the test's suite promises.
        pub suite: Option<Shares>,
        /// What happened to counterexamples from earlier runs.
        pub remembered: Option<Remembered>,
        /// What else you should know.
        #[serde(default)]
        pub notes: Vec<Note>,
        /// Reasons to believe that the executions weren't independent or weren't random, or that
        /// something failed unnoticed. A pass with a doubt proves less than it seems to.
        #[serde(default)]
        pub doubts: Vec<Doubt>,
        /// Whether the deciding execution violated again when it ran a second time, alone; null if
        /// that wasn't tried.
        pub confirmed: Option<bool>,
        /// The inputs of the execution that violated, if they were recorded.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub inputs: Vec<Input>,
        /// The smallest execution found that shows the same violation, and the draws that decide
        /// it.
        pub story: Option<Story>,
        /// The labels that executions reported, with how often each value occurred.
        #[serde(default)]
        pub labels: Vec<LabelFacts>,
        /// What was unusual about the execution that violated, or what sets violations apart from
        /// passes.
        #[serde(default)]
        pub unusual: Vec<String>,
        /// For a shard: what `probtest merge` needs from it.
        pub part: Option<Part>,
        /// For an estimate: the executions that Hoeffding's inequality would require in advance.
        pub hoeffding: Option<u64>,
        /// How long the executions took, in seconds.
        #[serde(default)]
        pub seconds: f64,
        /// What happened, as one line of text.
        #[serde(default)]
        pub summary: String,
        /// What the verdict means, in a sentence.
        pub meaning: Option<String>,
    }

    /// How often the infrastructure failed in one way.
    #[derive(Default, Eq)]
    pub struct Unavailable {
        /// What failed, such as the name of an exception.
        pub kind: String,
        /// How often it failed.
        pub count: u64,
    }

    /// What the executions cost, in the unit that the body uses.
    #[derive(Copy, Default)]
    pub struct Cost {
        /// The amount spent.
        pub spent: f64,
        /// The most that may be spent; null without a limit.
        pub max: Option<f64>,
    }

    /// One of several shards of a test.
    #[derive(Default, Eq)]
    pub struct Part {
        /// The number of the shard, from 1.
        pub shard: u64,
        /// How many shards there are.
        pub shards: u64,
        /// The version of probtest, the same for all shards.
        pub version: String,
        /// A line you can copy to replay one execution, with 18446744073709551557 in place of its
        /// index.
        #[serde(default)]
        pub replay: Option<String>,
        /// A line you can copy to rerun the whole test.
        #[serde(default)]
        pub rerun: Option<String>,
        /// Whether to show that line even if outcomes weren't seen, or too many attempts were
        /// rejected.
        #[serde(default)]
        pub reruns_unseen: bool,
        /// What the executions did. Only the same version of probtest can read this.
        pub ledger: Vec<String>,
    }

    /// The observed violation rate, and the rates that fit the data.
    #[derive(Copy, Default)]
    pub struct Rate {
        /// The share of executions that violated; null without executions.
        pub seen: Option<f64>,
        /// The lowest rate that fits the data.
        pub low: f64,
        /// The highest rate that fits the data.
        pub high: f64,
        /// The probability, at least, that this interval contains the true rate.
        pub confidence: f64,
    }

    /// What the executions returned.
    #[derive(Default)]
    #[serde(default)]
    pub struct Observed {
        /// A description; null if nothing was returned.
        pub words: Option<String>,
        /// The mean of the numbers.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mean: Option<f64>,
        /// The lowest mean that fits the data.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub low: Option<f64>,
        /// The highest mean that fits the data.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub high: Option<f64>,
        /// The probability, at least, that this interval contains the true mean.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub confidence: Option<f64>,
        /// The smallest number.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub least: Option<Extreme>,
        /// The largest number.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub largest: Option<Extreme>,
        /// How often each label occurred, in the order of the claim, with all others last.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub counts: Option<Vec<u64>>,
        /// How two versions compare on the same seeds.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub change: Option<Change>,
    }

    /// A number, and the execution that returned it.
    #[derive(Copy, Default)]
    pub struct Extreme {
        /// The index of the execution.
        pub index: u64,
        /// The number.
        pub value: f64,
    }

    /// How an execution violated.
    #[derive(Default, Eq)]
    pub struct Violation {
        /// The message of the assertion.
        pub message: String,
        /// Where the assertion is.
        pub location: Option<String>,
        /// Anything else that was written.
        pub details: Option<String>,
    }

    /// Why a plan wasn't finished.
    #[derive(Eq)]
    pub struct Reason {
        /// The kind of reason.
        pub kind: ReasonKind,
        /// The reason as a sentence.
        #[serde(default)]
        pub message: String,
        /// What you can do about it.
        #[serde(default)]
        pub help: String,
    }

    /// What an unfinished plan achieved.
    #[derive(Default)]
    #[serde(default)]
    pub struct Attained {
        /// How many executions there were.
        pub executions: u64,
        /// The chance that they miss what the claim looks for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss: Option<f64>,
        /// A violation probability of this or more would have been caught with probability 1 -
        /// epsilon.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub p: Option<f64>,
        /// The epsilon in that statement.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub epsilon: Option<f64>,
        /// A description.
        pub words: String,
    }

    /// What a suite promises; absent if it has no such promise.
    #[derive(Default)]
    #[serde(default)]
    pub struct Shares {
        /// The chance that a test passes although its claim is violated.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub epsilon: Option<Share>,
        /// The chance that a test fails a program that keeps its claim.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub false_alarm: Option<Share>,
    }

    /// A chance that the tests of a suite share.
    #[derive(Default)]
    #[serde(default)]
    pub struct Share {
        /// The chance for all of them together.
        pub total: f64,
        /// The same number as exact text.
        pub total_exact: String,
        /// How many tests share it.
        pub tests: u64,
        /// The share of each test.
        pub each: f64,
        /// The same number as exact text.
        pub each_exact: String,
    }

    /// Something you should know besides the verdict.
    #[derive(Eq)]
    pub struct Note {
        /// What it is about.
        pub kind: NoteKind,
        /// The note as a sentence.
        #[serde(default)]
        pub words: String,
    }

    /// A reason to believe that a pass proves less than it seems to.
    #[derive(Default, Eq)]
    pub struct Doubt {
        /// What it is about.
        pub kind: DoubtKind,
        /// The doubt as a sentence, and what to do about it.
        #[serde(default)]
        pub words: String,
        /// For `few_drew`: how many executions drew a random number.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub drew: Option<u64>,
        /// For `few_drew`: how many executions were checked.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub looked_at: Option<u64>,
        /// For `unseen`: the label.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub label: Option<String>,
        /// For `repeated`: how many pairs of neighbours recorded exactly the same values.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub equal: Option<u64>,
        /// For `repeated`: how many pairs recorded something.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub pairs: Option<u64>,
        /// For `fixed_seeds`: what was seeded, and where.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub places: Vec<String>,
        /// For `panicked`: the execution that was running.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub index: Option<u64>,
        /// For `panicked`: the panic.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub panic: Option<Violation>,
    }
}

/// The evidence against the claim.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize),
    serde(tag = "kind", rename_all = "snake_case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Finding {
    /// An execution violated the assertion.
    Execution(Violation),
    /// The violation rate is too high.
    Rate {
        /// The first execution that violated.
        first: Option<u64>,
        /// How the deciding execution violated.
        #[cfg_attr(feature = "serde", serde(flatten))]
        violation: Violation,
    },
    /// Outcomes were never seen.
    Unseen {
        /// Their positions in the claim, from 0.
        outcomes: Vec<u64>,
    },
    /// The mean is outside its bounds.
    Mean {
        /// On which side it is.
        direction: Direction,
        /// A description.
        message: String,
    },
    /// The new version is worse than the old one.
    Worse {
        /// A description.
        message: String,
        /// How the new version violated, in the pair to look at.
        violation: Option<Violation>,
    },
    /// A label occurs too often or too rarely.
    Label {
        /// On which side it is.
        direction: Direction,
        /// A description.
        message: String,
        /// The label; null for all that aren't listed.
        label: Option<String>,
    },
    /// A label occurred that the claim rules out.
    Impossible {
        /// A description.
        message: String,
        /// The label, if it can be written.
        label: Option<String>,
    },
    /// A finding from another version.
    #[cfg_attr(feature = "serde", serde(untagged))]
    Other(Fields),
}

/// What happened to counterexamples from earlier runs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize),
    serde(tag = "kind", rename_all = "snake_case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Remembered {
    /// One of them violated again; nothing else ran.
    Again {
        /// Its address.
        address: String,
    },
    /// None of them violates anymore.
    Fixed {
        /// Their addresses.
        addresses: Vec<String>,
        /// The same as a sentence.
        #[cfg_attr(feature = "serde", serde(default))]
        words: String,
    },
    /// None of them violated, although the program is the same.
    Unsteady {
        /// Their addresses.
        addresses: Vec<String>,
        /// The same as a sentence.
        #[cfg_attr(feature = "serde", serde(default))]
        words: String,
    },
    /// Something from a later version.
    #[cfg_attr(feature = "serde", serde(untagged))]
    Other(Fields),
}

impl ToJson for Finding {
    fn to_json(&self) -> Value {
        let object = Value::object;
        match self {
            Finding::Execution(violation) => violation.to_json().with_kind("execution"),
            Finding::Rate { first, violation } => {
                object(&[("first", Always, first), ("", Flat, violation)]).with_kind("rate")
            }
            Finding::Unseen { outcomes } => {
                object(&[("outcomes", Always, outcomes)]).with_kind("unseen")
            }
            Finding::Mean { direction, message } => {
                object(&[("direction", Always, direction), ("message", Always, message)])
                    .with_kind("mean")
            }
            Finding::Worse { message, violation } => {
                object(&[("message", Always, message), ("violation", Always, violation)])
                    .with_kind("worse")
            }
            Finding::Label { direction, message, label } => object(&[
                ("direction", Always, direction),
                ("message", Always, message),
                ("label", Always, label),
            ])
            .with_kind("label"),
            Finding::Impossible { message, label } => {
                object(&[("message", Always, message), ("label", Always, label)])
                    .with_kind("impossible")
            }
            Finding::Other(fields) => fields.to_json(),
        }
    }
}

serialize!(Finding);

impl ToJson for Remembered {
    fn to_json(&self) -> Value {
        let (kind, addresses, words) = match self {
            Remembered::Again { address } => {
                return Value::object(&[("address", Always, address)]).with_kind("again");
            }
            Remembered::Fixed { addresses, words } => ("fixed", addresses, words),
            Remembered::Unsteady { addresses, words } => ("unsteady", addresses, words),
            Remembered::Other(fields) => return fields.to_json(),
        };
        Value::object(&[("addresses", Always, addresses), ("words", Always, words)]).with_kind(kind)
    }
}

serialize!(Remembered);

words! {
    /// The result of a test.
    #[derive(Default)]
    pub enum Verdict {
        /// Every planned execution passed, or enough was seen to decide for the claim.
        Passed = "passed",
        /// There is evidence against the claim.
        Violated = "violated",
        /// Nothing was decided.
        #[default]
        Inconclusive = "inconclusive",
        /// A budget ran out before the plan was finished, and the test accepts that.
        PassedWithinBudget = "passed_within_budget",
        /// Nothing was claimed; the rate is known as precisely as you asked.
        Estimated = "estimated",
        /// A shard ran its executions; the verdict needs all shards together.
        Partial = "partial",
    }

    /// What is claimed.
    pub enum Kind {
        /// A violation probability of p or more is caught.
        Detect = "detect",
        /// Every outcome is seen.
        Cover = "cover",
        /// A violation rate is tolerated, and a rate of p is caught.
        Tolerate = "tolerate",
        /// The mean of the returned numbers is within bounds.
        Mean = "mean",
        /// The returned labels have the claimed probabilities.
        Fit = "fit",
        /// A new version isn't worse than an old one.
        Compare = "compare",
        /// Nothing: the violation rate is measured.
        Estimate = "estimate",
    }

    /// A side of a claim.
    pub enum Direction {
        /// Below.
        Low = "low",
        /// Above.
        High = "high",
    }

    /// Why a plan wasn't finished.
    pub enum ReasonKind {
        /// `max_executions` was reached first.
        Budget = "budget",
        /// The time ran out.
        Time = "time",
        /// The executions had cost as much as they may.
        Cost = "cost",
        /// Too many attempts failed because of their infrastructure.
        Unavailable = "unavailable",
        /// Someone stopped it.
        Cancelled = "cancelled",
        /// Too many attempts were rejected.
        Rejections = "rejections",
        /// One execution was replayed, and it didn't violate.
        Replayed = "replayed",
        /// An execution couldn't run.
        Broken = "broken",
        /// An execution returned an outcome that isn't in the claim.
        UnknownOutcome = "unknown_outcome",
        /// An execution returned a number outside `between`.
        Outside = "outside",
        /// An execution returned nothing.
        Nothing = "nothing",
        /// The claim lists outcomes, but no execution reported one.
        NoOutcome = "no_outcome",
        /// The same execution gave two results.
        TwoResults = "two_results",
        /// It would have passed with a doubt, and the run is strict.
        Doubt = "doubt",
        /// A label occurred less often than you asked for.
        TooRare = "too_rare",
        /// The suite's time ran out before the first execution.
        NotReached = "not_reached",
        /// The old version is so bad that no new one can be worse by `change`.
        NoRoom = "no_room",
        /// The test started but didn't finish: its process died.
        Unfinished = "unfinished",
        /// The test runner reports a failure that didn't come from an execution.
        FailedElsewhere = "failed_elsewhere",
        /// The test couldn't be started.
        Setup = "setup",
    }

    /// What a note is about.
    pub enum NoteKind {
        /// The program brings its own randomness, so no execution can be replayed.
        OwnRandomness = "own_randomness",
        /// With p above one half, the plan also waits for an execution that passes.
        LargeP = "large_p",
        /// The test passed at a violation rate above the tolerated one.
        AboveTolerate = "above_tolerate",
        /// The journal couldn't be written completely.
        JournalLost = "journal_lost",
        /// Executions ran at the same time and drew from generators they share.
        SharedGenerators = "shared_generators",
        /// p was computed from the number of threads and steps, for bugs of a given depth.
        Schedules = "schedules",
    }

    /// What a doubt is about.
    #[derive(Default)]
    pub enum DoubtKind {
        /// The body has a random source, but no execution drew from it.
        #[default]
        NeverDrew = "never_drew",
        /// Most executions drew nothing, although some did.
        FewDrew = "few_drew",
        /// Everything was drawn from generators that have the same seed in every execution.
        FixedSeeds = "fixed_seeds",
        /// Every execution that was checked did the same.
        Copies = "copies",
        /// Executions recorded exactly the same values far too often.
        Repeated = "repeated",
        /// Executions that started within the same second were copies of each other.
        Clock = "clock",
        /// What two versions did depends on which of them ran first.
        Order = "order",
        /// No execution had a label that you asked for.
        Unseen = "unseen",
        /// Executions had more threads or steps than were measured when the plan was made.
        Larger = "larger",
        /// A thread or a task panicked, and the body didn't notice.
        Panicked = "panicked",
        /// The body returned something that isn't checked.
        Returned = "returned",
        /// The claim lists outcomes, and there were enough executions to see each, but none
        /// reported one.
        UnreportedOutcomes = "unreported_outcomes",
    }
}

impl TestFacts {
    /// The name that people know the test by: pytest's id if there is one.
    pub fn name(&self) -> &str {
        let known = self.nodeid.as_deref().filter(|id| !id.trim().is_empty());
        known.unwrap_or(&self.test)
    }
}

impl Kind {
    /// Whether the claim is about what executions return.
    pub fn is_about_returned(&self) -> bool {
        matches!(self, Kind::Mean | Kind::Fit)
    }

    /// Whether a single counterexample breaks the claim.
    pub fn has_counterexamples(&self) -> bool {
        matches!(self, Kind::Detect | Kind::Cover)
    }

    /// Whether the claim bounds the chance of failing a program that keeps it.
    pub fn bounds_false_alarms(&self) -> bool {
        self.is_about_returned() || matches!(self, Kind::Tolerate | Kind::Compare)
    }
}

impl Finding {
    /// What happened: the message of the assertion, or a sentence from probtest.
    pub fn message(&self) -> Option<&str> {
        match self {
            Finding::Execution(violation) | Finding::Rate { violation, .. } => {
                Some(&violation.message)
            }
            Finding::Mean { message, .. }
            | Finding::Worse { message, .. }
            | Finding::Label { message, .. }
            | Finding::Impossible { message, .. } => Some(message),
            Finding::Unseen { .. } => None,
            Finding::Other(fields) => fields.get("message")?.as_str(),
        }
    }

    /// How an execution violated, if the finding has one.
    pub fn violation(&self) -> Option<&Violation> {
        match self {
            Finding::Execution(violation) | Finding::Rate { violation, .. } => Some(violation),
            Finding::Worse { violation, .. } => violation.as_ref(),
            _ => None,
        }
    }
}

impl Remembered {
    /// A sentence about those that didn't violate.
    pub fn words(&self) -> Option<&str> {
        let words = match self {
            Remembered::Again { .. } => return None,
            Remembered::Fixed { words, .. } | Remembered::Unsteady { words, .. } => words,
            Remembered::Other(said) => said.get("words")?.as_str()?,
        };
        (!words.is_empty()).then_some(words)
    }
}
