//! Inputs: what a body draws for the program under test, in addition to the program's own numbers.
//!
//! An input comes from its own numbers, separate from those of the program. Executions may share
//! it: if it is rejected, a new one is drawn for all of them.

#[cfg(feature = "arbitrary")]
pub(super) mod bytes;
#[cfg(feature = "proptest")]
pub(super) mod strategies;

use std::fmt::{self, Debug, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::panics::{self, Undrawn};
use super::{here, saying};
use crate::seed::{GaveUp, InputDrawn, InputSource, Smaller};

/// The most characters of an input that are kept.
const MOST: usize = 2000;

/// A draw in progress.
struct Drawing {
    source: InputSource,
    name: &'static str,
}

impl Drawing {
    /// Starts drawing the next input of the execution.
    #[track_caller]
    fn begin(name: &'static str) -> Self {
        let Some(source) = here::ask_input() else {
            panic!(
                "an input was drawn outside a test body\n  help   draw it on the thread that runs the body"
            );
        };
        Drawing { source, name }
    }

    /// The name of the input.
    fn name(&self) -> String {
        match self.name {
            "" => format!("draw {}", self.source.place() + 1),
            name => name.to_owned(),
        }
    }

    /// Notes that the input's numbers were used, so it isn't constant.
    fn drew(&self) {
        here::mark(here::DREW_INPUT);
    }

    /// Calls what makes the input. A panic there isn't a violation of the program.
    fn make<T>(&self, make: impl FnOnce() -> T) -> T {
        catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|payload| {
            if panics::is_ours(&*payload) {
                std::panic::resume_unwind(payload);
            }
            self.fail(&panics::text_of(payload))
        })
    }

    /// Leaves the body, since the input can't be made.
    fn fail(&self, why: &str) -> ! {
        let why = format!("its input {} could not be made: {why}", self.name());
        saying::undrawn(&why);
        std::panic::resume_unwind(Box::new(Undrawn(why)))
    }

    /// Records what was drawn, if anyone is watching.
    #[cold]
    fn record(&self, value: &dyn Debug, code: Vec<u64>, smaller: Smaller) {
        let gives_up = smaller == Smaller::Steps { ended: true };
        self.source.record(InputDrawn { name: self.name(), text: shown(value), code, smaller });
        if gives_up {
            std::panic::resume_unwind(Box::new(GaveUp));
        }
    }
}

/// Rejects the execution, since its input can't be drawn.
#[cfg(feature = "arbitrary")]
#[cold]
fn reject() -> ! {
    saying::leave(here::REJECTED | here::INPUT_REJECTED)
}

/// Formats a value. If that fails, it isn't a violation of the program.
fn shown(value: &dyn Debug) -> String {
    catch_unwind(AssertUnwindSafe(|| bounded(value))).unwrap_or_else(|payload| {
        let why = panics::text_of(payload);
        format!("(its Debug panics: {why})")
    })
}

/// Formats as much of a value as people will read.
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
