//! The seed of a whole run: fresh by default, or given.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::str::FromStr;

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
/// # Ok::<(), probtest::seed::SeedError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunSeed(pub u64);

impl RunSeed {
    /// Takes a seed that no earlier run had, from the operating system.
    ///
    /// ```
    /// use probtest::seed::RunSeed;
    ///
    /// // Two fresh seeds are equal with probability 2^-64.
    /// assert_ne!(RunSeed::fresh(), RunSeed::fresh());
    /// ```
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
    type Err = SeedError;

    fn from_str(text: &str) -> Result<Self, SeedError> {
        let trimmed = text.trim();
        let digits = trimmed
            .strip_prefix("0x")
            .or_else(|| trimmed.strip_prefix("0X"));
        let (digits, radix) = digits.map_or((trimmed, 10), |hex| (hex, 16));
        // from_str_radix would also take a sign, which no seed has.
        if digits.starts_with(['+', '-']) {
            return Err(SeedError::Seed { given: text.into() });
        }
        u64::from_str_radix(digits, radix)
            .map(RunSeed)
            .map_err(|_| SeedError::Seed { given: text.into() })
    }
}

/// Says why a seed or a replay address could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SeedError {
    /// The text is no seed.
    #[error(
        "`{given}` is not a seed\n  given  {given}\n  help   a seed is a whole number from 0 to 2^64 - 1, such as 24301 or 0x5eed"
    )]
    Seed {
        /// The text.
        given: String,
    },
    /// The text does not name a seed and an execution.
    #[error(
        "`{given}` does not name an execution\n  given  {given}\n  help   write SEED:INDEX as the report shows it, such as 0x5eed:9; executions count from 1"
    )]
    Replay {
        /// The text.
        given: String,
    },
    /// The text does not name a seed, an execution and perhaps a test.
    #[error(
        "`{given}` does not name an execution\n  given  {given}\n  help   write SEED:INDEX or SEED:INDEX:TEST as the report shows it, such as 0x5eed:9 or 0x5eed:9:c0ffee00; executions count from 1"
    )]
    Selection {
        /// The text.
        given: String,
    },
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
        for text in [
            "",
            "-1",
            "+1",
            "0x",
            "0x-1",
            "1.5",
            "seed",
            "18446744073709551616",
        ] {
            let error = text.parse::<RunSeed>().unwrap_err();
            assert!(
                error.to_string().starts_with(&format!("`{text}`")),
                "{error}"
            );
        }
    }
}
