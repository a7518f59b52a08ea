//! Which attempt at an input is the applicable one, where executions share inputs?
//!
//! An input that is not applicable is rejected once: the executions that share it begin with the
//! next one. What is known stands here and not in a [`Stream`], so that a stream has nothing to
//! drop, and all threads that execute know it.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::Stream;

/// Where the inputs stand in the number of an attempt, above the rejections by the program.
const INPUTS: u32 = 32;

/// The key of a test and the number of an input, and how many attempts at it were rejected.
type Rejected = BTreeMap<([u64; 2], u64), u64>;

static REJECTED: RwLock<Rejected> = RwLock::new(BTreeMap::new());

fn read() -> RwLockReadGuard<'static, Rejected> {
    // Nothing that can panic runs under the lock.
    REJECTED.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, Rejected> {
    REJECTED.write().unwrap_or_else(PoisonError::into_inner)
}

/// An attempt at an execution is one number, so that whoever hands it on need not know of inputs.
/// Where executions share inputs it counts both what the program and what the input rejected.
impl Stream {
    /// Splits an attempt into that of the program and that of the input.
    #[inline]
    pub fn parts(&self, attempt: u64) -> (u64, u64) {
        match self.inputs() {
            // Both are drawn anew.
            None => (attempt, attempt),
            Some(_) => (attempt & ((1 << INPUTS) - 1), attempt >> INPUTS),
        }
    }

    /// How many attempts were rejected before this one.
    pub fn rejections(&self, attempt: u64) -> u64 {
        match (self.inputs(), self.parts(attempt)) {
            (None, _) => attempt,
            (Some(_), (program, input)) => program + input,
        }
    }

    /// The attempt after one that was rejected. One that has drawn nothing was rejected by its
    /// input: a body does the same up to its first draw, so will all that share that input.
    pub fn after_rejection(&self, attempt: u64, has_drawn: bool) -> u64 {
        match self.inputs() {
            Some(_) if !has_drawn => attempt + (1 << INPUTS),
            _ => attempt + 1,
        }
    }

    /// The input of an execution, from 1: its own, or one that several share.
    #[inline]
    pub fn input_number(&self, index: u64) -> u64 {
        self.inputs().map_or(index, |inputs| (index - 1) % inputs + 1)
    }

    /// Begins an execution behind the inputs that are known not to be applicable.
    #[inline]
    pub fn applicable(&self, index: u64, attempt: u64) -> u64 {
        match self.inputs() {
            None => attempt,
            Some(_) => self.applicable_shared(index, attempt),
        }
    }

    #[cold]
    fn applicable_shared(&self, index: u64, attempt: u64) -> u64 {
        let known = read().get(&self.input_of(index)).copied().unwrap_or(0);
        let (program, input) = self.parts(attempt);
        input.max(known) << INPUTS | program
    }

    /// Notes that an execution has come to this attempt: inputs before it are not applicable.
    pub fn learn(&self, index: u64, attempt: u64) {
        let (_, input) = self.parts(attempt);
        if self.inputs().is_some() && input > 0 {
            let mut rejected = write();
            let known = rejected.entry(self.input_of(index)).or_default();
            *known = input.max(*known);
        }
    }

    fn input_of(&self, index: u64) -> ([u64; 2], u64) {
        (self.key(), self.input_number(index))
    }
}

/// What is known of the inputs of a stream, for as long as somebody executes it.
pub(crate) struct KnownInputs([u64; 2]);

impl KnownInputs {
    /// Begins with nothing known.
    pub(crate) fn of(stream: &Stream) -> Option<Self> {
        let known = KnownInputs(stream.key());
        known.forget();
        stream.inputs().map(|_| known)
    }

    fn forget(&self) {
        let mut rejected = write();
        if !rejected.is_empty() {
            rejected.retain(|(key, _), _| *key != self.0);
        }
    }
}

impl Drop for KnownInputs {
    fn drop(&mut self) {
        self.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::RunSeed;

    #[test]
    fn executions_begin_with_the_input_that_others_found_applicable() {
        let stream = Stream::new(RunSeed(1), "shared").with_inputs(Some(3));
        let known = KnownInputs::of(&stream);
        let next = stream.after_rejection(stream.after_rejection(0, false), true);
        assert_eq!((stream.parts(next), stream.rejections(next)), ((1, 1), 2));
        stream.learn(2, next);
        let begins = |index| stream.parts(stream.applicable(index, 0));
        assert_eq!([1, 2, 3, 5].map(begins), [(0, 0), (0, 1), (0, 0), (0, 1)]);
        assert_eq!(stream.applicable(5, next), next);
        let other = Stream::new(RunSeed(2), "shared").with_inputs(Some(3));
        assert_eq!(other.applicable(2, 0), 0);
        drop(known);
        assert_eq!(stream.applicable(2, 0), 0);
    }

    #[test]
    fn an_input_of_one_execution_is_drawn_with_it() {
        let stream = Stream::new(RunSeed(1), "own");
        let next = stream.after_rejection(4, false);
        assert_eq!((stream.parts(next), stream.rejections(next)), ((5, 5), 5));
        stream.learn(2, next);
        assert_eq!(stream.applicable(2, 0), 0);
    }
}
