//! Judge: what do the executions show about the claim?
//!
//! Each claim has a [`Judge`]. It gets one execution after the other, in index order, counts it,
//! and answers "continue" or a [`Verdict`]. It is pure: no clock, no random number, no user code,
//! no texts. The same executions give the same verdict.
//!
//! Next stage: [`crate::report`].

mod compare;
mod labels;
mod returned;
#[doc(hidden)]
pub mod stopped;
mod verdict;
mod violations;

#[doc(hidden)]
pub use crate::math::{confidence, interval};
pub use labels::{LabelCounts, LabelTally, Rare, Split, ValueCount};
pub use verdict::{
    Change, Counts, Direction, Doubt, Extreme, Finding, Level, Observed, Reason, Verdict,
};

use crate::claim::ClaimKind;
use crate::plan::Plan;
use crate::run::{Observation, Violation};

/// Decides on one claim while its executions come in.
pub trait Judge: std::fmt::Debug + Send + Copied {
    /// Looks at the next execution, counts it, and says whether it decides.
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict>;

    /// Decides after the last planned execution.
    fn end(&mut self, counts: &Counts) -> Verdict;

    /// Checks once more when a budget runs out before the plan is finished, and decides if it can.
    fn cut(&mut self, _counts: &Counts) -> Option<Verdict> {
        None
    }

    /// Whether what was seen so far can be accepted when a budget runs out before the plan is
    /// finished.
    fn accepts(&self, _plan: &Plan, _counts: &Counts) -> bool {
        false
    }

    /// Whether passes alone decide nothing before the last execution, so that many can be counted
    /// at once.
    fn passes_wait(&self) -> bool {
        false
    }

    /// What was observed besides counts.
    fn observed(&mut self, _counts: &Counts) -> Observed {
        Observed::Nothing
    }

    /// A doubt that follows from what was observed.
    fn doubt(&self) -> Option<Doubt> {
        None
    }

    /// Executions to run again before a verdict is reported, to see whether their seed decides what
    /// they do.
    fn again(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Whether such an execution did the same again; `None` if that is unclear.
    fn does_again(&self, _index: u64, _seen: &Observation) -> Option<bool> {
        None
    }
}

/// Copies a judge, with everything it has seen.
#[doc(hidden)]
pub trait Copied {
    /// A copy.
    fn copy(&self) -> Box<dyn Judge>;
}

impl<T: Judge + Clone + 'static> Copied for T {
    fn copy(&self) -> Box<dyn Judge> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Judge> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

/// Prepares to decide on the claim of a plan.
pub fn judge(plan: &Plan) -> Box<dyn Judge> {
    judge_of(plan, true, false)
}

/// Like [`judge`]. `asked` says whether the body is asked to report the outcomes that the claim
/// lists, `part` whether only a part of the executions is judged.
pub(crate) fn judge_of(plan: &Plan, asked: bool, part: bool) -> Box<dyn Judge> {
    let judge: Box<dyn Judge> = match &plan.claim().0 {
        ClaimKind::Detect { .. } => Box::new(violations::DetectJudge),
        ClaimKind::Cover { outcomes, .. } => Box::new(violations::CoverJudge::new(outcomes, asked)),
        ClaimKind::Tolerate { .. } => Box::new(violations::TolerateJudge::new(plan)),
        ClaimKind::Mean { mean, .. } => Box::new(returned::MeanJudge::new(plan, *mean)),
        ClaimKind::Fit { fit, .. } => Box::new(returned::FitJudge::new(plan, fit.clone())),
        ClaimKind::Compare { compare, .. } => Box::new(compare::CompareJudge::new(plan, *compare)),
        ClaimKind::Estimate { .. } => Box::new(violations::EstimateJudge::new(plan)),
    };
    if !part {
        return judge;
    }
    let first_violation_decides = plan.claim().first_violation_decides();
    Box::new(Partial { judge, first_violation_decides, counts: Counts::default() })
}

/// Judges one execution alone: a violation decides, whatever rate is tolerated; anything else
/// decides only if the claim says that it can't happen.
pub(crate) fn alone(
    judge: &mut dyn Judge,
    index: u64,
    observation: Observation,
    counts: &mut Counts,
) -> Verdict {
    let violation = match &observation {
        Observation::Violated(violation) => Some(&**violation),
        Observation::Pair(pair) => pair.only_new(),
        _ => None,
    };
    if let Some(violation) = violation {
        return violated(index, Box::new(violation.clone()), counts);
    }
    match judge.observe(index, observation, counts) {
        Some(
            verdict @ (Verdict::Inconclusive(_) | Verdict::Violated(Finding::Impossible { .. })),
        ) => verdict,
        _ => Verdict::Inconclusive(Reason::Replayed { index }),
    }
}

fn violated(index: u64, violation: Box<Violation>, counts: &mut Counts) -> Verdict {
    counts.violate();
    Verdict::Violated(Finding::Execution { index, violation })
}

fn inconclusive(reason: Reason) -> Option<Verdict> {
    Some(Verdict::Inconclusive(reason))
}

/// Consults a judge of the claim on each execution of a part, and follows it only if its verdict
/// depends on that execution alone: then no other part changes it, unless an earlier execution
/// decides.
#[derive(Clone, Debug)]
struct Partial {
    judge: Box<dyn Judge>,
    first_violation_decides: bool,
    counts: Counts,
}

impl Judge for Partial {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        if let Observation::Violated(violation) = seen {
            let verdict = violated(index, violation, counts);
            return self.first_violation_decides.then_some(verdict);
        }
        let violated = self.counts.violated;
        match self.judge.observe(index, seen, &mut self.counts) {
            Some(verdict @ Verdict::Violated(Finding::Impossible { .. })) => {
                counts.pass();
                Some(verdict)
            }
            // A verdict that depends on all executions is left to all parts together.
            Some(Verdict::Inconclusive(reason))
                if !matches!(reason, Reason::NoOutcome | Reason::NoRoom { .. }) =>
            {
                Some(Verdict::Inconclusive(reason))
            }
            _ => {
                match self.counts.violated > violated {
                    true => counts.violate(),
                    false => counts.pass(),
                }
                None
            }
        }
    }

    fn end(&mut self, _counts: &Counts) -> Verdict {
        Verdict::Partial
    }

    /// The first ones overall are among the first ones of each part.
    fn again(&self) -> Vec<u64> {
        self.judge.again()
    }

    fn does_again(&self, index: u64, seen: &Observation) -> Option<bool> {
        self.judge.does_again(index, seen)
    }

    fn passes_wait(&self) -> bool {
        true
    }
}
