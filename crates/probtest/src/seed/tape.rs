//! The draws of one execution: recorded, changed, replayed, and written as text for a replay line.

use std::backtrace::Backtrace;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use probtest_syntax::Error;

use super::{InputCode, Inputs, TestRng};

/// The most draws that are recorded; an execution with more isn't shrunk.
pub const MOST_KEPT: usize = 1 << 20;

/// The draws of one execution, one word each. All draws after its end are zero.
///
/// Its text is short if most draws are zero, or equal:
///
/// ```
/// use probtest::seed::Tape;
///
/// let tape = Tape::new(vec![0, 0, 1 << 63, 1 << 63, 1 << 63, 0, 7]);
/// let text = tape.to_string();
/// assert_eq!(text, "t1.AgFxgAACcYABAQEH");
/// assert_eq!(text.parse::<Tape>()?, tape);
/// assert_eq!(tape.matter(), 4);
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tape {
    words: Vec<u64>,
    /// How the inputs are made.
    inputs: InputCode,
}

impl Tape {
    /// Makes a tape of these draws. Zeros at its end are left out, because they are implied.
    pub fn new(mut words: Vec<u64>) -> Self {
        let length = words.iter().rposition(|word| *word != 0);
        words.truncate(length.map_or(0, |last| last + 1));
        let inputs = InputCode::default();
        Tape { words, inputs }
    }

    /// Adds how the inputs are made.
    pub fn with_inputs(mut self, inputs: InputCode) -> Self {
        self.inputs = inputs.trimmed();
        self
    }

    /// How the inputs are made; `None` if they follow from the stream.
    pub fn inputs(&self) -> Option<&InputCode> {
        Some(&self.inputs).filter(|inputs| **inputs != InputCode::default())
    }

    /// The draws, up to the last that isn't zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A draw by its number, from 0; zero after the end.
    fn at(&self, number: usize) -> u64 {
        self.words.get(number).copied().unwrap_or(0)
    }

    /// How many draws aren't zero.
    pub fn matter(&self) -> usize {
        self.words.iter().filter(|word| **word != 0).count()
    }
}

/// State of recording sources, by number. It is here and not in the sources, so that other sources
/// have nothing to drop. State of a copy that a body makes is never removed: there are few.
pub(super) struct Numbered<T>(Mutex<Vec<(u32, T)>>);

