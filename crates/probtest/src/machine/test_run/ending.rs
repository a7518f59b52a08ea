//! Doubts, and the end of a test: turns what is known into a report.

use probtest_facts::Part;

use super::{Phase, TestRun};
use crate::judge::{Doubt, Observed, Reason, Verdict};
use crate::report::{Note, OptionNames, Report};
use crate::run::{Observation, Violation};
use crate::seed::Address;
use crate::settings::OnBudget;

impl TestRun<'_> {
    /// Takes a panic that the body didn't notice: in a strict run a violation, otherwise a doubt
    /// about the execution.
    #[cold]
    pub(super) fn take_panic(
        &mut self,
        index: u64,
        panic: Box<Violation>,
        otherwise: Observation,
    ) -> Observation {
        if self.settings.strict {
            return Observation::Violated(panic);
        }
        if matches!(self.phase, Phase::Remembered(_)) {
            // A strict run may have found it: passing here doesn't mean that it is fixed.
            return Observation::Broken(panic.message);
        }
        self.doubt(Doubt::Panicked { index, panic });
        otherwise
    }

    /// Adds doubts for panics that came after the last execution.
    pub(in crate::machine) fn doubt_panics(&mut self, panics: impl IntoIterator<Item = Violation>) {
        let index = self.counts.executed;
        let known = |doubt: &Doubt| matches!(doubt, Doubt::Panicked { .. });
        let first = panics.into_iter().next().map(Box::new);
        if let Some(panic) = first.filter(|_| index > 0 && !self.doubts.iter().any(known)) {
            self.doubt(Doubt::Panicked { index, panic });
        }
    }

    /// Adds a doubt: a reason to believe that the executions weren't independent or weren't random.
    /// It is merged with the same doubt from an earlier part of the run.
    pub fn doubt(&mut self, doubt: Doubt) {
        for known in &mut self.doubts {
            match (known, &doubt) {
                (Doubt::FixedSeeds { places }, Doubt::FixedSeeds { places: more }) => {
                    let news = more.iter().filter(|place| !places.contains(place));
                    let news: Vec<String> = news.cloned().collect();
                    return places.extend(news);
                }
                (
                    Doubt::Larger { executions, threads, steps },
                    Doubt::Larger { executions: more, threads: others, steps: longer },
                ) => {
                    *executions += more;
                    *threads = (*threads).max(*others);
                    *steps = (*steps).max(*longer);
                    return;
                }
                // Keeps the first panic, in whatever order they arrive.
                (known @ Doubt::Panicked { .. }, Doubt::Panicked { index, .. }) => {
                    if matches!(known, Doubt::Panicked { index: first, .. } if index < first) {
                        *known = doubt;
                    }
                    return;
                }
                (Doubt::FewDrew { .. }, Doubt::FewDrew { .. }) => return,
                (known, doubt) if known == doubt => return,
                _ => {}
            }
        }
        self.doubts.push(doubt);
    }

    /// Ends the test and returns the report. Without enough records it is inconclusive.
    pub fn finish(mut self) -> Report {
        self.lookout.report_progress(&self.counts, (self.own, !self.passes_wait), true);
        let planned = match &self.phase {
            Phase::Plan | Phase::Again { .. } => true,
            Phase::Story(_) => self.address.is_none(),
            Phase::Alone(_) | Phase::Remembered(_) => false,
        };
        let untold = self.untold_story();
        let (unconfirmed, story) = match std::mem::replace(&mut self.phase, Phase::Plan) {
            Phase::Again { verdict, .. } => (Some(verdict), untold),
            Phase::Story(telling) => {
                let (verdict, story) = telling.end();
                (Some(verdict), Some(story))
            }
            Phase::Alone(_) => (None, None),
            _ => (None, untold),
        };
        let verdict = self.verdict.take().or(unconfirmed);
        let mut verdict = verdict.unwrap_or(Verdict::Inconclusive(Reason::Cancelled));
        if self.lookout.is_cancelled() && matches!(verdict, Verdict::Inconclusive(_)) {
            // The reason may be a consequence of the cancellation.
            verdict = Verdict::Inconclusive(Reason::Cancelled);
        }
        self.close_ledger(&verdict);
        let ledger = self.ledger.take();
        let journal = ledger.as_ref().and_then(|ledger| ledger.journal.as_ref());
        let lost = journal.is_some_and(|journal| journal.failed);
        let observed = self.judge.observed(&self.counts);
        let seed = self.stream.seed();
        let mut notes = Vec::new();
        if self.settings.own_randomness {
            notes.push(Note::OwnRandomness);
        } else if planned && self.counts.executed > 1 {
            // Up to its first draw, a body always does the same, unless something unseen makes it
            // differ.
            let (drew, looked_at) = (self.drew, self.counts.executed);
            if drew == 0 {
                self.doubt(Doubt::NeverDrew);
            } else if drew < looked_at.div_ceil(2) {
                self.doubt(Doubt::FewDrew { drew, looked_at });
            }
        }
        if lost {
            notes.push(Note::JournalLost);
        }
        // What counts is all shards together, not one.
        let whole = verdict != Verdict::Partial;
        for rare in self.tally.rare(self.counts.executed) {
            if !planned || !whole {
                break;
            }
            if !rare.is_certain() {
                self.doubt(Doubt::Unseen(rare));
            } else if verdict.is_accepted() {
                verdict = Verdict::Inconclusive(Reason::TooRare(rare));
            }
        }
        if let Some(doubt) = self.judge.doubt() {
            self.doubt(doubt);
        }
        let (mut unavailable, mut cost) = (Vec::new(), None);
        if let Some(mut pacing) = self.pacing.take() {
            (unavailable, cost) = (pacing.kinds(), pacing.cost());
            if let Some((equal, pairs)) = pacing.copies.too_many() {
                self.doubt(Doubt::Repeated { equal, pairs });
            }
        }
        if observed == Observed::NoOutcome && whole && verdict.is_accepted() {
            self.doubt(Doubt::UnreportedOutcomes);
        }
        if self.settings.strict && whole && verdict.is_accepted() && !self.doubts.is_empty() {
            verdict = Verdict::Inconclusive(Reason::Doubt);
        }
        if planned && self.claim().p().is_some_and(|p| p > &p.complement()) {
            notes.push(Note::LargeP);
        }
        let mut report = Report {
            test: self.settings.test,
            plan: self.plan,
            verdict,
            asked: self.settings.on_budget == OnBudget::Pass,
            names: OptionNames { flags: self.settings.flags },
            counts: self.counts,
            observed,
            seed,
            address: self.address,
            replay: None,
            rerun: None,
            remembered: self.remembered,
            returned: self.returned,
            suite: self.settings.suite,
            notes,
            doubts: self.doubts,
            confirmed: self.confirmed,
            part: ledger.zip(self.settings.shard).map(|(ledger, shard)| {
                let part = Part {
                    shard: shard.number(),
                    shards: shard.of(),
                    version: env!("CARGO_PKG_VERSION").into(),
                    ledger: ledger.lines(),
                    ..Part::default()
                };
                (shard, Box::new(part))
            }),
            sources: Vec::new(),
            story,
            inputs: self.inputs,
            played: self.tape.filter(|_| self.address.is_some()),
            tally: self.tally,
            unavailable,
            cost,
            elapsed: self.took.unwrap_or_else(|| self.lookout.elapsed()),
        };
        // An execution that doesn't repeat its result gets no replay line.
        let steady = self.confirmed != Some(false);
        if !self.settings.own_randomness && steady && report.address.is_none() {
            report.address = report.deciding().map(|index| Address { seed, index });
        }
        if report.lies_above_tolerate() {
            report.add_note(Note::AboveTolerate);
        }
        report
    }
}
