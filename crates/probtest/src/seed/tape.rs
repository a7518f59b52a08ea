//! The draws of one execution, kept, changed and played again.

use std::backtrace::Backtrace;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{InputCode, Inputs, TestRng};

/// The most draws that are kept; an execution with more of them is not made smaller.
pub const MOST_KEPT: usize = 1 << 20;

/// The draws of one execution, one word for each. After its end come zeros.
///
/// Its text is short where most draws are zero, or the same:
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tape {
    words: Vec<u64>,
    /// How the inputs are made.
    inputs: InputCode,
}

impl Tape {
    /// Makes a tape of these draws. Zeros at its end are left out: they come anyway.
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

    /// How the inputs are made; none where that is what the stream says.
    pub fn inputs(&self) -> Option<&InputCode> {
        Some(&self.inputs).filter(|inputs| **inputs != InputCode::default())
    }

    /// The draws, up to the last that is not zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A draw by its number from 0; after the end zero.
    fn at(&self, number: usize) -> u64 {
        self.words.get(number).copied().unwrap_or(0)
    }

    /// How many draws are not zero.
    pub fn matter(&self) -> usize {
        self.words.iter().filter(|word| **word != 0).count()
    }
}

/// What sources draw from whose draws are seen, by number. Here and not in the sources, so that
/// those without one have nothing to drop. A copy that a body makes stays: there are few.
static REELS: Mutex<Vec<(u32, Reel)>> = Mutex::new(Vec::new());

/// What a source draws from while its draws are seen, and what it has drawn.
#[derive(Debug)]
pub(super) struct Reel {
    source: Source,
    drawn: Drawn,
    /// After so many draws the execution is given up.
    most: usize,
    /// What it draws from then on instead of being given up.
    then: Option<TestRng>,
    /// Whether to look where draws come from.
    traced: bool,
}

/// Where the numbers come from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// The tape, and zeros after its end.
    Tape(Tape),
    /// The stream of the execution.
    Stream(TestRng),
}

fn reels() -> MutexGuard<'static, Vec<(u32, Reel)>> {
    // Nothing that can panic runs under the lock.
    REELS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a reel, and returns its number.
pub(super) fn begin(reel: Reel) -> u32 {
    let mut reels = reels();
    let number = reels.iter().map(|(number, _)| *number).max().unwrap_or(0) + 1;
    reels.push((number, reel));
    number
}

/// Lets go of a reel, and returns what was drawn.
pub(super) fn end(number: u32) -> Drawn {
    let mut reels = reels();
    let place = reels.iter().position(|(other, _)| *other == number);
    let reel = place.map(|place| reels.swap_remove(place).1);
    let mut drawn = reel.map(|reel| reel.drawn).unwrap_or_default();
    if drawn.unseen.is_some() {
        drawn.words.clear();
    }
    drawn
}

/// Copies a reel for a source that goes on from here; nobody sees what that draws.
pub(super) fn copy(number: u32) -> u32 {
    if number == 0 {
        return 0;
    }
    let found = reels().iter().find(|(other, _)| *other == number).map(|(_, reel)| reel.copy());
    found.map_or(0, begin)
}

/// Draws from a reel, or gives the execution up.
pub(super) fn draw(number: u32, bits: u32) -> u64 {
    let mut reels = reels();
    let found = reels.iter_mut().find(|(other, _)| *other == number);
    let word = found.map(|(_, reel)| reel.draw(bits));
    drop(reels);
    match word {
        Some(Some(word)) => word,
        Some(None) => std::panic::resume_unwind(Box::new(GaveUp)),
        None => 0,
    }
}

/// Forgets what was drawn, and says why.
#[cfg(feature = "shuttle")]
pub(super) fn hide(number: u32, why: &str) {
    if let Some((_, reel)) = reels().iter_mut().find(|(known, _)| *known == number) {
        reel.drawn = Drawn { unseen: Some(why.to_owned()), ..Drawn::default() };
    }
}

/// Says what the last draw was for, where that was looked for.
#[cfg(feature = "shuttle")]
pub(super) fn name_last(number: u32, call: &str, gave: Option<String>) {
    if let Some((_, reel)) = reels().iter_mut().find(|(known, _)| *known == number) {
        let drawn = &mut reel.drawn;
        if let Some(place) =
            drawn.places.last_mut().filter(|place| place.number + 1 == drawn.words.len())
        {
            place.trace = Trace::Known { call: call.to_owned(), gave, line: None };
        }
    }
}

/// Forgets what was drawn: the execution begins anew.
pub(super) fn rewind(number: u32) {
    let mut reels = reels();
    if let Some((_, reel)) = reels.iter_mut().find(|(other, _)| *other == number) {
        reel.drawn = Drawn::default();
        if let Source::Stream(rng) = &mut reel.source {
            rng.rewind_stream();
        }
    }
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
    /// Why draws were not seen, or cannot be played, where that is known.
    pub unseen: Option<String>,
    /// The inputs.
    pub inputs: Inputs,
    /// How many executions were made besides, to make inputs smaller that are
    /// [`Smaller::Asked`](super::Smaller).
    pub executions: u64,
}

