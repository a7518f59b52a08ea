//! The end of a test: what is known by then, as a report.

use probtest_facts::Part;

use super::{Phase, TestRun};
use crate::judge::{Doubt, Observed, Reason, Verdict};
use crate::report::{Note, Report, verdict_facts};
use crate::seed::Address;
use crate::settings::OnBudget;

impl TestRun<'_> {
    /// Sees that executions drew nothing, and so were the same as others unless something
    /// that is not seen made them differ: a body does the same up to its first draw.
    fn look_at_draws(&mut self) {
        let (drew, looked_at) = (self.drew, self.counts.executed);
        if looked_at < 2 {
            return;
        }
        if drew == 0 {
            self.doubt(Doubt::NeverDrew);
        } else if drew < looked_at.div_ceil(2) {
            self.doubt(Doubt::FewDrew { drew, looked_at });
        }
    }

    /// Ends the test and returns the report. Without enough records it is inconclusive.
    pub fn finish(mut self) -> Report {
        self.lookout.tell(&self.counts, (self.own, !self.passes_wait), true);
        let planned = match &self.phase {
            Phase::Plan | Phase::Again { .. } => true,
            Phase::Story(_) => self.address.is_none(),
            Phase::Alone(_) | Phase::Remembered { .. } => false,
        };
        let (unconfirmed, story) = match std::mem::replace(&mut self.phase, Phase::Plan) {
            Phase::Again { verdict, .. } => {
                (Some(verdict), self.untold_story(self.verdict.as_ref()))
            }
            Phase::Story(telling) => {
                let (verdict, story) = telling.end();
                (Some(verdict), Some(story))
            }
            Phase::Alone(_) => (None, None),
            _ => (None, self.untold_story(self.verdict.as_ref())),
        };
        let verdict = self.verdict.take().or(unconfirmed);
        let mut verdict = verdict.unwrap_or(Verdict::Inconclusive(Reason::Cancelled));
        if self.lookout.is_cancelled() && matches!(verdict, Verdict::Inconclusive(_)) {
            // Whatever it was, it may have come from what stopped us.
            verdict = Verdict::Inconclusive(Reason::Cancelled);
        }
        self.close_ledger(&verdict, verdict_facts(&verdict).into());
        let part = self.ledger.take().filter(|_| self.header.shard.is_some());
        let lost = (self.ledger.as_ref().or(part.as_ref())).is_some_and(|ledger| ledger.has_lost());
        let observed = self.judge.observed(&self.counts);
        let seed = self.stream.seed();
        let mut notes = Vec::new();
        if self.own_randomness {
            notes.push(Note::OwnRandomness);
        } else if planned {
            self.look_at_draws();
        }
        if lost {
            notes.push(Note::JournalLost);
        }
        // What all shards have together counts, not what one has.
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
        if self.strict && whole && verdict.is_accepted() && !self.doubts.is_empty() {
            verdict = Verdict::Inconclusive(Reason::Doubt);
        }
        if observed == Observed::NoOutcome && verdict == Verdict::Passed {
            notes.push(Note::UnreportedOutcomes);
        }
        if planned && self.claim().p().is_some_and(|p| p > &p.complement()) {
            notes.push(Note::LargeP);
        }
        let mut report = Report {
            test: self.test,
            plan: self.plan,
            verdict,
            asked: self.on_budget == OnBudget::Pass,
            counts: self.counts,
            observed,
            seed,
            address: self.address,
            replay: None,
            rerun: None,
            remembered: self.remembered,
            returned: self.returned,
            suite: self.suite,
            notes,
            doubts: self.doubts,
            confirmed: self.confirmed,
            part: part.zip(self.header.shard()).map(|(ledger, shard)| {
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
        // An execution that does not do it again is not worth a line to copy.
        let steady = self.confirmed != Some(false);
        if !self.own_randomness && steady && report.address.is_none() {
            report.address = report.deciding().map(|index| Address { seed, index });
        }
        if report.lies_above_tolerate() {
            report.add_note(Note::AboveTolerate);
        }
        report
    }
}
