//! The outcomes that one program can have.

use crate::text::excerpt;
use crate::{Error, IntoProbability, Natural, Probability};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The most outcomes that a plan is made for.
const MOST: usize = 1_000_000;

/// The probabilities of outcomes that must all be seen.
///
/// They sum to at most 1, which is checked exactly. A sum below 1 leaves room for outcomes that
/// don't have to be seen.
///
/// ```
/// use probtest_syntax::Outcomes;
///
/// let die = Outcomes::parse("1/6 x 6")?;
/// assert_eq!(die, Outcomes::equal(6)?);
/// let partial = Outcomes::new([0.01, 0.02])?;
/// assert_eq!(partial.len(), 2);
/// # Ok::<(), probtest_syntax::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Outcomes {
    // Shared, because a plan keeps its claim and a claim may hold a million.
    inner: Arc<Runs>,
}

#[derive(Default, PartialEq, Eq, Hash)]
struct Runs {
    // In the order given; neighbours that are equal are counted.
    runs: Vec<(Probability, usize)>,
    len: usize,
}

impl Outcomes {
    /// Takes the probabilities in the order given.
    ///
    /// # Errors
    /// When there are none or more than a million, when one isn't a probability, or when they sum
    /// to more than 1.
    pub fn new<I>(probabilities: I) -> Result<Self, Error>
    where
        I: IntoIterator,
        I::Item: IntoProbability,
    {
        let mut list = Runs::default();
        for probability in probabilities {
            let probability =
                probability.into_probability().map_err(|error| error.about("an outcome"))?;
            list.add(probability, 1)?;
        }
        list.finish("an empty list")
    }

    /// Makes `n` outcomes of `1/n` each.
    ///
    /// # Errors
    /// When `n` is below 2 or above a million.
    pub fn equal(n: usize) -> Result<Self, Error> {
        if n == 0 {
            return Err(empty("0 equal outcomes"));
        }
        let each =
            Probability::from_ratio(1, n as u64).map_err(|error| error.about("an outcome"))?;
        let mut list = Runs::default();
        list.add(each, n)?;
        list.finish("")
    }

    /// Reads a list such as `1/6, 1/6, 0.2`; `1/6 x 6` and `0.01*3` repeat one.
    ///
    /// # Errors
    /// Like [`Outcomes::new`], and when a repetition isn't a count.
    ///
    /// ```
    /// use probtest_syntax::Outcomes;
    ///
    /// assert_eq!(Outcomes::parse("0.4, 1/10x2, 0.01*3")?.len(), 6);
    /// # Ok::<(), probtest_syntax::Error>(())
    /// ```
    pub fn parse(list: &str) -> Result<Self, Error> {
        let mut outcomes = Runs::default();
        if !list.trim().is_empty() {
            for entry in list.split(',') {
                let (value, times) = match entry.split_once(['x', 'X', '*']) {
                    Some((value, times)) => (value, count(entry, times)?),
                    None => (entry, 1),
                };
                let value = Probability::parse(value).map_err(|error| error.about("an outcome"))?;
                outcomes.add(value, times)?;
            }
        }
        outcomes.finish(&format!("\"{}\"", excerpt(list)))
    }

    /// How many outcomes there are.
    pub fn len(&self) -> usize {
        self.inner.len
    }

    /// Always false: an empty list is refused.
    pub fn is_empty(&self) -> bool {
        self.inner.len == 0
    }

    /// Iterates over the outcomes in the order given.
    pub fn iter(&self) -> impl Iterator<Item = &Probability> + '_ {
        self.inner
            .runs
            .iter()
            .flat_map(|(probability, times)| std::iter::repeat_n(probability, *times))
    }

    /// The outcomes in the order given, with equal neighbours counted.
    #[doc(hidden)]
    pub fn runs(&self) -> &[(Probability, usize)] {
        &self.inner.runs
    }
}

fn empty(given: &str) -> Error {
    Error::new(
        "the list of outcomes is empty",
        given,
        "name at least one outcome, such as 1/6 or 1/6 x 6",
    )
}

fn count(entry: &str, times: &str) -> Result<usize, Error> {
    match times.trim().parse::<usize>() {
        Ok(times) if times > 0 => Ok(times),
        _ => Err(Error::new(
            "what follows the x in an outcome is not a count above 0",
            excerpt(entry.trim()),
            "write the probability first and then how often, such as 1/6 x 6",
        )),
    }
}