impl<T> Numbered<T> {
    pub(super) const fn new() -> Self {
        Numbered(Mutex::new(Vec::new()))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u32, T)>> {
        // Nothing that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores an item, and returns its number, from 1.
    pub(super) fn begin(&self, item: T) -> u32 {
        let mut items = self.lock();
        let number = items.iter().map(|(number, _)| *number).max().unwrap_or(0) + 1;
        items.push((number, item));
        number
    }

    /// Removes an item.
    pub(super) fn end(&self, number: u32) -> Option<T> {
        let mut items = self.lock();
        let place = items.iter().position(|(other, _)| *other == number)?;
        Some(items.swap_remove(place).1)
    }

    /// Calls `act` with an item, if there is one with this number.
    pub(super) fn with<R>(&self, number: u32, act: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut items = self.lock();
        let (_, item) = items.iter_mut().find(|(other, _)| *other == number)?;
        Some(act(item))
    }
}

static REELS: Numbered<Reel> = Numbered::new();

/// What a recorded source draws from, and what it has drawn.
#[derive(Debug)]
struct Reel {
    source: DrawSource,
    drawn: Draws,
    /// After this many draws, the execution is given up.
    most: usize,
    /// What it draws from then on, instead of being given up.
    then: Option<TestRng>,
    /// Whether to find out where draws come from.
    traced: bool,
}

/// Where the numbers come from.
#[derive(Clone, Debug)]
enum DrawSource {
    /// The tape, and zeros after its end.
    Tape(Tape),
    /// The stream of the execution.
    Stream(TestRng),
}

/// Records what a stream draws, or plays a tape instead, and returns the number of the reel.
pub(super) fn begin(stream: TestRng, playing: Playing) -> u32 {
    let Playing { tape, most, gives_up, traced, .. } = playing;
    REELS.begin(match tape {
        Some(tape) => {
            let then = (!gives_up).then_some(stream);
            Reel { then, ..Reel::new(DrawSource::Tape(tape), most, traced) }
        }
        None if gives_up => Reel::new(DrawSource::Stream(stream), most, traced),
        None => Reel::new(DrawSource::Stream(stream), usize::MAX, traced),
    })
}

/// Releases a reel, and returns what was drawn.
pub(super) fn end(number: u32) -> Draws {
    let mut drawn = REELS.end(number).map(|reel| reel.drawn).unwrap_or_default();
    if drawn.unseen.is_some() {
        drawn.words.clear();
    }
    drawn
}

/// Copies a reel for a source that continues from here; draws of the copy aren't recorded.
pub(super) fn copy(number: u32) -> u32 {
    if number == 0 {
        return 0;
    }
    REELS.with(number, |reel| reel.copy()).map_or(0, |copy| REELS.begin(copy))
}

/// Draws from a reel, or gives up the execution.
pub(super) fn draw(number: u32, bits: u32) -> u64 {
    match REELS.with(number, |reel| reel.draw(bits)) {
        Some(Some(word)) => word,
        Some(None) => std::panic::resume_unwind(Box::new(GaveUp)),
        None => 0,
    }
}

/// Forgets what was drawn, and says why.
#[cfg(feature = "shuttle")]
pub(super) fn hide(number: u32, why: &str) {
    REELS.with(number, |reel| {
        reel.drawn = Draws { unseen: Some(why.to_owned()), ..Draws::default() };
    });
}

/// Notes what the last draw was for, if draws are traced.
#[cfg(feature = "shuttle")]
pub(super) fn name_last(number: u32, call: &str, gave: Option<String>) {
    REELS.with(number, |Reel { drawn, .. }| {
        let last = drawn.places.last_mut();
        if let Some(place) = last.filter(|place| place.number + 1 == drawn.words.len()) {
            place.trace = Trace::Known { call: call.to_owned(), gave, line: None };
        }
    });
}

/// Forgets what was drawn: the execution starts over.
pub(super) fn rewind(number: u32) {
    REELS.with(number, |reel| {
        reel.drawn = Draws::default();
        if let DrawSource::Stream(rng) = &mut reel.source {
            rng.rewind_stream();
        }
    });
}

/// What an execution drew while its draws were recorded.
#[derive(Debug, Default)]
pub struct Draws {
    /// The draws, including zeros.
    pub words: Vec<u64>,
    /// Whether the execution was given up because it drew too many numbers.
    pub gave_up: bool,
    /// Where draws that aren't zero came from.
    pub places: Vec<DrawSite>,
    /// Why draws weren't recorded or can't be replayed, if that is known.
    pub unseen: Option<String>,
    /// The inputs.
    pub inputs: Inputs,
    /// How many more executions ran to shrink inputs that are [`Smaller::Asked`](super::Smaller).
    pub executions: u64,
}

/// Where a draw came from.
#[derive(Debug)]
pub struct DrawSite {
    /// The number of the draw, from 0.
    pub number: usize,
    /// The number that was drawn, as a share of the largest possible one.
    pub part: f64,
    /// What was running.
    pub trace: Trace,
}

/// What was running when a number was drawn.
#[derive(Debug)]
pub enum Trace {
    /// The functions; where the user's code begins is found from them.
    Backtrace(Backtrace),
    /// What the executor found out by itself.
    Known {
        /// The call that drew it.
        call: String,
        /// What the call returned.
        gave: Option<String>,
        /// The file and line.
        line: Option<String>,
    },
}

/// What an execution must do with its draws, if they are recorded.
#[derive(Clone, Debug)]
pub struct Playing {
    /// The tape to play; `None` to draw from the stream and record that.
    pub tape: Option<Tape>,
    /// How to make the inputs; `None` if they follow from the stream.
    pub inputs: Option<InputCode>,
    /// How long the code that draws inputs that are [`Smaller::Asked`](super::Smaller) may shrink
    /// them now, with as many executions as that takes, while the program draws from its stream.
    /// The smallest input that shows the violation is recorded.
    pub shrinks_inputs: Option<Duration>,
    /// After this many draws, the execution is given up, or continues to draw from its stream.
    pub most: usize,
    /// Which of the two: true gives it up. A changed program may wait forever for a number that
    /// isn't zero.
    pub gives_up: bool,
    /// Whether to find out where draws come from.
    pub traced: bool,
}

/// Ends an execution that draws far more than it should.
pub(crate) struct GaveUp;

impl Reel {
    fn new(source: DrawSource, most: usize, traced: bool) -> Self {
        Reel { source, drawn: Draws::default(), most, then: None, traced }
    }

    fn copy(&self) -> Self {
        Reel {
            drawn: Draws { words: self.drawn.words.clone(), ..Draws::default() },
            then: self.then.clone(),
            ..Reel::new(self.source.clone(), self.most, false)
        }
    }

    /// Draws one number; `None` if it has drawn as much as it may.
    fn draw(&mut self, bits: u32) -> Option<u64> {
        let number = self.drawn.words.len();
        if number >= self.most {
            let Some(stream) = self.then.take() else {
                self.drawn.gave_up = true;
                return None;
            };
            self.source = DrawSource::Stream(stream);
            self.most = usize::MAX;
        }
        let word = match (&mut self.source, bits) {
            // A word that another draw took in full may have ended up here.
            (DrawSource::Tape(tape), 32) => tape.at(number) & u64::from(u32::MAX),
            (DrawSource::Tape(tape), _) => tape.at(number),
            (DrawSource::Stream(rng), 32) => u64::from(rng.draw_u32()),
            (DrawSource::Stream(rng), _) => rng.draw_u64(),
        };
        if number >= MOST_KEPT && matches!(self.source, DrawSource::Stream(_)) {
            let why = || format!("it draws more than {MOST_KEPT} numbers");
            self.drawn.unseen.get_or_insert_with(why);
            return Some(word);
        }
        if self.traced && word != 0 {
            let part = word as f64 / 2_f64.powi(bits as i32);
            let trace = Trace::Backtrace(Backtrace::force_capture());
            self.drawn.places.push(DrawSite { number, part, trace });
        }
        self.drawn.words.push(word);
        Some(word)
    }
}

/// The prefix of a tape's text: the version of its format.
const VERSION: &str = "t1.";
/// The same, if the inputs of the execution don't follow from its stream: how they were made
/// precedes the draws.
const WITH_INPUTS: &str = "t2.";
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The most draws to read from a text, which may come from anywhere.
const MOST_READ: usize = 1 << 24;

impl fmt::Display for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = text_of(&self.words);
        let Some(made) = self.inputs() else {
            return write!(f, "{VERSION}{words}");
        };
        let mut inputs = vec![made.attempt, made.codes.len() as u64];
        for code in &made.codes {
            inputs.push(code.len() as u64);
            inputs.extend(code);
        }
        write!(f, "{WITH_INPUTS}{}.{words}", text_of(&inputs))
    }
}

