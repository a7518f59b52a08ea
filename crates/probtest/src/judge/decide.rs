//! Deciding, one record at a time.

use std::ops::ControlFlow;

use super::{Counts, Finding, Reason, Verdict, stopped};
use crate::budget::{OnBudget, TimeLimit};
use crate::plan::{Plan, SequentialTest};
use crate::run::{Observation, REJECTIONS_IN_A_ROW, Record, Violation};

/// The confidence of the interval that an accepted budget is held against; the report shows it.
const CONFIDENCE: f64 = 0.95;

/// What a test may use up before it ends without a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most executions; all that the plan asks for when not given.
    pub max_executions: Option<u64>,
    /// The most rejections; ten for each planned execution, but at least 1000,
    /// when not given.
    pub max_rejections: Option<u64>,
    /// What the test is when the most executions, or the time, end before the plan.
    pub on_budget: OnBudget,
}

impl Limits {
    /// The most executions of a test that plans so many.
    pub(super) fn executions_of(&self, planned: u64) -> u64 {
        self.max_executions.unwrap_or(planned).min(planned)
    }

    /// The most rejections in a test that plans so many executions.
    pub(super) fn rejections_of(&self, planned: u64) -> u64 {
        let usual = planned.saturating_mul(10).max(1000);
        self.max_rejections.unwrap_or(usual)
    }
}

/// Decides on a claim while its executions come in.
///
/// ```
/// use probtest::claim::Claim;
/// use probtest::judge::{Judge, Limits, Verdict};
/// use probtest::plan::Plan;
/// use probtest::run::{Observation, Record};
///
/// let plan = Plan::new(&Claim::detect(0.5, 0.05)?)?;
/// let mut judge = Judge::new(&plan, Limits::default());
/// for index in 1..=6 {
///     let passed = Record { index, rejected: 0, drew: true, observation: Observation::Passed };
///     assert_eq!(judge.observe(passed).is_break(), index == 6);
/// }
/// let (verdict, counts) = judge.conclude();
/// assert_eq!((verdict, counts.executed), (Verdict::Passed, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Judge {
    counts: Counts,
    max_executions: u64,
    max_rejections: u64,
    /// The plan, where a budget that ends first may be accepted.
    accepting: Option<Plan>,
    drew: bool,
    coverage: Coverage,
    /// Decides while executions come in, where a rate is tolerated.
    tolerance: Option<Tolerance>,
    verdict: Option<Verdict>,
}

/// A sequential test, and the first execution that violated.
#[derive(Clone, Debug)]
struct Tolerance {
    test: SequentialTest,
    first: Option<u64>,
}

/// Which listed outcomes were seen.
#[derive(Clone, Debug, Default)]
struct Coverage {
    /// One entry for each listed outcome.
    seen: Vec<bool>,
    /// Whether the body reports outcomes at all. A body that only asserts is
    /// not asked for them.
    reported: bool,
}

impl Judge {
    /// Prepares to decide on the claim of a plan.
    pub fn new(plan: &Plan, limits: Limits) -> Self {
        let planned = plan.executions();
        let listed = plan.claim().outcomes().map_or(0, |outcomes| outcomes.len());
        Judge {
            counts: Counts {
                planned,
                ..Counts::default()
            },
            max_executions: limits.executions_of(planned),
            max_rejections: limits.rejections_of(planned),
            accepting: (limits.on_budget == OnBudget::Pass).then(|| plan.clone()),
            drew: false,
            coverage: Coverage {
                seen: vec![false; listed],
                reported: false,
            },
            tolerance: plan.sequential().map(|test| Tolerance {
                test: test.clone(),
                first: None,
            }),
            verdict: None,
        }
    }

    /// Looks at one execution for itself: a violation decides, whatever rate is
    /// tolerated.
    pub fn alone(self) -> Self {
        Judge {
            tolerance: None,
            ..self
        }
    }

