//! Batches: one call of the body is many executions.
//!
//! Executions keep their numbers: the batch that begins with execution `first`
//! has the next ones in the order of its entries, and draws from the stream of
//! `first`. A rejected entry is drawn again by drawing the batch again with the
//! next attempt, of which only that entry is looked at. What the body returned
//! is turned into codes by `probtest.batching`.

use std::ops::ControlFlow;

use probtest::claim::Claim;
use probtest::judge::Judge;
use probtest::run::{Observation, REJECTIONS_IN_A_ROW, Record, Violation};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::Rejected;
use crate::executing::{Engine, OUTCOME};
use crate::sources::Ticker;
use crate::timing::Timer;

/// The codes of an entry that is no number of an outcome; pinned by `probtest.batching`.
const REJECTED: i64 = -1;
const VIOLATED: i64 = -2;
const PASSED: i64 = -3;

/// What one call of the body came to.
enum Drawn {
    /// One byte for each entry: 0 violated, 1 passed.
    Truths(Vec<u8>),
    /// A code for each entry, or the number of an outcome.
    Numbers(Vec<i64>),
    /// The body rejected all of them.
    Rejected,
}

impl Drawn {
    #[inline]
    fn code(&self, position: usize) -> i64 {
        match self {
            Drawn::Truths(truths) => match truths[position] {
                0 => VIOLATED,
                _ => PASSED,
            },
            Drawn::Numbers(numbers) => numbers[position],
            Drawn::Rejected => REJECTED,
        }
    }
}

/// The executions of one batch.
struct Batch {
    first: u64,
    size: usize,
    /// How often it was drawn so far.
    attempts: u64,
    drawn: Drawn,
    /// Once an entry was rejected: for each entry the attempt and its code there.
    /// An entry keeps the first attempt that did not reject it.
    again: Vec<(u64, i64)>,
}

impl Batch {
    fn new(first: u64, size: usize) -> Self {
        Batch {
            first,
            size,
            attempts: 0,
            drawn: Drawn::Rejected,
            again: Vec::new(),
        }
    }

    /// Returns the attempt that counts for an entry, and its code there.
    #[inline]
    fn code(&self, position: usize) -> (u64, i64) {
        if self.again.is_empty() {
            (0, self.drawn.code(position))
        } else {
            self.again[position]
        }
    }

    /// Returns how many entries from here on passed in the first attempt.
    fn passes(&self, position: usize) -> usize {
        let Drawn::Truths(truths) = &self.drawn else {
            return 0;
        };
        let rest = &truths[position..];
        let (words, _) = rest.as_chunks::<8>();
        let whole = words.iter().take_while(|word| **word == [1; 8]).count() * 8;
        let single = rest[whole..].iter().take_while(|truth| **truth == 1);
        whole + single.count()
    }

    /// Takes up one more attempt.
    fn add(&mut self, drawn: Drawn) {
        if self.attempts == 0 {
            self.drawn = drawn;
        } else {
            if self.again.is_empty() {
                let codes = (0..self.size).map(|position| (0, self.drawn.code(position)));
                self.again = codes.collect();
            }
            for (position, entry) in self.again.iter_mut().enumerate() {
                if entry.1 == REJECTED {
                    *entry = (self.attempts, drawn.code(position));
                }
            }
        }
        self.attempts += 1;
    }

    fn words(&self) -> String {
        let last = self.first.saturating_add(self.size as u64 - 1);
        format!("the batch of executions {} to {last}", self.first)
    }
}

impl Engine<'_, '_> {
    /// Executes one batch after the other until the judge has decided. What a
    /// batch holds past the deciding execution is thrown away.
    pub fn many_in_batches(
        &mut self,
        size: usize,
        judge: &mut Judge,
        timer: &Timer,
    ) -> PyResult<()> {
        let (mut first, at_once) = {
            let session = self.session.borrow();
            let claim = session.plan.claim();
            // On these, passes alone decide nothing before the end.
            let at_once = matches!(claim, Claim::Detect { .. } | Claim::Cover { .. });
            (session.index, at_once)
        };
        let mut ticker = Ticker::new(self.around.tick.take());
        loop {
            let counts = judge.counts();
            ticker.tick(self.session.py(), counts.executed, counts.rejected)?;
            let mut batch = Batch::new(first, size);
            let mut position = 0;
            while position < size {
                let passes = if at_once { batch.passes(position) } else { 0 };
                if judge.observe_passes(first + position as u64, passes as u64)
                    == ControlFlow::Break(())
                {
                    return Ok(());
                }
                position += passes;
                if position == size {
                    break;
                }
                let (rejected, observation) = self.entry(&mut batch, position)?;
                let record = Record {
                    index: first + position as u64,
                    rejected,
                    drew: true,
                    observation,
                };
                if judge.observe(record) == ControlFlow::Break(()) {
                    return Ok(());
                }
                position += 1;
            }
            // A batch is one piece of work: the clock is looked at after the whole of it.
            if let Some(limit) = timer.over(self.session.py())?
                && judge.time_is_over(limit) == ControlFlow::Break(())
            {
                return Ok(());
            }
            first += size as u64;
        }
    }

