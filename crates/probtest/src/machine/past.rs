//! What journals of one code are worth together.

use std::collections::BTreeMap;

use super::journal::split;
use super::ledger::{Entry, Header};
use crate::claim::Kind;
use crate::math::confidence::ConfidenceSequence;
use crate::plan::smallest_p;
use crate::report::{claim_line, plural, round_down, round_up};

/// How sure an interval for the rate is.
const CONFIDENCE: f64 = 0.95;

/// Runs of one test with one claim and the same code, with different seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The test.
    pub test: String,
    /// The claim in one line.
    pub claim: String,
    /// What tells this code from what it becomes when it is changed.
    pub code: Option<String>,
    /// How many runs there are, by their seeds.
    pub runs: u64,
    /// The executions of all of them.
    pub executed: u64,
    /// How many of those violated.
    pub violated: u64,
    /// What they are worth together.
    pub words: String,
}

/// One run, or a shard of one, that has come to its end.
struct Past {
    header: Header,
    executed: u64,
    violated: u64,
    in_doubt: bool,
}

/// Adds journals up: those of the same code, test and claim. A run that has not come to its end
/// does not count: it goes on when it is started again. Nor does one in doubt.
pub fn evidence(journals: &[String]) -> Vec<Evidence> {
    let mut groups: Vec<Vec<Past>> = Vec::new();
    for past in journals.iter().filter_map(|text| read(text)) {
        let same = |other: &Past| {
            let (one, two) = (&other.header, &past.header);
            (&one.test, &one.claim, &one.code, &one.version)
                == (&two.test, &two.claim, &two.code, &two.version)
        };
        match groups.iter_mut().find(|group| same(&group[0])) {
            Some(group) => group.push(past),
            None => groups.push(vec![past]),
        }
    }
    groups.iter().map(|group| worth(group)).collect()
}

fn read(text: &str) -> Option<Past> {
    let (header, entries) = split(text);
    let in_doubt = entries.iter().any(|entry| matches!(entry, Entry::Doubt(_)));
    let end = entries.into_iter().find_map(|entry| match entry {
        Entry::End(end) => Some(end),
        _ => None,
    })?;
    Some(Past {
        header: header?,
        executed: end.executed,
        violated: end.violated,
        in_doubt,
    })
}

/// What runs under one seed did. The same seed has the same executions, whole or in shards, and
/// however they were divided: the division counts that has made the most of them.
fn of_seed(group: &[&Past]) -> (u64, u64) {
    let mut divisions: BTreeMap<u64, BTreeMap<u64, (u64, u64)>> = BTreeMap::new();
    for past in group {
        let (number, of) = past.header.shard.unwrap_or((1, 1));
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

fn worth(group: &[Past]) -> Evidence {
    let mut seeds: BTreeMap<&str, Vec<&Past>> = BTreeMap::new();
    for past in group.iter().filter(|past| !past.in_doubt) {
        seeds.entry(&past.header.seed).or_default().push(past);
    }
    let (mut executed, mut violated) = (0_u64, 0_u64);
    for of_one in seeds.values() {
        let (made, against) = of_seed(of_one);
        executed = executed.saturating_add(made);
        violated = violated.saturating_add(against);
    }
    let (header, runs) = (&group[0].header, seeds.len() as u64);
    let claim = header.claim.claim().ok();
    let meaning = match claim.as_ref().map(|claim| &claim.0) {
        _ if executed == 0 => "nothing follows from that".into(),
        // Other seeds draw other inputs.
        Some(Kind::Detect {
            inputs: Some(_), ..
        }) if violated == 0 => "each of them drew inputs of its own".into(),
        Some(Kind::Detect { epsilon, .. }) if violated == 0 => {
            let p = smallest_p(executed, epsilon).ok();
            p.map_or_else(
                || "too few to catch anything".into(),
                |p| {
                    let p = crate::report::round_up_exact(&p);
                    let caught = epsilon.complement();
                    format!("together they catch a violation probability of {p} or more with probability > {caught}")
                },
            )
        }
        Some(Kind::Detect { .. }) => {
            format!(
                "one violation is a counterexample, and {}",
                rate(violated, executed)
            )
        }
        Some(Kind::Tolerate { .. } | Kind::Estimate { .. }) => rate(violated, executed),
        _ => "each of them was judged by itself".into(),
    };
    let doubted = group.iter().filter(|past| past.in_doubt).count() as u64;
    let apart = match doubted {
        0 => String::new(),
        _ => format!(" ({} in doubt not counted)", plural(doubted, "journal")),
    };
    Evidence {
        words: format!(
            "{} of the same code{apart}, {}, {violated} violated; {meaning}",
            plural(runs, "run"),
            plural(executed, "execution")
        ),
        test: header.test.replace('\0', " "),
        claim: claim.map_or_else(|| "?".into(), |claim| claim_line(&claim)),
        code: header.code.clone(),
        runs,
        executed,
        violated,
    }
}

/// Says which rates fit. Each run ended when it had seen enough, so the interval is one that
/// holds whenever one stops.
fn rate(violated: u64, executed: u64) -> String {
    let (low, high) = ConfidenceSequence::new(CONFIDENCE)
        .map_or((0.0, 1.0), |sequence| sequence.interval(violated, executed));
    format!(
        "together they say that the violation rate is between {} and {} with confidence {CONFIDENCE}",
        round_down(low),
        round_up(high)
    )
}
