//! Results of executions, kept as lines: for a journal, which outlives its process, and for a
//! shard, whose executions are judged elsewhere.
//!
//! A line is a checksum and one JSON object. Reading a line twice does no harm, and if one is lost,
//! its executions run again.

use std::hash::Hasher;
#[cfg(feature = "tools")]
use std::num::NonZeroU64;
use std::time::Duration;

use probtest_facts::json::{FromJson, ToJson};
use probtest_facts::{json_object, json_variants};
use siphasher::sip::SipHasher24;

use super::journal::Journal;
use super::{RangeRecord, TestRun};
use crate::claim::{Claim, Error, WrittenClaim};
use crate::judge::{Doubt, Reason, Verdict};
use crate::report::verdict_facts;
use crate::run::{Number, Observation, Record};
use crate::seed::RunSeed;
use crate::settings::{OnBudget, Settings, Share};

/// The version of the format. It grows when a line changes its meaning.
const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum LedgerEntry {
    Begin(Box<Header>),
    Done(RangeEntry),
    /// What the deciding execution did when it ran again.
    Again(LedgerRecord),
    Doubt(Doubt),
    End(End),
}

json_variants!(LedgerEntry {
    "begin" => Begin(header),
    "done" => Done(range),
    "again" => Again(record),
    "doubt" => Doubt(doubt),
    "end" => End(end),
});

/// Whose executions a ledger has, and everything that their verdict depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) format: u32,
    pub(super) version: String,
    pub(super) test: String,
    pub(super) package: Option<String>,
    pub(super) target: Option<String>,
    pub(super) claim: WrittenClaim,
    pub(super) seed: String,
    pub(super) shard: Option<(u64, u64)>,
    pub(super) batch: u64,
    pub(super) max_executions: Option<u64>,
    pub(super) max_rejections: Option<u64>,
    pub(super) max_cost: Option<Number>,
    pub(super) on_budget: bool,
    pub(super) own_randomness: bool,
    pub(super) strict: bool,
    pub(super) confirm: bool,
    pub(super) unreported_outcomes: bool,
    pub(super) suite_epsilon: Option<(String, u64)>,
    pub(super) suite_false_alarm: Option<(String, u64)>,
    /// A fingerprint of the program, which changes with its code.
    pub(super) code: Option<String>,
}

json_object!(Header default {
    format,
    version,
    test,
    package,
    target,
    claim,
    seed,
    shard,
    batch,
    max_executions,
    max_rejections,
    max_cost,
    on_budget,
    own_randomness,
    strict,
    confirm,
    unreported_outcomes,
    suite_epsilon,
    suite_false_alarm,
    code,
});

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) verdict: String,
    pub(super) executed: u64,
    pub(super) violated: u64,
}

json_object!(End { verdict, executed, violated });

/// The results of consecutive executions: those not in `told` passed in their first attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RangeEntry {
    pub(super) first: u64,
    last: u64,
    drew: u64,
    told: Vec<LedgerRecord>,
}

json_object!(RangeEntry { first, last, drew, told });

/// The result of one attempt: execution, attempt, whether it drew, and what it did.
pub(super) type LedgerRecord = (u64, u64, bool, Observation);

fn ledger_record(record: &Record) -> LedgerRecord {
    (record.index, record.attempt, record.has_drawn, record.observation.clone())
}

/// Whether an execution that ran again violated only once.
#[cfg(feature = "tools")]
pub(super) fn gave_two_results(entries: &[LedgerEntry]) -> bool {
    let violates = |told: &LedgerRecord| told.3.is_violated();
    entries.iter().any(|entry| {
        let LedgerEntry::Again(again) = entry else {
            return false;
        };
        let told = entries.iter().filter_map(|entry| match entry {
            LedgerEntry::Done(done) => Some(&done.told),
            _ => None,
        });
        let first = told.flatten().rfind(|told| told.0 == again.0);
        first.is_some_and(violates) != violates(again)
    })
}

impl Header {
    /// Describes a run before it starts; the claim has its share of the suite's chances of error.
    pub(super) fn of(claim: &Claim, settings: &Settings<'_>, seed: RunSeed) -> Self {
        let shared = |share: &Share| (share.total.to_string(), share.tests.get());
        Header {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            test: settings.test.clone(),
            claim: claim.written(),
            seed: seed.to_string(),
            shard: settings.shard.map(|shard| (shard.number(), shard.of())),
            batch: settings.batch,
            max_executions: settings.max_executions,
            max_rejections: settings.max_rejections,
            max_cost: settings.max_cost.map(Number),
            on_budget: settings.on_budget == OnBudget::Pass,
            own_randomness: settings.own_randomness,
            strict: settings.strict,
            confirm: settings.confirm,
            unreported_outcomes: settings.unreported_outcomes,
            suite_epsilon: settings.suite.epsilon.as_ref().map(shared),
            suite_false_alarm: settings.suite.false_alarm.as_ref().map(shared),
            ..Header::default()
        }
    }