impl Runs {
    fn add(&mut self, probability: Probability, times: usize) -> Result<(), Error> {
        self.len = self.len.saturating_add(times);
        if self.len > MOST {
            return Err(Error::new(
                format!("{} outcomes are too many: a plan takes at most {MOST}", self.len),
                format!("{} outcomes", self.len),
                "merge outcomes that you do not need to tell apart",
            ));
        }
        match self.runs.last_mut() {
            Some((last, count)) if *last == probability => *count += times,
            _ => self.runs.push((probability, times)),
        }
        Ok(())
    }

    fn finish(self, given: &str) -> Result<Outcomes, Error> {
        if self.len == 0 {
            return Err(empty(given));
        }
        if let Some(sum) = above_one(&self.runs, self.len) {
            // A sum that is hardly above one was rounded.
            let help = match sum.parse::<f64>() {
                Ok(sum) if sum > 1.000_001 => "lower a probability or remove an outcome",
                _ => {
                    "write fractions such as \"1/6\", which are not rounded, or lower a probability"
                }
            };
            return Err(Error::new(
                format!(
                    "probabilities sum to {sum}, but the outcomes of one program sum to at most 1"
                ),
                listed(&self.runs, self.len),
                help,
            ));
        }
        Ok(Outcomes { inner: Arc::new(self) })
    }
}

/// The first outcomes, for reading.
fn listed(runs: &[(Probability, usize)], len: usize) -> String {
    const SHOWN: usize = 6;
    let mut parts: Vec<String> = runs
        .iter()
        .take(SHOWN)
        .map(|(probability, times)| match times {
            1 => excerpt(&probability.to_string()),
            _ => format!("{} x {times}", excerpt(&probability.to_string())),
        })
        .collect();
    if runs.len() > SHOWN {
        parts.push(format!("... ({len} outcomes)"));
    }
    parts.join(", ")
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&listed(&self.inner.runs, self.inner.len))
    }
}

impl fmt::Debug for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Outcomes({self})")
    }
}

/// Binary places of the quick sum. A million values below 1 stay far inside a
/// `u128`, and the sum is off by less than a million units.
const PLACES: usize = 100;
/// Binary places of the careful sum.
const CAREFUL_PLACES: usize = 1024;
/// The widest common denominator that is worth an exact sum, in bits.
const WIDEST: usize = 4096;

/// The sum, rounded for reading, if it exceeds one: by fixed-point sums when the answer is clear,
/// and exactly when it is close. Ten times 0.1 is exactly 1 and allowed.
fn above_one(runs: &[(Probability, usize)], len: usize) -> Option<String> {
    let one = 1u128 << PLACES;
    let mut below: u128 = 0;
    for (probability, times) in runs {
        below += fixed(probability) * *times as u128;
    }
    if below + len as u128 <= one {
        return None;
    }
    if below <= one && !exceeds(runs) {
        return None;
    }
    let sum = below as f64 / one as f64;
    Some(if sum > 1.0 { format!("{sum}") } else { "slightly more than 1".into() })
}

/// The value in fixed point, rounded down.
fn fixed(probability: &Probability) -> u128 {
    let (num, den) = probability.parts();
    if let (Some(num), Some(den)) = (num.to_u64(), den.to_u64()) {
        let den = u128::from(den);
        let high = u128::from(num) << 64;
        let low = (high % den) << 64;
        return ((high / den) << (PLACES - 64)) + ((low / den) >> (128 - PLACES));
    }
    ((num << PLACES) / den).to_u128().unwrap_or(u128::MAX)
}

/// Whether the sum is above one, exactly wherever a common denominator can be
/// held, else to within 2^-1000.
fn exceeds(runs: &[(Probability, usize)]) -> bool {
    let mut tops: HashMap<&Natural, Natural> = HashMap::new();
    for (probability, times) in runs {
        let (num, den) = probability.parts();
        *tops.entry(den).or_insert(Natural::ZERO) += num * Natural::from(*times as u64);
    }
    match common_denominator(tops.keys().copied()) {
        Some(common) => {
            let total: Natural =
                tops.iter().fold(Natural::ZERO, |sum, (den, num)| sum + num * (&common / *den));
            total > common
        }
        None => {
            // Rounded down, so this never refuses a sum of exactly one.
            let total: Natural = tops
                .iter()
                .fold(Natural::ZERO, |sum, (den, num)| sum + (num << CAREFUL_PLACES) / *den);
            total > Natural::ONE << CAREFUL_PLACES
        }
    }
}

fn common_denominator<'a>(denominators: impl Iterator<Item = &'a Natural>) -> Option<Natural> {
    let mut common = Natural::ONE;
    for den in denominators {
        if (&common % den).is_zero() {
            continue;
        }
        let shared = common.gcd(den);
        common = common * (den / shared);
        if common.bit_len() > WIDEST {
            return None;
        }
    }
    Some(common)
}
