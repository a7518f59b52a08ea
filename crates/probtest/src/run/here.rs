//! What this thread is executing.

use std::cell::Cell;

use super::saying::{self, Statements};
use crate::seed::{InputSource, Selection, TestRng};

/// What has happened to an execution, one bit each.
pub(super) type Marks = u16;

/// Panics also go to the program's hook.
pub(super) const SHOWN: Marks = 1;
/// The execution has declared itself not applicable, even if the body catches the unwinding.
pub(super) const REJECTED: Marks = 2;
/// The panic hook has kept a panic of this execution.
pub(super) const KEPT: Marks = 4;
/// Panics on threads and in tasks of this execution are part of it.
pub(super) const EXPECTED: Marks = 8;
/// The execution has said something about itself.
pub(super) const SAID_SOMETHING: Marks = 16;
/// An input has used random numbers; a constant input uses none.
pub(super) const DREW_INPUT: Marks = 32;
/// The execution was rejected because an input couldn't be drawn.
pub(super) const INPUT_REJECTED: Marks = 64;
/// The execution has asked for an input.
pub(super) const ASKED_INPUT: Marks = 128;
/// The body takes the source in addition to its inputs, so drawing inputs doesn't count as using
/// it.
pub(super) const LENT: Marks = 256;
/// All marks of an execution that only draws inputs.
pub(super) const OF_INPUTS: Marks = DREW_INPUT | ASKED_INPUT | LENT;

/// What this thread is executing, and what has happened to it so far. Cheap to write, since every
/// execution does.
struct Here {
    under_way: Cell<bool>,
    marks: Cell<Marks>,
    execution: Cell<Option<Execution>>,
}

/// The identity of an execution, and where its inputs come from.
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

/// The execution around the current one. There rarely is one, so this is just a pointer.
pub(super) struct Outer(Option<Box<Around>>);

struct Around {
    marks: Marks,
    execution: Option<Execution>,
    said: Statements,
}

impl Drop for Outer {
    /// Restores what the outer execution said.
    #[inline]
    fn drop(&mut self) {
        if let Some(outer) = self.0.take() {
            saying::replace(outer.said);
        }
    }
}

/// Starts an execution, or resumes one with these marks.
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

/// Returns the current execution on this thread.
pub(super) fn execution() -> Option<Selection> {
    current().map(|execution| execution.selection)
}

/// The same, with the source of its next input.
pub(super) fn current() -> Option<Execution> {
    HERE.with(|here| here.execution.get().filter(|_| here.under_way.get()))
}

/// Starts drawing the next input of the current execution on this thread, for libraries that make
/// inputs in their own way.
pub fn next_input() -> Option<InputSource> {
    let source = ask_input();
    mark(DREW_INPUT);
    source
}

/// The same, for callers that mark whether they used its numbers.
pub(super) fn ask_input() -> Option<InputSource> {
    let mut execution = current()?;
    let source = execution.inputs;
    execution.inputs.place += 1;
    HERE.with(|here| here.execution.set(Some(execution)));
    mark(ASKED_INPUT);
    Some(source)
}

/// Whether the current execution has this mark.
pub(super) fn is_marked(mark: Marks) -> bool {
    HERE.with(|here| here.marks.get() & mark != 0)
}

/// Marks the current execution.
pub(super) fn mark(mark: Marks) {
    HERE.with(|here| here.marks.set(here.marks.get() | mark));
}
