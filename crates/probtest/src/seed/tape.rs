//! The draws of one execution, kept, changed and played again.

use std::backtrace::Backtrace;
use std::fmt;
use std::str::FromStr;

use probtest_syntax::Error;
use serde::{Deserialize, Serialize};

/// What the text of a tape begins with: the version of its form.
const VERSION: &str = "t1.";
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The most draws that a text may stand for: it may come from anywhere.
const MOST: usize = 1 << 24;

/// The draws of one execution, one word for each. After its end come zeros.
///
/// Its text is short where most draws are zero, or the same:
///
/// ```
/// use probtest::seed::Tape;
///
/// let tape = Tape::new(vec![0, 0, 1 << 63, 1 << 63, 1 << 63, 0, 7]);
/// let text = tape.to_string();
/// assert_eq!(text, "t1.BAFxgAACcYABAQEH");
/// assert_eq!(text.parse::<Tape>()?, tape);
/// assert_eq!(tape.matter(), 4);
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tape {
    words: Vec<u64>,
}

impl Tape {
    /// Makes a tape of these draws. Zeros at its end are left out: they come anyway.
    pub fn new(mut words: Vec<u64>) -> Self {
        let length = words.iter().rposition(|word| *word != 0);
        words.truncate(length.map_or(0, |last| last + 1));
        Tape { words }
    }

    /// The draws, up to the last that is not zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many draws are not zero.
    pub fn matter(&self) -> usize {
        self.words.iter().filter(|word| **word != 0).count()
    }
}

impl From<Tape> for String {
    fn from(tape: Tape) -> String {
        tape.to_string()
    }
}

impl TryFrom<String> for Tape {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl fmt::Display for Tape {
    /// Writes groups of equal draws behind equally many zeros: how many groups as this one
    /// follow each other and how many zeros stand before each draw, then the bytes of the
    /// word without zeros at either end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::new();
        let mut groups: Vec<(u64, u64, u64)> = Vec::new();
        let mut zeros = 0;
        for word in &self.words {
            match (word, groups.last_mut()) {
                (0, _) => zeros += 1,
                (word, Some((before, same, count))) if before == &zeros && same == word => {
                    *count += 1;
                    zeros = 0;
                }
                (word, _) => groups.push((std::mem::take(&mut zeros), *word, 1)),
            }
        }
        for (zeros, word, count) in groups {
            write_number(&mut bytes, zeros);
            write_number(&mut bytes, count);
            let (below, above) = (word.trailing_zeros() / 8, word.leading_zeros() / 8);
            let length = 8 - below - above;
            bytes.push((below << 4 | length) as u8);
            let shifted = (word >> (8 * below)).to_le_bytes();
            bytes.extend_from_slice(&shifted[..length as usize]);
        }
        f.write_str(VERSION)?;
        for chunk in bytes.chunks(3) {
            let bits = chunk.iter().enumerate().fold(0_u32, |bits, (i, byte)| {
                bits | u32::from(*byte) << (16 - 8 * i)
            });
            for i in 0..=chunk.len() {
                let digit = bits >> (18 - 6 * i) & 63;
                write!(f, "{}", DIGITS[digit as usize] as char)?;
            }
        }
        Ok(())
    }
}

fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 127 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read_number(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let byte = *bytes.next()?;
        number |= u64::from(byte & 127)
            .checked_shl(shift)
            .filter(|_| shift < 63)?;
        if byte < 128 {
            return Some(number);
        }
        shift += 7;
    }
}

/// Reads the groups of a text; none where it is not such a text.
fn read(text: &str) -> Option<Vec<u64>> {
    let mut bytes = Vec::new();
    for chunk in text.strip_prefix(VERSION)?.as_bytes().chunks(4) {
        let mut bits = 0;
        for (i, digit) in chunk.iter().enumerate() {
            let digit = DIGITS.iter().position(|known| known == digit)?;
            bits |= (digit as u32) << (18 - 6 * i);
        }
        let whole = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
        bytes.extend_from_slice(&whole[..chunk.len().checked_sub(1).filter(|n| *n > 0)?]);
    }
    let (mut words, mut bytes) = (Vec::new(), bytes.iter());
    while !bytes.as_slice().is_empty() {
        let (zeros, count) = (read_number(&mut bytes)?, read_number(&mut bytes)?);
        let header = *bytes.next()?;
        let (below, length) = (u32::from(header >> 4), u32::from(header & 15));
        if length == 0 || below + length > 8 || count == 0 {
            return None;
        }
        let mut word = 0;
        for i in 0..length {
            word |= u64::from(*bytes.next()?) << (8 * (below + i));
        }
        let more = zeros.checked_add(1)?.checked_mul(count)?;
        if word == 0 || more > (MOST - words.len()) as u64 {
            return None;
        }
        for _ in 0..count {
            words.resize(words.len() + zeros as usize, 0);
            words.push(word);
        }
    }
    Some(words)
}

