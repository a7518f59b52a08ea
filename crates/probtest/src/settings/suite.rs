//! What a test is part of: a suite whose tests share a chance of being wrong. And its own parts:
//! shards that divide its executions among machines.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use probtest_syntax::options::read_count;

use crate::claim::{Claim, Error, Probability};

/// An equal share of a chance that the tests of a suite have together.
///
/// The chance that something happens in one or more of the tests is at most the sum of their
/// chances, however they depend on each other.
///
/// ```
/// use probtest::settings::Share;
///
/// let share = Share::new("0.05".parse()?, 12.try_into().unwrap());
/// assert_eq!(share.each.to_string(), "1/240");
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The chance that all tests have together.
    pub total: Probability,
    /// How many tests share it.
    pub tests: NonZeroU64,
    /// The exact share of each test.
    pub each: Probability,
}

impl Share {
    /// Divides a chance among tests.
    pub fn new(total: Probability, tests: NonZeroU64) -> Share {
        Share { each: total.divided_by(tests), total, tests }
    }
}

/// What all tests of a run promise together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suite {
    /// The chance that one or more tests pass although their claim is violated.
    pub epsilon: Option<Share>,
    /// The chance that one or more tests fail a program that keeps its claim, among those whose
    /// claim bounds false alarms.
    pub false_alarm: Option<Share>,
}

impl Suite {
    /// Lowers the chances of a claim to its shares. A test whose own chances are already lower
    /// keeps them.
    pub fn limit(&self, mut claim: Claim) -> Claim {
        let (epsilon, false_alarm) = claim.chances_mut();
        for (share, chance) in [(&self.epsilon, epsilon), (&self.false_alarm, false_alarm)] {
            if let (Some(share), Some(chance)) = (share, chance)
                && *chance > share.each
            {
                chance.clone_from(&share.each);
            }
        }
        claim
    }
}

/// The most shards that a test can have.
const MOST_SHARDS: u64 = 10_000;

/// One of several parts of a test: `3/16` is the third of sixteen.
///
/// The executions are dealt out to the parts in turn, in blocks of consecutive ones.
///
/// ```
/// use probtest::settings::Shard;
///
/// let shard: Shard = "3/16".parse()?;
/// assert_eq!((shard.number(), shard.of()), (3, 16));
/// assert!("17/16".parse::<Shard>().is_err());
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// The number of the part, from 1.
    pub fn number(self) -> u64 {
        self.number
    }

    /// How many parts there are.
    pub fn of(self) -> u64 {
        self.of
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let plain = Some(text.trim()).filter(|text| !text.contains(char::is_whitespace));
        let shard = plain.and_then(|text| text.split_once('/')).and_then(|(number, of)| {
            let of = read_count(of, MOST_SHARDS).ok()?;
            Some(Shard { number: read_count(number, of).ok()?, of })
        });
        shard.ok_or_else(|| {
            Error::of(
                "a shard",
                format!(
                    "is not two numbers with a slash between them, from 1/1 to {MOST_SHARDS}/{MOST_SHARDS}"
                ),
                text,
                "write 3/16 for the third of sixteen shards; the first one is 1/16",
            )
        })
    }
}