/// Writes groups of equal draws that are preceded by equally many zeros: how many zeros precede
/// each draw, how many draws there are, then the bytes of the word without zeros at either end.
fn text_of(words: &[u64]) -> String {
    let mut groups: Vec<(u64, u64, u64)> = Vec::new();
    let mut zeros = 0;
    for word in words {
        match (word, groups.last_mut()) {
            (0, _) => zeros += 1,
            (word, Some((before, same, count))) if before == &zeros && same == word => {
                *count += 1;
                zeros = 0;
            }
            (word, _) => groups.push((std::mem::take(&mut zeros), *word, 1)),
        }
    }
    let mut bytes = Vec::new();
    for (zeros, word, count) in groups {
        write_number(&mut bytes, zeros);
        write_number(&mut bytes, count);
        let (below, above) = (word.trailing_zeros() / 8, word.leading_zeros() / 8);
        let length = 8 - below - above;
        bytes.push((below << 4 | length) as u8);
        let shifted = (word >> (8 * below)).to_le_bytes();
        bytes.extend_from_slice(&shifted[..length as usize]);
    }
    let digits = bytes.chunks(3).flat_map(|chunk| {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        (0..=chunk.len()).map(move |i| char::from(DIGITS[(bits >> (18 - 6 * i) & 63) as usize]))
    });
    digits.collect()
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

/// Reads a tape; `None` if the text isn't one.
fn read(text: &str) -> Option<Tape> {
    if let Some(words) = text.strip_prefix(VERSION) {
        return read_words(words).map(Tape::new);
    }
    let (inputs, words) = text.strip_prefix(WITH_INPUTS)?.split_once('.')?;
    let mut inputs = read_words(inputs)?.into_iter();
    let attempt = inputs.next()?;
    let (mut codes, mut left) = (Vec::new(), MOST_READ as u64);
    let mut within = |size: u64| {
        left = left.checked_sub(size)?;
        Some(size)
    };
    for _ in 0..within(inputs.next().unwrap_or(0))? {
        // Trailing zeros weren't written.
        let length = within(inputs.next().unwrap_or(0))?;
        codes.push((0..length).map(|_| inputs.next().unwrap_or(0)).collect());
    }
    let made = InputCode { attempt, codes };
    Some(Tape::new(read_words(words)?).with_inputs(made))
}

/// Reads the groups of a text; `None` if it isn't valid.
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
        if word == 0 || more > (MOST_READ - words.len()) as u64 {
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
    fn a_word_that_is_played_for_half_of_one_is_half_of_it() {
        let mut reel = Reel::new(DrawSource::Tape(Tape::new(vec![u64::MAX])), 8, false);
        assert_eq!(reel.draw(32), Some(u64::from(u32::MAX)));
        assert_eq!(reel.drawn.words, [u64::from(u32::MAX)]);
    }

    #[test]
    fn behind_a_tape_that_is_only_played_the_stream_goes_on() {
        let stream = || crate::seed::Stream::new(crate::seed::RunSeed(1), "on").attempt(1, 0);
        let mut reel = Reel::new(DrawSource::Tape(Tape::new(vec![7])), 3, false);
        reel.then = Some(stream());
        let drawn: Vec<_> = (0..4).map(|_| reel.draw(64)).collect();
        assert_eq!(drawn, [Some(7), Some(0), Some(0), Some(stream().draw_u64())]);
        assert!(!reel.drawn.gave_up);
    }

    #[test]
    fn an_execution_that_draws_without_end_is_not_kept() {
        let rng = crate::seed::Stream::new(crate::seed::RunSeed(1), "endless").attempt(1, 0);
        let mut reel = Reel::new(DrawSource::Stream(rng), usize::MAX, false);
        reel.drawn.words = vec![0; MOST_KEPT];
        assert!(reel.draw(64).is_some());
        let number = REELS.begin(reel);
        let drawn = end(number);
        assert!(drawn.words.is_empty());
        let why = "it draws more than 1048576 numbers";
        assert_eq!(drawn.unseen.as_deref(), Some(why));
    }

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
