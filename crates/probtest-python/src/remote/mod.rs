//! Executions elsewhere: drives an engine, `probtest.engines.Engine`.
//!
//! Whatever the engine is, this is done here: how large a range is, what is made in this
//! process, which execution has ended its process, what is lost and handed out again.

mod desk;

use std::time::{Duration, Instant};

use probtest::judge::Doubt;
use probtest::machine::{self, Next, Range};
use probtest::run::{Observation, Record, Violation};
use pyo3::prelude::*;

use self::desk::{Desk, Died, Reply};
use crate::batches::first_of_batch;
use crate::executor::{Call, Executor};

/// Executions are made here until some have taken this long: then it is known what one takes.
const STRETCH: Duration = Duration::from_millis(1);

impl<'py> Executor<'_, 'py> {
    /// Answers the machine with executions that an engine makes, until it is done.
    pub fn elsewhere(
        &mut self,
        engine: &Bound<'py, PyAny>,
        run: &mut machine::TestRun<'_>,
    ) -> PyResult<()> {
        let mut desk = Desk::new(engine, run)?;
        let answered = self.answer(&mut desk, run);
        let closed = engine.call_method0("close");
        self.state.borrow_mut().lost_ranges = desk.lost;
        answered.and(closed.map(drop))
    }

    fn answer(&mut self, desk: &mut Desk<'py>, run: &mut machine::TestRun<'_>) -> PyResult<()> {
        let mut rejected = Vec::new();
        loop {
            if desk.serves && run.is_planned() {
                if !self.serve(desk, &mut rejected, run)? {
                    return Ok(());
                }
                continue;
            }
            let Some(range) = self.next(run, self.batch.unwrap_or(1))? else {
                return Ok(());
            };
            if !run.is_planned() {
                if self.survives(desk, range, run)? {
                    self.here(&range, &mut rejected, run)?;
                }
            } else if desk.isolates && desk.open(0.0, run.left())? {
                desk.serves = true;
                desk.open.push_back(range);
            } else {
                self.here(&range, &mut rejected, run)?;
                self.look_at_pace(desk, run)?;
            }
        }
    }

    /// Makes a range here: one execution, or executions of one batch.
    fn here(
        &mut self,
        range: &Range,
        rejected: &mut Vec<u64>,
        run: &mut machine::TestRun<'_>,
    ) -> PyResult<()> {
        if let Some(size) = self.batch {
            return self.make_batch(size, range, rejected, run);
        }
        for attempt in range.attempts() {
            self.make_one(&attempt, run)?;
        }
        Ok(())
    }

    /// Asks the engine whether it is worth it, now that it is known what an execution takes.
    fn look_at_pace(&self, desk: &mut Desk<'py>, run: &machine::TestRun<'_>) -> PyResult<()> {
        let pace = &mut desk.pace;
        pace.made += 1;
        if pace.made < pace.wanted {
            return Ok(());
        }
        let took = pace.began.elapsed();
        let first = pace.wanted == 1 && run.counts().executed <= self.batch.unwrap_or(1);
        let seconds = took.as_secs_f64() / pace.made as f64;
        if !first {
            pace.wanted *= 2;
        }
        (pace.made, pace.began) = (0, Instant::now());
        // The first one also imports and fills caches: it says little about the others.
        if !first && took >= STRETCH {
            let left = run.left() / self.batch.unwrap_or(1);
            if desk.open(seconds, left)? {
                desk.begin_with(seconds);
            }
            desk.pace.began = Instant::now();
        }
        Ok(())
    }

    /// Hands out ranges and takes answers while the plan is under way; says whether the
    /// machine is to be asked again.
    fn serve(
        &mut self,
        desk: &mut Desk<'py>,
        rejected: &mut Vec<u64>,
        run: &mut machine::TestRun<'_>,
    ) -> PyResult<bool> {
        let batch = self.batch.unwrap_or(1);
        loop {
            self.make_here(desk, rejected, run)?;
            while run.is_planned() && desk.flights.len() < desk.slots {
                let size = desk.chunks.next(run.left() / batch, desk.slots as u64);
                let range = match desk.next() {
                    Some(range) => range,
                    None => match run.next_range(size * batch) {
                        Next::Attempt(range) => range,
                        Next::Wait => break,
                        Next::Done => return Ok(false),
                    },
                };
                self.send(desk, range, rejected, run)?;
            }
            if !run.is_planned() {
                desk.abandon()?;
                return Ok(true);
            }
            if desk.flights.is_empty() {
                let idle = desk.here.is_empty() && desk.open.is_empty();
                match run.pause().filter(|_| idle) {
                    Some(pause) => self.around.pause(pause)?,
                    // Nothing is under way and nothing may begin: it has ended.
                    None if idle => return Ok(false),
                    None => {}
                }
                continue;
            }
            desk.tell_horizon()?;
            for (_, range, reply) in desk.wait()? {
                if self.takes(desk, range, reply, run)? {
                    desk.abandon()?;
                    return Ok(true);
                }
            }
        }
    }

    /// Sends a range to a worker; makes that part of it here that the guard wants to see.
    fn send(
        &mut self,
        desk: &mut Desk<'py>,
        range: Range,
        rejected: &mut Vec<u64>,
        run: &mut machine::TestRun<'_>,
    ) -> PyResult<()> {
        if range.attempt > 0 {
            // Only what was rejected here comes back.
            return self.here(&range, rejected, run);
        }
        let batch = self.batch.unwrap_or(1);
        let Some((first, last)) = self.looked_at(&range).filter(|_| !desk.isolates) else {
            return desk.start(range).map(drop);
        };
        let mut part = range;
        (part.first, part.last) = (first, last);
        desk.add(range, range.first, first - 1);
        desk.add(range, last.saturating_add(1), range.last);
        debug_assert!(last - first < batch);
        self.here(&part, rejected, run)
    }

    /// The executions of a range that the guard wants to see: one, or a whole batch.
    fn looked_at(&self, range: &Range) -> Option<(u64, u64)> {
        let batch = self.batch.unwrap_or(1);
        let first = (self.next_probe? - 1).checked_mul(batch)? + 1;
        // A batch that is only in part in this range is somebody else's too.
        let last = first.checked_add(batch - 1)?.min(range.last);
        (range.first <= first && first <= range.last).then_some((first, last))
    }

    /// Takes an answer; says whether the plan is done.
    fn takes(
        &mut self,
        desk: &mut Desk<'py>,
        range: Range,
        reply: Reply,
        run: &mut machine::TestRun<'_>,
    ) -> PyResult<bool> {
        let batch = self.batch.unwrap_or(1);
        let answer = match reply {
            Reply::Lost => {
                desk.add(range, range.first, range.last);
                return Ok(false);
            }
            Reply::Died(died) => {
                let Some(index) = desk.blame(range, &died, batch) else {
                    return Ok(false);
                };
                let record = self.death(range, index, died);
                return Ok(run.observe(record).is_done());
            }
            Reply::Done(answer) => answer,
        };
        desk.adapt(&answer, batch);
        if answer.odd_return.is_some() {
            self.state.borrow_mut().odd_return = answer.odd_return;
        }
        for (index, panic) in answer.lost {
            let panic = Box::new(panic);
            run.doubt(Doubt::Panicked { index, panic });
        }
        let mut rest = answer.work.last + 1;
        if let Some(index) = answer.ended {
            let mut single = range;
            let last = index + (batch - 1 - (index - 1) % batch);
            (single.first, single.last) = (index, last.min(range.last));
            desk.here.push(single);
            rest = last.saturating_add(1);
        }
        desk.add(range, rest, range.last);
        let last = answer.work.last;
        let done = run.take(answer.work).is_done();
        if !done && desk.isolates {
            self.let_guard_look(&range, last)?;
        }
        Ok(done)
    }

    /// Makes executions here once more that a worker has made, for the guard to look at.
    fn let_guard_look(&mut self, range: &Range, last: u64) -> PyResult<()> {
        let mut made = *range;
        made.last = last;
        while let Some((first, _)) = self.looked_at(&made) {
            let index = first_of_batch(first, self.batch.unwrap_or(1));
            let call = Call::new(range.stream(), index, range.stream().applicable(index, 0));
            // It has counted already. What it raises is no news either.
            let _ = self.make(&call, |executor| {
                Ok(match executor.pairs {
                    true => executor.call().map(drop),
                    false => executor.call_body(executor.body).map(drop),
                })
            })?;
            self.around.lost()?;
            self.forget();
            if self.looked_at(&made).is_some_and(|(next, _)| next <= first) {
                // The guard was not asked: nothing would change.
                return Ok(());
            }
        }
        Ok(())
    }

    /// Makes executions here that have ended the test elsewhere, when their turn has come.
    fn make_here(
        &mut self,
        desk: &mut Desk<'py>,
        rejected: &mut Vec<u64>,
        run: &mut machine::TestRun<'_>,
    ) -> PyResult<()> {
        desk.here.sort_by_key(|range| std::cmp::Reverse(range.first));
        while let Some(range) = desk.here.last().copied() {
            if desk.is_early(range.first) {
                break;
            }
            desk.here.pop();
            self.here(&range, rejected, run)?;
        }
        Ok(())
    }

    /// What is known of an execution that has ended its process.
    fn death(&self, range: Range, index: u64, died: Died) -> Record {
        let violation =
            Violation { message: died.words, location: None, details: died.details, kind: None };
        Record {
            seed: range.stream().seed(),
            index,
            attempt: died.attempt.max(range.attempt),
            has_drawn: true,
            observation: match self.batch {
                None if self.pairs => Observation::Broken(format!(
                    "one of the two versions ended the process that runs both, and it is not known which: {}",
                    violation.message
                )),
                None => Observation::Violated(Box::new(violation)),
                Some(size) => {
                    let first = first_of_batch(index, size);
                    let last = first.saturating_add(size - 1);
                    let words = violation.message;
                    Observation::Broken(format!(
                        "the batch of executions {first} to {last}: {words}"
                    ))
                }
            },
        }
    }

    /// Whether an execution outside of the plan may be made here: a worker has made it and
    /// lives, or none is asked. Where it ends its process, the machine is told.
    fn survives(
        &mut self,
        desk: &mut Desk<'py>,
        range: Range,
        run: &mut machine::TestRun<'_>,
    ) -> PyResult<bool> {
        if run.is_telling() {
            // The execution itself was made here before.
            return Ok(true);
        }
        let is_replay = self.state.borrow().alone.is_some();
        let is_again = !is_replay && run.counts().executed > 0;
        if is_again {
            // The exception of another execution has nothing to do with it.
            self.forget();
        }
        let asked = match (is_replay, is_again) {
            (true, _) => desk.isolates,
            (_, true) => desk.crashed.contains(&range.first),
            // One of an earlier run may have ended its process then.
            _ => true,
        };
        if !asked || !desk.open(0.0, 1)? {
            return Ok(true);
        }
        // What was set up for it is torn down before a process is forked.
        self.around.seeded = false;
        let mut died_before = false;
        desk.start(range)?;
        loop {
            self.state.py().check_signals()?;
            for (_, range, reply) in desk.wait()? {
                match reply {
                    Reply::Done(_) => return Ok(true),
                    Reply::Died(died) if died.certain || died_before || is_again => {
                        let mut record = self.death(range, range.first, died);
                        record.attempt = range.attempt;
                        let _ = run.observe(record);
                        return Ok(false);
                    }
                    Reply::Died(_) => died_before = true,
                    Reply::Lost => {}
                }
                desk.start(range)?;
            }
        }
    }
}