    /// The settings of the whole run that this is part of.
    #[cfg(feature = "tools")]
    pub(super) fn settings(&self) -> Result<Settings<'static>, Error> {
        let share = |of: &Option<(String, u64)>| -> Result<Option<Share>, Error> {
            let known = of.as_ref().map(|(total, tests)| (total, NonZeroU64::new(*tests)));
            let Some((total, Some(tests))) = known else {
                return Ok(None);
            };
            Ok(Some(Share::new(total.parse()?, tests)))
        };
        let mut settings = Settings::new(self.test.clone())
            .seed(self.seed.parse::<RunSeed>()?.0)
            .batch(self.batch)
            .strict(self.strict)
            .confirm(self.confirm)
            .suite(crate::settings::Suite {
                epsilon: share(&self.suite_epsilon)?,
                false_alarm: share(&self.suite_false_alarm)?,
            });
        settings.max_executions = self.max_executions;
        settings.max_rejections = self.max_rejections;
        settings.max_cost = self.max_cost.map(|cost| cost.0);
        settings.own_randomness = self.own_randomness;
        settings.unreported_outcomes = self.unreported_outcomes;
        if self.on_budget {
            settings = settings.on_budget(OnBudget::Pass);
        }
        Ok(settings)
    }
}

/// Writes an entry of any journal as one line: a checksum and one JSON object.
pub(crate) fn write_line(entry: &dyn ToJson) -> String {
    let text = entry.to_json().to_string();
    format!("{:016x} {text}", checksum(&text))
}

/// Reads such a line; `None` if it is torn or from another version.
pub(crate) fn read_line<T: FromJson>(line: &str) -> Option<T> {
    let (sum, text) = line.split_once(' ')?;
    let same = sum.len() == 16 && u64::from_str_radix(sum, 16).ok()? == checksum(text);
    same.then(|| T::from_json(text.parse().ok()?))?
}

fn checksum(text: &str) -> u64 {
    let mut hasher = SipHasher24::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

pub(super) struct Ledger {
    pub(super) header: Header,
    /// Everything added, for the report of a shard; otherwise only what isn't in the journal yet.
    entries: Vec<LedgerEntry>,
    /// How many of them are in the journal.
    written: usize,
    pub(super) journal: Option<Journal>,
}

impl Ledger {
    pub(super) fn new(header: Header) -> Self {
        Ledger { header, entries: Vec::new(), written: 0, journal: None }
    }

    pub(super) fn add_passes(&mut self, first: u64, count: u64, drew: u64) {
        self.add_done(first, first.saturating_add(count) - 1, drew, None);
    }

    pub(super) fn add(&mut self, record: &Record) {
        let index = record.index;
        if record.observation == Observation::Passed && record.attempt == 0 {
            return self.add_passes(index, 1, u64::from(record.has_drawn));
        }
        if matches!(record.observation, Observation::Broken(_)) && self.journal.is_some() {
            // This says nothing about the program: the run that continues executes it again.
            return;
        }
        self.add_done(index, index, 0, Some(ledger_record(record)));
    }

    fn add_done(&mut self, first: u64, last: u64, drew: u64, told: Option<LedgerRecord>) {
        // The next attempt at a rejected execution.
        let is_redrawn = |done: &RangeEntry| {
            told.is_some() && done.told.last().is_some_and(|(index, ..)| *index == first)
        };
        match self.entries[self.written..].last_mut() {
            Some(LedgerEntry::Done(done)) if first == done.last + 1 || is_redrawn(done) => {
                done.last = done.last.max(last);
                done.drew += drew;
                done.told.extend(told);
            }
            _ => {
                let told = told.into_iter().collect();
                self.entries.push(LedgerEntry::Done(RangeEntry { first, last, drew, told }));
            }
        }
        if self.journal.as_ref().is_some_and(Journal::is_due) {
            self.write();
        }
    }

    pub(super) fn add_again(&mut self, record: &Record) {
        self.entries.push(LedgerEntry::Again(ledger_record(record)));
    }

    /// Notes that the journal has everything added so far.
    fn is_written(&mut self) {
        match self.header.shard {
            Some(_) => self.written = self.entries.len(),
            None => self.entries.clear(),
        }
    }

    fn write(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.append(&self.entries[self.written..]);
            self.is_written();
        }
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let begin = LedgerEntry::Begin(Box::new(self.header.clone()));
        std::iter::once(&begin).chain(&self.entries).map(|entry| write_line(entry)).collect()
    }
}

