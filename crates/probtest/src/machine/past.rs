//! What journals of one code are worth together.

use std::collections::BTreeSet;

use super::journal::split;
use super::ledger::{Entry, Header};
use crate::claim::Kind;
use crate::plan::smallest_p;
use crate::report::{claim_line, plural};

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
}

/// Adds journals up: those of the same code, test and claim, each seed once. A run that has
/// not come to its end does not count: it goes on when it is started again.
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
    let end = entries.into_iter().find_map(|entry| match entry {
        Entry::End(end) => Some(end),
        _ => None,
    })?;
    Some(Past {
        header: header?,
        executed: end.executed,
        violated: end.violated,
    })
}

fn worth(group: &[Past]) -> Evidence {
    let (mut known, mut seeds) = (BTreeSet::new(), BTreeSet::new());
    let (mut executed, mut violated) = (0_u64, 0_u64);
    for past in group {
        // The same seed again is no new evidence.
        if known.insert((&past.header.seed, past.header.shard)) {
            seeds.insert(&past.header.seed);
            executed = executed.saturating_add(past.executed);
            violated = violated.saturating_add(past.violated);
        }
    }
    let (header, runs) = (&group[0].header, seeds.len() as u64);
    let claim = header.claim.claim().ok();
    let meaning = match claim.as_ref().map(|claim| &claim.0) {
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
        Some(Kind::Detect { .. }) => "one violation is a counterexample".into(),
        _ => "each of them was judged by itself".into(),
    };
    Evidence {
        words: format!(
            "{} of the same code, {}, {violated} violated; {meaning}",
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
