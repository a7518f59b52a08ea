//! What runs of the same code prove together, and how a rate changed with the code.

use std::collections::BTreeMap;

use probtest_facts::{self as facts, EvidenceFacts, RateChange, TestFacts};

use super::journal::split;
use super::ledger::{LedgerEntry, gave_two_results};
use crate::claim::{ClaimKind, Error, Probability};
use crate::math::confidence::{ConfidenceSequence, log_two_rates};
use crate::plan::smallest_p;
use crate::report::{claim_line, plural, round_down, round_up};

/// The confidence of an interval for a rate, and of all comparisons in one report together.
const CONFIDENCE: f64 = 0.95;

/// A finished run of a test, or of one of its shards.
#[derive(Clone, Debug)]
pub struct PastRun {
    /// The package, its target and the id.
    test: (Option<String>, Option<String>, String),
    name: String,
    claim: String,
    shows: JointEvidence,
    code: String,
    seed: String,
    shard: (u64, u64),
    executed: u64,
    violated: u64,
    counts: Eligibility,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Eligibility {
    Yes,
    /// Its executions don't count: they weren't independent, or gave another result when they ran
    /// again. A violation still counts.
    InDoubt,
    /// Only its violation counts: it started with the violation of an earlier run, chosen for that.
    Remembered,
    /// It doesn't count yet: it continues when it is started again.
    Unfinished,
}

/// What runs of one claim show together.
#[derive(Clone, Debug)]
enum JointEvidence {
    /// The violation probability that would have been caught, if none violated.
    Catch(Probability),
    /// Nothing beyond each run, if none violated: other seeds draw other inputs.
    Inputs,
    Rate,
    /// Nothing beyond each run.
    Alone,
}

impl PastRun {
    /// Reads a journal; `None` if its code isn't known.
    ///
    /// # Errors
    /// When the text isn't a journal.
    pub fn of_journal(text: &str) -> Result<Option<Self>, Error> {
        let (header, entries) = split(text);
        let Some(header) = header else {
            return Err(Error::new(
                "this is not a probtest journal",
                text.lines().next().unwrap_or("an empty file"),
                "name files and folders that --journal, --probtest-journal or PROBTEST_JOURNAL wrote, as they are",
            ));
        };
        let is_doubted = entries.iter().any(|entry| matches!(entry, LedgerEntry::Doubt(_)));
        let is_other = is_doubted || gave_two_results(&entries);
        let end = entries.iter().find_map(|entry| match entry {
            LedgerEntry::End(end) => Some(end),
            _ => None,
        });
        let claim = header.claim.claim().ok();
        let shows = match claim.as_ref().map(|claim| &claim.0) {
            Some(ClaimKind::Detect { inputs: Some(_), .. }) => JointEvidence::Inputs,
            Some(ClaimKind::Detect { epsilon, .. }) => JointEvidence::Catch(epsilon.clone()),
            Some(ClaimKind::Tolerate { .. } | ClaimKind::Estimate { .. }) => JointEvidence::Rate,
            _ => JointEvidence::Alone,
        };
        Ok(header.code.map(|code| PastRun {
            name: header.test.replace('\0', " "),
            test: (header.package, header.target, header.test),
            claim: claim.map_or_else(|| "?".into(), |claim| claim_line(&claim)),
            shows,
            code,
            seed: header.seed,
            shard: header.shard.unwrap_or((1, 1)),
            executed: end.map_or(0, |end| end.executed),
            violated: end.map_or(0, |end| end.violated),
            counts: match end {
                None => Eligibility::Unfinished,
                Some(_) if is_other => Eligibility::InDoubt,
                Some(_) => Eligibility::Yes,
            },
        }))
    }

