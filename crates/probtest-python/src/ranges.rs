//! What a worker does: execute a range without the machine, and write down what came of it.

use probtest::machine::{Work, is_too_often};
use probtest::run::{Observation, Violation};
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

impl Executor<'_, '_> {
    /// Makes the executions from one to the last. A rejected one is drawn again at once, so that
    /// what is answered counts.
    pub fn make_range(&mut self, first: Call, last: u64, desk: Option<&Desk<'_>>) -> Answer {
        let began = Instant::now();
        // The guard looks at executions where the test is.
        self.next_probe = None;
        let mut answer = Answer {
            work: Work {
                seed: first.stream.seed(),
                first: first.index,
                last: first.index - 1,
                drew: 0,
                records: Vec::new(),
                took: Duration::ZERO,
            },
            ended: None,
            lost: Vec::new(),
            odd_return: None,
        };
        match self.batch {
            Some(size) => self.make_batches(first, last, size, desk, &mut answer),
            None => self.make_each(first, last, desk, &mut answer),
        }
        answer.odd_return = self.state.borrow_mut().odd_return.take();
        answer.work.took = began.elapsed();
        answer
    }

    fn make_each(&mut self, first: Call, last: u64, desk: Option<&Desk<'_>>, answer: &mut Answer) {
        let (stream, mut described) = (first.stream, 0);
        for index in first.index..=last {
            let attempt = stream.applicable(index, first.attempt);
            let mut call = Call { index, attempt, ..first };
            let (observation, drew) = loop {
                if desk.is_some_and(|desk| !desk.begin(index, call.attempt)) {
                    return;
                }
                let made = self.make_with_input(&call);
                let made = made.and_then(|(did, drew)| Ok((self.unless_lost(did)?, drew)));
                match made {
                    Ok((Observation::Rejected, drew)) => {
                        let next = stream.after_rejection(call.attempt, drew);
                        stream.learn(index, next);
                        if is_too_often(&stream, next) {
                            break (Observation::Rejected, drew);
                        }
                        call.attempt = next;
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
            answer.work.add(call.did(observation, drew));
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
