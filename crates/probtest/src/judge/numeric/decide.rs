//! Deciding on numbers or labels, one record at a time.

use std::ops::ControlFlow;

use super::stakes::{Stake, Table, lay};
use super::{Extreme, NumericReason, NumericVerdict, Seen};
use crate::budget::TimeLimit;
use crate::claim::numeric::{MeanClaim, NumericClaim};
use crate::judge::tally::Tally;
use crate::judge::{Counts, Limits, Reason};
use crate::plan::numeric::{NumericPlan, Side};
use crate::run::{Number, Observation, Record};

/// Looks after every execution up to this many, later after one in this many.
const LOOK_AT_EACH: u64 = 256;
/// The logarithm of what is left of each side of an interval of 0.95.
const ONE_SIDE: f64 = 3.688_879_454_113_936;

/// Decides on a claim on numbers or labels while its executions come in.
///
/// ```
/// use probtest::claim::numeric::MeanClaim;
/// use probtest::judge::{Limits, numeric::{NumericJudge, NumericVerdict}};
/// use probtest::plan::numeric::NumericPlan;
/// use probtest::run::{Number, Observation, Record};
///
/// let plan = NumericPlan::new(MeanClaim::below((0.0, 1.0), 0.5, 0.25)?)?;
/// let mut judge = NumericJudge::new(&plan, Limits::default());
/// let record = |index| Record {
///     index,
///     rejected: 0,
///     drew: true,
///     observation: Observation::Number(Number(0.4)),
/// };
/// let mut index = 1;
/// while judge.observe(record(index)).is_continue() {
///     index += 1;
/// }
/// let (verdict, _, counts) = judge.conclude();
/// assert_eq!((verdict, counts.executed), (NumericVerdict::Passed, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NumericJudge {
    plan: NumericPlan,
    tally: Tally,
    tables: Vec<Table>,
    stakes: Vec<Stake>,
    /// How often each label was seen; the sum of numbers on the scale from 0 to 1.
    labels: Vec<u64>,
    sum: f64,
    extremes: Option<(Extreme, Extreme)>,
    next_look: u64,
    verdict: Option<NumericVerdict>,
}

impl NumericJudge {
    /// Prepares to decide on the claim of a plan.
    pub fn new(plan: &NumericPlan, limits: Limits) -> Self {
        let (tables, stakes) = lay(plan);
        let labels = match plan.claim() {
            NumericClaim::Mean(_) => 0,
            NumericClaim::Fit(claim) => claim.shares().count(),
        };
        NumericJudge {
            plan: plan.clone(),
            tally: Tally::new(plan.executions(), limits),
            tables,
            stakes,
            labels: vec![0; labels],
            sum: 0.0,
            extremes: None,
            next_look: 1,
            verdict: None,
        }
    }

