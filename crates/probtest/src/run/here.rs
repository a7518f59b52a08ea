//! What this thread is executing.

use std::cell::Cell;

use super::saying::{self, Said};
use crate::seed::{InputSource, Selection, TestRng};

/// What has happened to an execution, a bit for each.
pub(super) type Marks = u16;

/// A panic goes to the ordinary hook as well.
pub(super) const SHOWN: Marks = 1;
/// The execution has declared itself not applicable. The unwinding that follows may
/// be caught by the body, the declaration stays.
pub(super) const REJECTED: Marks = 2;
/// The panic hook has kept a panic of this execution.
pub(super) const KEPT: Marks = 4;
/// Panics on threads and in tasks of this execution are part of it.
pub(super) const EXPECTED: Marks = 8;
/// The execution has said something about itself.
pub(super) const SAID_SOMETHING: Marks = 16;
/// The numbers of an input were used: not where it is always the same.
pub(super) const DREW_INPUT: Marks = 32;
/// What rejected the execution was an input that could not be drawn.
pub(super) const INPUT_REJECTED: Marks = 64;
/// The execution has asked for an input.
pub(super) const ASKED_INPUT: Marks = 128;
/// The body takes the source besides its inputs, so those do not count for it.
pub(super) const LENT: Marks = 256;
/// What all those mean who draw inputs and nothing else.
pub(super) const OF_INPUTS: Marks = DREW_INPUT | ASKED_INPUT | LENT;

/// What this thread is executing, and what has happened to it so far.
///
/// Written for each execution, so it is what is cheap to write.
struct Here {
    under_way: Cell<bool>,
    marks: Cell<Marks>,
    execution: Cell<Option<Execution>>,
}

/// What an execution is called, and where its inputs come from.
#[derive(Clone, Copy)]
pub(super) struct Execution {
    selection: Selection,
    /// Where the next one comes from.
    inputs: InputSource,
}

impl Execution {
    /// The execution of a source.
    #[inline]
    pub(super) fn of(rng: &TestRng) -> Self {
        Execution { selection: rng.selection(), inputs: rng.input_source() }
    }
}

thread_local! {
    static HERE: Here = const {
        Here {
            under_way: Cell::new(false),
            marks: Cell::new(0),
            execution: Cell::new(None),
        }
    };
}

/// The execution around another one, while that one is under way. There rarely is
/// one, so nothing but a null pointer is kept for it.
pub(super) struct Outer(Option<Box<Around>>);

struct Around {
    marks: Marks,
    execution: Option<Execution>,
    said: Said,
}

impl Drop for Outer {
    /// Gives back what the execution around has said.
    #[inline]
    fn drop(&mut self) {
        if let Some(outer) = self.0.take() {
            saying::replace(outer.said);
        }
    }
}

/// Begins an execution, or goes on with one that bears these marks.
#[inline]
pub(super) fn begin(execution: Execution, marks: Marks) -> Outer {
    HERE.with(|here| {
        let outer = match here.under_way.replace(true) {
            false => None,
            true => around(here),
        };
        here.marks.set(marks);
        here.execution.set(Some(execution));
        Outer(outer)
    })
}

#[cold]
fn around(here: &Here) -> Option<Box<Around>> {
    Some(Box::new(Around {
        marks: here.marks.get(),
        execution: here.execution.get(),
        said: saying::replace(Said::default()),
    }))
}

/// Ends an execution and returns its marks.
#[inline]
pub(super) fn end(outer: &Outer) -> Marks {
    HERE.with(|here| {
        let marks = here.marks.get();
        match &outer.0 {
            None => here.under_way.set(false),
            Some(outer) => {
                here.marks.set(outer.marks);
                here.execution.set(outer.execution);
            }
        }
        marks
    })
}

/// Returns the execution under way on this thread.
pub(super) fn execution() -> Option<Selection> {
    whole().map(|execution| execution.selection)
}

/// The same, with how far it has come.
pub(super) fn whole() -> Option<Execution> {
    HERE.with(|here| here.execution.get().filter(|_| here.under_way.get()))
}

/// Begins to draw the next input of the execution under way on this thread: for libraries that
/// make inputs in their own way.
pub fn next_input() -> Option<InputSource> {
    let source = ask_input();
    mark(DREW_INPUT);
    source
}

/// The same, for those that say whether they have used its numbers.
pub(super) fn ask_input() -> Option<InputSource> {
    let mut execution = whole()?;
    let source = execution.inputs;
    execution.inputs.place += 1;
    HERE.with(|here| here.execution.set(Some(execution)));
    mark(ASKED_INPUT);
    Some(source)
}

/// Says whether the execution under way bears this mark.
pub(super) fn is_marked(mark: Marks) -> bool {
    HERE.with(|here| here.marks.get() & mark != 0)
}

/// Marks the execution under way.
pub(super) fn mark(mark: Marks) {
    HERE.with(|here| here.marks.set(here.marks.get() | mark));
}
