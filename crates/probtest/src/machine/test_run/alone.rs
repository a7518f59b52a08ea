//! Executions outside of the plan: of an earlier run, replayed, or made once more.

use std::collections::VecDeque;

use super::{Phase, TestRun, is_too_often};
use crate::judge::{self, Finding, Verdict};
use crate::machine::{Flow, Next, Range};
use crate::report::{Remembered, Returned};
use crate::run::{Observation, Record};
use crate::seed::{Address, Stream, Tape};
use crate::settings::Settings;

/// An execution outside of the plan.
#[derive(Clone, Copy)]
pub(super) struct Single {
    stream: Stream,
    index: u64,
    attempt: u64,
    pub(super) handed_out: bool,
}

impl Single {
    pub(super) fn new(stream: Stream, index: u64) -> Self {
        Single { stream, index, attempt: 0, handed_out: false }
    }

    /// Whether a record is about it.
    fn is_about(&self, record: &Record) -> bool {
        record.seed == self.stream.seed() && record.index == self.index
    }

    /// Whether this attempt is under way.
    pub(super) fn is(&self, range: &Range) -> bool {
        *range == Range::one(self.stream, self.index, self.attempt)
    }

    /// Hands out the next attempt; none while one is under way.
    pub(super) fn next(&mut self) -> Next<Range> {
        if std::mem::replace(&mut self.handed_out, true) {
            return Next::Wait;
        }
        self.attempt = self.stream.applicable(self.index, self.attempt);
        Next::Attempt(Range::one(self.stream, self.index, self.attempt))
    }

    /// Takes a record, and says whether it is the one that counts.
    fn settles(&mut self, record: &mut Record) -> bool {
        if !self.is_about(record) || record.attempt < self.attempt {
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
        if let Some((single, _)) = current {
            return single.next();
        }
        let Some((address, tape)) = queue.pop_front() else {
            self.phase = Phase::Plan;
            return self.sequencer.next(most.max(1));
        };
        let stream = Stream::new(address.seed, &self.settings.test);
        let single = Single::new(stream.with_inputs(self.stream.inputs()), address.index);
        current.insert((single, tape)).0.next()
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
                            Some(index) => *single = Single::new(single.stream, index),
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
                        let Address { seed, index } = *address;
                        tape.is_some() && (seed, index) == (single.stream.seed(), single.index)
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
        if let Phase::Again { single, .. } = &mut self.phase
            && self.verdict.is_none()
            && single.is_about(&record)
        {
            single.handed_out = true;
            let _ = self.observe_single(record);
        }
    }

    fn judge_alone(&mut self, record: Record) {
        let index = record.index;
        self.counts.rejected = self.stream.rejections(record.attempt);
        self.returned = Returned::by(&record.observation);
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
                self.remembered.passed(address, self.settings.unchanged);
            }
        }
    }
}