    /// Returns the most executions that there will be.
    pub fn max_executions(&self) -> u64 {
        self.tally.max_executions
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> Counts {
        self.tally.counts
    }

    /// Says for each side of the plan whether its bad means are ruled out. What
    /// was ruled out once stays so; the claim passes when all are.
    pub fn ruled_out(&self) -> Vec<bool> {
        self.stakes.iter().map(|stake| stake.ruled_out).collect()
    }

    /// Says whether any execution took something from its random source.
    pub fn drew(&self) -> bool {
        self.tally.drew
    }

    /// Looks at the next record and says whether to go on. Records come in index
    /// order; after the end, more are ignored.
    pub fn observe(&mut self, record: Record) -> ControlFlow<()> {
        if self.verdict.is_some() {
            return ControlFlow::Break(());
        }
        if let Err(reason) = self.tally.admit(&record) {
            return self.end(reason);
        }
        let index = record.index;
        if let Observation::Violated(violation) = record.observation {
            self.tally.violated();
            return self.decide(NumericVerdict::Violated { index, violation });
        }
        self.take(index, &record.observation)?;
        self.tally.passed();
        let executed = self.tally.counts.executed;
        if executed >= self.next_look || executed >= self.tally.max_executions {
            self.look()?;
        }
        match self.tally.used_up() {
            Some(reason) => self.end(reason),
            None => ControlFlow::Continue(()),
        }
    }

    /// Ends the test because its time is over, and says whether to go on. At least
    /// one execution counts in any case: before that, the answer is to go on.
    pub fn time_is_over(&mut self, limit: TimeLimit) -> ControlFlow<()> {
        if self.verdict.is_some() {
            return ControlFlow::Break(());
        }
        if self.tally.counts.executed == 0 {
            return ControlFlow::Continue(());
        }
        // Looks as a limit of as many executions does, so that the two agree. A bet
        // may be looked at any time.
        self.look()?;
        self.end(Reason::Time { limit })
    }

    /// Takes what an execution returned.
    fn take(&mut self, index: u64, returned: &Observation) -> ControlFlow<()> {
        let verdict = match (self.plan.claim(), returned) {
            (NumericClaim::Mean(claim), Observation::Number(Number(value))) => {
                let (low, high) = claim.between();
                if (low..=high).contains(value) {
                    let share = claim.scaled(*value);
                    self.number(index, *value, share);
                    return ControlFlow::Continue(());
                }
                let value = *value;
                NumericVerdict::Inconclusive(NumericReason::Outside { index, value })
            }
            (NumericClaim::Fit(claim), Observation::Outcome(label))
                if *label < claim.labels().len() =>
            {
                self.labels[*label] += 1;
                return ControlFlow::Continue(());
            }
            (NumericClaim::Fit(claim), Observation::Outcome(_) | Observation::Unlisted) => {
                if claim.rest() > 0.0 {
                    if let Some(others) = self.labels.last_mut() {
                        *others += 1;
                    }
                    return ControlFlow::Continue(());
                }
                self.tally.passed();
                NumericVerdict::Impossible { index, label: None }
            }
            _ => NumericVerdict::Inconclusive(NumericReason::Nothing { index }),
        };
        self.decide(verdict)
    }

    fn number(&mut self, index: u64, value: f64, share: f64) {
        self.sum += share;
        if let Some(table) = self.tables.first_mut() {
            table.up.add(share);
            table.down.add(1.0 - share);
        }
        let here = Extreme { index, value };
        let (least, largest) = self.extremes.get_or_insert((here, here));
        if value < least.value {
            *least = here;
        }
        if value > largest.value {
            *largest = here;
        }
    }

    /// Looks at all bets.
    fn look(&mut self) -> ControlFlow<()> {
        let executed = self.tally.counts.executed;
        self.next_look = executed + (executed / LOOK_AT_EACH).max(1);
        if matches!(self.plan.claim(), NumericClaim::Fit(_)) {
            for (table, ones) in self.tables.iter_mut().zip(&self.labels) {
                table.up.set(*ones, executed);
                table.down.set(executed - ones, executed);
            }
        }
        let (fail_log, pass_log) = (self.plan.fail_log(), self.plan.pass_log());
        // The bet that has won most names the side.
        let mut missed: Option<(f64, Side)> = None;
        for stake in &mut self.stakes {
            let table = &self.tables[stake.side.of];
            let won = stake.won_for_failing(table);
            if won >= fail_log && missed.is_none_or(|(most, _)| won > most) {
                missed = Some((won, stake.side));
            }
            stake.ruled_out |= stake.won_for_passing(table) >= pass_log;
        }
        if let Some((_, side)) = missed {
            return self.decide(NumericVerdict::Missed(side));
        }
        if self.stakes.iter().all(|stake| stake.ruled_out) {
            return self.decide(NumericVerdict::Passed);
        }
        if executed >= self.tally.counts.planned {
            // One bet of each side has won by now, but for rounding.
            let verdict = match self.above_split() {
                Some(side) => NumericVerdict::Missed(side),
                None => NumericVerdict::Passed,
            };
            return self.decide(verdict);
        }
        ControlFlow::Continue(())
    }

    fn above_split(&self) -> Option<Side> {
        let sides = self.stakes.iter().map(|stake| stake.side);
        sides.into_iter().find(|side| {
            let mean = self.share(side.of);
            let mean = if side.mirrored { 1.0 - mean } else { mean };
            mean >= side.split
        })
    }

    /// The observed mean, on the scale from 0 to 1.
    fn share(&self, of: usize) -> f64 {
        // An execution that violated returned nothing.
        let returned = self.tally.counts.passed.max(1) as f64;
        match self.labels.get(of) {
            Some(seen) => *seen as f64 / returned,
            None => self.sum / returned,
        }
    }

    fn end(&mut self, reason: Reason) -> ControlFlow<()> {
        self.decide(NumericVerdict::Inconclusive(NumericReason::Ended(reason)))
    }

    fn decide(&mut self, verdict: NumericVerdict) -> ControlFlow<()> {
        self.verdict = Some(verdict);
        ControlFlow::Break(())
    }

    /// Gives the verdict, what was seen, and the counts.
    pub fn conclude(self) -> (NumericVerdict, Seen, Counts) {
        let seen = match self.plan.claim() {
            NumericClaim::Mean(claim) => self.numbers(claim),
            NumericClaim::Fit(_) => Seen::Labels(self.labels),
        };
        let verdict = self
            .verdict
            .unwrap_or(NumericVerdict::Inconclusive(NumericReason::Ended(
                Reason::Cancelled,
            )));
        (verdict, seen, self.tally.counts)
    }

    fn numbers(&self, claim: &MeanClaim) -> Seen {
        let (low, high) = self.tables.first().map_or((0.0, 1.0), |table| {
            (table.up.lowest(ONE_SIDE), 1.0 - table.down.lowest(ONE_SIDE))
        });
        Seen::Numbers {
            mean: claim.unscaled(self.share(0)),
            interval: (claim.unscaled(low), claim.unscaled(high)),
            extremes: self.extremes,
        }
    }
}
