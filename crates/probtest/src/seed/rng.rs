//! The random source that a test body receives.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};

use super::inputs::{self, InputSource};
use super::tape::{self, Draws, Playing};
use super::{Address, InputCode, RunSeed, Selection, philox};

/// The words of the counter: block within the execution, rejected attempts
/// before this one, execution, purpose.
const BLOCK: usize = 0;
const ATTEMPT: usize = 1;
const EXECUTION: usize = 2;
const PURPOSE: usize = 3;

/// The random source of one execution: Philox4x64-10, keyed by run seed and test.
///
/// It implements the traits of the current `rand`. For `rand` 0.8 and 0.9, turn on the features
/// `rand-08` and `rand-09`.
///
/// ```
/// use probtest::TestRng;
/// use rand::RngExt;
///
/// fn roll(rng: &mut TestRng) -> u8 {
///     rng.random_range(1..=6)
/// }
/// # let stream = probtest::seed::Stream::new(probtest::seed::RunSeed(1), "doc");
/// # assert!((1..=6).contains(&roll(&mut stream.execution(1))));
/// ```
#[derive(Debug)]
pub struct TestRng {
    key: [u64; 2],
    counter: [u64; 4],
    block: [u64; 4],
    /// How many words of `block` are used.
    used: usize,
    /// The upper half of a word whose lower half was drawn as a `u32`.
    half: Option<u32>,
    /// Whether the body took the execution's seed, or a copy that draws by itself.
    taken: AtomicBool,
    /// The identity of the execution; the numbers don't depend on it.
    name: (RunSeed, u32),
    /// The number of the reel that records the draws, or 0. With a reel, all words of `block` stay
    /// used up, so a source without one only checks for it at a new block.
    reel: u32,
    /// The number of the tray that records the inputs, or 0.
    tray: u32,
    /// How many inputs there are; 0 if each execution has its own.
    inputs: u64,
    /// How many inputs were not applicable before those of this execution.
    input_attempt: u64,
    /// How many blocks were drawn before the program started.
    begun: u64,
}

/// How many 64-bit numbers a block has.
#[cfg(feature = "shuttle")]
pub(crate) const BLOCK_WORDS: u64 = 4;

impl TestRng {
    #[inline]
    pub(super) fn new(key: [u64; 2], execution: u64, rejected: u64, name: (RunSeed, u32)) -> Self {
        let mut counter = [0; 4];
        counter[ATTEMPT] = rejected;
        counter[EXECUTION] = execution;
        TestRng {
            key,
            counter,
            block: [0; 4],
            used: 4,
            half: None,
            taken: AtomicBool::new(false),
            name,
            reel: 0,
            tray: 0,
            inputs: 0,
            input_attempt: 0,
            begun: 0,
        }
    }

    #[inline]
    pub(super) fn with_inputs(mut self, inputs: u64, attempt: u64) -> Self {
        (self.inputs, self.input_attempt) = (inputs, attempt);
        self
    }

    /// Where the first input of this execution comes from.
    #[inline]
    pub fn input_source(&self) -> InputSource {
        let execution = self.execution();
        InputSource {
            key: self.key,
            number: match self.inputs {
                0 => execution,
                inputs => (execution - 1) % inputs + 1,
            },
            attempt: self.input_attempt,
            tray: self.tray,
            place: 0,
        }
    }

    /// Whether other executions have the same input.
    #[inline]
    pub(crate) fn shares_input(&self) -> bool {
        self.inputs != 0
    }

    /// Records the inputs drawn from here on, and makes them as given.
    pub(crate) fn on_tray(mut self, made: Option<InputCode>) -> Self {
        if let Some(made) = &made {
            self.input_attempt = made.attempt;
        }
        self.tray = inputs::begin(made);
        self
    }

    /// Notes that an input was drawn that no other execution has.
    #[inline]
    pub(crate) fn take_input(&mut self) {
        *self.taken.get_mut() = true;
    }

    /// How many inputs executions share; `None` if each has its own.
    #[cfg(feature = "shuttle")]
    pub(crate) fn shared_inputs(&self) -> Option<u64> {
        Some(self.inputs).filter(|inputs| *inputs > 0)
    }

