//! The verdict, with its counts.

use probtest_facts::json_variants;

use super::labels::Rare;
use crate::plan::{Plan, ScaledBound};
use crate::run::Violation;
use crate::settings::TimeLimit;

/// How many executions passed, violated or were rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The executions in the plan; the most it can take, if it may stop sooner.
    pub planned: u64,
    /// The executions that count: passed and violated.
    pub executed: u64,
    /// The executions whose assertion held.
    pub passed: u64,
    /// The executions whose assertion was violated.
    pub violated: u64,
    /// The attempts that were rejected and retried. They don't count.
    pub rejected: u64,
}

impl Counts {
    /// Starts counting for a plan.
    pub fn of(plan: &Plan) -> Self {
        Counts { planned: plan.executions(), ..Counts::default() }
    }

    /// The planned executions that didn't run.
    pub fn not_executed(&self) -> u64 {
        self.planned.saturating_sub(self.executed)
    }

    pub(crate) fn pass(&mut self) {
        self.executed += 1;
        self.passed += 1;
    }

    pub(crate) fn violate(&mut self) {
        self.executed += 1;
        self.violated += 1;
    }
}

/// What the executions show about the claim.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a verdict has no effect unless you check it"]
#[non_exhaustive]
pub enum Verdict {
    /// The claim was kept: the plan was finished without evidence against it, or a test that
    /// decides while executions come in decided for it.
    Passed,
    /// There is evidence against the claim.
    Violated(Finding),
    /// The claim wasn't decided. This is never a pass.
    Inconclusive(Reason),
    /// A budget ran out before the plan was finished, there is no evidence against the claim, and
    /// the test accepts what was achieved so far. That is less than the claim.
    WithinBudget(Reason),
    /// The rate is known as precisely as you asked.
    Estimated,
    /// This shard ran its executions, and none of them decides. This is never a pass: the verdict
    /// needs all shards together.
    Partial,
}

impl Verdict {
    pub(crate) fn is_violated(&self) -> bool {
        matches!(self, Verdict::Violated(_))
    }

    /// Whether the test passed, finished its estimate, accepts what it achieved within a budget, or
    /// is a shard that did its part.
    #[must_use = "a verdict has no effect unless you check it"]
    pub fn is_accepted(&self) -> bool {
        matches!(
            self,
            Verdict::Passed | Verdict::WithinBudget(_) | Verdict::Estimated | Verdict::Partial
        )
    }

    /// Replaces the violation by that of the deciding execution when it ran again.
    pub(crate) fn retell(&mut self, told: Box<Violation>) {
        if let Verdict::Violated(
            Finding::Execution { violation, .. } | Finding::Rate { violation, .. },
        ) = self
        {
            *violation = told;
        }
    }
}

/// The evidence against a claim.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// An execution violated the assertion.
    Execution {
        /// The execution, from 1.
        index: u64,
        /// What happened.
        violation: Box<Violation>,
    },
    /// More executions violated the assertion than the claim tolerates.
    Rate {
        /// The execution that decided, from 1. It violated.
        index: u64,
        /// What happened there.
        violation: Box<Violation>,
        /// The first execution that violated, from 1.
        first: u64,
    },
    /// The plan was finished, and listed outcomes were never seen.
    Unseen {
        /// The numbers of those outcomes, from 0.
        outcomes: Vec<usize>,
    },
    /// The mean is outside its bounds.
    Mean {
        /// Whether it is too low or too high.
        direction: Direction,
    },
    /// The new version is worse than the old one.
    Worse,
    /// A label occurs too rarely or too often.
    Label {
        /// The position of the label, from 0; one past the last for all labels that aren't listed.
        label: usize,
        /// Whether it occurs too rarely or too often.
        direction: Direction,
    },
    /// An execution returned a label that the claim rules out.
    Impossible {
        /// The execution, from 1.
        index: u64,
        /// The label, if it is known.
        label: Option<String>,
    },
}

/// On which side of the claim the program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Too low, or too rarely.
    Low,
    /// Too high, or too often.
    High,
}

