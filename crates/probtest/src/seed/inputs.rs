//! Where the inputs of an execution come from, and which were drawn.
//!
//! Inputs have their own numbers, separate from those of the program, so that neither changes the
//! other: an input can be shrunk while the program's numbers are kept.

use super::philox;
use super::tape::Numbered;

/// The purpose of these numbers, which separates them from those of the program.
const PURPOSE: u64 = 3;

/// Where an input of one execution comes from, for code that makes inputs.
#[derive(Clone, Copy, Debug)]
pub struct InputSource {
    pub(super) key: [u64; 2],
    /// The number of the input, from 1: the execution's own, or one that several share.
    pub(super) number: u64,
    pub(super) attempt: u64,
    pub(super) tray: u32,
    /// Which draw of the execution it is, from 0.
    pub(crate) place: u32,
}

impl InputSource {
    /// The number of the input, from 1: the execution's own, or one that several share.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Which draw of the execution it is, from 0.
    pub fn place(&self) -> u32 {
        self.place
    }

    /// How many inputs were rejected before this one.
    pub fn attempt(&self) -> u64 {
        self.attempt
    }

    /// The random numbers of the draw, four at a time: block `block`, from 0.
    #[inline]
    pub fn block(&self, block: u32) -> [u64; 4] {
        let words = u64::from(self.place) << 32 | u64::from(block);
        philox::block([words, self.attempt, self.number, PURPOSE], self.key)
    }

    /// How to make the input, see [`InputDrawn::code`]; `None` if inputs aren't recorded.
    pub fn code(&self) -> Option<Vec<u64>> {
        if self.tray == 0 {
            return None;
        }
        TRAYS.with(self.tray, |tray| {
            let code = tray.made.as_ref().and_then(|made| made.codes.get(self.place as usize));
            code.cloned().unwrap_or_default()
        })
    }

    /// Records what was drawn, if inputs are recorded.
    pub fn record(&self, input: InputDrawn) {
        TRAYS.with(self.tray, |tray| {
            tray.seen.attempt = self.attempt;
            tray.seen.drawn.push(input);
        });
    }
}

/// How the inputs of an execution are made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct InputCode {
    /// How many inputs were rejected before these.
    pub attempt: u64,
    /// For each draw, [`InputDrawn::code`].
    pub codes: Vec<Vec<u64>>,
}

impl InputCode {
    /// Drops trailing parts that have no effect, so that equal inputs compare equal.
    pub(super) fn trimmed(mut self) -> Self {
        let made = self.codes.iter().rposition(|code| !code.is_empty());
        self.codes.truncate(made.map_or(0, |last| last + 1));
        self
    }
}

/// The inputs that an execution drew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// How many were rejected before these.
    pub attempt: u64,
    /// One for each draw.
    pub drawn: Vec<InputDrawn>,
}

impl Inputs {
    /// How they are made.
    pub fn code(&self) -> InputCode {
        let codes = self.drawn.iter().map(|input| input.code.clone());
        InputCode { attempt: self.attempt, codes: codes.collect() }
    }
}

/// An input that an execution drew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputDrawn {
    /// Its name: the parameter, or the number of the draw.
    pub name: String,
    /// Its value in readable form.
    pub text: String,
    /// How it was made from the numbers of its draw; empty if it follows from them directly.
    pub code: Vec<u64>,
    /// How another code can make it smaller.
    pub smaller: Smaller,
}

/// How the code of an input makes it smaller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Smaller {
    /// It can't be made smaller.
    #[default]
    Not,
    /// By the code that draws it, if [`Playing::shrinks_inputs`](super::Playing) asks for that.
    Asked {
        /// Whether time ran out before shrinking finished.
        cut: bool,
    },
    /// By steps: a number of steps to simpler values, then a number back, and so on in turn.
    Steps {
        /// Whether the last step couldn't be taken.
        ended: bool,
    },
    /// By other words in place of the stream's numbers, which are these.
    Words(Vec<u64>),
}

/// How to make the inputs of an execution that is being recorded, and what it drew.
struct Tray {
    made: Option<InputCode>,
    seen: Inputs,
}

static TRAYS: Numbered<Tray> = Numbered::new();

/// Records the inputs of an execution, and returns the number of their tray.
pub(super) fn begin(made: Option<InputCode>) -> u32 {
    TRAYS.begin(Tray { made, seen: Inputs::default() })
}

/// Releases a tray, and returns what was drawn.
pub(super) fn end(number: u32) -> Inputs {
    TRAYS.end(number).map(|tray| tray.seen).unwrap_or_default()
}

/// Forgets what was drawn: the execution starts over.
pub(super) fn rewind(number: u32) {
    TRAYS.with(number, |tray| tray.seen = Inputs::default());
}