    /// Notes that everything drawn so far, in whole blocks, wasn't for the program.
    #[cfg(feature = "shuttle")]
    pub(crate) fn begin_program(&mut self) {
        *self.taken.get_mut() = false;
        self.begun = self.counter[BLOCK];
    }

    /// Goes back to the start, where nothing was drawn.
    #[cold]
    pub(crate) fn rewind(&mut self) {
        self.rewind_stream();
        tape::rewind(self.reel);
        inputs::rewind(self.tray);
    }

    pub(crate) fn rewind_stream(&mut self) {
        (self.counter[BLOCK], self.begun) = (0, 0);
        self.used = self.block.len();
        self.half = None;
        *self.taken.get_mut() = false;
    }

    /// Records what is drawn from here on, or plays a tape instead.
    pub(crate) fn on_tape(mut self, playing: Playing) -> Self {
        self.reel = tape::begin(self.clone(), playing);
        // The copy draws for this source, and has drawn nothing yet.
        *self.taken.get_mut() = false;
        self.used = self.block.len();
        self.half = None;
        self
    }

    /// Returns what was drawn, if it was recorded.
    pub(crate) fn drawn(self) -> Draws {
        let mut drawn = tape::end(self.reel);
        drawn.inputs = inputs::end(self.tray);
        drawn
    }

    /// Another handle on the same draws, for a body that may never return it.
    #[cfg(feature = "shuttle")]
    pub(crate) fn lent(&mut self) -> Self {
        TestRng { taken: AtomicBool::new(*self.taken.get_mut()), ..*self }
    }

    /// Whether draws are recorded.
    #[cfg(feature = "shuttle")]
    pub(crate) fn is_seen(&self) -> bool {
        self.reel != 0
    }

    /// Forgets recorded draws, and says why.
    #[cfg(feature = "shuttle")]
    pub(crate) fn hide(&self, why: &str) {
        if self.is_seen() {
            tape::hide(self.reel, why);
        }
    }

    /// Notes what the last draw was for, and its result.
    #[cfg(feature = "shuttle")]
    pub(crate) fn name_last(&self, call: &str, gave: Option<String>) {
        if self.is_seen() {
            tape::name_last(self.reel, call, gave);
        }
    }

    /// Switches to the numbers for redrawing parts of an execution.
    pub(super) fn apart(mut self) -> Self {
        self.counter[PURPOSE] = 2;
        self
    }

    /// Returns the index of the execution that draws from this source, from 1.
    #[inline]
    pub fn execution(&self) -> u64 {
        self.counter[EXECUTION]
    }

    /// Returns the value of `PROBTEST_REPLAY` that selects this execution of this test.
    #[inline]
    pub fn selection(&self) -> Selection {
        let (seed, tag) = self.name;
        let index = self.execution();
        Selection { address: Address { seed, index }, tag: Some(tag) }
    }

    /// Returns a seed, for a program that takes a number rather than a generator.
    ///
    /// It depends only on run seed, test, execution and attempt, never on what was drawn, and is
    /// independent of the numbers drawn here.
    ///
    /// ```
    /// use probtest::seed::{RunSeed, Stream};
    /// use rand::Rng;
    ///
    /// let mut rng = Stream::new(RunSeed(1), "simulation").execution(3);
    /// let seed = rng.execution_seed();
    /// rng.next_u64();
    /// assert_eq!(seed, rng.execution_seed());
    /// ```
    pub fn execution_seed(&mut self) -> u64 {
        *self.taken.get_mut() = true;
        self.apart_block()[0]
    }

    /// A fair coin toss of this execution, independent of its numbers and its seed. It decides
    /// which of two versions runs first.
    #[doc(hidden)]
    pub fn coin(&self) -> bool {
        self.apart_block()[1] & 1 == 1
    }

    /// A block of numbers separate from those that are drawn.
    fn apart_block(&self) -> [u64; 4] {
        let mut counter = self.counter;
        counter[BLOCK] = 1;
        counter[PURPOSE] = 1;
        philox::block(counter, self.key)
    }