/// Where a draw came from.
#[derive(Debug)]
pub struct Place {
    /// The number of the draw, from 0.
    pub number: usize,
    /// The number that was drawn, as a part of the largest.
    pub part: f64,
    /// What was under way.
    pub trace: Trace,
}

/// What was under way when a number was drawn.
#[derive(Debug)]
pub enum Trace {
    /// The functions; where the user's begin is found from them.
    Backtrace(Backtrace),
    /// What an executor has found itself.
    Known {
        /// The call that drew it.
        call: String,
        /// What came out of it.
        gave: Option<String>,
        /// The file and the line.
        line: Option<String>,
    },
}

/// What an execution is to do with its draws, where they are seen.
#[derive(Clone, Debug)]
pub struct Playing {
    /// The tape to play; none where the numbers of the stream are only kept.
    pub tape: Option<Tape>,
    /// How the inputs are to be made; none where that is what the stream says.
    pub inputs: Option<InputCode>,
    /// How long whoever draws inputs that are [`Smaller::Asked`](super::Smaller) may make them
    /// smaller now, while the program draws what its stream says: by as many executions as that
    /// takes. What is told is the smallest that shows the violation.
    pub shrinks_inputs: Option<Duration>,
    /// After so many draws the execution is given up, or draws what its stream says.
    pub most: usize,
    /// Which of the two. A program that was changed may wait for ever for another number than the
    /// tape has behind its end.
    pub gives_up: bool,
    /// Whether to look where draws come from.
    pub traced: bool,
}

/// What ends an execution that draws far more than it should.
pub(crate) struct GaveUp;

impl Reel {
    pub(super) fn new(source: Source, most: usize, traced: bool) -> Self {
        Reel { source, drawn: Drawn::default(), most, then: None, traced }
    }

    /// Draws what the stream says from where it would be given up.
    pub(super) fn then(mut self, stream: TestRng) -> Self {
        self.then = Some(stream);
        self
    }

    fn copy(&self) -> Self {
        let mut copy = Reel::new(self.source.clone(), self.most, false);
        copy.then.clone_from(&self.then);
        copy.drawn.words.clone_from(&self.drawn.words);
        copy
    }

    /// Draws one number; none when it has drawn all that it may.
    fn draw(&mut self, bits: u32) -> Option<u64> {
        let number = self.drawn.words.len();
        if number >= self.most {
            let Some(stream) = self.then.take() else {
                self.drawn.gave_up = true;
                return None;
            };
            self.source = Source::Stream(stream);
            self.most = usize::MAX;
        }
        let word = match (&mut self.source, bits) {
            // A word that another draw took whole may have come here.
            (Source::Tape(tape), 32) => tape.at(number) & u64::from(u32::MAX),
            (Source::Tape(tape), _) => tape.at(number),
            (Source::Stream(rng), 32) => u64::from(rng.draw_u32()),
            (Source::Stream(rng), _) => rng.draw_u64(),
        };
        if number >= MOST_KEPT && matches!(self.source, Source::Stream(_)) {
            let why = || format!("it draws more than {MOST_KEPT} numbers");
            self.drawn.unseen.get_or_insert_with(why);
            return Some(word);
        }
        if self.traced && word != 0 {
            let part = word as f64 / 2_f64.powi(bits as i32);
            let trace = Trace::Backtrace(Backtrace::force_capture());
            self.drawn.places.push(Place { number, part, trace });
        }
        self.drawn.words.push(word);
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_played_for_half_of_one_is_half_of_it() {
        let mut reel = Reel::new(Source::Tape(Tape::new(vec![u64::MAX])), 8, false);
        assert_eq!(reel.draw(32), Some(u64::from(u32::MAX)));
        assert_eq!(reel.drawn.words, [u64::from(u32::MAX)]);
    }

    #[test]
    fn behind_a_tape_that_is_only_played_the_stream_goes_on() {
        let stream = || crate::seed::Stream::new(crate::seed::RunSeed(1), "on").attempt(1, 0);
        let mut reel = Reel::new(Source::Tape(Tape::new(vec![7])), 3, false).then(stream());
        let drawn: Vec<_> = (0..4).map(|_| reel.draw(64)).collect();
        assert_eq!(drawn, [Some(7), Some(0), Some(0), Some(stream().draw_u64())]);
        assert!(!reel.drawn.gave_up);
    }

    #[test]
    fn an_execution_that_draws_without_end_is_not_kept() {
        let rng = crate::seed::Stream::new(crate::seed::RunSeed(1), "endless").attempt(1, 0);
        let mut reel = Reel::new(Source::Stream(rng), usize::MAX, false);
        reel.drawn.words = vec![0; MOST_KEPT];
        assert!(reel.draw(64).is_some());
        let number = begin(reel);
        let drawn = end(number);
        assert!(drawn.words.is_empty());
        let why = "it draws more than 1048576 numbers";
        assert_eq!(drawn.unseen.as_deref(), Some(why));
    }
}