impl TestRun<'_> {
    fn header(&self) -> Header {
        Header::of(self.claim(), &self.settings, self.seed())
    }

    /// Continues where a journal ends, and records in it what is observed from now on. Call this
    /// before anything else.
    ///
    /// # Errors
    /// When the journal belongs to another test, claim, seed or version, or can't be written.
    pub fn keep(&mut self, mut journal: Journal) -> Result<(), Error> {
        let mut header = self.header();
        let entries = journal.begin(&mut header)?;
        self.ledger = Some(Box::new(Ledger::new(header)));
        self.absorb(entries, false);
        if let Some(ledger) = &mut self.ledger {
            ledger.is_written();
            ledger.journal = Some(journal);
        }
        Ok(())
    }

    /// Continues where a journal ends, and records nothing.
    ///
    /// # Errors
    /// Like [`TestRun::keep`].
    pub fn look_at(&mut self, journal: &Journal) -> Result<(), Error> {
        self.absorb(journal.entries(&self.header())?, false);
        Ok(())
    }

    /// Takes the known results of executions. What the deciding one did when it ran again counts
    /// only in a merge, where it can't run again.
    pub(super) fn absorb(&mut self, entries: Vec<LedgerEntry>, whole: bool) {
        let seed = self.seed();
        let record = |(index, attempt, has_drawn, observation): LedgerRecord| Record {
            seed,
            index,
            attempt,
            has_drawn,
            observation,
        };
        let (mut dones, mut again, mut doubts) = (Vec::new(), Vec::new(), Vec::new());
        for entry in entries {
            match entry {
                LedgerEntry::Done(done) => dones.push(done),
                LedgerEntry::Again(told) if whole => again.push(record(told)),
                LedgerEntry::Doubt(doubt) => doubts.push(doubt),
                _ => {}
            }
        }
        // In a merge nothing runs again, and the deciding batch is only known up to its deciding
        // execution.
        if self.settings.batch > 1 && !whole {
            dones = whole_batches(dones, self.settings.batch, self.last());
        }
        let panics = |told: &&LedgerRecord| matches!(told.3.plain(), Observation::Panicked { .. });
        let panicked = dones.iter().flat_map(|done| &done.told).filter(panics);
        let panicked: Vec<u64> = panicked.map(|told| told.0).collect();
        for RangeEntry { first, last, drew, told } in dones {
            let records = told.into_iter().map(record).collect();
            let _ =
                self.take(RangeRecord { seed, first, last, drew, records, took: Duration::ZERO });
        }
        // Several shards may have run some again, and they are needed in order.
        again.sort_by_key(|record| (record.index, record.attempt));
        for record in again {
            self.take_again(record);
        }
        for doubt in doubts {
            // A strict run has judged the panics during executions; others came after the last
            // execution.
            let judged =
                matches!(&doubt, Doubt::Panicked { index, .. } if panicked.contains(index));
            if !self.settings.strict || !judged {
                self.doubt(doubt);
            }
        }
    }

    /// Writes the end into the journal. A run that was stopped or ran out of time gets no end: the
    /// next one continues there.
    pub(super) fn close_ledger(&mut self, verdict: &Verdict) {
        let goes_on = matches!(
            verdict,
            Verdict::Inconclusive(
                Reason::Cancelled | Reason::Time { .. } | Reason::NotReached { .. }
            )
        );
        let Some(ledger) = &mut self.ledger else {
            return;
        };
        // The records say which executions were larger.
        let others = |doubt: &&Doubt| !matches!(doubt, Doubt::Larger { .. });
        ledger.entries.extend(self.doubts.iter().filter(others).cloned().map(LedgerEntry::Doubt));
        ledger.write();
        if let Some(journal) = &mut ledger.journal
            && !goes_on
        {
            journal.append(&[LedgerEntry::End(End {
                verdict: verdict_facts(verdict).into(),
                executed: self.counts.executed,
                violated: self.counts.violated,
            })]);
        }
    }
}

/// Keeps the results of batches that are completely known. Other batches run again, as one call.
fn whole_batches(mut dones: Vec<RangeEntry>, batch: u64, last: u64) -> Vec<RangeEntry> {
    dones.sort_by_key(|done| done.first);
    let end = dones.iter().map(|done| done.last).max().unwrap_or(0).min(last);
    let (mut kept, mut first, mut begin) = (Vec::new(), 1, 0);
    while first <= end {
        let until = first.saturating_add(batch - 1).min(last);
        while dones.get(begin).is_some_and(|done| done.last < first) {
            begin += 1;
        }
        let parts: Vec<RangeEntry> = dones[begin..]
            .iter()
            .take_while(|done| done.first <= until)
            .filter(|done| done.last >= first)
            .map(|done| done.within(done.first.max(first), done.last.min(until)))
            .collect();
        if (first..=until).all(|index| parts.iter().any(|part| part.settles(index))) {
            kept.extend(parts);
        }
        let Some(next) = until.checked_add(1) else {
            break;
        };
        first = next;
    }
    kept
}

impl RangeEntry {
    /// Whether the result of an execution is final: not if its last attempt was rejected.
    fn settles(&self, index: u64) -> bool {
        let last = self.told.iter().rfind(|told| told.0 == index);
        (self.first..=self.last).contains(&index)
            && last.is_none_or(|told| told.3 != Observation::Rejected)
    }

    fn within(&self, first: u64, last: u64) -> RangeEntry {
        let inside = |told: &&LedgerRecord| (first..=last).contains(&told.0);
        let told = self.told.iter().filter(inside).cloned().collect();
        RangeEntry { first, last, drew: self.drew.min(last + 1 - first), told }
    }
}