impl FromStr for Tape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        read(text.trim()).map(Tape::new).ok_or_else(|| {
            Error::new(
                format!("`{text}` is not a tape"),
                text,
                "copy the whole line from the report; a tape begins with t1.",
            )
        })
    }
}

/// What a source draws from while its draws are seen, and what it has drawn.
#[derive(Debug)]
pub(super) struct Reel {
    /// The tape to play; none where the numbers of the stream are only kept.
    pub(super) tape: Option<Tape>,
    pub(super) drawn: Drawn,
    /// After so many draws the execution is given up.
    pub(super) most: usize,
    /// Whether to look where draws come from.
    pub(super) traced: bool,
}

/// What an execution has drawn while that was seen.
#[derive(Debug, Default)]
pub struct Drawn {
    /// The draws, also those that are zero.
    pub words: Vec<u64>,
    /// Whether it was given up, since it drew too many.
    pub gave_up: bool,
    /// Where draws that are not zero came from.
    pub places: Vec<Place>,
}

/// Where a draw came from.
#[derive(Debug)]
pub struct Place {
    /// The number of the draw, from 0.
    pub number: usize,
    /// The number that was drawn, as a part of the largest.
    pub part: f64,
    /// What was under way.
    pub backtrace: Backtrace,
}

/// What ends an execution that draws far more than it should.
pub(crate) struct GaveUp;

impl Reel {
    /// A copy that goes on from here; nobody sees what it draws.
    pub(super) fn copy(&self) -> Self {
        Reel {
            tape: self.tape.clone(),
            drawn: Drawn {
                words: self.drawn.words.clone(),
                ..Drawn::default()
            },
            most: self.most,
            traced: false,
        }
    }

    /// Whether it has drawn all that it may.
    pub(super) fn is_over(&mut self) -> bool {
        self.drawn.gave_up |= self.drawn.words.len() >= self.most;
        self.drawn.gave_up
    }

    /// Draws from the tape, or keeps what the stream gave.
    pub(super) fn draw(&mut self, bits: u32, streamed: impl FnOnce() -> u64) -> u64 {
        let number = self.drawn.words.len();
        let word = match &self.tape {
            Some(tape) => tape.words.get(number).copied().unwrap_or(0),
            None => streamed(),
        };
        if self.traced && word != 0 {
            let part = word as f64 / 2_f64.powi(bits as i32);
            let backtrace = Backtrace::force_capture();
            self.drawn.places.push(Place {
                number,
                part,
                backtrace,
            });
        }
        self.drawn.words.push(word);
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tape_is_read_as_it_was_written() {
        let mut words = vec![0, u64::MAX, 1, 0, 0, 256, 1 << 63, 0xff00, 0, 0xff00];
        words.extend((0..200).map(|i| i % 3));
        for length in 0..=words.len() {
            let tape = Tape::new(words[..length].to_vec());
            assert_eq!(tape.to_string().parse(), Ok(tape));
        }
    }

    #[test]
    fn what_is_no_tape_is_refused() {
        for text in [
            "",
            "t1",
            "t2.AAAA",
            "t1.A",
            "t1.!!!!",
            "t1.AAAA",
            "t1._____w8BAQE",
        ] {
            assert!(text.parse::<Tape>().is_err(), "{text} was accepted");
        }
        // 2^40 zeros.
        let mut bytes = Vec::new();
        write_number(&mut bytes, 1 << 40);
        assert_eq!(read_number(&mut bytes.iter()), Some(1 << 40));
        assert!("t1.gICAgIAgAQEB".parse::<Tape>().is_err());
    }
}
