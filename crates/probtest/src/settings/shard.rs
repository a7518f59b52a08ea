//! A part of the executions of a test, to be made by one of several machines.

use std::fmt;
use std::str::FromStr;

use probtest_syntax::Error;

/// The most parts that a test is divided into.
const MOST: u64 = 10_000;

/// One of several parts of a test, as `3/16` names it: the third of sixteen.
///
/// Parts are made of blocks of consecutive executions, dealt out in turn.
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
        let read = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u64>().ok().filter(|_| plain)
        };
        let parts = text.trim().split_once('/');
        let parts = parts.and_then(|(number, of)| read(number).zip(read(of)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) && of <= MOST => {
                Ok(Shard { number, of })
            }
            _ => Err(Error::of(
                "a shard",
                format!("is not a number, a slash and a number, from 1/1 to {MOST}/{MOST}"),
                text,
                "write 3/16 for the third of sixteen shards; the first one is 1/16",
            )),
        }
    }
}
