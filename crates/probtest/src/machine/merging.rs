//! Shards that ran separately, judged together: the same verdict as in one run.

use std::time::Duration;

use probtest_facts::{Part, ReasonKind, TestFacts, Verdict as Word};

use super::journal::split;
use super::ledger::{Header, LedgerEntry};
use super::{TestRun, journal};
use crate::claim::Error;
use crate::judge::{Finding, Reason, Verdict};
use crate::report::{ANY_INDEX, Report};

/// The facts of one shard, and where they come from.
#[derive(Clone, Copy, Debug)]
pub struct ShardFacts<'a> {
    /// The file, as the user named it.
    pub source: &'a str,
    /// Its facts.
    pub facts: &'a TestFacts,
}

struct ReadShard<'a> {
    source: &'a str,
    facts: &'a TestFacts,
    part: &'a Part,
    header: Header,
    entries: Vec<LedgerEntry>,
}

impl ReadShard<'_> {
    fn shard(&self) -> String {
        format!("{}/{}", self.part.shard, self.part.shards)
    }
}

/// The name of a test. For a command, there is a null byte between its words.
fn name(facts: &TestFacts) -> String {
    facts.name().replace('\0', " ")
}

/// Whether the reason comes from outside, not from the executions themselves.
fn is_from_outside(facts: &TestFacts) -> bool {
    facts.reason.as_ref().is_some_and(|reason| {
        matches!(
            reason.kind,
            ReasonKind::Cancelled
                | ReasonKind::Time
                | ReasonKind::NotReached
                | ReasonKind::Unfinished
                | ReasonKind::Setup
                | ReasonKind::FailedElsewhere
                | ReasonKind::Other(_)
        )
    })
}

/// Judges all shards of one test together.
///
/// ```
/// use probtest::machine::{ShardFacts, merge};
/// use probtest::{Claim, Settings};
///
/// let claim = Claim::detect(0.01, 0.02)?;
/// let shards = ["1/2", "2/2"].map(|shard| {
///     let settings = Settings::new("never four").seed(7).shard(shard.parse().unwrap());
///     let report = probtest::check(&claim, settings, |rng| rng.draw_u64() != 4);
///     report.unwrap().facts()
/// });
/// let parts: Vec<ShardFacts> = shards.iter().map(|facts| ShardFacts { source: "a file", facts }).collect();
/// let report = merge(&parts)?;
/// assert!(report.passed());
/// assert_eq!(report.counts().executed, 390);
/// # Ok::<(), probtest::Error>(())
/// ```
///
/// # Errors
/// When a shard is missing, given twice, from another run, or unfinished.
pub fn merge(parts: &[ShardFacts<'_>]) -> Result<Report, Error> {
    let mut shards = parts.iter().map(read).collect::<Result<Vec<_>, Error>>()?;
    let Some(first) = shards.first() else {
        return Err(Error::new(
            "there are no shards to merge",
            "none",
            "name the files of all shards",
        ));
    };
    for shard in &shards[1..] {
        compare(first, shard)?;
    }
    complete(&shards)?;
    let claim = first.header.claim.claim()?;
    let mut run = TestRun::begin(&claim, first.header.settings()?)?;
    let parts = shards.iter_mut().map(|shard| std::mem::take(&mut shard.entries));
    let mut entries: Vec<LedgerEntry> = parts.flatten().collect();
    // In order, so that few entries have to wait.
    entries.sort_by_key(|entry| match entry {
        LedgerEntry::Done(done) => done.first,
        _ => u64::MAX,
    });
    run.absorb(entries, true);
    if !run.is_decided() {
        return Err(unfinished(&shards));
    }
    let mut report = run.finish();
    let is_violated = matches!(report.verdict(), Verdict::Violated(_));
    let failed_elsewhere = |shard: &ReadShard<'_>| {
        shard.facts.verdict == Word::Inconclusive && is_from_outside(shard.facts)
    };
    if !is_violated && shards.iter().any(failed_elsewhere) {
        return Err(unfinished(&shards));
    }
    let seconds: f64 = shards.iter().map(|shard| shard.facts.seconds).sum();
    report.elapsed = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    add_lines(&mut report, &shards);
    let told = shards.iter().find(|shard| {
        is_violated
            && shard.facts.verdict == Word::Violated
            && shard.facts.index == report.deciding()
    });
    if let Some(shard) = told {
        report.inputs = shard.facts.inputs.clone();
    }
    report.story = told.and_then(|shard| shard.facts.story.clone());
    Ok(report)
}

