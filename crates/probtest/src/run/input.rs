//! Inputs: what a body draws besides the numbers of the program under test.
//!
//! An input comes from numbers apart from those of the program. It may be shared with other
//! executions: then one that is not applicable is drawn again here, and all that have it do the
//! same.

#[cfg(feature = "arbitrary")]
pub(super) mod bytes;
#[cfg(feature = "proptest")]
pub(super) mod strategies;

use super::Observation;
use super::here::{DREW_INPUT, INPUT_REJECTED, REJECTED};
use crate::seed::TestRng;

/// How often an input that several executions share may be rejected and drawn again.
const REJECTIONS_IN_A_ROW: u64 = 1000;

/// The panic payload of an input that cannot be drawn, with the reason.
pub(super) struct Undrawn(pub(super) String);

/// Ends an execution that may have drawn inputs: notes that it has, or says that the execution
/// is to be made again, since its input is not applicable.
#[inline]
pub(super) fn settle(
    rng: &mut TestRng,
    marks: u8,
    observation: Observation,
    rejected: &mut u64,
) -> Option<Observation> {
    match (marks & DREW_INPUT, rng.shares_input()) {
        (0, false) => Some(observation),
        (_, false) => {
            rng.take_input();
            Some(observation)
        }
        (drew, true) => {
            // A body does the same up to its first draw: so will every execution with this input.
            let by_input = marks & INPUT_REJECTED != 0 || !rng.has_drawn();
            let again = marks & REJECTED != 0 && by_input && !rng.plays_inputs();
            settle_shared(drew != 0, again, observation, rejected)
        }
    }
}

/// Ends an execution that shares its input with others, after so many inputs that were not
/// applicable: returns what it did, or nothing where it is to be made again with the next input.
///
/// `drew` says whether it has drawn an input, and `by_input` whether every execution with this
/// input would be rejected as this one.
#[cold]
pub fn settle_shared(
    drew: bool,
    by_input: bool,
    observation: Observation,
    rejected: &mut u64,
) -> Option<Observation> {
    if !drew {
        return Some(match holds(&observation) {
            true => Observation::Broken(
                "the test says inputs, and the body has drawn none in this execution".into(),
            ),
            false => observation,
        });
    }
    if !observation.is_rejected() || !by_input {
        return Some(observation);
    }
    *rejected += 1;
    (*rejected == REJECTIONS_IN_A_ROW).then(|| {
        Observation::Broken(format!(
            "its input was rejected {REJECTIONS_IN_A_ROW} times in a row"
        ))
    })
}

/// Whether the assertion held, whatever else the execution said.
fn holds(observation: &Observation) -> bool {
    match observation {
        Observation::Labelled(labelled) => holds(&labelled.0),
        Observation::Noted { otherwise, .. } | Observation::Panicked { otherwise, .. } => {
            holds(otherwise)
        }
        Observation::Rejected
        | Observation::Violated(_)
        | Observation::Broken(_)
        | Observation::Unavailable { .. } => false,
        _ => true,
    }
}

#[cfg(any(feature = "proptest", feature = "arbitrary"))]
mod drawing {
    use std::fmt::{self, Debug, Write};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::super::assume::leave;
    use super::super::here;
    use super::super::panics;
    use super::{INPUT_REJECTED, REJECTED, Undrawn};
    use crate::seed::{GaveUp, InputDrawn, InputSource, Smaller};

    /// The most characters of an input that are kept.
    const MOST: usize = 2000;

    /// A draw under way.
    pub(in super::super) struct Drawing {
        pub(in super::super) source: InputSource,
        name: &'static str,
    }

    impl Drawing {
        /// Begins to draw the next input of the execution.
        #[track_caller]
        pub(in super::super) fn begin(name: &'static str) -> Self {
            let Some(source) = here::next_input() else {
                panic!(
                    "an input was drawn outside the body of a test\n  help   draw it on the thread that executes the body"
                );
            };
            Drawing { source, name }
        }

        /// What the input is called.
        fn name(&self) -> String {
            match self.name {
                "" => format!("draw {}", self.source.place() + 1),
                name => name.to_owned(),
            }
        }

        /// Calls what makes the input. A panic there is no violation of the program.
        pub(in super::super) fn make<T>(&self, make: impl FnOnce() -> T) -> T {
            catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|payload| {
                if panics::is_ours(&*payload) {
                    std::panic::resume_unwind(payload);
                }
                let why = panics::text_of(payload);
                let why = format!("its input {} could not be made: {why}", self.name());
                std::panic::resume_unwind(Box::new(Undrawn(why)))
            })
        }

        /// Tells those who look what was drawn.
        #[cold]
        pub(in super::super) fn tell(&self, value: &dyn Debug, code: Vec<u64>, smaller: Smaller) {
            let gives_up = smaller == Smaller::Steps { ended: true };
            self.source.tell(InputDrawn {
                name: self.name(),
                text: bounded(value),
                code,
                smaller,
            });
            if gives_up {
                std::panic::resume_unwind(Box::new(GaveUp));
            }
        }
    }

    /// Rejects the execution, since its input cannot be drawn.
    #[cold]
    pub(in super::super) fn reject() -> ! {
        leave(REJECTED | INPUT_REJECTED)
    }

    /// Writes so much of a value as people read.
    fn bounded(value: &dyn Debug) -> String {
        struct Bounded(String);
        impl Write for Bounded {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                let left = MOST - self.0.len();
                if text.len() <= left {
                    self.0.push_str(text);
                    return Ok(());
                }
                let end = (0..=left).rev().find(|end| text.is_char_boundary(*end));
                self.0.push_str(&text[..end.unwrap_or(0)]);
                Err(fmt::Error)
            }
        }
        let mut text = Bounded(String::new());
        if write!(text, "{value:?}").is_err() {
            text.0.push_str(" ..");
        }
        text.0
    }
}
