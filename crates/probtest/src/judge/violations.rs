//! Claims on whether executions violate: detect, cover, tolerate and estimate.

use super::confidence::AimedSequence;
use super::{Counts, Finding, Judge, Observed, Reason, Verdict, inconclusive, violated};
use crate::claim::{Outcomes, Probability};
use crate::plan::{Plan, SequentialTest};
use crate::run::{Observation, Violation};

/// The chance of mistaking a body that reports every outcome for one that reports none.
const TAKEN_FOR_SILENT: f64 = 1e-9;
/// An estimate checks after every execution up to this many, then after one in this many.
const LOOK_AT_EACH: u64 = 1024;

fn unknown_outcome(index: u64, outcome: Option<usize>, listed: usize) -> Option<Verdict> {
    inconclusive(Reason::UnknownOutcome { index, outcome, listed })
}

/// The first violation decides.
#[derive(Clone, Debug)]
pub(super) struct DetectJudge;

impl Judge for DetectJudge {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        match seen {
            Observation::Violated(violation) => Some(violated(index, violation, counts)),
            Observation::Outcome(outcome) => unknown_outcome(index, Some(outcome), 0),
            Observation::Unlisted => unknown_outcome(index, None, 0),
            _ => {
                counts.pass();
                None
            }
        }
    }

    fn end(&mut self, _counts: &Counts) -> Verdict {
        Verdict::Passed
    }

    fn accepts(&self, plan: &Plan, counts: &Counts) -> bool {
        plan.miss_within(counts.executed).value() < 1.0
    }

    fn passes_wait(&self) -> bool {
        true
    }
}

/// The first violation decides, and at the end every listed outcome must have been seen.
#[derive(Clone, Debug)]
pub(super) struct CoverJudge {
    seen: Vec<bool>,
    /// Whether an execution has reported an outcome, listed or not.
    reported: bool,
    /// After this many executions without a report, the body is assumed to report none; `None` if
    /// it isn't asked for outcomes.
    patience: Option<u64>,
}

impl CoverJudge {
    /// A body that isn't asked for outcomes needs to show all of them only if it reports one.
    pub(super) fn new(outcomes: &Outcomes, asked: bool) -> Self {
        CoverJudge {
            seen: vec![false; outcomes.len()],
            reported: false,
            patience: asked.then(|| patience(outcomes)),
        }
    }

    fn unseen(&self) -> Vec<usize> {
        let is_held = self.reported || self.patience.is_some();
        (0..self.seen.len()).filter(|outcome| is_held && !self.seen[*outcome]).collect()
    }
}

impl Judge for CoverJudge {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        match seen {
            Observation::Violated(violation) => return Some(violated(index, violation, counts)),
            Observation::Outcome(outcome) => {
                self.reported = true;
                match self.seen.get_mut(outcome) {
                    Some(listed) => *listed = true,
                    None => return unknown_outcome(index, Some(outcome), self.seen.len()),
                }
            }
            Observation::Unlisted => self.reported = true,
            _ => {}
        }
        counts.pass();
        let lost_patience = self.patience.is_some_and(|patience| counts.executed >= patience);
        (!self.reported && lost_patience).then_some(Verdict::Inconclusive(Reason::NoOutcome))
    }

    fn end(&mut self, _counts: &Counts) -> Verdict {
        match self.unseen() {
            unseen if unseen.is_empty() => Verdict::Passed,
            _ if !self.reported => Verdict::Inconclusive(Reason::NoOutcome),
            outcomes => Verdict::Violated(Finding::Unseen { outcomes }),
        }
    }

    fn accepts(&self, plan: &Plan, counts: &Counts) -> bool {
        plan.miss_within(counts.executed).value() < 1.0 && self.unseen().is_empty()
    }

    fn observed(&mut self, _counts: &Counts) -> Observed {
        match self.reported {
            true => Observed::Nothing,
            false => Observed::NoOutcome,
        }
    }
}

/// A run of this many executions shows no listed outcome by chance at most once in 10^9. The
/// outcome of an execution may be unlisted, and a body need not report it: at least half of the
/// executions are assumed to be of this kind.
fn patience(outcomes: &Outcomes) -> u64 {
    let listed: f64 = outcomes.iter().map(Probability::as_f64).sum();
    let unlisted = (1.0 - listed).clamp(0.5, 1.0 - f64::EPSILON);
    (TAKEN_FOR_SILENT.ln() / unlisted.ln()).ceil() as u64
}

