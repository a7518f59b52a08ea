//! Executions outside of the plan: of an earlier run, replayed, or made once more.

use std::collections::VecDeque;

use super::{Phase, TestRun, is_too_often};
use crate::judge::{self, Finding, Verdict};
use crate::machine::{Flow, Next, Range};
use crate::report::{Remembered, returned};
use crate::run::{Observation, Record};
use crate::seed::{Address, Stream, Tape};
use crate::settings::Settings;

/// An execution outside of the plan.
#[derive(Clone, Copy)]
pub(super) struct Single {
    address: Address,
    attempt: u64,
    /// What it was drawn from last.
    stream: Option<Stream>,
    pub(super) handed_out: bool,
}

impl Single {
    pub(super) fn new(address: Address) -> Self {
        Single { address, attempt: 0, stream: None, handed_out: false }
    }

    /// Whether a record is about it.
    fn is_about(&self, record: &Record) -> bool {
        record.seed == self.address.seed && record.index == self.address.index
    }

    /// Whether this is the attempt that is waited for.
    pub(super) fn is(&self, range: &Range) -> bool {
        range.stream.seed() == self.address.seed
            && range.first == self.address.index
            && range.attempt == self.attempt
    }

    /// Hands out the next attempt; none while one is under way.
    pub(super) fn next(&mut self, test: &str, inputs: Option<u64>) -> Next<Range> {
        if std::mem::replace(&mut self.handed_out, true) {
            return Next::Wait;
        }
        let stream = Stream::new(self.address.seed, test).with_inputs(inputs);
        self.stream = Some(stream);
        self.attempt = stream.applicable(self.address.index, self.attempt);
        Next::Attempt(Range {
            stream,
            first: self.address.index,
            last: self.address.index,
            attempt: self.attempt,
        })
    }

    /// Takes a record, and says whether it is the one that counts.
    pub(super) fn settles(&mut self, record: &mut Record) -> bool {
        if !self.is_about(record) || record.attempt < self.attempt {
            return false;
        }
        if record.observation == Observation::Rejected
            && let Some(stream) = &self.stream
        {
            record.attempt = stream.after_rejection(record.attempt, record.has_drawn);
            if !is_too_often(stream, record.attempt) {
                self.attempt = record.attempt;
                self.handed_out = false;
                return false;
            }
        }
        true
    }
}

/// The remembered executions, each with its tape behind it where draws are seen.
pub(super) fn queue(settings: &mut Settings<'_>) -> VecDeque<(Address, Option<Tape>)> {
    let mut queue = VecDeque::new();
    for address in std::mem::take(&mut settings.remembered) {
        queue.push_back((address, None));
        let tapes = settings.remembered_tapes.iter();
        let tape = tapes.filter(|(of, _)| *of == address).map(|(_, tape)| tape);
        if !settings.shrink_time.is_zero() {
            queue.extend(tape.take(1).map(|tape| (address, Some(tape.clone()))));
        }
    }
    queue
}

impl TestRun<'_> {
    #[cold]
    pub(super) fn next_remembered(&mut self, most: u64) -> Next<Range> {
        let Phase::Remembered { queue, current } = &mut self.phase else {
            return Next::Wait;
        };
        if current.is_none() {
            let next = queue.pop_front();
            *current = next.map(|(address, tape)| (Single::new(address), tape));
        }
        match current {
            Some((single, _)) => single.next(&self.test, self.stream.inputs()),
            None => {
                self.phase = Phase::Plan;
                self.sequencer.next(most.max(1))
            }
        }
    }

    /// Takes what an execution outside of the plan did.
    #[cold]
    pub(super) fn observe_single(&mut self, mut record: Record) -> Flow {
        let (observation, labels) = record.observation.split();
        record.observation = observation;
        match &mut self.phase {
            // Nobody has seen what it drew.
            Phase::Plan | Phase::Story(_) => {}
            Phase::Alone(single) => {
                if single.settles(&mut record) {
                    self.tally.of_violation = labels;
                    self.judge_alone(record);
                }
            }
            Phase::Again { single, others, verdict } => {
                // One told twice says nothing before it was made twice.
                if single.handed_out {
                    if let Some(ledger) = &mut self.ledger
                        && single.is_about(&record)
                    {
                        ledger.add_again(&record);
                    }
                    if single.settles(&mut record) {
                        let of_pair = self.judge.does_again(record.index, &record.observation);
                        self.confirmed = match record.observation {
                            _ if *verdict == Verdict::Partial => None,
                            // One that differs is enough.
                            _ if of_pair.is_some() => {
                                Some(self.confirmed.unwrap_or(true) && of_pair == Some(true))
                            }
                            Observation::Broken(_) => None,
                            Observation::Violated(violation) => {
                                // Made where the test is, it may say more, or what can be looked at.
                                verdict.retell(violation);
                                Some(true)
                            }
                            _ => Some(false),
                        };
                        match others.pop_front() {
                            Some(index) => {
                                let seed = record.seed;
                                *single = Single::new(Address { seed, index });
                            }
                            None => self.verdict = Some(verdict.clone()),
                        }
                    }
                }
            }
            Phase::Remembered { current, queue } => {
                if let Some((single, _)) = current
                    && single.settles(&mut record)
                    && let Some((single, tape)) = current.take()
                {
                    // What its tape does comes next, and tells the same.
                    let on_tape = queue.front().is_some_and(|(address, tape)| {
                        tape.is_some() && *address == single.address
                    });
                    if !on_tape || matches!(record.observation, Observation::Violated(_)) {
                        self.tape = tape;
                        self.judge_remembered(record);
                    }
                }
            }
        }
        self.flow()
    }

    /// Takes what an execution did when it was made once more elsewhere.
    pub(in crate::machine) fn take_again(&mut self, record: Record) {
        let stream = self.stream;
        if let Phase::Again { single, .. } = &mut self.phase
            && self.verdict.is_none()
            && single.is_about(&record)
        {
            (single.stream, single.handed_out) = (Some(stream), true);
            let _ = self.observe_single(record);
        }
    }

    fn judge_alone(&mut self, record: Record) {
        let index = record.index;
        self.counts.rejected = self.stream.rejections(record.attempt);
        self.returned = returned(&record.observation);
        let verdict = match record.observation {
            observation @ (Observation::Rejected | Observation::Broken(_)) => {
                self.look_closer(index, observation)
            }
            observation => {
                Some(judge::alone(&mut *self.judge, index, observation, &mut self.counts))
            }
        };
        self.verdict = verdict;
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
            // An execution that is rejected now, or cannot run, says nothing.
            Observation::Rejected | Observation::Broken(_) => {}
            _ => {
                self.tape = None;
                self.remembered.passed(address, self.unchanged);
            }
        }
    }
}