    /// Takes a result; `None` if its code isn't known.
    pub fn of_facts(facts: &TestFacts) -> Option<Self> {
        let shows = match facts.kind {
            Some(facts::Kind::Detect) if facts.claim.inputs.is_some() => JointEvidence::Inputs,
            Some(facts::Kind::Detect) => {
                JointEvidence::Catch(facts.claim.epsilon_exact.as_deref()?.parse().ok()?)
            }
            Some(facts::Kind::Tolerate | facts::Kind::Estimate) => JointEvidence::Rate,
            _ => JointEvidence::Alone,
        };
        let part = facts.part.as_ref();
        let is_other = !facts.doubts.is_empty() || facts.confirmed == Some(false);
        Some(PastRun {
            name: facts.name().replace('\0', " "),
            test: (facts.package.clone(), facts.target.clone(), facts.test.clone()),
            claim: facts.claim_words.clone(),
            shows,
            code: facts.code.clone()?,
            seed: facts.seed.clone()?,
            shard: part.map_or((1, 1), |part| (part.shard, part.shards)),
            executed: facts.executed,
            violated: facts.violated,
            counts: match facts.remembered {
                Some(facts::Remembered::Again { .. }) => Eligibility::Remembered,
                _ if is_other => Eligibility::InDoubt,
                _ => Eligibility::Yes,
            },
        })
    }
}

/// All runs of one version of a test's code, with their positions among all runs.
type RunsOfCode<'a> = Vec<(usize, &'a PastRun)>;

fn entry<T: Default>(entries: &mut Vec<T>, is_it: impl Fn(&T) -> bool) -> &mut T {
    let place = entries.iter().position(is_it).unwrap_or_else(|| {
        entries.push(T::default());
        entries.len() - 1
    });
    &mut entries[place]
}

/// Adds up the runs with the same test, claim and code, and different seeds. Tests are in the order
/// of their first runs, and the codes of each in the order of their last runs. Each entry says
/// whether the rate changed.
pub fn evidence(runs: &[PastRun]) -> Vec<EvidenceFacts> {
    let mut tests: Vec<Vec<RunsOfCode<'_>>> = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let codes = entry(&mut tests, |codes| {
            let (_, other) = codes[0][0];
            (&other.test, &other.claim) == (&run.test, &run.claim)
        });
        entry(codes, |of| of[0].1.code == run.code).push((place, run));
    }
    let many = tests.len();
    let firsts: Vec<&PastRun> = tests.iter().map(|codes| codes[0][0].1).collect();
    let mut all = Vec::new();
    for (mut codes, first) in tests.into_iter().zip(&firsts) {
        // A name shared by two tests is shown with the package and the target.
        let is_shared =
            firsts.iter().any(|other| other.name == first.name && other.test != first.test);
        codes.sort_by_key(|of| of[of.len() - 1].0);
        let mut told: Vec<_> = codes.iter().map(|of| worth(of, is_shared)).collect();
        if !matches!(first.shows, JointEvidence::Alone) {
            compare(&codes, &mut told, many);
        }
        all.append(&mut told);
    }
    all
}