/// A sequential test decides whether the violation rate is too high.
#[derive(Clone, Debug)]
pub(super) struct TolerateJudge {
    test: SequentialTest,
    first: Option<u64>,
}

impl TolerateJudge {
    pub(super) fn new(plan: &Plan) -> Self {
        TolerateJudge {
            test: plan.sequential().expect("a plan with a tolerated rate has a test").clone(),
            first: None,
        }
    }
}

impl Judge for TolerateJudge {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        match seen {
            Observation::Violated(violation) => {
                counts.violate();
                let first = *self.first.get_or_insert(index);
                if self.test.fails(counts.executed, counts.violated) {
                    return Some(Verdict::Violated(Finding::Rate { index, violation, first }));
                }
            }
            Observation::Outcome(outcome) => return unknown_outcome(index, Some(outcome), 0),
            Observation::Unlisted => return unknown_outcome(index, None, 0),
            _ => counts.pass(),
        }
        let passes = self.test.passes(counts.executed, counts.violated);
        passes.then_some(Verdict::Passed)
    }

    fn end(&mut self, _counts: &Counts) -> Verdict {
        Verdict::Passed
    }

    fn accepts(&self, plan: &Plan, counts: &Counts) -> bool {
        // The report of an accepted result says which rate would have failed.
        counts.violated < self.test.unacceptable(counts.executed)
            && plan.rate_caught_within(counts.executed).is_some()
    }
}

/// Narrows an interval for the violation rate until it is as narrow as requested.
#[derive(Clone, Debug)]
pub(super) struct EstimateJudge {
    sequence: AimedSequence,
    interval: (f64, f64),
    next_look: u64,
    first: Option<(u64, Box<Violation>)>,
    finished: bool,
}

impl EstimateJudge {
    pub(super) fn new(plan: &Plan) -> Self {
        let sequence = plan.aimed().expect("the plan of an estimate has intervals");
        EstimateJudge {
            sequence,
            interval: (0.0, 1.0),
            next_look: sequence.least_executions(),
            first: None,
            finished: false,
        }
    }

    /// Intersects the interval with the current one. A confidence sequence holds at all times at
    /// once, so what was ruled out once stays ruled out.
    fn look(&mut self, counts: &Counts) {
        let now = self.sequence.interval(counts.violated, counts.executed);
        let both = (self.interval.0.max(now.0), self.interval.1.min(now.1));
        // With the probability that the confidence leaves, two looks contradict each other; then
        // the later one counts.
        self.interval = if both.0 <= both.1 { both } else { now };
        self.next_look = counts.executed + (counts.executed / LOOK_AT_EACH).max(1);
    }

    /// Whether the interval is narrow enough. One that doesn't contain the observed rate is only
    /// narrow because its looks almost contradict each other, so it waits.
    fn is_narrow(&self, counts: &Counts) -> bool {
        let (low, high) = self.interval;
        let rate = counts.violated as f64 / counts.executed as f64;
        high - low <= self.sequence.width() && low <= rate && rate <= high
    }
}

impl Judge for EstimateJudge {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        if let Observation::Violated(violation) = seen {
            counts.violate();
            self.first.get_or_insert((index, violation));
        } else {
            // Which outcome it was doesn't matter for the violation rate.
            counts.pass();
        }
        let is_due = counts.executed >= self.next_look && counts.executed < counts.planned;
        is_due.then(|| self.cut(counts))?
    }

    fn end(&mut self, counts: &Counts) -> Verdict {
        // The current interval is narrow enough by itself, so earlier looks aren't needed.
        self.interval = self.sequence.interval(counts.violated, counts.executed);
        self.finished = true;
        Verdict::Estimated
    }

    fn cut(&mut self, counts: &Counts) -> Option<Verdict> {
        self.look(counts);
        self.finished = self.is_narrow(counts);
        self.finished.then_some(Verdict::Estimated)
    }

    fn observed(&mut self, counts: &Counts) -> Observed {
        // However it ended early, the executions so far say something.
        if !self.finished && counts.executed > 0 {
            self.look(counts);
        }
        Observed::Rate { interval: self.interval, first: self.first.clone() }
    }
}
