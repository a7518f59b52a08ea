//! The seed of a whole run: fresh by default, or given.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::str::FromStr;

use probtest_syntax::Error;
use serde::{Deserialize, Serialize};

/// The 64 bits that every stream of a run is derived from.
///
/// Written as hexadecimal (`0x5eed`), read as hexadecimal or decimal.
///
/// ```
/// use probtest::seed::RunSeed;
///
/// let seed: RunSeed = "0x5eed".parse()?;
/// assert_eq!(seed, "24301".parse()?);
/// assert_eq!(seed.to_string(), "0x5eed");
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunSeed(pub u64);

impl RunSeed {
    /// Takes a seed that no earlier run had, from the operating system.
    pub fn fresh() -> Self {
        // RandomState takes its keys from the operating system; a second key
        // set and the clock guard against a platform where one of them is weak.
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
        // from_str_radix would also take a sign, which no seed has.
        if digits.starts_with(['+', '-']) {
            return Err(not_a_seed(text));
        }
        u64::from_str_radix(digits, radix).map(RunSeed).map_err(|_| not_a_seed(text))
    }
}

/// Says that a text is no seed.
fn not_a_seed(given: &str) -> Error {
    Error::new(
        format!("`{given}` is not a seed"),
        given,
        "a seed is a whole number from 0 to 2^64 - 1, such as 24301 or 0x5eed",
    )
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
}