impl Direction {
    pub(super) fn of(side: &ScaledBound) -> Self {
        match side.mirrored {
            true => Direction::Low,
            false => Direction::High,
        }
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// `max_executions` is below the plan.
    Budget {
        /// The most executions allowed.
        max_executions: u64,
    },
    /// The time ran out before the plan was finished.
    Time {
        /// The limit.
        limit: TimeLimit,
    },
    /// The executions cost as much as they may.
    Cost {
        /// The limit.
        max_cost: f64,
    },
    /// Too many attempts failed because of their infrastructure.
    Unavailable {
        /// The last execution that was tried, from 1.
        index: u64,
        /// What failed.
        kind: String,
        /// Its message.
        message: String,
        /// The most failures allowed.
        allowed: u64,
        /// Whether they all belong to one execution.
        in_a_row: bool,
    },
    /// Someone stopped the run.
    Cancelled,
    /// More attempts were rejected than allowed.
    Rejections {
        /// The most rejections allowed.
        allowed: u64,
        /// Whether they all belong to one execution.
        in_a_row: bool,
    },
    /// Only one execution was replayed, and it didn't violate. One execution isn't the plan.
    Replayed {
        /// The execution, from 1.
        index: u64,
    },
    /// An execution couldn't run.
    Broken {
        /// The execution, from 1.
        index: u64,
        /// What went wrong.
        message: String,
    },
    /// The body reported an outcome that the claim doesn't list.
    UnknownOutcome {
        /// The execution, from 1.
        index: u64,
        /// The number that the body returned, if it returned one.
        outcome: Option<usize>,
        /// How many outcomes the claim lists; 0 if it has none.
        listed: usize,
    },
    /// An execution returned a number outside the claim's `between`.
    Outside {
        /// The execution, from 1.
        index: u64,
        /// The number.
        value: f64,
    },
    /// An execution didn't return what the claim is about.
    Nothing {
        /// The execution, from 1.
        index: u64,
    },
    /// A label occurred less often than the test requires.
    TooRare(Rare),
    /// The suite's time ran out before this test started: nothing ran.
    NotReached {
        /// The limit.
        limit: TimeLimit,
    },
    /// The claim lists outcomes, but no execution reported one.
    NoOutcome,
    /// The same execution gave two results: the program has randomness that its seed doesn't
    /// control.
    TwoResults {
        /// The execution, from 1.
        index: u64,
    },
    /// It would have passed, but with doubts, and the run is strict.
    Doubt,
    /// The old version is so bad that no new one can be worse by `change`.
    NoRoom {
        /// How often the old version violated, or the mean of its numbers.
        old: f64,
    },
}

/// A reason to believe that executions weren't independent or weren't random, or that something
/// failed where no assertion noticed. A pass with a doubt proves less than it seems to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doubt {
    /// The body has a random source, but no execution drew from it.
    NeverDrew,
    /// Most executions drew nothing, although some did: the others reuse what those left behind.
    FewDrew {
        /// How many executions drew a random number.
        drew: u64,
        /// How many executions were checked.
        looked_at: u64,
    },
    /// Everything was drawn from generators that the program gives the same seed in every
    /// execution.
    FixedSeeds {
        /// What was seeded, and where, if that is known.
        places: Vec<String>,
    },
    /// Every execution that was checked did the same.
    Copies,
    /// Executions recorded exactly the same values far more often than the claim allows.
    Repeated {
        /// How many pairs of neighbours recorded exactly the same values.
        equal: u64,
        /// How many pairs recorded something.
        pairs: u64,
    },
    /// Executions that started within the same second did the same, others didn't: the program
    /// takes its seed from the clock.
    Clock,
    /// What two versions did depends on which of them ran first: one uses what the other left
    /// behind.
    Order,
    /// No execution had a label that the test requires.
    Unseen(Rare),
    /// Executions had more threads or steps than were measured when the plan was made.
    Larger {
        /// How many executions had more.
        executions: u64,
        /// The most threads of one execution.
        threads: u64,
        /// The most steps of one execution.
        steps: u64,
    },
    /// A thread or a task panicked, and the body didn't notice.
    Panicked {
        /// The execution that was running, from 1.
        index: u64,
        /// The panic.
        panic: Box<Violation>,
    },
    /// The body returned something that isn't checked, although it may have been meant to be.
    Returned(String),
    /// The claim lists outcomes, and there were enough executions to see each, but none reported
    /// one.
    UnreportedOutcomes,
}

json_variants!(Doubt {
    "never_drew" => NeverDrew,
    "few_drew" => FewDrew { drew, looked_at },
    "fixed_seeds" => FixedSeeds { places },
    "copies" => Copies,
    "repeated" => Repeated { equal, pairs },
    "clock" => Clock,
    "order" => Order,
    "unseen" => Unseen(label),
    "larger" => Larger { executions, threads, steps },
    "panicked" => Panicked { index, panic },
    "returned" => Returned(what),
    "unreported_outcomes" => UnreportedOutcomes,
});

/// The execution that returned the smallest or the largest number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The execution, from 1.
    pub index: u64,
    /// What it returned.
    pub value: f64,
}

/// How often a version violated, or the mean of its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The observed rate or mean.
    pub mean: f64,
    /// The rates that fit the data, with confidence 0.95; `None` for numbers.
    pub interval: Option<(f64, f64)>,
}

/// How an old and a new version compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The old version.
    pub old: Level,
    /// The new version.
    pub new: Level,
    /// The pairs in which the new version was worse.
    pub worse: u64,
    /// The pairs in which the new version was better.
    pub better: u64,
    /// How much worse the new version was, on average; negative if it was better.
    pub change: f64,
    /// The lowest and the highest change that fit the data.
    pub interval: (f64, f64),
    /// The probability, at least, that this interval contains the true change.
    pub confidence: f64,
    /// The pair to look at, and how its new version violated.
    pub shown: Option<(u64, Option<Box<Violation>>)>,
}

/// What was observed besides counts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Observed {
    /// Nothing that the claim is about.
    Nothing,
    /// No execution reported an outcome, and the claim lists some.
    NoOutcome,
    /// A violation rate.
    Rate {
        /// The lowest and the highest rate that fit the data.
        interval: (f64, f64),
        /// The first execution that violated, and how.
        first: Option<(u64, Box<Violation>)>,
    },
    /// Numbers.
    Numbers {
        /// Their mean.
        mean: f64,
        /// The means that fit the data, with confidence 0.95.
        interval: (f64, f64),
        /// The smallest and the largest number, if there were any.
        extremes: Option<(Extreme, Extreme)>,
    },
    /// Pairs of an old and a new version.
    Change(Change),
    /// Labels: how often each occurred, in the order of the claim. The last one is for all others,
    /// if the claim leaves room for them.
    Labels(Vec<u64>),
}
