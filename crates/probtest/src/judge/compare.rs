//! Pairs of an old and a new version: has the new one become worse?
//!
//! The judge bets on the mean of the differences from both sides. Against "not worse", only pairs
//! that differ count, and if nothing has changed, each of them is a fair coin, however often the
//! two violate. Against "worse by the change", pairs that don't differ count as well.
//!
//! Which version of a pair ran first is a fair coin as well, whatever the two did, unless one of
//! them uses what the other left behind: the judge bets on that too, and it becomes a doubt.

use super::confidence::ConfidenceSequence;
use super::returned::Bets;
use super::verdict::{Change, Level};
use super::{Counts, Doubt, Finding, Judge, Observed, Reason, Verdict, inconclusive};
use crate::claim::{self, Probability};
use crate::plan::Plan;
use crate::run::{Number, Observation, Pair, VersionResult, Violation};

/// How many pairs that differ run again, to see whether the seed decides.
const AGAIN: usize = 4;
/// The confidence of the interval of each version's rate.
const CONFIDENCE: f64 = 0.95;

#[derive(Clone, Debug)]
pub(super) struct CompareJudge {
    claim: claim::Compare,
    confidence: f64,
    bets: Bets,
    /// The sums over all executions of the old and of the new version.
    sums: (f64, f64),
    /// The sum of the differences; positive where the new version was worse.
    difference: f64,
    worse: u64,
    better: u64,
    differing: Vec<(u64, Pair)>,
    /// The pair in which the new version was worse by the most, and how it violated.
    shown: Option<(u64, Option<Box<Violation>>)>,
    most_worse_by: f64,
    order: OrderBet,
    /// When the new version was known not to be worse, and the interval at that time.
    passed: Option<(u64, (f64, f64))>,
}

/// The bet that the result of a pair depends on which version ran first.
#[derive(Clone, Debug, Default)]
struct OrderBet {
    /// How often each version ran first, in pairs where the new one was better, the same or worse.
    first: [[u64; 2]; 3],
    /// The logarithm of the capital, and the value it must reach.
    won: f64,
    enough: f64,
    has_won: bool,
}

impl OrderBet {
    /// Stakes the capital on the version that ran first more often in pairs with this result.
    fn take(&mut self, worse_by: f64, new_first: bool) {
        let first = &mut self.first[1 + usize::from(worse_by > 0.0) - usize::from(worse_by < 0.0)];
        let (of_this, of_both) = (first[usize::from(new_first)], first[0] + first[1]);
        self.won += ((2 * of_this + 1) as f64 / (of_both + 1) as f64).ln();
        self.has_won |= self.won >= self.enough;
        first[usize::from(new_first)] += 1;
    }
}

impl CompareJudge {
    pub(super) fn new(plan: &Plan, claim: claim::Compare) -> Self {
        let chance = |p: Option<&Probability>| p.map_or(0.0, Probability::as_f64);
        let (epsilon, false_alarm) = (plan.claim().epsilon(), plan.claim().false_alarm());
        CompareJudge {
            claim,
            confidence: (1.0 - chance(epsilon) - chance(false_alarm)).max(0.0),
            bets: Bets::new(plan, |_| Finding::Worse),
            sums: (0.0, 0.0),
            difference: 0.0,
            worse: 0,
            better: 0,
            differing: Vec::new(),
            shown: None,
            most_worse_by: 0.0,
            order: OrderBet { enough: -chance(false_alarm).ln(), ..OrderBet::default() },
            passed: None,
        }
    }

    fn take(&mut self, index: u64, pair: Pair) {
        let (old, new) = (pair.old.value(), pair.new.value());
        let worse_by = self.claim.worse_by(old, new);
        self.sums.0 += old;
        self.sums.1 += new;
        self.difference += worse_by;
        self.bets.add(self.claim.scaled(worse_by));
        self.order.take(worse_by, pair.new_first);
        if worse_by == 0.0 {
            return;
        }
        match worse_by > 0.0 {
            true => self.worse += 1,
            false => self.better += 1,
        }
        if worse_by > self.most_worse_by {
            self.most_worse_by = worse_by;
            self.shown = Some((index, pair.only_new().cloned().map(Box::new)));
        }
        if self.differing.len() < AGAIN {
            self.differing.push((index, pair));
        }
    }

    /// The changes that fit now. A change that was ruled out once stays ruled out.
    fn interval(&self) -> (f64, f64) {
        let (low, high) = self.bets.interval();
        let now = (self.claim.unscaled(low), self.claim.unscaled(high));
        match self.passed {
            Some((_, then)) if then.0.max(now.0) <= then.1.min(now.1) => {
                (then.0.max(now.0), then.1.min(now.1))
            }
            Some((_, then)) => then,
            None => now,
        }
    }

