//! What runs of one code prove together, and how a rate went from code to code.

use std::collections::BTreeMap;

use probtest_facts::{self as facts, EvidenceFacts, RateChange, TestFacts};

use super::journal::split;
use super::ledger::Entry;
use crate::claim::{Kind, Probability};
use crate::math::confidence::{ConfidenceSequence, log_two_rates};
use crate::plan::smallest_p;
use crate::report::{claim_line, plural, round_down, round_up};

/// How sure an interval for the rate is, and all comparisons of one report together.
const CONFIDENCE: f64 = 0.95;

/// A run of one test, or a shard of one, that has come to its end.
#[derive(Clone, Debug)]
pub struct PastRun {
    test: String,
    claim: String,
    shows: Shows,
    code: String,
    seed: String,
    shard: (u64, u64),
    executed: u64,
    violated: u64,
    in_doubt: bool,
}

/// What runs of one claim show together.
#[derive(Clone, Debug)]
enum Shows {
    /// What a violation probability would have to be to be caught, if none violated.
    Catch(Probability),
    /// Nothing beyond each of them, if none violated: other seeds draw other inputs.
    Inputs,
    /// The rate.
    Rate,
    /// Nothing beyond each of them.
    Alone,
}

impl PastRun {
    /// Reads a journal. One that has not come to its end does not count: it goes on when it is
    /// started again.
    pub fn of_journal(text: &str) -> Option<Self> {
        let (header, entries) = split(text);
        let header = header?;
        let in_doubt = entries.iter().any(|entry| matches!(entry, Entry::Doubt(_)));
        let end = entries.into_iter().find_map(|entry| match entry {
            Entry::End(end) => Some(end),
            _ => None,
        })?;
        let claim = header.claim.claim().ok();
        let shows = match claim.as_ref().map(|claim| &claim.0) {
            Some(Kind::Detect {
                inputs: Some(_), ..
            }) => Shows::Inputs,
            Some(Kind::Detect { epsilon, .. }) => Shows::Catch(epsilon.clone()),
            Some(Kind::Tolerate { .. } | Kind::Estimate { .. }) => Shows::Rate,
            _ => Shows::Alone,
        };
        Some(PastRun {
            test: header.test.replace('\0', " "),
            claim: claim.map_or_else(|| "?".into(), |claim| claim_line(&claim)),
            shows,
            code: header.code?,
            seed: header.seed,
            shard: header.shard.unwrap_or((1, 1)),
            executed: end.executed,
            violated: end.violated,
            in_doubt,
        })
    }

    /// Takes a result. One whose code is not known does not count, and neither does one that
    /// began with the violation of an earlier run: it was chosen for that.
    pub fn of_facts(facts: &TestFacts) -> Option<Self> {
        if matches!(facts.remembered, Some(facts::Remembered::Again { .. })) {
            return None;
        }
        let shows = match facts.kind {
            Some(facts::Kind::Detect) if facts.claim.inputs.is_some() => Shows::Inputs,
            Some(facts::Kind::Detect) => {
                Shows::Catch(facts.claim.epsilon_exact.as_deref()?.parse().ok()?)
            }
            Some(facts::Kind::Tolerate | facts::Kind::Estimate) => Shows::Rate,
            _ => Shows::Alone,
        };
        let part = facts.part.as_ref();
        Some(PastRun {
            test: match &facts.package {
                Some(package) => format!("{package}: {}", facts.name()),
                None => facts.name().replace('\0', " "),
            },
            claim: facts.claim_words.clone(),
            shows,
            code: facts.code.clone()?,
            seed: facts.seed.clone()?,
            shard: part.map_or((1, 1), |part| (part.shard, part.shards)),
            executed: facts.executed,
            violated: facts.violated,
            in_doubt: !facts.doubts.is_empty(),
        })
    }

    fn is_of(&self, other: &PastRun) -> bool {
        (&self.test, &self.claim) == (&other.test, &other.claim)
    }
}

/// Adds runs up: those of the same test, claim and code, with different seeds. Runs in doubt do
/// not count. Tests come in the order in which they are met, and each with its codes in that
/// order, of which one says whether the rate changed.
pub fn evidence(runs: &[PastRun]) -> Vec<EvidenceFacts> {
    let mut tests: Vec<Vec<Vec<&PastRun>>> = Vec::new();
    for run in runs {
        let codes = match tests.iter().position(|codes| codes[0][0].is_of(run)) {
            Some(place) => &mut tests[place],
            None => {
                tests.push(Vec::new());
                let last = tests.len() - 1;
                &mut tests[last]
            }
        };
        match codes.iter_mut().find(|group| group[0].code == run.code) {
            Some(group) => group.push(run),
            None => codes.push(vec![run]),
        }
    }
    let many = tests.len();
    let of_test = |codes: &Vec<Vec<&PastRun>>| {
        let mut all: Vec<_> = codes.iter().map(|group| worth(group)).collect();
        if !matches!(codes[0][0].shows, Shows::Alone) {
            compare(&mut all, many);
        }
        all
    };
    tests.iter().flat_map(of_test).collect()
}

