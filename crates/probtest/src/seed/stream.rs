//! From (run seed, test id, execution) to the stream of one execution.

use std::fmt;
use std::hash::Hasher;
use std::str::FromStr;

use siphasher::sip128::{Hasher128, SipHasher24};

use super::selection::tag;
use super::{RunSeed, TestRng};
use probtest_syntax::Error;
use serde::{Deserialize, Serialize};

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
    /// How many inputs there are; 0 where each execution has one of its own.
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

    /// Lets the executions take turns with so many inputs: execution `i` has the same input as
    /// execution `i + inputs`. What a program draws besides is not changed by that.
    pub fn with_inputs(mut self, inputs: Option<u64>) -> Self {
        self.inputs = inputs.unwrap_or(0);
        self
    }

    /// How many inputs there are; none where each execution has one of its own.
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

    /// Opens a stream apart from those of the executions, for drawing parts of one again.
    pub(crate) fn apart(&self, index: u64, number: u64) -> TestRng {
        self.attempt(index, number).apart()
    }

    /// Opens the stream for an attempt: without shared inputs, how many were rejected before it.
    #[inline]
    pub fn attempt(&self, index: u64, attempt: u64) -> TestRng {
        let (program, input) = self.parts(attempt);
        TestRng::new(self.key, index, program, (self.seed, self.tag))
            .with_inputs(self.inputs, input)
    }
}

/// The address of one execution: run seed and index, written `0x5eed:9`.
///
/// ```
/// use probtest::seed::Address;
///
/// let address: Address = "0x5eed:9".parse()?;
/// assert_eq!(address.index, 9);
/// assert_eq!(address.to_string(), "0x5eed:9");
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Address {
    /// The seed of the run that the execution belongs to.
    pub seed: RunSeed,
    /// The execution, counted from 1.
    pub index: u64,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seed, self.index)
    }
}

/// The error about a text that should name an execution.
pub(super) fn not_an_execution(text: &str, help: &'static str) -> Error {
    Error::new(format!("`{text}` does not name an execution"), text, help)
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let error = || {
            not_an_execution(
                text,
                "write SEED:INDEX as the report shows it, such as 0x5eed:9; executions count from 1",
            )
        };
        let (seed, index) = text.trim().split_once(':').ok_or_else(error)?;
        let seed = seed.parse().map_err(|_| error())?;
        if index.starts_with('+') {
            return Err(error());
        }
        let index = index.parse().map_err(|_| error())?;
        if index == 0 {
            return Err(error());
        }
        Ok(Address { seed, index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_address_needs_seed_and_index_from_one() {
        assert_eq!("7:1".parse(), Ok(Address { seed: RunSeed(7), index: 1 }));
        for text in ["", "7", "7:", ":1", "7:0", "7:-1", "7:+1", "7:1:1", "x:1"] {
            assert!(text.parse::<Address>().is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn tests_and_seeds_have_keys_of_their_own() {
        let key = |seed, test| Stream::new(RunSeed(seed), test).key;
        assert_ne!(key(1, "a"), key(1, "b"));
        assert_ne!(key(1, "a"), key(2, "a"));
        assert_ne!(key(1, ""), key(1, "\0"));
    }
}
