//! Executions one after the other, on the calling thread.

use super::{Executor, Next, Range, TICK, TestRun};
use crate::run::{Observation, Watched, once, uncaught};
use crate::seed::TestRng;

/// Calls a body on this thread. The body may keep state.
pub struct Serial<'a> {
    body: &'a mut dyn FnMut(&mut TestRng) -> Observation,
    /// Whether a panic of the body is left alone, outside of the plan.
    uncaught: bool,
}

impl<'a> Serial<'a> {
    /// Prepares to call a body.
    pub fn new(body: &'a mut dyn FnMut(&mut TestRng) -> Observation) -> Self {
        Serial { body, uncaught: false }
    }

    /// Lets a panic of the body be an ordinary panic: for an execution that is replayed.
    pub(crate) fn uncaught(body: &'a mut dyn FnMut(&mut TestRng) -> Observation) -> Self {
        Serial { body, uncaught: true }
    }
}

impl Executor for Serial<'_> {
    fn execute(&mut self, run: &mut TestRun<'_>) {
        let watched = Watched::new();
        while self.step(run) {}
        if let Some(panic) = watched.late() {
            run.doubt_panic(panic);
        }
    }
}

impl Serial<'_> {
    /// Makes the next executions, and says whether there is more to do.
    pub(super) fn step(&mut self, run: &mut TestRun<'_>) -> bool {
        match run.next_stride() {
            Next::Attempt(range) => {
                self.make(range, run);
                true
            }
            Next::Wait => match run.pause() {
                Some(pause) => {
                    // When it is asked again, the run sees whether it was stopped.
                    std::thread::sleep(pause.min(TICK));
                    true
                }
                None => false,
            },
            Next::Done => false,
        }
    }

    /// Makes an execution outside of the plan, whose inputs are seen, and its draws.
    #[cold]
    fn make_seen(&mut self, range: Range, run: &mut TestRun<'_>) {
        for attempt in range.attempts() {
            let mut rng = run.open(&attempt);
            let made = match self.uncaught {
                false => Ok(once(&mut rng, self.body)),
                true => uncaught(&mut rng, self.body),
            };
            let (has_drawn, drawn) = (rng.has_drawn(), rng.drawn());
            let observation = made.unwrap_or_else(|payload| {
                run.keep_inputs(&drawn);
                std::panic::resume_unwind(payload)
            });
            let record = attempt.did(observation, has_drawn);
            if run.observe_seen(record, drawn).is_done() {
                return;
            }
        }
    }

    /// Makes the executions of a range, until one is rejected: that is drawn again first.
    fn make(&mut self, range: Range, run: &mut TestRun<'_>) {
        if !run.is_planned() {
            return self.make_seen(range, run);
        }
        let at_once = run.passes_wait();
        // Passes that the run does not know of yet, and how many of them drew.
        let (mut passes, mut drew) = (0, 0);
        for attempt in range.attempts() {
            let mut rng = attempt.rng();
            let observation = once(&mut rng, self.body);
            if at_once && attempt.attempt == 0 && matches!(observation, Observation::Passed) {
                // It holds nothing; finding that out takes as long as the rest of this loop.
                std::mem::forget(observation);
                passes += 1;
                drew += u64::from(rng.has_drawn());
                continue;
            }
            let told = run.observe_passes(attempt.index - passes, passes, drew);
            (passes, drew) = (0, 0);
            let rejected = observation.is_rejected();
            let record = attempt.did(observation, rng.has_drawn());
            if told.is_done() || run.observe(record).is_done() {
                return;
            }
            if rejected {
                run.take_back(attempt.index + 1);
                return;
            }
        }
        // The machine says next whether more is needed.
        let _ = run.observe_passes(range.last + 1 - passes, passes, drew);
    }
}
