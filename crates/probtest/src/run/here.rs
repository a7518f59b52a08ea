//! What this thread is executing.

use std::cell::Cell;

use super::saying::{self, Statements};
use crate::seed::{InputSource, Selection, TestRng};

/// What has happened to an execution, a bit for each.
pub(super) type Marks = u16;

/// Panics go to the program's hook as well.
pub(super) const SHOWN: Marks = 1;
/// The execution has declared itself not applicable, even if the body catches the unwinding.
pub(super) const REJECTED: Marks = 2;
/// The panic hook has kept a panic of this execution.
pub(super) const KEPT: Marks = 4;
/// Panics on threads and in tasks of this execution are part of it.
pub(super) const EXPECTED: Marks = 8;
/// The execution has said something about itself.
pub(super) const SAID_SOMETHING: Marks = 16;
/// An input has used random numbers; one that is always the same uses none.
pub(super) const DREW_INPUT: Marks = 32;
/// What rejected the execution was an input that could not be drawn.
pub(super) const INPUT_REJECTED: Marks = 64;
/// The execution has asked for an input.
pub(super) const ASKED_INPUT: Marks = 128;
/// The body takes the source besides its inputs, so those do not count for it.
pub(super) const LENT: Marks = 256;
/// All marks of an execution that only draws inputs.
pub(super) const OF_INPUTS: Marks = DREW_INPUT | ASKED_INPUT | LENT;

/// What this thread is executing, and what has happened to it so far. Cheap to write, since that
/// happens for each execution.
struct Here {
    under_way: Cell<bool>,
    marks: Cell<Marks>,
    execution: Cell<Option<Execution>>,
}

/// What an execution is called, and where its inputs come from.
#[derive(Clone, Copy)]
pub(super) struct Execution {
    selection: Selection,
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

/// The execution around the one under way. There rarely is one, so it is just a pointer.
pub(super) struct Outer(Option<Box<Around>>);

struct Around {
    marks: Marks,
    execution: Option<Execution>,
    said: Statements,
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

/// Begins an execution, or resumes one that has these marks.
#[inline]
pub(super) fn begin(execution: impl FnOnce() -> Execution, marks: Marks) -> Outer {
    HERE.with(|here| {
        let outer = if here.under_way.replace(true) { around(here) } else { None };
        here.marks.set(marks);
        here.execution.set(Some(execution()));
        Outer(outer)
    })
}

#[cold]
fn around(here: &Here) -> Option<Box<Around>> {
    Some(Box::new(Around {
        marks: here.marks.get(),
        execution: here.execution.get(),
        said: saying::replace(Statements::default()),
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
    current().map(|execution| execution.selection)
}

/// The same, with where its next input comes from.
pub(super) fn current() -> Option<Execution> {
    HERE.with(|here| here.execution.get().filter(|_| here.under_way.get()))
}

/// Begins to draw the next input of the execution under way on this thread, for libraries that make
/// inputs in their own way.
pub fn next_input() -> Option<InputSource> {
    let source = ask_input();
    mark(DREW_INPUT);
    source
}

/// The same, for callers that mark whether they have used its numbers.
pub(super) fn ask_input() -> Option<InputSource> {
    let mut execution = current()?;
    let source = execution.inputs;
    execution.inputs.place += 1;
    HERE.with(|here| here.execution.set(Some(execution)));
    mark(ASKED_INPUT);
    Some(source)
}

/// Says whether the execution under way has this mark.
pub(super) fn is_marked(mark: Marks) -> bool {
    HERE.with(|here| here.marks.get() & mark != 0)
}

/// Marks the execution under way.
pub(super) fn mark(mark: Marks) {
    HERE.with(|here| here.marks.set(here.marks.get() | mark));
}
