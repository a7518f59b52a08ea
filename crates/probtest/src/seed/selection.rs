//! Which execution of which test is to be executed alone.

use std::fmt;
use std::hash::Hasher;
use std::str::FromStr;

use siphasher::sip::SipHasher24;

use super::Address;
use super::stream::not_an_execution;
use probtest_syntax::Error;

/// Makes the short name of a test: 32 bits of a hash of its id.
pub(super) fn tag(test: &str) -> u32 {
    let mut hasher = SipHasher24::new();
    hasher.write(test.as_bytes());
    hasher.finish() as u32
}

/// An execution, and the test that it belongs to: `0x5eed:9:c0ffee00`.
///
/// Without the third part it is an execution of every test that is asked. Two
/// tests have the same third part with probability 2^-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The execution.
    pub address: Address,
    tag: Option<u32>,
}

impl Selection {
    /// Selects an execution of one test.
    pub fn of(address: Address, test: &str) -> Self {
        Selection::with_tag(address, tag(test))
    }

    pub(super) fn with_tag(address: Address, tag: u32) -> Self {
        Selection { address, tag: Some(tag) }
    }

    /// Says whether an execution of this test is meant.
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

    /// Says whether it names a test.
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
        let error = || {
            not_an_execution(
                text,
                "write SEED:INDEX or SEED:INDEX:TEST as the report shows it, such as 0x5eed:9 or 0x5eed:9:c0ffee00; executions count from 1",
            )
        };
        let (trimmed, _) = Selection::split(text);
        let (address, tag) = match trimmed.match_indices(':').nth(1) {
            None => (trimmed, None),
            Some((place, _)) => (&trimmed[..place], Some(&trimmed[place + 1..])),
        };
        let address = address.parse().map_err(|_| error())?;
        let tag = match tag {
            None => None,
            Some(digits) if digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
                Some(u32::from_str_radix(digits, 16).map_err(|_| error())?)
            }
            Some(_) => return Err(error()),
        };
        Ok(Selection { address, tag })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