fn read<'a>(given: &ShardFacts<'a>) -> Result<ReadShard<'a>, Error> {
    let ShardFacts { source, facts } = *given;
    let Some(part) = &facts.part else {
        if let Some(reason) = facts.reason.as_ref().filter(|_| is_from_outside(facts)) {
            return Err(Error::new(
                format!("a shard of {} did not finish: {}", name(facts), reason.message),
                source,
                "run it again with the same seed; with a journal it continues where it stopped",
            ));
        }
        return Err(Error::new(
            format!("the result of {} is not from a shard", name(facts)),
            source,
            "merge results of runs with a shard, such as --probtest-shard 3/16, PROBTEST_SHARD or probtest run --shard",
        ));
    };
    let shard = format!("shard {}/{} of {}", part.shard, part.shards, name(facts));
    if part.version != env!("CARGO_PKG_VERSION") {
        let (theirs, own) = (&part.version, env!("CARGO_PKG_VERSION"));
        return Err(Error::new(
            format!("{shard} was written by probtest {theirs}, and this is {own}"),
            source,
            "use one version of probtest for all shards and for merging",
        ));
    }
    let (header, entries) = split(&part.ledger.join("\n"));
    let same = |header: &Header| header.shard == Some((part.shard, part.shards));
    let whole = header.filter(|header| entries.len() + 1 == part.ledger.len() && same(header));
    let Some(header) = whole else {
        return Err(Error::new(
            format!("{shard} has changed since it was written"),
            source,
            "use the files as probtest wrote them",
        ));
    };
    Ok(ReadShard { source, facts, part, header, entries })
}

fn compare(one: &ReadShard<'_>, other: &ReadShard<'_>) -> Result<(), Error> {
    let (here, there) = (one.part.shards, other.part.shards);
    let count = || ("number of shards", here.to_string(), there.to_string());
    let difference = journal::difference(&one.header, &other.header, false);
    let Some((what, here, there)) = difference.or_else(|| (here != there).then(count)) else {
        return Ok(());
    };
    Err(Error::new(
        format!(
            "shard {} and shard {} of {} are from different runs: the {what} is {here} in one and {there} in the other",
            one.shard(),
            other.shard(),
            name(one.facts)
        ),
        format!("{}, {}", one.source, other.source),
        "run all shards with the same test, claim, seed and options",
    ))
}

/// Refuses shards that are missing or given twice.
fn complete(shards: &[ReadShard<'_>]) -> Result<(), Error> {
    let (of, name) = (shards[0].part.shards, name(shards[0].facts));
    let mut missing = Vec::new();
    for number in 1..=of {
        let mut found = shards.iter().filter(|shard| shard.part.shard == number);
        match (found.next(), found.next()) {
            (None, _) => missing.push(format!("{number}/{of}")),
            (Some(_), None) => {}
            (Some(one), Some(other)) => {
                return Err(Error::new(
                    format!("shard {} of {name} is given twice", one.shard()),
                    format!("{}, {}", one.source, other.source),
                    "keep one of them: they contain the same executions",
                ));
            }
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let (word, are) = match missing.len() {
        1 => ("shard", "is"),
        _ => ("shards", "are"),
    };
    Err(Error::new(
        format!("{word} {} of {name} {are} missing", missing.join(", ")),
        format!("{} of {of} shards", shards.len()),
        "run the missing ones with the same seed, and merge all of them",
    ))
}

fn unfinished(shards: &[ReadShard<'_>]) -> Error {
    let ended =
        |shard: &&ReadShard<'_>| matches!(shard.facts.verdict, Word::Partial | Word::Violated);
    let open: Vec<&ReadShard<'_>> = shards.iter().filter(|shard| !ended(shard)).collect();
    if open.is_empty() {
        let sources: Vec<&str> = shards.iter().map(|shard| shard.source).collect();
        return Error::new(
            format!(
                "executions of {} are missing: a shard has changed since it was written",
                name(shards[0].facts)
            ),
            sources.join(", "),
            "use the files as probtest wrote them",
        );
    }
    let names: Vec<String> = open.iter().map(|shard| shard.shard()).collect();
    let why = open[0].facts.reason.as_ref();
    let why = why.map_or(String::new(), |reason| format!(": {}", reason.message));
    Error::new(
        format!("shard {} of {} did not finish{why}", names.join(", "), name(shards[0].facts)),
        open[0].source,
        "run it again with the same seed; with a journal it continues where it stopped",
    )
}

/// Adds the replay and rerun lines that the whole run would have had.
fn add_lines(report: &mut Report, shards: &[ReadShard<'_>]) {
    let part = shards[0].part;
    if let Some(address) = report.address() {
        let (any, index) = (ANY_INDEX.to_string(), address.index.to_string());
        return report.set_replay(part.replay.as_ref().map(|line| line.replace(&any, &index)));
    }
    let whole = report.claim().is_about_returned() || report.confirmed() == Some(false);
    let unseen = part.reruns_unseen
        && matches!(
            report.verdict(),
            Verdict::Violated(Finding::Unseen { .. })
                | Verdict::Inconclusive(Reason::Rejections { .. })
        );
    if !report.accepted() && (whole || unseen) {
        report.set_rerun(part.rerun.clone());
    }
}
