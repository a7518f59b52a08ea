//! A tape as text, for a line to copy.

use std::fmt;
use std::str::FromStr;

use probtest_syntax::Error;

use super::{InputCode, Tape};

/// What the text of a tape begins with: the version of its form.
const VERSION: &str = "t1.";
/// The same where the inputs of the execution are not what its stream says: how they were made
/// stands before the draws.
const WITH_INPUTS: &str = "t2.";
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The most draws that a text may stand for: it may come from anywhere.
const MOST: usize = 1 << 24;

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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(made) = self.inputs() else {
            return write!(f, "{VERSION}{}", Words(self.words()));
        };
        let mut inputs = vec![made.attempt, made.codes.len() as u64];
        for code in &made.codes {
            inputs.push(code.len() as u64);
            inputs.extend(code);
        }
        let (inputs, words) = (Words(&inputs), Words(self.words()));
        write!(f, "{WITH_INPUTS}{inputs}.{words}")
    }
}

struct Words<'a>(&'a [u64]);

impl fmt::Display for Words<'_> {
    /// Writes groups of equal draws behind equally many zeros: how many groups as this one
    /// follow each other and how many zeros stand before each draw, then the bytes of the
    /// word without zeros at either end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::new();
        let mut groups: Vec<(u64, u64, u64)> = Vec::new();
        let mut zeros = 0;
        for word in self.0 {
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
        for chunk in bytes.chunks(3) {
            let bits = chunk
                .iter()
                .enumerate()
                .fold(0_u32, |bits, (i, byte)| bits | u32::from(*byte) << (16 - 8 * i));
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
        number |= u64::from(byte & 127).checked_shl(shift).filter(|_| shift < 63)?;
        if byte < 128 {
            return Some(number);
        }
        shift += 7;
    }
}

/// Reads a tape; none where the text is no such.
fn read(text: &str) -> Option<Tape> {
    if let Some(words) = text.strip_prefix(VERSION) {
        return read_words(words).map(Tape::new);
    }
    let (inputs, words) = text.strip_prefix(WITH_INPUTS)?.split_once('.')?;
    let mut inputs = read_words(inputs)?.into_iter();
    let attempt = inputs.next()?;
    let (mut codes, mut left) = (Vec::new(), MOST as u64);
    let mut within = |size: u64| {
        left = left.checked_sub(size)?;
        Some(size)
    };
    for _ in 0..within(inputs.next().unwrap_or(0))? {
        // Zeros at the end were not written.
        let length = within(inputs.next().unwrap_or(0))?;
        codes.push((0..length).map(|_| inputs.next().unwrap_or(0)).collect());
    }
    let made = InputCode { attempt, codes };
    Some(Tape::new(read_words(words)?).with_inputs(made))
}

/// Reads the groups of a text; none where it is not such a text.
fn read_words(text: &str) -> Option<Vec<u64>> {
    let mut bytes = Vec::new();
    for chunk in text.as_bytes().chunks(4) {
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
        read(text.trim()).ok_or_else(|| {
            Error::new(
                format!("`{text}` is not a tape"),
                text,
                "copy the whole line from the report; a tape begins with t1. or t2.",
            )
        })
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
            assert_eq!(tape.to_string().parse(), Ok(tape.clone()));
            let codes = vec![vec![], words[..length].to_vec(), vec![0, 0]];
            let attempt = length as u64 % 3;
            let with_inputs = tape.with_inputs(InputCode { attempt, codes });
            assert_eq!(with_inputs.to_string().parse(), Ok(with_inputs));
        }
    }

    #[test]
    fn what_is_no_tape_is_refused() {
        for text in [
            "",
            "t1",
            "t2.AAAA",
            "t2..",
            "t2.gICAgIAgAQEB.",
            "t3.AAAA",
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
