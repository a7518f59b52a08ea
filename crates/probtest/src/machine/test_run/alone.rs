//! Executions outside the plan: from an earlier run, replayed, or run again.

use std::collections::VecDeque;

use super::{Phase, TestRun, is_too_often};
use crate::judge::{self, Finding, Verdict};
use crate::machine::{Flow, Next, Range};
use crate::report::{Remembered, returned};
use crate::run::{Observation, Record};
use crate::seed::{Address, Stream, Tape};
use crate::settings::Settings;

/// Executions of earlier runs, and the tapes to play in them.
pub(super) type EarlierExecutions = VecDeque<(SingleExecution, Option<Tape>)>;

#[derive(Clone, Copy)]
pub(super) struct SingleExecution {
    stream: Stream,
    index: u64,
    attempt: u64,
    pub(super) handed_out: bool,
}

impl SingleExecution {
    pub(super) fn new(stream: Stream, index: u64) -> Self {
        SingleExecution { stream, index, attempt: 0, handed_out: false }
    }

    fn is_about(&self, record: &Record) -> bool {
        record.seed == self.stream.seed() && record.index == self.index
    }

    pub(super) fn is(&self, range: &Range) -> bool {
        self.handed_out && *range == Range::one(self.stream, self.index, self.attempt)
    }

    /// Hands out the next attempt, or waits while one is running.
    pub(super) fn next(&mut self) -> Next<Range> {
        if std::mem::replace(&mut self.handed_out, true) {
            return Next::Wait;
        }
        self.attempt = self.stream.applicable(self.index, self.attempt);
        Next::Attempt(Range::one(self.stream, self.index, self.attempt))
    }

    /// Takes a record, and says whether it is the one that counts.
    fn settles(&mut self, record: &mut Record) -> bool {
        // A duplicate report says nothing until it ran a second time.
        if !self.handed_out || !self.is_about(record) || record.attempt < self.attempt {
            return false;
        }
        if record.observation == Observation::Rejected {
            record.attempt = self.stream.after_rejection(record.attempt, record.has_drawn);
            if !is_too_often(&self.stream, record.attempt) {
                self.attempt = record.attempt;
                self.handed_out = false;
                return false;
            }
        }
        true
    }
}

/// The remembered executions, each followed by its tape if draws are seen.
pub(super) fn queue(settings: &Settings<'_>, inputs: Option<u64>) -> EarlierExecutions {
    let mut queue = VecDeque::new();
    for address in &settings.remembered {
        let stream = Stream::new(address.seed, &settings.test).with_inputs(inputs);
        let single = SingleExecution::new(stream, address.index);
        queue.push_back((single, None));
        let tape = settings.remembered_tapes.iter().find(|(of, _)| of == address);
        let tape = tape.filter(|_| !settings.shrink_time.is_zero());
        queue.extend(tape.map(|(_, tape)| (single, Some(tape.clone()))));
    }
    queue
}

impl TestRun<'_> {
    #[cold]
    pub(super) fn observe_single(&mut self, mut record: Record) -> Flow {
        let (observation, labels) = record.observation.split();
        record.observation = observation;
        if let (Phase::Again { single, .. }, Some(ledger)) = (&self.phase, &mut self.ledger)
            && single.handed_out
            && single.is_about(&record)
        {
            ledger.add_again(&record);
        }
        let settled = self.phase.single().is_some_and(|single| single.settles(&mut record));
        match &mut self.phase {
            _ if !settled => {}
            Phase::Alone(_) => {
                self.tally.of_violation = labels;
                self.counts.rejected = self.stream.rejections(record.attempt);
                self.returned = returned(&record.observation);
                let (index, seen) = (record.index, record.observation);
                self.verdict = match seen {
                    Observation::Rejected | Observation::Broken(_) => self.look_closer(index, seen),
                    _ => Some(judge::alone(&mut *self.judge, index, seen, &mut self.counts)),
                };
            }
            Phase::Again { single, others, verdict } => {
                let of_pair = self.judge.does_again(record.index, &record.observation);
                self.confirmed = match record.observation {
                    _ if *verdict == Verdict::Partial => None,
                    // One that differs is enough.
                    _ if of_pair.is_some() => {
                        Some(self.confirmed.unwrap_or(true) && of_pair == Some(true))
                    }
                    Observation::Broken(_) => None,
                    Observation::Violated(violation) => {
                        // It ran in the test's own process, so its message may say more.
                        verdict.retell(violation);
                        Some(true)
                    }
                    _ => Some(false),
                };
                match others.pop_front() {
                    Some(index) => *single = SingleExecution::new(single.stream, index),
                    None => self.verdict = Some(verdict.clone()),
                }
            }
            Phase::Remembered(queue) => {
                let tape = queue.pop_front().and_then(|(_, tape)| tape);
                // Its tape runs next, and shows the same.
                let next = queue.front();
                let on_tape = next.is_some_and(|(of, tape)| tape.is_some() && of.is_about(&record));
                if !on_tape || record.observation.is_violated() {
                    self.tape = tape;
                    self.judge_remembered(record);
                }
            }
            Phase::Plan | Phase::Story(_) => {}
        }
        self.flow()
    }

    /// Takes what an execution did when it ran again elsewhere.
    pub(in crate::machine) fn take_again(&mut self, record: Record) {
        if let Phase::Again { single, .. } = &mut self.phase
            && self.verdict.is_none()
            && single.is_about(&record)
        {
            single.handed_out = true;
            let _ = self.observe_single(record);
        }
    }

    fn judge_remembered(&mut self, record: Record) {
        let address = Address { seed: record.seed, index: record.index };
        match record.observation {
            Observation::Violated(violation) => {
                self.counts.violate();
                self.counts.rejected = self.stream.rejections(record.attempt);
                self.address = Some(address);
                self.remembered = Remembered::Again(address);
                self.verdict =
                    Some(Verdict::Violated(Finding::Execution { index: record.index, violation }));
            }
            // An execution that is now rejected, or can't run, says nothing.
            Observation::Rejected | Observation::Broken(_) => {}
            _ => {
                self.tape = None;
                self.remembered.passed(address, self.settings.unchanged);
            }
        }
    }
}