    /// Returns the most executions that the judge will look at.
    pub fn max_executions(&self) -> u64 {
        self.max_executions
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Says whether any execution took something from its random source.
    pub fn drew(&self) -> bool {
        self.drew
    }

    /// Looks at the next record and says whether to go on.
    ///
    /// Records come in index order. After the last one needed, more are ignored.
    #[inline]
    pub fn observe(&mut self, record: Record) -> ControlFlow<()> {
        if self.verdict.is_some() {
            return ControlFlow::Break(());
        }
        self.drew |= record.drew;
        self.counts.rejected += record.rejected;
        if record.rejected > 0 && self.counts.rejected > self.max_rejections {
            return self.decide(Verdict::Inconclusive(Reason::Rejections {
                allowed: self.max_rejections,
                in_a_row: false,
            }));
        }
        match record.observation {
            Observation::Passed => {}
            Observation::Violated(violation) if self.tolerance.is_some() => {
                return self.count_violation(record.index, violation);
            }
            other => self.look_closer(record.index, other)?,
        }
        self.counts.executed += 1;
        self.counts.passed += 1;
        self.go_on()
    }

    /// Counts a violation that need not decide.
    fn count_violation(&mut self, index: u64, violation: Box<Violation>) -> ControlFlow<()> {
        self.counts.executed += 1;
        self.counts.violated += 1;
        let (executed, violated) = (self.counts.executed, self.counts.violated);
        let Some(tolerance) = &mut self.tolerance else {
            return ControlFlow::Continue(());
        };
        let first = *tolerance.first.get_or_insert(index);
        if tolerance.test.fails(executed, violated) {
            return self.decide(Verdict::Violated(Finding::Rate {
                index,
                violation,
                first,
            }));
        }
        self.go_on()
    }

    /// Says whether the executions so far are enough.
    #[inline]
    fn go_on(&mut self) -> ControlFlow<()> {
        if let Some(tolerance) = &self.tolerance
            && tolerance
                .test
                .passes(self.counts.executed, self.counts.violated)
        {
            return self.decide(Verdict::Passed);
        }
        if self.counts.executed < self.max_executions {
            return ControlFlow::Continue(());
        }
        let verdict = self.at_the_end();
        self.decide(verdict)
    }

    /// Handles everything but a plain pass; goes on when the execution passed.
    fn look_closer(&mut self, index: u64, observation: Observation) -> ControlFlow<()> {
        let verdict = match observation {
            Observation::Passed | Observation::Number(_) => return ControlFlow::Continue(()),
            Observation::Unlisted => {
                self.coverage.reported = true;
                let listed = self.coverage.seen.len();
                if listed > 0 {
                    return ControlFlow::Continue(());
                }
                Verdict::Inconclusive(Reason::UnknownOutcome {
                    index,
                    outcome: None,
                    listed,
                })
            }
            Observation::Outcome(outcome) => {
                self.coverage.reported = true;
                if let Some(seen) = self.coverage.seen.get_mut(outcome) {
                    *seen = true;
                    return ControlFlow::Continue(());
                }
                Verdict::Inconclusive(Reason::UnknownOutcome {
                    index,
                    outcome: Some(outcome),
                    listed: self.coverage.seen.len(),
                })
            }
            Observation::Violated(violation) => self.violated(index, violation),
            Observation::Rejected => Verdict::Inconclusive(Reason::Rejections {
                allowed: REJECTIONS_IN_A_ROW,
                in_a_row: true,
            }),
            Observation::Broken(message) => {
                Verdict::Inconclusive(Reason::Broken { index, message })
            }
        };
        self.decide(verdict)
    }

    fn violated(&mut self, index: u64, violation: Box<Violation>) -> Verdict {
        self.counts.executed += 1;
        self.counts.violated += 1;
        Verdict::Violated(Finding::Execution { index, violation })
    }

    fn at_the_end(&self) -> Verdict {
        if self.max_executions < self.counts.planned {
            return self.out_of_budget(Reason::Budget {
                max_executions: self.max_executions,
            });
        }
        let unseen = self.coverage.unseen();
        if unseen.is_empty() {
            Verdict::Passed
        } else {
            Verdict::Violated(Finding::Unseen { outcomes: unseen })
        }
    }

    /// Ends the test because its time is over, and says whether to go on.
    ///
    /// The judge has no clock; whoever has one calls this. At least one execution
    /// counts in any case: before that, the answer is to go on.
    pub fn time_is_over(&mut self, limit: TimeLimit) -> ControlFlow<()> {
        if self.verdict.is_some() {
            return ControlFlow::Break(());
        }
        if self.counts.executed == 0 {
            return ControlFlow::Continue(());
        }
        let verdict = self.out_of_budget(Reason::Time { limit });
        self.decide(verdict)
    }

    /// Accepts what was attained, where that is asked for and worth anything.
    fn out_of_budget(&self, reason: Reason) -> Verdict {
        let worth = |plan: &Plan| {
            plan.miss_within(self.counts.executed).value() < 1.0 && !self.speaks_against(plan)
        };
        if self.accepting.as_ref().is_some_and(worth) {
            Verdict::WithinBudget(reason)
        } else {
            Verdict::Inconclusive(reason)
        }
    }

    /// Whether what was seen so far does not fit the claim, although it decides nothing:
    /// an outcome is still missing, or all rates that fit lie above p.
    fn speaks_against(&self, plan: &Plan) -> bool {
        let (Some(tolerance), Some(p)) = (&self.tolerance, plan.claim().p()) else {
            return !self.coverage.unseen().is_empty();
        };
        let Counts {
            executed, violated, ..
        } = self.counts;
        stopped::interval(&tolerance.test, executed, violated, CONFIDENCE)
            .is_ok_and(|(lowest, _)| lowest > p.as_f64())
    }

    fn decide(&mut self, verdict: Verdict) -> ControlFlow<()> {
        self.verdict = Some(verdict);
        ControlFlow::Break(())
    }

    /// Gives the verdict. Without enough records it is inconclusive.
    pub fn conclude(self) -> (Verdict, Counts) {
        let verdict = self
            .verdict
            .unwrap_or(Verdict::Inconclusive(Reason::Cancelled));
        (verdict, self.counts)
    }

    /// Looks at `count` executions at once that all passed without a rejection:
    /// the same as one [`Judge::observe`] for each of them, from `first` on.
    ///
    /// Only for claims on which a pass decides nothing before the last execution:
    /// [`Claim::Detect`](crate::claim::Claim::Detect) and
    /// [`Claim::Cover`](crate::claim::Claim::Cover).
    pub fn observe_passes(&mut self, first: u64, count: u64) -> ControlFlow<()> {
        let left = self.max_executions - self.counts.executed;
        if self.verdict.is_none() && count > 0 {
            let but_the_last = count.min(left) - 1;
            self.counts.executed += but_the_last;
            self.counts.passed += but_the_last;
            return self.observe(Record {
                index: first + but_the_last,
                rejected: 0,
                drew: true,
                observation: Observation::Passed,
            });
        }
        match self.verdict {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }
}

impl Coverage {
    fn unseen(&self) -> Vec<usize> {
        if !self.reported {
            return Vec::new();
        }
        let numbered = self.seen.iter().enumerate();
        numbered
            .filter(|(_, seen)| !**seen)
            .map(|(outcome, _)| outcome)
            .collect()
    }
}
