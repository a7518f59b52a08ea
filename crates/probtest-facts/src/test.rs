//! What one test found out.

use crate::form::{Version, forms, serialize, words};
use crate::json::Written::{Always, Flat};
use crate::json::{Fields, ToJson, Value};
use crate::parts::{Change, Claim, Input, LabelFacts, Story};

forms! {
    /// The result of one test, for every kind of claim.
    ///
    /// Reading needs `probtest`, `verdict`, `claim`, `executed`, and `test` or `nodeid`; the
    /// rest may be missing. Writing writes every field but `nodeid`, as null where there is
    /// nothing to say.
    #[derive(Default)]
    #[must_use = "facts carry a verdict: write them, or look at `verdict`"]
    pub struct TestFacts {
        /// The version of the form.
        pub probtest: Version,
        /// What is claimed; null where the test could not be started.
        pub kind: Option<Kind>,
        /// The id of the test.
        #[serde(default)]
        pub test: String,
        /// pytest's id of the test.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub nodeid: Option<String>,
        /// The package, where it is known.
        pub package: Option<String>,
        /// The target of the package, such as `lib`, `bin walks` or `test walk`, where it is known.
        pub target: Option<String>,
        /// What tells this code from what it becomes when it is changed, where it is known: runs of
        /// the same code add up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub code: Option<String>,
        /// What became of the test.
        pub verdict: Verdict,
        /// The claim in numbers.
        pub claim: Claim,
        /// The claim in one line.
        #[serde(default)]
        pub claim_words: String,
        /// The executions that the claim needs; the most that it can take, where it stops as
        /// soon as it has seen enough.
        pub planned: Option<u64>,
        /// The chance of missing what the test looks for, after as many.
        pub miss: Option<f64>,
        /// The chance of failing a program at the tolerated rate.
        pub false_alarm: Option<f64>,
        /// The violation rates that fit, by an interval that is valid after the stop.
        pub rate: Option<Rate>,
        /// What the executions returned, where the claim is on that.
        pub observed: Option<Observed>,
        /// Executions that count.
        pub executed: u64,
        /// Executions that passed.
        #[serde(default)]
        pub passed: u64,
        /// Executions that violated.
        #[serde(default)]
        pub violated: u64,
        /// Attempts that were drawn again.
        #[serde(default)]
        pub rejected: u64,
        /// Planned executions that were not needed or not reached.
        #[serde(default)]
        pub not_executed: u64,
        /// Attempts that infrastructure spoiled, by what failed. They prove nothing, were made
        /// again, and are counted nowhere else.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub unavailable: Vec<Unavailable>,
        /// What the executions cost, where the body told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub cost: Option<Cost>,
        /// The run seed, as text: JSON numbers do not hold 64 bits.
        pub seed: Option<String>,
        /// The execution to look at: the deciding one, the most extreme number, or the first
        /// violation of an estimate.
        pub index: Option<u64>,
        /// `SEED:INDEX` of that execution.
        pub address: Option<String>,
        /// The line to copy that executes it again.
        pub replay: Option<String>,
        /// The line to copy that executes the whole test again, where no single execution decided.
        pub rerun: Option<String>,
        /// What was found.
        pub finding: Option<Finding>,
        /// Why the plan was not executed to its end.
        pub reason: Option<Reason>,
        /// What a test achieved that did not finish its plan.
        pub attained: Option<Attained>,
        /// The promises of the suite that the test is part of.
        pub suite: Option<Shares>,
        /// What became of counterexamples from earlier runs.
        pub remembered: Option<Remembered>,
        /// What else the reader should know.
        #[serde(default)]
        pub notes: Vec<Note>,
        /// Reasons to believe that the executions were not independent or not random, or that
        /// something failed unseen. A pass with one of them proves less than it seems to.
        #[serde(default)]
        pub doubts: Vec<Doubt>,
        /// Whether the execution that decided violated again when it ran once more, alone; null
        /// where that was not tried.
        pub confirmed: Option<bool>,
        /// The inputs of the execution that violated, where they were seen.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub inputs: Vec<Input>,
        /// The smallest execution that shows the same violation, and the draws that decide.
        pub story: Option<Story>,
        /// The labels that executions gave, with how often each had which value.
        #[serde(default)]
        pub labels: Vec<LabelFacts>,
        /// What was unusual about the execution that violated, or tells violations from passes.
        #[serde(default)]
        pub unusual: Vec<String>,
        /// Of a shard: what it has to hand on to `probtest merge`.
        pub part: Option<Part>,
        /// Of an estimate: the executions that Hoeffding's inequality asks for beforehand.
        pub hoeffding: Option<u64>,
        /// How long the executions took.
        #[serde(default)]
        pub seconds: f64,
        /// What happened, in one line.
        #[serde(default)]
        pub summary: String,
        /// What the verdict says, in a sentence.
        pub meaning: Option<String>,
    }

    /// How often infrastructure failed in one way.
    #[derive(Default, Eq)]
    pub struct Unavailable {
        /// What failed, such as the name of an exception.
        pub kind: String,
        /// How often.
        pub count: u64,
    }

    /// What executions cost, in the unit of their body.
    #[derive(Copy, Default)]
    pub struct Cost {
        /// What was spent.
        pub spent: f64,
        /// What may be spent; null without a limit.
        pub max: Option<f64>,
    }

    /// One of several shards of a test.
    #[derive(Default, Eq)]
    pub struct Part {
        /// The number of the shard, from 1.
        pub shard: u64,
        /// How many shards there are.
        pub shards: u64,
        /// The version of probtest, which all shards share.
        pub version: String,
        /// The line to copy that executes one execution again, with 18446744073709551557
        /// for its number.
        #[serde(default)]
        pub replay: Option<String>,
        /// The line to copy that executes the whole test again.
        #[serde(default)]
        pub rerun: Option<String>,
        /// Whether that line is also shown where outcomes were not seen, or too much was rejected.
        #[serde(default)]
        pub reruns_unseen: bool,
        /// What the executions did. Only the same version of probtest reads this.
        pub ledger: Vec<String>,
    }

    /// The violation rate that was seen, and those that fit.
    #[derive(Copy, Default)]
    pub struct Rate {
        /// The part of the executions that violated; null without executions.
        pub seen: Option<f64>,
        /// The lowest rate that fits.
        pub low: f64,
        /// The highest rate that fits.
        pub high: f64,
        /// How often such an interval holds the true rate, at least.
        pub confidence: f64,
    }

    /// What executions returned.
    #[derive(Default)]
    #[serde(default)]
    pub struct Observed {
        /// In words; null where nothing was returned.
        pub words: Option<String>,
        /// The mean of the numbers.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mean: Option<f64>,
        /// The lowest mean that fits.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub low: Option<f64>,
        /// The highest mean that fits.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub high: Option<f64>,
        /// How often such an interval holds the true mean, at least.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub confidence: Option<f64>,
        /// The least number.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub least: Option<Extreme>,
        /// The largest number.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub largest: Option<Extreme>,
        /// How often each label came, in the order of the claim, with all others last.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub counts: Option<Vec<u64>>,
        /// What two versions did on the same seeds.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub change: Option<Change>,
    }

    /// A number, and the execution that returned it.
    #[derive(Copy, Default)]
    pub struct Extreme {
        /// The execution.
        pub index: u64,
        /// The number.
        pub value: f64,
    }

    /// How an execution violated.
    #[derive(Default, Eq)]
    pub struct Violation {
        /// The message of the assertion.
        pub message: String,
        /// Where the assertion stands.
        pub location: Option<String>,
        /// What else was written.
        pub details: Option<String>,
    }

    /// Why a plan was not executed to its end.
    #[derive(Eq)]
    pub struct Reason {
        /// Why.
        pub kind: ReasonKind,
        /// The same in words.
        #[serde(default)]
        pub message: String,
        /// What to do.
        #[serde(default)]
        pub help: String,
    }

    /// What the executions achieved before their plan was finished.
    #[derive(Default)]
    #[serde(default)]
    pub struct Attained {
        /// How many they are.
        pub executions: u64,
        /// The chance that they miss what the claim looks for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub miss: Option<f64>,
        /// A violation probability of this or more would have been seen with probability 1 - epsilon.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub p: Option<f64>,
        /// The epsilon of that.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub epsilon: Option<f64>,
        /// In words.
        pub words: String,
    }

    /// The promises of a suite, as far as they are given.
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
        /// The chance of all.
        pub total: f64,
        /// The same as exact text.
        pub total_exact: String,
        /// How many tests share it.
        pub tests: u64,
        /// The part of each.
        pub each: f64,
        /// The same as exact text.
        pub each_exact: String,
    }

    /// Something the reader should know besides the verdict.
    #[derive(Eq)]
    pub struct Note {
        /// What it is about.
        pub kind: NoteKind,
        /// The note in a sentence.
        #[serde(default)]
        pub words: String,
    }

    /// A reason to believe that a pass proves less than it seems to.
    #[derive(Default, Eq)]
    pub struct Doubt {
        /// What it is about.
        pub kind: DoubtKind,
        /// The doubt in a sentence, and what to do about it.
        #[serde(default)]
        pub words: String,
        /// Of `few_drew`: how many executions drew.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub drew: Option<u64>,
        /// Of `few_drew`: of how many that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub looked_at: Option<u64>,
        /// Of `unseen`: the label.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub label: Option<String>,
        /// Of `repeated`: how many pairs of neighbours recorded the same.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub equal: Option<u64>,
        /// Of `repeated`: of how many that recorded something.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub pairs: Option<u64>,
        /// Of `fixed_seeds`: what was seeded, and where.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub places: Vec<String>,
        /// Of `panicked`: the execution that was under way.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub index: Option<u64>,
        /// Of `panicked`: the panic.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub panic: Option<Violation>,
    }
}