    /// Whether anything was taken from this source yet: numbers, the seed, or a copy.
    #[inline]
    pub fn has_drawn(&self) -> bool {
        self.counter[BLOCK] != self.begun || self.taken.load(Ordering::Relaxed)
    }

    /// Draws 64 bits.
    #[inline]
    pub fn draw_u64(&mut self) -> u64 {
        if self.used == self.block.len() {
            if self.reel != 0 {
                return self.draw_seen(64);
            }
            // The counter is incremented first, as in NumPy, so that both give the same words for
            // the same key and counter.
            self.counter[BLOCK] = self.counter[BLOCK].wrapping_add(1);
            self.block = philox::block(self.counter, self.key);
            self.used = 0;
        }
        let word = self.block[self.used];
        self.used += 1;
        word
    }

    /// Draws while draws are recorded: each is one entry of the tape, whatever its size.
    #[cold]
    fn draw_seen(&mut self, bits: u32) -> u64 {
        *self.taken.get_mut() = true;
        tape::draw(self.reel, bits)
    }

    /// Draws 32 bits: the lower half of a word, then its upper half.
    #[inline]
    pub fn draw_u32(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        if self.used == self.block.len() && self.reel != 0 {
            return self.draw_seen(32) as u32;
        }
        let word = self.draw_u64();
        self.half = Some((word >> 32) as u32);
        word as u32
    }

    /// Fills a slice with random bytes, eight for each word, lowest first.
    pub fn draw_bytes(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let word = self.draw_u64().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }
}

impl Clone for TestRng {
    fn clone(&self) -> Self {
        self.taken.store(true, Ordering::Relaxed);
        TestRng {
            taken: AtomicBool::new(self.has_drawn()),
            reel: tape::copy(self.reel),
            tray: 0,
            ..*self
        }
    }
}

impl rand_core::TryRng for TestRng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.draw_u32())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.draw_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.draw_bytes(bytes);
        Ok(())
    }
}

/// The methods that the traits of older rand versions share.
#[cfg(any(feature = "rand-08", feature = "rand-09"))]
macro_rules! draws {
    () => {
        #[inline]
        fn next_u32(&mut self) -> u32 {
            self.draw_u32()
        }

        #[inline]
        fn next_u64(&mut self) -> u64 {
            self.draw_u64()
        }

        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            self.draw_bytes(bytes);
        }
    };
}

#[cfg(feature = "rand-08")]
impl rand_core_06::RngCore for TestRng {
    draws!();

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core_06::Error> {
        self.draw_bytes(bytes);
        Ok(())
    }
}

#[cfg(feature = "rand-09")]
impl rand_core_09::RngCore for TestRng {
    draws!();
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: (RunSeed, u32) = (RunSeed(7), 0xc0_ffee);

    #[test]
    fn a_word_drawn_as_two_halves_gives_the_lower_half_first() {
        let mut rng = TestRng::new([1, 2], 5, 0, NAME);
        assert_eq!(rng.draw_u32(), 0x2dd67e5b);
        assert_eq!(rng.draw_u32(), 0x196492b6);
        assert_eq!(rng.draw_u64(), 0x9c5839ae9e25708f);
    }

    #[test]
    fn bytes_are_the_words_in_little_endian_order() {
        let mut rng = TestRng::new([1, 2], 5, 0, NAME);
        let mut bytes = [0; 11];
        rng.draw_bytes(&mut bytes);
        assert_eq!(bytes, [0x5b, 0x7e, 0xd6, 0x2d, 0xb6, 0x92, 0x64, 0x19, 0x8f, 0x70, 0x25]);
    }

    #[test]
    fn drawing_is_noticed() {
        let mut rng = TestRng::new([1, 2], 5, 0, NAME);
        assert!(!rng.has_drawn());
        rng.draw_u32();
        assert!(rng.has_drawn());

        let mut rng = TestRng::new([1, 2], 5, 0, NAME);
        rng.execution_seed();
        assert!(rng.has_drawn());
    }
}
