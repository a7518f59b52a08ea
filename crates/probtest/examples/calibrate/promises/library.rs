//! What is checked against its promises: every library call that a verdict needs.
//!
//! [`tested`] is a real test. [`of_rate`] and [`of_outcomes`] ask the judge about all possible
//! sequences of executions, by a dynamic program whose states are judges: each is copied, shown one
//! more record for each thing that can happen, and kept until it has decided. Judges that have seen
//! the same counts are one state.

use std::collections::BTreeMap;

use probtest::Outcomes;
use probtest::claim::{Pairs, Terms};
use probtest::judge::{self, Counts, Judge, Verdict};
use probtest::plan::Plan;
use probtest::report::Report;
use probtest::run::{Conclusion, Observation, Pair, VersionResult, Violation};
use probtest::{Claim, Settings, TestRng};

/// The plan for a claim that a violation must be caught.
pub(super) fn detect(p: f64, epsilon: f64) -> Plan {
    planned(&Claim::detect(p, epsilon).expect("probabilities of the grid"))
}

/// The plan for a claim that every listed outcome is seen.
pub(super) fn cover(list: &str, epsilon: f64) -> Plan {
    let outcomes = Outcomes::parse(list).expect("outcomes of the grid");
    planned(&Claim::cover(outcomes, epsilon).expect("probabilities of the grid"))
}

/// A two-sided claim: a rate that is accepted, and one that must be caught.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TwoSided {
    pub(super) tolerate: f64,
    pub(super) p: f64,
    pub(super) false_alarm: f64,
    pub(super) epsilon: f64,
}

impl TwoSided {
    pub(super) fn plan(&self) -> Plan {
        let claim = Claim::tolerate(self.tolerate, self.p, self.epsilon, self.false_alarm);
        planned(&claim.expect("probabilities of the grid"))
    }
}

fn planned(claim: &Claim) -> Plan {
    Plan::new(claim).expect("the grid has feasible claims")
}

/// Tests a program, as a user would. `None` if that isn't possible.
pub(super) fn tested<C: Conclusion>(
    claim: &Claim,
    name: &str,
    seed: u64,
    program: impl Fn(&mut TestRng) -> C + Sync,
) -> Option<Report> {
    probtest::check(claim, Settings::new(name).seed(seed).confirm(false), program).ok()
}

/// Whether a test gave the right answer: a pass, or a violation.
pub(super) fn is_right(report: Option<Report>, passes: bool) -> bool {
    report.is_some_and(|report| match passes {
        true => report.passed(),
        false => report.violation().is_some(),
    })
}

/// The chances of the three kinds of verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ended {
    pub(super) passed: f64,
    pub(super) violated: f64,
    /// No verdict, which a complete plan never ends with.
    pub(super) other: f64,
}

/// Something that an execution can do: its probability, and what is observed.
struct Event {
    chance: f64,
    seen: Observation,
}

/// The verdicts for a program that violates at this rate.
pub(super) fn of_rate(plan: &Plan, rate: f64) -> Ended {
    let events = [
        Event { chance: 1.0 - rate, seen: Observation::Passed },
        Event { chance: rate, seen: Observation::Violated(Box::default()) },
    ];
    // The second event is a violation: the state counts them.
    follow(plan, &events, |violations, event| violations + event as u64)
}

/// The verdicts for a program that shows these outcomes with these probabilities, and otherwise
/// none that is listed.
pub(super) fn of_outcomes(plan: &Plan, shown: &[f64]) -> Ended {
    let rest = 1.0 - shown.iter().sum::<f64>();
    let mut events: Vec<Event> = shown
        .iter()
        .enumerate()
        .map(|(outcome, &chance)| Event { chance, seen: Observation::Outcome(outcome) })
        .collect();
    if rest > 1e-12 {
        events.push(Event { chance: rest, seen: Observation::Unlisted });
    }
    let listed = shown.len();
    follow(plan, &events, |seen, event| if event < listed { seen | 1 << event } else { seen })
}

/// The verdicts for a new version that is worse, and better, in these fractions of all pairs.
pub(super) fn of_pairs(terms: Terms<Pairs>, worse: f64, better: f64) -> Ended {
    let plan = planned(&terms.claim().expect("a claim of the grid"));
    let pair = |old, new| Observation::Pair(Box::new(Pair { old, new, new_first: false }));
    let violated = || VersionResult::Violated(Violation::default());
    let events = [
        Event { chance: worse, seen: pair(VersionResult::Held, violated()) },
        Event { chance: better, seen: pair(violated(), VersionResult::Held) },
        Event { chance: 1.0 - worse - better, seen: Observation::Passed },
    ];
    // How many are worse, and how many better.
    follow(&plan, &events, |seen, event| seen + [1 << 32, 1, 0][event])
}

/// A judge and its counts: what the machine asks about each execution.
#[derive(Debug)]
pub(super) struct Judging {
    judge: Box<dyn Judge>,
    pub(super) counts: Counts,
}

impl Judging {
    pub(super) fn new(plan: &Plan) -> Self {
        Judging { judge: judge::judge(plan), counts: Counts::of(plan) }
    }

    /// Shows one more execution to a copy; it has decided if there is a verdict.
    pub(super) fn shown(&self, observation: Observation) -> (Judging, Option<Verdict>) {
        let mut next = Judging { judge: self.judge.copy(), counts: self.counts };
        let index = self.counts.executed + 1;
        let verdict = next.judge.observe(index, observation, &mut next.counts);
        let last = next.counts.executed == next.counts.planned;
        let verdict = match verdict {
            None if last => Some(next.judge.end(&next.counts)),
            verdict => verdict,
        };
        (next, verdict)
    }

    /// The interval of a rate that is measured.
    pub(super) fn interval(&mut self) -> Option<(f64, f64)> {
        match self.judge.observed(&self.counts) {
            judge::Observed::Rate { interval, .. } => Some(interval),
            _ => None,
        }
    }
}

fn follow(plan: &Plan, events: &[Event], state: impl Fn(u64, usize) -> u64) -> Ended {
    let mut ended = Ended::default();
    let mut going = BTreeMap::from([(0, (Judging::new(plan), 1.0))]);
    while !going.is_empty() {
        let mut next: BTreeMap<u64, (Judging, f64)> = BTreeMap::new();
        for (key, (judging, chance)) in &going {
            for (number, event) in events.iter().enumerate() {
                let chance = chance * event.chance;
                if chance == 0.0 {
                    continue;
                }
                let (judging, verdict) = judging.shown(event.seen.clone());
                // After a pass it may check more pairs, but decides nothing else.
                let verdict = verdict.or_else(|| judging.judge.copy().cut(&judging.counts));
                match verdict {
                    None => {
                        let place = next.entry(state(*key, number)).or_insert((judging, 0.0));
                        place.1 += chance;
                    }
                    Some(Verdict::Passed) => ended.passed += chance,
                    Some(Verdict::Violated(_)) => ended.violated += chance,
                    _ => ended.other += chance,
                }
            }
        }
        going = next;
    }
    ended
}