/// What was found.
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
        /// How the deciding one did.
        #[cfg_attr(feature = "serde", serde(flatten))]
        violation: Violation,
    },
    /// Outcomes were never seen.
    Unseen {
        /// Their places in the claim, from 0.
        outcomes: Vec<u64>,
    },
    /// The mean is outside of its bounds.
    Mean {
        /// On which side.
        direction: Direction,
        /// In words.
        message: String,
    },
    /// The new version is worse than the old one.
    Worse {
        /// In words.
        message: String,
        /// How the new version violated in the pair to look at.
        violation: Option<Violation>,
    },
    /// A label comes too often or too rarely.
    Label {
        /// On which side.
        direction: Direction,
        /// In words.
        message: String,
        /// The label; null for all that are not listed.
        label: Option<String>,
    },
    /// A label came that cannot.
    Impossible {
        /// In words.
        message: String,
        /// The label, where it can be written.
        label: Option<String>,
    },
    /// A finding of another version.
    #[cfg_attr(feature = "serde", serde(untagged))]
    Other(Fields),
}

/// What became of counterexamples from earlier runs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize),
    serde(tag = "kind", rename_all = "snake_case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Remembered {
    /// One of them violated again; nothing else was executed.
    Again {
        /// Its address.
        address: String,
    },
    /// None of them violates any more.
    Fixed {
        /// Their addresses.
        addresses: Vec<String>,
        /// The same in a sentence.
        #[cfg_attr(feature = "serde", serde(default))]
        words: String,
    },
    /// None of them violated, though the program is the same.
    Unsteady {
        /// Their addresses.
        addresses: Vec<String>,
        /// The same in a sentence.
        #[cfg_attr(feature = "serde", serde(default))]
        words: String,
    },
    /// What a later version says.
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
    /// What became of a test.
    #[derive(Default)]
    pub enum Verdict {
        /// Every planned execution passed, or the claim was decided in favour.
        Passed = "passed",
        /// There is evidence against the claim.
        Violated = "violated",
        /// Nothing was decided.
        #[default]
        Inconclusive = "inconclusive",
        /// A budget ended before the plan, and the test accepts that.
        PassedWithinBudget = "passed_within_budget",
        /// Nothing was claimed; a rate is known as well as was asked for.
        Estimated = "estimated",
        /// A shard has made its executions; the verdict is that of all shards together.
        Partial = "partial",
    }

    /// What is claimed.
    pub enum Kind {
        /// A violation probability of p or more is caught.
        Detect = "detect",
        /// Every outcome is seen.
        Cover = "cover",
        /// A violation rate is tolerated, one of p is caught.
        Tolerate = "tolerate",
        /// The mean of what is returned is within bounds.
        Mean = "mean",
        /// The labels that are returned have their probabilities.
        Fit = "fit",
        /// A new version is not worse than an old one.
        Compare = "compare",
        /// Nothing: the violation rate is measured.
        Estimate = "estimate",
    }

    /// On which side of a claim.
    pub enum Direction {
        /// Below.
        Low = "low",
        /// Above.
        High = "high",
    }

    /// Why a plan was not executed to its end.
    pub enum ReasonKind {
        /// The most executions came first.
        Budget = "budget",
        /// The time was over.
        Time = "time",
        /// The executions had cost as much as they may.
        Cost = "cost",
        /// Infrastructure spoiled too many attempts.
        Unavailable = "unavailable",
        /// Somebody stopped it.
        Cancelled = "cancelled",
        /// Too many attempts were rejected.
        Rejections = "rejections",
        /// One execution was replayed, and it did not violate.
        Replayed = "replayed",
        /// An execution could not be run.
        Broken = "broken",
        /// An execution returned an outcome that is not in the claim.
        UnknownOutcome = "unknown_outcome",
        /// An execution returned a number outside of `between`.
        Outside = "outside",
        /// An execution returned nothing.
        Nothing = "nothing",
        /// The claim lists outcomes, but no execution reported one.
        NoOutcome = "no_outcome",
        /// The same execution gave two results.
        TwoResults = "two_results",
        /// It would have passed in doubt, and the run is strict.
        Doubt = "doubt",
        /// A label was there less often than it must be.
        TooRare = "too_rare",
        /// The time of the suite was over before the first execution.
        NotReached = "not_reached",
        /// The old version is so bad that no new one can be worse by the change.
        NoRoom = "no_room",
        /// The test started but did not finish: its process died.
        Unfinished = "unfinished",
        /// The test failed in another way than by an execution, as its runner says.
        FailedElsewhere = "failed_elsewhere",
        /// The test could not be started.
        Setup = "setup",
    }

    /// What a note is about.
    pub enum NoteKind {
        /// The program brings its own randomness: no execution can be replayed.
        OwnRandomness = "own_randomness",
        /// A plan for p above one half also waits for an execution that passes.
        LargeP = "large_p",
        /// A pass at a violation rate that lies above the tolerated one.
        AboveTolerate = "above_tolerate",
        /// The journal could not be written to its end.
        JournalLost = "journal_lost",
        /// Executions ran at the same time and drew from generators that they share.
        SharedGenerators = "shared_generators",
        /// How rare a bug may be follows from how threads take turns.
        Schedules = "schedules",
    }

    /// What a doubt is about.
    #[derive(Default)]
    pub enum DoubtKind {
        /// The body has a source and no execution drew from it.
        #[default]
        NeverDrew = "never_drew",
        /// Most executions drew nothing, though some did.
        FewDrew = "few_drew",
        /// All that was drawn came from generators with the same seed in every execution.
        FixedSeeds = "fixed_seeds",
        /// The executions were seen to be copies of each other.
        Copies = "copies",
        /// Executions recorded the same in all bits far too often.
        Repeated = "repeated",
        /// Executions that began within one second were copies of each other.
        Clock = "clock",
        /// What two versions did depends on which of them ran first.
        Order = "order",
        /// No execution had a label that some must have.
        Unseen = "unseen",
        /// Executions had more threads or steps than those by which their number was computed.
        Larger = "larger",
        /// Something panicked where the body did not see it.
        Panicked = "panicked",
        /// The body returned something that is not looked at.
        Returned = "returned",
        /// The claim lists outcomes, and no execution reported one.
        UnreportedOutcomes = "unreported_outcomes",
    }
}

impl TestFacts {
    /// The id by which people know the test: pytest's where there is one.
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

    /// Whether one counterexample breaks the claim.
    pub fn has_counterexamples(&self) -> bool {
        matches!(self, Kind::Detect | Kind::Cover)
    }

    /// Whether the chance is bounded that a program fails which keeps the claim.
    pub fn bounds_false_alarms(&self) -> bool {
        self.is_about_returned() || matches!(self, Kind::Tolerate | Kind::Compare)
    }
}

impl Finding {
    /// What happened, in the words of the assertion or of probtest.
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

    /// How an execution violated, where one is told.
    pub fn violation(&self) -> Option<&Violation> {
        match self {
            Finding::Execution(violation) | Finding::Rate { violation, .. } => Some(violation),
            Finding::Worse { violation, .. } => violation.as_ref(),
            _ => None,
        }
    }
}

impl Remembered {
    /// What became of those that did not violate, in a sentence.
    pub fn words(&self) -> Option<&str> {
        let words = match self {
            Remembered::Again { .. } => return None,
            Remembered::Fixed { words, .. } | Remembered::Unsteady { words, .. } => words,
            Remembered::Other(said) => said.get("words")?.as_str()?,
        };
        (!words.is_empty()).then_some(words)
    }
}
