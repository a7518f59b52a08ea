//! Executions one after the other, on the calling thread.

use super::{Executor, Next, TestRun};
use crate::run::{Observation, once, uncaught};
use crate::seed::TestRng;

/// Calls a body on this thread. The body may keep state.
pub struct Serial<'a> {
    body: &'a mut dyn FnMut(&mut TestRng) -> Observation,
    /// Whether a panic of the body is left alone.
    uncaught: bool,
}

impl<'a> Serial<'a> {
    /// Prepares to call a body.
    pub fn new(body: &'a mut dyn FnMut(&mut TestRng) -> Observation) -> Self {
        Serial {
            body,
            uncaught: false,
        }
    }

    /// Lets a panic of the body be an ordinary panic: for an execution that is replayed.
    pub(crate) fn uncaught(body: &'a mut dyn FnMut(&mut TestRng) -> Observation) -> Self {
        Serial {
            body,
            uncaught: true,
        }
    }
}

impl Serial<'_> {
    /// Makes the next attempt, and says whether there is more to do.
    pub(super) fn step(&mut self, run: &mut TestRun<'_>) -> bool {
        let Next::Attempt(attempt) = run.next() else {
            return false;
        };
        let mut rng = attempt.rng();
        let observation = match self.uncaught {
            false => once(&mut rng, self.body),
            true => uncaught(&mut rng, self.body),
        };
        let record = attempt.did(observation, rng.has_drawn());
        !run.observe(record).is_done()
    }
}

impl Executor for Serial<'_> {
    fn execute(&mut self, run: &mut TestRun<'_>) {
        while self.step(run) {}
    }
}