/// Says where a rate changed by more than chance explains, by a test that holds whenever one stops.
/// All comparisons of a report together err with probability 0.05 at most: the k-th of a test gets
/// the share 6/(pi k)^2 of what the test gets, so that it does not matter how many will come.
fn compare(codes: &mut [EvidenceFacts], tests: usize) {
    let mut before = (0_u64, 0_u64);
    let mut number = 0.0;
    for code in codes {
        let now = (code.violated, code.executed);
        if before.1 > 0 && now.1 > 0 {
            number += 1.0;
            let share = 6.0 / (std::f64::consts::PI * number).powi(2) / tests as f64;
            let enough = -((1.0 - CONFIDENCE) * share).ln();
            let rate = |(violated, executed): (u64, u64)| violated as f64 / executed as f64;
            code.change =
                (log_two_rates(before, now) >= enough).then(|| match rate(now) > rate(before) {
                    true => RateChange::Rose,
                    false => RateChange::Fell,
                });
        }
        // What came before a change says nothing about what comes after it.
        if code.change.is_some() {
            before = (0, 0);
        }
        before = (
            before.0.saturating_add(now.0),
            before.1.saturating_add(now.1),
        );
    }
}

/// Each run ended when it had seen enough, so the interval is one that holds whenever one stops.
fn interval((violated, executed): (u64, u64), confidence: f64) -> (f64, f64) {
    ConfidenceSequence::new(confidence)
        .map_or((0.0, 1.0), |sequence| sequence.interval(violated, executed))
}

/// What runs under one seed did. The same seed has the same executions, whole or in shards, and
/// however they were divided: the division counts that has made the most of them.
fn of_seed(group: &[&PastRun]) -> (u64, u64) {
    let mut divisions: BTreeMap<u64, BTreeMap<u64, (u64, u64)>> = BTreeMap::new();
    for past in group {
        let (number, of) = past.shard;
        let shards = divisions.entry(of).or_default();
        let known = shards.entry(number).or_default();
        *known = (*known).max((past.executed, past.violated));
    }
    let sums = divisions.values().map(|shards| {
        let add = |sum: (u64, u64), shard: &(u64, u64)| {
            (sum.0.saturating_add(shard.0), sum.1.saturating_add(shard.1))
        };
        shards.values().fold((0, 0), add)
    });
    sums.max().unwrap_or_default()
}

fn worth(group: &[&PastRun]) -> EvidenceFacts {
    let mut seeds: BTreeMap<&str, Vec<&PastRun>> = BTreeMap::new();
    for past in group.iter().filter(|past| !past.in_doubt) {
        seeds.entry(&past.seed).or_default().push(past);
    }
    let (mut executed, mut violated) = (0_u64, 0_u64);
    for of_one in seeds.values() {
        let (made, against) = of_seed(of_one);
        executed = executed.saturating_add(made);
        violated = violated.saturating_add(against);
    }
    let (first, runs) = (group[0], seeds.len() as u64);
    let rate = (!matches!(first.shows, Shows::Alone) && executed > 0)
        .then(|| interval((violated, executed), CONFIDENCE));
    let meaning = match &first.shows {
        _ if executed == 0 => "nothing follows from that".into(),
        Shows::Inputs if violated == 0 => "each of them drew inputs of its own".into(),
        Shows::Catch(epsilon) if violated == 0 => smallest_p(executed, epsilon).map_or_else(
            |_| "too few to catch anything".into(),
            |p| {
                let p = crate::report::round_up_exact(&p);
                let caught = epsilon.complement();
                format!("together they catch a violation probability of {p} or more with probability > {caught}")
            },
        ),
        Shows::Catch(_) | Shows::Inputs => {
            format!("one violation is a counterexample, and {}", said(rate))
        }
        Shows::Rate => said(rate),
        Shows::Alone => "each of them was judged by itself".into(),
    };
    let doubted = group.iter().filter(|past| past.in_doubt).count() as u64;
    let apart = match doubted {
        0 => String::new(),
        _ => format!(" ({} in doubt not counted)", plural(doubted, "run")),
    };
    EvidenceFacts {
        words: format!(
            "{} of the same code{apart}, {}, {violated} violated; {meaning}",
            plural(runs, "run"),
            plural(executed, "execution")
        ),
        test: first.test.clone(),
        claim_words: first.claim.clone(),
        code: Some(first.code.clone()),
        runs,
        executed,
        violated,
        low: rate.map(|(low, _)| low),
        high: rate.map(|(_, high)| high),
        change: None,
    }
}

/// Says which rates fit.
fn said(rate: Option<(f64, f64)>) -> String {
    let (low, high) = rate.unwrap_or((0.0, 1.0));
    format!(
        "together they say that the violation rate is between {} and {} with confidence {CONFIDENCE}",
        round_down(low),
        round_up(high)
    )
}