/// Says where a rate changed by more than chance explains, with a test that is valid whenever you
/// stop. All comparisons in a report together err with probability at most 0.05: the k-th
/// comparison of a test gets the share 6/(pi k)^2 of what the test gets, so it doesn't matter how
/// many follow.
fn compare(codes: &[RunsOfCode<'_>], told: &mut [EvidenceFacts], tests: usize) {
    let mut before = (0_u64, 0_u64);
    let mut number = 0.0;
    let mut last = 0;
    for (of, code) in codes.iter().zip(told) {
        let now = match code.low {
            Some(_) => (code.violated, code.executed),
            // Nothing can be concluded from these runs.
            None => (0, 0),
        };
        if before.1 > 0 && now.1 > 0 {
            number += 1.0;
            let share = 6.0 / (std::f64::consts::PI * number).powi(2) / tests as f64;
            let enough = -((1.0 - CONFIDENCE) * share).ln();
            let rate = |(violated, executed): (u64, u64)| violated as f64 / executed as f64;
            code.change =
                (log_two_rates(before, now) >= enough).then(|| match rate(now) > rate(before) {
                    // Code that came back ran both before and after the other.
                    _ if of[0].0 < last => RateChange::Differs,
                    true => RateChange::Rose,
                    false => RateChange::Fell,
                });
        }
        // Runs before a change say nothing about those after it.
        if code.change.is_some() {
            before = (0, 0);
        }
        before = (before.0.saturating_add(now.0), before.1.saturating_add(now.1));
        last = of[of.len() - 1].0;
    }
}

/// The counts of all runs with one seed, and whether two of them contradict each other. The same
/// seed has the same executions, whole or in shards, however they were divided: the division with
/// the most executions counts. No violation is lost.
fn of_seed(group: &[&PastRun]) -> (u64, u64, bool) {
    let mut divisions: BTreeMap<u64, BTreeMap<u64, Vec<(u64, u64)>>> = BTreeMap::new();
    for past in group {
        let (number, of) = past.shard;
        let runs = divisions.entry(of).or_default().entry(number).or_default();
        runs.push((past.executed, past.violated));
    }
    let (mut executed, mut violated, mut differ) = (0_u64, 0_u64, false);
    for shards in divisions.into_values() {
        let mut sum = (0_u64, 0_u64);
        for mut runs in shards.into_values() {
            // A run that ended earlier did the same as far as it went.
            runs.sort_unstable();
            differ |= runs.windows(2).any(|pair| {
                let [(less, few), (more, many)] = [pair[0], pair[1]];
                many < few || many - few > more - less
            });
            let most = runs.iter().map(|run| run.1).max().unwrap_or_default();
            sum.0 = sum.0.saturating_add(runs.last().map_or(0, |run| run.0));
            sum.1 = sum.1.saturating_add(most);
        }
        executed = executed.max(sum.0);
        violated = violated.max(sum.1);
    }
    (executed, violated, differ)
}

fn worth(group: &[(usize, &PastRun)], is_shared: bool) -> EvidenceFacts {
    let (mut doubted, mut remembered, mut unfinished) = (0, 0, 0);
    let (mut executed, mut violated, mut other) = (0_u64, 0_u64, false);
    let mut seeds: BTreeMap<&str, Vec<&PastRun>> = BTreeMap::new();
    for (_, past) in group {
        match past.counts {
            Eligibility::Remembered => remembered += 1,
            Eligibility::Unfinished => unfinished += 1,
            // A pass in doubt proves nothing, but a violation does.
            Eligibility::InDoubt if past.violated == 0 => doubted += 1,
            counts => {
                other |= counts == Eligibility::InDoubt;
                seeds.entry(&past.seed).or_default().push(past);
            }
        }
    }
    for of_one in seeds.values() {
        let (made, against, differ) = of_seed(of_one);
        executed = executed.saturating_add(made);
        violated = violated.saturating_add(against);
        other |= differ;
    }
    let (first, runs) = (group[0].1, seeds.len() as u64);
    let has_rate = !matches!(first.shows, JointEvidence::Alone) && executed > 0 && !other;
    // Each run ended when it had seen enough, so the interval must be valid whenever you stop.
    let sequence = ConfidenceSequence::new(CONFIDENCE).ok().filter(|_| has_rate);
    let rate = sequence.map(|sequence| sequence.interval(violated, executed));
    let meaning = match &first.shows {
        _ if other => "together they show nothing: the same seed gave different results".into(),
        _ if executed == 0 => "that shows nothing".into(),
        JointEvidence::Catch(_) | JointEvidence::Inputs if violated == 0 && remembered > 0 => {
            "but a counterexample from an earlier run violates".into()
        }
        JointEvidence::Inputs if violated == 0 => "each of them drew its own inputs".into(),
        JointEvidence::Catch(epsilon) if violated == 0 => smallest_p(executed, epsilon).map_or_else(
            |_| "too few to catch anything".into(),
            |p| {
                let p = crate::report::round_up_exact(&p);
                let caught = epsilon.complement();
                format!("together they catch a violation probability of {p} or more with probability > {caught}")
            },
        ),
        JointEvidence::Catch(_) | JointEvidence::Inputs => {
            format!("one violation is a counterexample, and {}", rate_words(rate))
        }
        JointEvidence::Rate => rate_words(rate),
        JointEvidence::Alone => "each of them was judged separately".into(),
    };
    let apart: Vec<String> = [
        (doubted, "in doubt"),
        (remembered, "of a remembered counterexample"),
        (unfinished, "unfinished"),
    ]
    .into_iter()
    .filter(|(many, _)| *many > 0)
    .map(|(many, which)| format!("{} {which}", plural(many, "run")))
    .collect();
    let apart = match apart.is_empty() {
        true => String::new(),
        false => format!(" (not counted: {})", apart.join(", ")),
    };
    let (package, target, _) = &first.test;
    let place = package.iter().chain(target).filter(|_| is_shared);
    let place: Vec<&str> = place.map(String::as_str).collect();
    EvidenceFacts {
        words: format!(
            "{} of the same code{apart}, {}, {violated} violated; {meaning}",
            plural(runs, "run"),
            plural(executed, "execution")
        ),
        test: match place.is_empty() {
            true => first.name.clone(),
            false => format!("{}: {}", place.join(", "), first.name),
        },
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

fn rate_words(rate: Option<(f64, f64)>) -> String {
    let (low, high) = rate.unwrap_or((0.0, 1.0));
    format!(
        "together they show that the violation rate is between {} and {} with confidence {CONFIDENCE}",
        round_down(low),
        round_up(high)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that catches violations: its code, its seed and its counts.
    fn run(code: &str, seed: u64, (executed, violated): (u64, u64)) -> PastRun {
        PastRun {
            test: (Some("walks".into()), None, "walk".into()),
            name: "walk".into(),
            claim: "p = 0.1, epsilon = 0.05".into(),
            shows: JointEvidence::Catch("0.05".parse().unwrap()),
            code: code.into(),
            seed: seed.to_string(),
            shard: (1, 1),
            executed,
            violated,
            counts: Eligibility::Yes,
        }
    }

    fn words(runs: &[PastRun]) -> String {
        let [one] = &evidence(runs)[..] else {
            panic!("one test of one code");
        };
        one.words.clone()
    }

    #[test]
    fn runs_of_one_seed_that_differ_prove_nothing_and_no_violation_is_lost() {
        let differ = words(&[run("a", 7, (29, 0)), run("a", 7, (5, 1)), run("a", 8, (29, 0))]);
        assert_eq!(
            differ,
            "2 runs of the same code, 58 executions, 1 violated; together they show nothing: the same seed gave different results"
        );
        // A run that a limit ended did the same as far as it went.
        let same = words(&[run("a", 7, (20, 0)), run("a", 7, (29, 0)), run("a", 7, (12, 0))]);
        assert!(same.starts_with("1 run of the same code, 29 executions, 0 violated; together"));
        let further = words(&[run("a", 7, (20, 0)), run("a", 7, (25, 1))]);
        assert!(further.contains("25 executions, 1 violated; one violation is a counterexample"));
    }

    #[test]
    fn a_violation_that_could_not_be_confirmed_is_no_evidence_for_a_rate() {
        let mut other = run("a", 7, (5, 1));
        other.counts = Eligibility::InDoubt;
        let told = words(&[run("a", 8, (29, 0)), other]);
        assert!(told.contains("1 violated; together they show nothing"), "{told}");
    }

    #[test]
    fn what_does_not_count_is_said() {
        let [mut doubted, mut unfinished, mut again] = [1, 2, 3].map(|seed| run("a", seed, (0, 0)));
        doubted.counts = Eligibility::InDoubt;
        unfinished.counts = Eligibility::Unfinished;
        again.counts = Eligibility::Remembered;
        assert_eq!(
            words(&[run("a", 7, (29, 0)), doubted, unfinished, again]),
            "1 run of the same code (not counted: 1 run in doubt, 1 run of a remembered counterexample, 1 run unfinished), 29 executions, 0 violated; but a counterexample from an earlier run violates"
        );
    }

    #[test]
    fn packages_and_targets_are_told_apart() {
        let [mut lib, mut bin] = [1, 2].map(|seed| run("a", seed, (29, 0)));
        (lib.test.1, bin.test.1) = (Some("lib".into()), Some("bin walks".into()));
        let told = evidence(&[lib, bin]);
        let names: Vec<&str> = told.iter().map(|one| one.test.as_str()).collect();
        assert_eq!(names, ["walks, lib: walk", "walks, bin walks: walk"]);
        assert!(told.iter().all(|one| one.change.is_none() && one.runs == 1));
    }

    #[test]
    fn text_that_is_no_journal_is_refused() {
        let error = PastRun::of_journal("hello\n").unwrap_err();
        assert_eq!(error.given(), "hello");
        assert!(PastRun::of_journal("").is_err());
    }
}
