//! What the machine hands out, and what it answers.

use crate::run::{Observation, Record};
use crate::seed::{Address, Stream, TestRng};

/// One attempt at one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub(super) stream: Stream,
    /// The number of the execution, from 1.
    pub index: u64,
    /// How often the execution was rejected before, see [`Stream::parts`].
    pub attempt: u64,
}

impl Attempt {
    /// The stream that the execution belongs to.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// Where the execution is found again.
    pub fn address(&self) -> Address {
        Address { seed: self.stream.seed(), index: self.index }
    }

    /// Opens the random source of this attempt.
    #[inline]
    pub fn rng(&self) -> TestRng {
        self.stream.attempt(self.index, self.attempt)
    }

    /// Writes down what this attempt did, and whether it drew from its source.
    #[inline]
    pub fn did(&self, observation: Observation, has_drawn: bool) -> Record {
        Record {
            seed: self.stream.seed(),
            index: self.index,
            attempt: self.attempt,
            has_drawn,
            observation,
        }
    }
}

/// Consecutive executions, all at the same attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub(super) stream: Stream,
    /// The first execution, from 1.
    pub first: u64,
    /// The last one.
    pub last: u64,
    /// How often each was rejected before, but for inputs that others have rejected.
    pub attempt: u64,
}

impl Range {
    /// The stream that the executions belong to.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// The attempts, one after the other.
    pub fn attempts(self) -> impl Iterator<Item = Attempt> {
        (self.first..=self.last).map(move |index| self.attempt_at(index))
    }

    /// The attempt at one of the executions, with an input that is applicable as far as is known.
    #[inline]
    pub(super) fn attempt_at(&self, index: u64) -> Attempt {
        Attempt { stream: self.stream, index, attempt: self.stream.applicable(index, self.attempt) }
    }
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "what is handed out and not executed leaves the run without a verdict"]
pub enum Next<W = Attempt> {
    /// This.
    Attempt(W),
    /// Nothing until something that is under way was observed.
    Wait,
    /// Nothing more.
    Done,
}

/// Whether the executions that an executor has in hand are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an executor drops what it has in hand when the run is done with it"]
pub enum Flow {
    /// Go on.
    Continue,
    /// They are not: ask what is next.
    Done,
}

impl Flow {
    /// Says whether the run is done with what was handed out.
    pub fn is_done(self) -> bool {
        self == Flow::Done
    }
}
