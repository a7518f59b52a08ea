//! Executions that wait: for the rate of starts, for infrastructure, for nothing more to spend.

use std::time::Duration;

use super::{Phase, TestRun};
use crate::judge::{Reason, Verdict};
use crate::machine::pacing::{Pacing, Said, UNAVAILABLE_IN_A_ROW};
use crate::machine::{Next, Range};
use crate::run::{Observation, Record};

impl TestRun<'_> {
    /// How long an executor waits, after [`Next::Wait`], before it asks again: the time until
    /// the next start is allowed, or an attempt is made again that its infrastructure has
    /// spoiled. None where something that is under way has to be observed first.
    ///
    /// ```
    /// use probtest::machine::{Next, TestRun};
    /// use probtest::run::Observation;
    /// use probtest::{Claim, Settings};
    /// use std::cell::Cell;
    /// use std::time::Duration;
    ///
    /// let now = Cell::new(Duration::ZERO);
    /// let settings = Settings::new("polite").rate("20/s".parse()?).clock(|| now.get());
    /// let mut run = TestRun::begin(&Claim::detect(0.5, 0.05)?, settings)?;
    /// loop {
    ///     match run.next() {
    ///         Next::Attempt(attempt) => {
    ///             let _ = run.observe(attempt.did(Observation::Passed, true));
    ///         }
    ///         Next::Wait => now.set(now.get() + run.pause().unwrap()),
    ///         Next::Done => break,
    ///     }
    /// }
    /// assert_eq!(now.get(), Duration::from_millis(5 * 50));
    /// # Ok::<(), probtest::Error>(())
    /// ```
    pub fn pause(&mut self) -> Option<Duration> {
        let now = self.lookout.now();
        self.pacing.as_ref()?.pause(now)
    }

    #[cold]
    pub(super) fn next_paced(&mut self, most: u64) -> Next<Range> {
        let (now, planned) = (self.lookout.now(), self.is_planned());
        loop {
            let due = self.pacing().due(now, planned);
            match due {
                Some(range) => self.lose(range),
                None => break,
            }
        }
        let (may_start, spent) = (self.pacing().may_start(now), self.pacing().is_spent());
        let next = match may_start.min(most) {
            0 => Next::Wait,
            most if spent && planned => self.sequencer.next_again(most),
            most => self.next_of_phase(most),
        };
        match next {
            Next::Attempt(range) => self.pacing().started(range.last - range.first + 1, now),
            Next::Wait if may_start > 0 => self.pacing().idle(),
            _ => {}
        }
        // Who waits is not asked again as often as the machine looks up.
        match next {
            Next::Wait if self.is_stopped() => Next::Done,
            next => next,
        }
    }

    fn pacing(&mut self) -> &mut Pacing {
        self.pacing.get_or_insert_with(|| Box::new(Pacing::new(&self.settings, self.most)))
    }

    /// Takes off what surrounds an observation: a panic, what the execution said about
    /// itself. None where the attempt has to be made again.
    #[cold]
    pub(super) fn unfold(&mut self, mut record: Record) -> Option<Record> {
        loop {
            match record.observation {
                Observation::Panicked { panic, otherwise } => {
                    record.observation = self.take_panic(record.index, panic, *otherwise);
                }
                Observation::Larger { threads, steps, otherwise } => {
                    record.observation = *otherwise;
                    if self.waits_for(&record) && !record.observation.is_rejected() {
                        self.doubt_size(threads, steps);
                    }
                }
                Observation::Noted { cost, recorded, otherwise } => {
                    record.observation = *otherwise;
                    let kept = self.waits_for(&record);
                    let rejected = record.observation.is_rejected();
                    let said = Said::new(cost, recorded, rejected);
                    self.pacing().hear(record.index, said, kept);
                }
                Observation::Unavailable { kind, message } => {
                    let range = Range {
                        stream: self.stream_of(record.seed),
                        first: record.index,
                        last: record.index,
                        attempt: record.attempt,
                    };
                    self.make_again(range, &kind, message);
                    return None;
                }
                Observation::Labelled(labelled) => {
                    let (otherwise, labels) = *labelled;
                    record.observation = otherwise;
                    let mut unfolded = self.unfold(record)?;
                    unfolded.observation = unfolded.observation.with_labels(labels);
                    return Some(unfolded);
                }
                _ => break,
            }
        }
        Some(record)
    }

    /// Whether this answers an attempt of the plan that is waited for.
    fn waits_for(&self, record: &Record) -> bool {
        self.is_planned()
            && record.seed == self.stream.seed()
            && self.sequencer.is_open(record.index, record.attempt)
    }

    /// Adds what an execution cost that comes after the verdict.
    #[cold]
    pub(super) fn add_late(&mut self, record: &Record) {
        if let Observation::Noted { cost, .. } = record.observation {
            let said = Said::new(cost, None, false);
            self.pacing().hear(record.index, said, false);
        }
    }

    /// Makes an attempt again that proves nothing, or ends where that was too often.
    fn make_again(&mut self, range: Range, kind: &str, message: String) {
        let planned = self.is_planned();
        let waited_for = match &self.phase {
            Phase::Plan => {
                range.stream.seed() == self.stream.seed()
                    && self.sequencer.is_open(range.first, range.attempt)
            }
            Phase::Alone(single) | Phase::Again { single, .. } => single.is(&range),
            Phase::Remembered { current, .. } => {
                current.as_ref().is_some_and(|single| single.0.is(&range))
            }
            Phase::Story(_) => false,
        };
        if !waited_for {
            return;
        }
        let now = self.lookout.now();
        let pacing = self.pacing();
        pacing.fail(kind, now);
        let limit = match pacing.too_many() {
            Some(allowed) => Some((allowed, false)),
            None if pacing.retry(range, planned, now) => None,
            None => Some((UNAVAILABLE_IN_A_ROW, true)),
        };
        let Some((allowed, in_a_row)) = limit else {
            return;
        };
        let reason = Reason::Unavailable {
            index: range.first,
            kind: kind.to_owned(),
            message,
            allowed,
            in_a_row,
        };
        match &mut self.phase {
            Phase::Plan | Phase::Alone(_) => self.verdict = Some(Verdict::Inconclusive(reason)),
            // It decided; whether it does so again is not known.
            Phase::Again { verdict, .. } => self.verdict = Some(verdict.clone()),
            // It says nothing, as one that cannot run.
            Phase::Remembered { current, .. } => *current = None,
            Phase::Story(_) => {}
        }
    }

    /// Ends the test where its executions have cost as much as they may, with the attempts that
    /// were rejected at the next one: what is drawn again costs again. Says whether it did.
    pub(super) fn end_if_spent(&mut self) -> bool {
        let Some(pacing) = &self.pacing else {
            return false;
        };
        let Some(max_cost) = pacing.exhausted(self.sequencer.delivered + 1) else {
            return false;
        };
        if self.counts.executed == 0 {
            self.count_only_rejected();
        }
        let verdict = self.out_of_budget(Reason::Cost { max_cost });
        self.decide(verdict);
        true
    }
}
