//! From (run seed, test id, execution) to the stream of one execution, and, if executions share
//! inputs, which attempt at an input wasn't rejected.
//!
//! An input that isn't applicable is rejected once: the executions that share it start with the
//! next one. What is known about inputs is kept here, not in a [`Stream`], so that a stream has
//! nothing to drop and all executing threads share it.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use siphasher::sip128::{Hasher128, SipHasher24};

use super::address::tag;
use super::{RunSeed, TestRng};

/// The second half of the hash key. It only separates this use of `SipHash` from
/// others; the value is pinned.
const DOMAIN: u64 = u64::from_le_bytes(*b"probtest");

/// All executions of one test under one run seed.
///
/// ```
/// use probtest::seed::{RunSeed, Stream};
/// use rand::Rng;
///
/// let stream = Stream::new(RunSeed(0x5eed), "walks::walk_stays_below_ten");
/// let first = stream.execution(9).next_u64();
/// assert_eq!(first, stream.execution(9).next_u64()); // the same execution
/// assert_ne!(first, stream.execution(10).next_u64()); // another one
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    seed: RunSeed,
    key: [u64; 2],
    tag: u32,
    /// How many inputs there are; 0 if each execution has its own.
    inputs: u64,
}

impl Stream {
    /// Derives the key of a test: SipHash-2-4-128 of the id, keyed by the seed.
    pub fn new(seed: RunSeed, test: &str) -> Self {
        let mut hasher = SipHasher24::new_with_keys(seed.0, DOMAIN);
        hasher.write(test.as_bytes());
        let hash = hasher.finish128();
        Stream { seed, key: [hash.h1, hash.h2], tag: tag(test), inputs: 0 }
    }

    /// Makes executions share this many inputs: execution `i` has the same input as execution `i +
    /// inputs`. What the program draws doesn't change.
    pub fn with_inputs(mut self, inputs: Option<u64>) -> Self {
        self.inputs = inputs.unwrap_or(0);
        self
    }

    /// How many inputs there are; `None` if each execution has its own.
    pub fn inputs(&self) -> Option<u64> {
        Some(self.inputs).filter(|inputs| *inputs > 0)
    }

    /// Returns the run seed.
    pub fn seed(&self) -> RunSeed {
        self.seed
    }

    /// Returns the key of the generator, for other implementations of it.
    pub fn key(&self) -> [u64; 2] {
        self.key
    }

    /// Opens the stream of execution `index`, counted from 1.
    #[inline]
    pub fn execution(&self, index: u64) -> TestRng {
        self.attempt(index, 0)
    }

    /// Opens a stream separate from those of the executions, for redrawing parts of one.
    pub(crate) fn apart(&self, index: u64, number: u64) -> TestRng {
        self.attempt(index, number).apart()
    }

    /// Opens the stream for an attempt. Without shared inputs, the attempt is how many were
    /// rejected before it.
    #[inline]
    pub fn attempt(&self, index: u64, attempt: u64) -> TestRng {
        let (program, input) = self.parts(attempt);
        TestRng::new(self.key, index, program, (self.seed, self.tag))
            .with_inputs(self.inputs, input)
    }
}

/// Where the input part starts in an attempt number, above the rejections by the program.
const INPUTS: u32 = 32;

/// The key of a test and the number of an input, and how many attempts at it were rejected.
type Rejected = BTreeMap<([u64; 2], u64), u64>;

static REJECTED: RwLock<Rejected> = RwLock::new(BTreeMap::new());

fn write() -> RwLockWriteGuard<'static, Rejected> {
    // Nothing that can panic runs under the lock.
    REJECTED.write().unwrap_or_else(PoisonError::into_inner)
}

/// An attempt at an execution is one number, so that code that passes it on need not know about
/// inputs. If executions share inputs, it counts rejections by the program and by the input.
impl Stream {
    /// Splits an attempt into those of the program and of the input.
    #[inline]
    pub fn parts(&self, attempt: u64) -> (u64, u64) {
        match self.inputs() {
            // Both are drawn again.
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

    /// The attempt after a rejected one. An attempt that drew nothing was rejected because of its
    /// input: up to its first draw, a body does the same in all executions that share that input.
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

    /// Skips the inputs that are known to be rejected.
    #[inline]
    pub fn applicable(&self, index: u64, attempt: u64) -> u64 {
        match self.inputs() {
            None => attempt,
            Some(_) => self.applicable_shared(index, attempt),
        }
    }

    #[cold]
    fn applicable_shared(&self, index: u64, attempt: u64) -> u64 {
        let rejected = REJECTED.read().unwrap_or_else(PoisonError::into_inner);
        let known = rejected.get(&self.input_of(index)).copied().unwrap_or(0);
        let (program, input) = self.parts(attempt);
        input.max(known) << INPUTS | program
    }

    /// Notes that an execution has reached this attempt: inputs before it were rejected.
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

/// What is known about the inputs of a stream while it is executed.
pub(crate) struct KnownInputs([u64; 2]);

impl KnownInputs {
    /// Starts with nothing known.
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

    #[test]
    fn tests_and_seeds_have_keys_of_their_own() {
        let key = |seed, test| Stream::new(RunSeed(seed), test).key;
        assert_ne!(key(1, "a"), key(1, "b"));
        assert_ne!(key(1, "a"), key(2, "a"));
        assert_ne!(key(1, ""), key(1, "\0"));
    }

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