    /// Executes the batch of the chosen execution, and looks at that alone.
    pub fn one_in_batch(&mut self, size: usize) -> PyResult<&'static str> {
        let (first, position) = {
            let session = self.session.borrow();
            (session.index, session.position)
        };
        let (_, observation) = self.entry(&mut Batch::new(first, size), position)?;
        Ok(self.in_a_word(observation))
    }

    /// Returns what one execution did, and how often it was rejected before.
    #[inline]
    fn entry(&mut self, batch: &mut Batch, position: usize) -> PyResult<(u64, Observation)> {
        loop {
            if batch.attempts > 0 {
                let (attempt, code) = batch.code(position);
                let observation = match code {
                    REJECTED => Observation::Rejected,
                    PASSED => Observation::Passed,
                    VIOLATED => violated(batch, position),
                    number => Observation::Outcome(usize::try_from(number).unwrap_or(usize::MAX)),
                };
                if code != REJECTED {
                    return Ok((attempt, observation));
                }
                if batch.attempts >= REJECTIONS_IN_A_ROW {
                    return Ok((batch.attempts, observation));
                }
            }
            match self.draw(batch)? {
                Ok(drawn) => batch.add(drawn),
                Err(message) => return Ok((batch.attempts, Observation::Broken(message))),
            }
        }
    }

    /// Draws a batch, with sources that it imports; an inner error says why it could not be.
    fn draw(&mut self, batch: &Batch) -> PyResult<Result<Drawn, String>> {
        let number = (batch.first - 1) / batch.size as u64 + 1;
        loop {
            self.begin(batch.first, batch.attempts)?;
            let drawn = self.watched(number, |engine| engine.call_batch(batch))?;
            if !self.has_new_sources()? {
                return Ok(drawn);
            }
        }
    }

    fn call_batch(&self, batch: &Batch) -> PyResult<Result<Drawn, String>> {
        let py = self.session.py();
        OUTCOME.set(None);
        self.session.borrow_mut().exception = None;
        let returned = match self.body.call0() {
            Ok(value) => value,
            Err(error) if error.matches(py, &self.around.leaving)? => return Err(error),
            Err(error)
                if error.is_instance_of::<Rejected>(py)
                    || error.matches(py, &self.around.rejecting)? =>
            {
                return Ok(Ok(Drawn::Rejected));
            }
            Err(error) => {
                let message = self.keep(error);
                return Ok(Err(format!("{} raised {message}", batch.words())));
            }
        };
        if OUTCOME.take().is_some() {
            return Ok(Err(format!(
                "{} called probtest.outcome\n  given  one outcome for all of them\n  \
                 help   return an array with the number of an outcome for each execution",
                batch.words()
            )));
        }
        let Ok(codes) = returned.cast::<PyBytes>() else {
            return Ok(Err(format!("{} {returned}", batch.words())));
        };
        // A copy: asking Python for the bytes costs more than an entry should.
        let codes = codes.as_bytes();
        let (words, rest) = codes.as_chunks::<8>();
        if codes.len() == batch.size {
            // Any byte of an array of truths that is not 0 stands for True.
            let truths = codes.iter().map(|byte| u8::from(*byte != 0));
            Ok(Ok(Drawn::Truths(truths.collect())))
        } else if words.len() == batch.size && rest.is_empty() {
            let numbers = words.iter().map(|word| i64::from_ne_bytes(*word));
            Ok(Ok(Drawn::Numbers(numbers.collect())))
        } else {
            Err(PyValueError::new_err("a batch has one code for each entry"))
        }
    }
}

#[cold]
fn violated(batch: &Batch, position: usize) -> Observation {
    let message = format!("entry {position} of {} is False", batch.words());
    Observation::Violated(Box::new(Violation::new(message)))
}