    /// The verdict on a version that isn't worse. If the old one is so bad that no version can be
    /// worse by the change, this proves nothing.
    fn kept(&self, counts: &Counts) -> Verdict {
        let old = self.sums.0 / counts.executed.max(1) as f64;
        // Tolerates a rounding error.
        let has_room = self.claim.room(old) * (1.0 + 1e-9) >= self.claim.change;
        match has_room || self.interval().1 < 0.0 {
            true => Verdict::Passed,
            false => Verdict::Inconclusive(Reason::NoRoom { old }),
        }
    }

    fn verdict(&mut self, decided: Verdict, counts: &Counts) -> Verdict {
        if decided.is_violated() {
            return decided;
        }
        self.passed = Some((counts.executed, self.interval()));
        self.kept(counts)
    }

    fn look(&mut self, counts: &Counts) -> Option<Verdict> {
        let decided = self.bets.look(counts);
        if self.passed.is_none() {
            let verdict = self.verdict(decided?, counts);
            if verdict.is_violated() {
                return Some(verdict);
            }
        }
        // It isn't worse. If it is likely to be better, more pairs run to find out, up to twice as
        // many in total.
        let (since, _) = self.passed?;
        let seen = -self.difference / counts.executed.max(1) as f64;
        let is_settled =
            seen < self.claim.change || counts.executed >= 2 * since || self.interval().1 < 0.0;
        is_settled.then(|| self.kept(counts))
    }

    fn level(&self, sum: f64, counts: &Counts) -> Level {
        let executions = counts.executed;
        let sequence = ConfidenceSequence::new(CONFIDENCE).ok();
        let sequence = sequence.filter(|_| self.claim.numbers.is_none());
        Level {
            mean: sum / executions.max(1) as f64,
            interval: sequence.map(|sequence| sequence.interval(sum as u64, executions)),
        }
    }
}

impl Judge for CompareJudge {
    fn observe(&mut self, index: u64, seen: Observation, counts: &mut Counts) -> Option<Verdict> {
        match (seen, self.claim.numbers) {
            (Observation::Passed, None) => {
                self.bets.add(self.claim.scaled(0.0));
                counts.pass();
            }
            (Observation::Passed, Some(_)) => return no_number(index, "old", None),
            (Observation::Pair(pair), numbers) => {
                for (did, which) in [(&pair.old, "old"), (&pair.new, "new")] {
                    match (did, numbers) {
                        (&VersionResult::Number(Number(value)), Some(((low, high), _))) => {
                            if !(low..=high).contains(&value) {
                                return inconclusive(Reason::Outside { index, value });
                            }
                        }
                        (VersionResult::Held | VersionResult::Violated(_), None) => {}
                        (VersionResult::Held, Some(_)) => return no_number(index, which, None),
                        (VersionResult::Violated(violation), Some(_)) => {
                            return no_number(index, which, Some(violation));
                        }
                        (VersionResult::Number(_), None) => {
                            return inconclusive(Reason::Nothing { index });
                        }
                    }
                }
                match pair.new {
                    VersionResult::Violated(_) => counts.violate(),
                    _ => counts.pass(),
                }
                self.take(index, *pair);
            }
            _ => return inconclusive(Reason::Nothing { index }),
        }
        self.bets.is_due(counts).then(|| self.look(counts))?
    }

    fn end(&mut self, counts: &Counts) -> Verdict {
        if self.passed.is_some() {
            return self.kept(counts);
        }
        let mean = self.claim.scaled(self.difference / counts.executed.max(1) as f64);
        let decided = self.bets.end(counts, |_| mean);
        self.verdict(decided, counts)
    }

    fn cut(&mut self, counts: &Counts) -> Option<Verdict> {
        let decided = self.look(counts);
        decided.or_else(|| self.passed.map(|_| self.kept(counts)))
    }

    fn again(&self) -> Vec<u64> {
        self.differing.iter().map(|(index, _)| *index).collect()
    }

    fn does_again(&self, index: u64, seen: &Observation) -> Option<bool> {
        let (_, before) = self.differing.iter().find(|(of, _)| *of == index)?;
        Some(match seen.plain() {
            Observation::Pair(now) => now.old.is_like(&before.old) && now.new.is_like(&before.new),
            Observation::Broken(_) => return None,
            // Both passed, or the pair was rejected.
            _ => false,
        })
    }

    fn doubt(&self) -> Option<Doubt> {
        self.order.has_won.then_some(Doubt::Order)
    }

    fn observed(&mut self, counts: &Counts) -> Observed {
        Observed::Change(Change {
            old: self.level(self.sums.0, counts),
            new: self.level(self.sums.1, counts),
            worse: self.worse,
            better: self.better,
            change: self.difference / counts.executed.max(1) as f64,
            interval: self.interval(),
            confidence: self.confidence,
            shown: self.shown.clone(),
        })
    }
}

/// Means can't be compared if a version doesn't return a number.
fn no_number(index: u64, which: &str, violation: Option<&Violation>) -> Option<Verdict> {
    let why = violation.map_or(String::new(), |violation| format!(": {}", violation.message));
    let message = format!("the {which} version returned no number{why}");
    inconclusive(Reason::Broken { index, message })
}
