//! The first violation decides, and at the end every listed outcome must have been seen.

use super::{Counts, Finding, Judge, Observed, Reason, Verdict, unknown_outcome, violated};
use crate::claim::{Outcomes, Probability};
use crate::plan::Plan;
use crate::run::Observation;

#[derive(Clone, Debug)]
pub(super) struct Cover {
    /// One entry for each listed outcome.
    seen: Vec<bool>,
    /// Whether an execution has reported an outcome, listed or not.
    reported: bool,
    /// After how many executions without a report it is plain that the body reports none;
    /// none where it is not asked for any.
    patience: Option<u64>,
}

/// The chance that a body that reports every outcome as listed is taken for one that
/// reports none.
const TAKEN_FOR_SILENT: f64 = 1e-9;

impl Cover {
    /// Prepares for outcomes. A body that is not asked for them is only held to them once
    /// it reports one.
    pub(super) fn new(outcomes: &Outcomes, asked: bool) -> Self {
        Cover {
            seen: vec![false; outcomes.len()],
            reported: false,
            patience: asked.then(|| patience(outcomes)),
        }
    }

    fn unseen(&self) -> Vec<usize> {
        if !self.reported && self.patience.is_none() {
            return Vec::new();
        }
        let missing = self.seen.iter().enumerate().filter(|(_, seen)| !**seen);
        missing.map(|(outcome, _)| outcome).collect()
    }

    fn is_silent(&self, executed: u64) -> bool {
        !self.reported && self.patience.is_some_and(|patience| executed >= patience)
    }
}

impl Judge for Cover {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        match seen {
            Observation::Violated(violation) => return Some(violated(index, violation, counts)),
            Observation::Outcome(outcome) => {
                self.reported = true;
                match self.seen.get_mut(outcome) {
                    Some(listed) => *listed = true,
                    None => return Some(unknown_outcome(index, &seen, self.seen.len())),
                }
            }
            Observation::Unlisted => self.reported = true,
            _ => {}
        }
        counts.pass();
        let silent = self.is_silent(counts.executed);
        silent.then_some(Verdict::Inconclusive(Reason::NoOutcome))
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

    fn copy(&self) -> Box<dyn Judge> {
        Box::new(self.clone())
    }
}

/// How many executions in a row show no listed outcome by chance at most once in 10^9. An
/// execution may show none that is listed, and a body need not report those: at least half
/// of the executions are taken to be such.
fn patience(outcomes: &Outcomes) -> u64 {
    let listed: f64 = outcomes.iter().map(Probability::as_f64).sum();
    let unlisted = (1.0 - listed).clamp(0.5, 1.0 - f64::EPSILON);
    (TAKEN_FOR_SILENT.ln() / unlisted.ln()).ceil() as u64
}
