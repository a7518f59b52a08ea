//! The answer, with its counts.

use probtest_facts::json_variants;

use super::labels::Rare;
use crate::plan::{Plan, ScaledBound};
use crate::run::Violation;
use crate::settings::TimeLimit;

/// How many executions did what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The executions that the plan asks for; the most, where it may stop sooner.
    pub planned: u64,
    /// The executions that count: passed and violated.
    pub executed: u64,
    /// The executions whose assertion held.
    pub passed: u64,
    /// The executions whose assertion was violated.
    pub violated: u64,
    /// The attempts that were rejected and drawn again. They do not count.
    pub rejected: u64,
}

impl Counts {
    /// Begins to count what a plan asks for.
    pub fn of(plan: &Plan) -> Self {
        Counts { planned: plan.executions(), ..Counts::default() }
    }

    /// The planned executions that did not run.
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

/// What the executions say about the claim.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a verdict has no effect unless you check it"]
#[non_exhaustive]
pub enum Verdict {
    /// The claim was kept: the plan ran to its end without evidence against it, or what
    /// decides while executions come in has decided for it.
    Passed,
    /// The claim does not hold.
    Violated(Finding),
    /// The claim was not decided. This is never a pass.
    Inconclusive(Reason),
    /// A budget ended before the plan, no execution is evidence against the claim, and
    /// the test accepts what was achieved until then. That is less than the claim.
    WithinBudget(Reason),
    /// The rate is known as well as was asked for.
    Estimated,
    /// This shard has made its executions, and none of them decides. This is never a pass:
    /// the verdict is that of all shards together.
    Partial,
}

impl Verdict {
    pub(crate) fn is_violated(&self) -> bool {
        matches!(self, Verdict::Violated(_))
    }

    /// Says whether the test passed, or measured, or a budget ended first and it accepts that,
    /// or a shard did its part.
    #[must_use = "a verdict has no effect unless you check it"]
    pub fn is_accepted(&self) -> bool {
        matches!(
            self,
            Verdict::Passed | Verdict::WithinBudget(_) | Verdict::Estimated | Verdict::Partial
        )
    }

    /// Takes what the execution that decided did when it ran again.
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
    /// The plan ran to its end and listed outcomes were never seen.
    Unseen {
        /// The numbers of those outcomes, from 0.
        outcomes: Vec<usize>,
    },
    /// The mean misses the claim.
    Mean {
        /// Whether it is too low or too high.
        direction: Direction,
    },
    /// The new version is worse than the old one.
    Worse,
    /// A label comes too rarely or too often.
    Label {
        /// The label, from 0; one past the last for all labels that are not listed.
        label: usize,
        /// Whether it comes too rarely or too often.
        direction: Direction,
    },
    /// An execution returned a label that the claim gives no probability.
    Impossible {
        /// The execution, from 1.
        index: u64,
        /// The label, where it is known.
        label: Option<String>,
    },
}

/// On which side a claim was missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Too low, too rarely.
    Low,
    /// Too high, too often.
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
        /// The most executions that were allowed.
        max_executions: u64,
    },
    /// The time was over before the plan.
    Time {
        /// The limit.
        limit: TimeLimit,
    },
    /// The executions have cost as much as they may.
    Cost {
        /// The limit.
        max_cost: f64,
    },
    /// Infrastructure has spoiled too many attempts.
    Unavailable {
        /// The execution that was tried last, from 1.
        index: u64,
        /// What failed.
        kind: String,
        /// What it said.
        message: String,
        /// The most failures that were allowed.
        allowed: u64,
        /// Whether they all belong to one execution.
        in_a_row: bool,
    },
    /// Somebody stopped the run.
    Cancelled,
    /// More executions were rejected than allowed.
    Rejections {
        /// The most rejections that were allowed.
        allowed: u64,
        /// Whether they all belong to one execution.
        in_a_row: bool,
    },
    /// One execution was asked for and did nothing wrong. It is not the plan.
    Replayed {
        /// The execution, from 1.
        index: u64,
    },
    /// An execution could not run.
    Broken {
        /// The execution, from 1.
        index: u64,
        /// What went wrong.
        message: String,
    },
    /// The body reported an outcome that the claim does not list.
    UnknownOutcome {
        /// The execution, from 1.
        index: u64,
        /// The number that the body returned, if it returned one.
        outcome: Option<usize>,
        /// How many outcomes the claim lists; 0 when it has none.
        listed: usize,
    },
    /// An execution returned a number outside of what the claim says.
    Outside {
        /// The execution, from 1.
        index: u64,
        /// The number.
        value: f64,
    },
    /// An execution did not return what the claim is about.
    Nothing {
        /// The execution, from 1.
        index: u64,
    },
    /// A label was there less often than it must be.
    TooRare(Rare),
    /// The time of all tests was over before this one began: nothing was executed.
    NotReached {
        /// The limit.
        limit: TimeLimit,
    },
    /// The claim lists outcomes, but no execution reported one.
    NoOutcome,
    /// The same execution gave two results: the program has randomness that is not
    /// controlled.
    TwoResults {
        /// The execution, from 1.
        index: u64,
    },
    /// It would have passed, there are doubts, and the run is strict.
    Doubt,
    /// The old version is so bad that no new one can be worse by the change.
    NoRoom {
        /// How often the old version violated, or the mean of its numbers.
        old: f64,
    },
}

