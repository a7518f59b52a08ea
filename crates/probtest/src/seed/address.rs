//! Which run, and which of its executions?

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::str::FromStr;

use probtest_facts::json::{FromJson, ToJson, Value};
use probtest_syntax::Error;
use siphasher::sip::SipHasher24;

/// The 64 bits that every stream of a run is derived from.
///
/// Written in hexadecimal (`0x5eed`), read in hexadecimal or decimal.
///
/// ```
/// use probtest::seed::RunSeed;
///
/// let seed: RunSeed = "0x5eed".parse()?;
/// assert_eq!(seed, "24301".parse()?);
/// assert_eq!(seed.to_string(), "0x5eed");
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunSeed(pub u64);

impl RunSeed {
    /// Takes a new seed from the operating system.
    pub fn fresh() -> Self {
        // RandomState takes its keys from the operating system; a second set of keys and the clock
        // guard against a platform where one of them is weak.
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        if let Ok(now) = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
            hasher.write_u128(now.as_nanos());
        }
        RunSeed(hasher.finish())
    }
}

impl fmt::Display for RunSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl FromStr for RunSeed {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let trimmed = text.trim();
        let digits = trimmed.strip_prefix("0x").or_else(|| trimmed.strip_prefix("0X"));
        let (digits, radix) = digits.map_or((trimmed, 10), |hex| (hex, 16));
        // from_str_radix would also accept a sign, which no seed has.
        let seed = u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'));
        seed.map(RunSeed).ok_or_else(|| {
            Error::new(
                format!("`{text}` is not a seed"),
                text,
                "a seed is a whole number from 0 to 2^64 - 1, such as 24301 or 0x5eed",
            )
        })
    }
}

impl ToJson for RunSeed {
    fn to_json(&self) -> Value {
        self.0.to_json()
    }
}

impl FromJson for RunSeed {
    fn from_json(value: Value) -> Option<Self> {
        u64::from_json(value).map(RunSeed)
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl Address {
    fn read(text: &str) -> Option<Self> {
        let (seed, index) = text.split_once(':')?;
        let number = index.parse().ok().filter(|number| *number > 0 && !index.starts_with('+'));
        Some(Address { seed: seed.parse().ok()?, index: number? })
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Address::read(text.trim()).ok_or_else(|| {
            not_an_execution(
                text,
                "write SEED:INDEX as the report shows it, such as 0x5eed:9; executions count from 1",
            )
        })
    }
}

/// The error for text that should name an execution.
fn not_an_execution(text: &str, help: &'static str) -> Error {
    Error::new(format!("`{text}` does not name an execution"), text, help)
}

/// The short name of a test: 32 bits of a hash of its id.
pub(super) fn tag(test: &str) -> u32 {
    let mut hasher = SipHasher24::new();
    hasher.write(test.as_bytes());
    hasher.finish() as u32
}

/// An execution, and the test that it belongs to: `0x5eed:9:c0ffee00`.
///
/// Without the third part, it selects an execution of every test. Two tests have the same third
/// part with probability 2^-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The execution.
    pub address: Address,
    pub(super) tag: Option<u32>,
}

impl Selection {
    /// Selects an execution of one test.
    pub fn of(address: Address, test: &str) -> Self {
        Selection { address, tag: Some(tag(test)) }
    }

    /// Whether it selects an execution of this test.
    pub fn covers(&self, test: &str) -> bool {
        self.tag.is_none_or(|own| own == tag(test))
    }

    /// Returns the parts, if it names a test.
    #[inline]
    #[cfg(unix)]
    pub(crate) fn parts(&self) -> Option<(Address, u32)> {
        self.tag.map(|tag| (self.address, tag))
    }

    /// Splits the tape off an address that has a fourth part.
    pub(crate) fn split(text: &str) -> (&str, Option<&str>) {
        let text = text.trim();
        match text.match_indices(':').nth(2) {
            Some((place, _)) if text[place + 1..].starts_with(['t', '@']) => {
                (&text[..place], Some(&text[place + 1..]))
            }
            _ => (text, None),
        }
    }

    /// Whether it names a test.
    pub fn names_a_test(&self) -> bool {
        self.tag.is_some()
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.address)?;
        match self.tag {
            Some(tag) => write!(f, ":{tag:08x}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Selection {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let read = |text: &str| {
            let Some((place, _)) = text.match_indices(':').nth(1) else {
                return Some(Selection { address: Address::read(text)?, tag: None });
            };
            let (address, digits) = (Address::read(&text[..place])?, &text[place + 1..]);
            // from_str_radix would also accept a sign.
            let plain = digits.len() == 8 && !digits.starts_with('+');
            let tag = u32::from_str_radix(digits, 16).ok().filter(|_| plain)?;
            Some(Selection { address, tag: Some(tag) })
        };
        read(Selection::split(text).0).ok_or_else(|| {
            not_an_execution(
                text,
                "write SEED:INDEX or SEED:INDEX:TEST as the report shows it, such as 0x5eed:9 or 0x5eed:9:c0ffee00; executions count from 1",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_read_as_decimal_and_hexadecimal() {
        assert_eq!("0".parse(), Ok(RunSeed(0)));
        assert_eq!(" 42 ".parse(), Ok(RunSeed(42)));
        assert_eq!("0xFFFFFFFFFFFFFFFF".parse(), Ok(RunSeed(u64::MAX)));
        assert_eq!("18446744073709551615".parse(), Ok(RunSeed(u64::MAX)));
    }

    #[test]
    fn what_is_no_seed_is_refused_with_the_text_given() {
        for text in ["", "-1", "+1", "0x", "0x-1", "1.5", "seed", "18446744073709551616"] {
            let error = text.parse::<RunSeed>().unwrap_err();
            assert!(error.to_string().starts_with(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn a_replay_address_needs_seed_and_index_from_one() {
        assert_eq!("7:1".parse(), Ok(Address { seed: RunSeed(7), index: 1 }));
        for text in ["", "7", "7:", ":1", "7:0", "7:-1", "7:+1", "7:1:1", "x:1"] {
            assert!(text.parse::<Address>().is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn a_selection_has_two_or_three_parts() {
        for text in ["0x7:1", "0x7:1:00c0ffee", "0xffffffffffffffff:9:ffffffff"] {
            let selection: Selection = text.parse().unwrap();
            assert_eq!(selection.to_string(), text);
            assert_eq!(selection.names_a_test(), text.len() > 5);
        }
        for text in
            ["", "7", "7:0", "7:1:", "7:1:c0ffee", "7:1:+0c0ffee", "7:1:00c0ffeg", "7:1:00c0ffee:1"]
        {
            let error = text.parse::<Selection>().unwrap_err().to_string();
            assert!(error.contains("SEED:INDEX:TEST"), "{error}");
        }
    }

    #[test]
    fn the_third_part_of_an_id_is_pinned() {
        let address = "7:1".parse().unwrap();
        assert_eq!(Selection::of(address, "walks::walk").to_string(), "0x7:1:c73cc115");
    }
}
