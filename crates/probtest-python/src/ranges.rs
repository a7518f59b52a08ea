//! What a worker does: execute a range without the machine, and write down what came of it.

use probtest::machine::{Work, is_too_often};
use probtest::run::{Observation, Record, Violation};
use probtest::seed::Stream;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

use crate::board::Desk;
use crate::executor::{Call, Executor};

/// How many violations of one range are described in full; the others by their message.
const DESCRIBED: usize = 1;

/// What a worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    /// What was done, up to the execution before the one that ended it.
    pub work: Work,
    /// The execution that ended the test there: it is to be made where the test is.
    pub ended: Option<u64>,
    /// Failures that batches were not told of, by the first execution.
    pub lost: Vec<(u64, Violation)>,
    /// What the body returned, where that is nothing that is looked at.
    pub odd_return: Option<String>,
}

/// The executions that a worker is to make, all at the same attempt.
#[derive(Clone, Copy)]
pub struct Span {
    pub stream: Stream,
    pub first: u64,
    pub last: u64,
    pub attempt: u64,
}

impl Span {
    /// The call for one of them, or for the batch that begins there.
    pub fn call(&self, index: u64, attempt: u64) -> Call {
        Call {
            stream: self.stream,
            index,
            attempt,
            planned: true,
            is_last: false,
            is_followed: false,
        }
    }

    /// Writes down what one of them did.
    pub fn record(&self, index: u64, attempt: u64, observation: Observation) -> Record {
        Record {
            seed: self.stream.seed(),
            index,
            attempt,
            // Whether something was drawn is seen by the guard, where the test is.
            has_drawn: true,
            observation,
        }
    }
}

impl Executor<'_, '_> {
    /// Makes the executions of a range. A rejected one is drawn again at once, so that what
    /// is answered counts.
    pub fn make_range(&mut self, span: Span, desk: Option<&Desk<'_>>) -> Answer {
        let began = Instant::now();
        // The guard looks at executions where the test is.
        self.watch_no_more();
        let mut answer = Answer {
            work: Work {
                seed: span.stream.seed(),
                first: span.first,
                last: span.first - 1,
                drew: 0,
                records: Vec::new(),
                took: Duration::ZERO,
            },
            ended: None,
            lost: Vec::new(),
            odd_return: None,
        };
        match self.batch {
            Some(size) => self.make_batches(span, size, desk, &mut answer),
            None => self.make_each(span, desk, &mut answer),
        }
        answer.odd_return = self.state.borrow_mut().odd_return.take();
        answer.work.took = began.elapsed();
        answer
    }

    fn make_each(&mut self, span: Span, desk: Option<&Desk<'_>>, answer: &mut Answer) {
        let mut described = 0;
        for index in span.first..=span.last {
            let mut attempt = span.stream.applicable(index, span.attempt);
            let (observation, drew) = loop {
                if desk.is_some_and(|desk| !desk.begin(index, attempt)) {
                    return;
                }
                let call = span.call(index, attempt);
                let made = self.make_with_input(&call);
                let made = made.and_then(|(did, drew)| Ok((self.unless_lost(did)?, drew)));
                match made {
                    Ok((Observation::Rejected, drew)) => {
                        let next = span.stream.after_rejection(attempt, drew);
                        span.stream.learn(index, next);
                        if is_too_often(&span.stream, next) {
                            break (Observation::Rejected, drew);
                        }
                        attempt = next;
                    }
                    Ok(made) => break made,
                    Err(_) => {
                        answer.ended = Some(index);
                        return;
                    }
                }
            };
            let observation = observation.map_plain(|plain| match plain {
                Observation::Violated(violation) if described < DESCRIBED => {
                    described += 1;
                    Observation::Violated(self.described(violation))
                }
                plain => plain,
            });
            let mut record = span.record(index, attempt, observation);
            record.has_drawn = drew;
            answer.work.add(record);
        }
    }

    /// Adds to a violation what only its process knows.
    fn described(&self, mut violation: Box<Violation>) -> Box<Violation> {
        if let Some(describe) = &self.around.describe {
            let exception = self.state.borrow_mut().exception.take();
            let said = describe.call1((exception,));
            violation.details = said.and_then(|said| said.extract()).unwrap_or_default();
        }
        violation
    }
}