/// A reason to believe that executions were not independent or not random, or that
/// something failed where no assertion saw it. A pass in doubt proves less than it seems to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doubt {
    /// The body has a source and no execution drew from it.
    NeverDrew,
    /// Most executions drew nothing, though some did: they use what those left.
    FewDrew {
        /// How many drew.
        drew: u64,
        /// Of how many that is known.
        looked_at: u64,
    },
    /// All that was drawn came from generators that the program gives the same seed in
    /// every execution.
    FixedSeeds {
        /// What was seeded, and where, as far as it is known.
        places: Vec<String>,
    },
    /// The executions were seen to be copies of each other.
    Copies,
    /// Executions recorded the same in all bits far more often than the claim allows.
    Repeated {
        /// How many pairs of neighbours recorded the same.
        equal: u64,
        /// Of how many that recorded something.
        pairs: u64,
    },
    /// Executions that began within one second did the same, others did not: the program
    /// takes its seed from the clock.
    Clock,
    /// What two versions did depends on which of them ran first: one lives on what the other has
    /// left behind.
    Order,
    /// No execution had a label that some must have.
    Unseen(Rare),
    /// Executions had more threads or steps than those by which their number was computed.
    Larger {
        /// How many executions.
        executions: u64,
        /// The most threads that one had.
        threads: u64,
        /// The most steps.
        steps: u64,
    },
    /// Something panicked where the body did not see it.
    Panicked {
        /// The execution that was under way, from 1.
        index: u64,
        /// The panic.
        panic: Box<Violation>,
    },
    /// The body returned something that is not looked at, and may have been meant to be.
    Returned(String),
    /// The claim lists outcomes, and no execution reported one.
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

/// The execution that returned the least or the largest number.
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
    /// What was seen.
    pub mean: f64,
    /// The rates that fit, with confidence 0.95; none for numbers.
    pub interval: Option<(f64, f64)>,
}

/// What was seen of pairs of an old and a new version.
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
    /// By how much the new version was worse, on average.
    pub change: f64,
    /// The lowest and the highest such change that fit.
    pub interval: (f64, f64),
    /// How often such an interval holds the true change, at least.
    pub confidence: f64,
    /// The pair to look at, and how its new version violated.
    pub shown: Option<(u64, Option<Box<Violation>>)>,
}

/// What was seen besides counts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Observed {
    /// Nothing that the claim is about.
    Nothing,
    /// No execution reported an outcome, and the claim lists some.
    NoOutcome,
    /// A violation rate.
    Rate {
        /// The lowest and the highest rate that fit.
        interval: (f64, f64),
        /// The first execution that violated, and how.
        first: Option<(u64, Box<Violation>)>,
    },
    /// Numbers.
    Numbers {
        /// Their mean.
        mean: f64,
        /// The means that fit them, with confidence 0.95.
        interval: (f64, f64),
        /// The least and the largest number, if there were any.
        extremes: Option<(Extreme, Extreme)>,
    },
    /// Pairs of an old and a new version.
    Change(Change),
    /// Labels: how often each was seen, in the order of the claim; the last one
    /// is for all others, if the claim leaves room for them.
    Labels(Vec<u64>),
}
