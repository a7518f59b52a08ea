//! What this thread is executing.

use std::cell::Cell;

use super::label::{self, Label};
use crate::seed::{InputSource, Selection, TestRng};

/// A panic goes to the ordinary hook all the same.
pub(super) const SHOWN: u8 = 1;
/// The execution has declared itself not applicable. The unwinding that follows may
/// be caught by the body, the declaration stays.
pub(super) const REJECTED: u8 = 2;
/// The panic hook has kept a panic of this execution.
pub(super) const KEPT: u8 = 4;
/// Panics on threads and in tasks of this execution are part of it.
pub(super) const EXPECTED: u8 = 8;
/// The execution has said what it cost or came to.
pub(super) const NOTED: u8 = 16;
/// What rejected the execution was its infrastructure.
pub(super) const UNAVAILABLE: u8 = 32;
/// The execution has drawn an input.
pub(super) const DREW_INPUT: u8 = 64;
/// What rejected the execution was an input that could not be drawn.
pub(super) const INPUT_REJECTED: u8 = 128;

/// The body has given labels.
pub(super) const LABELLED: u8 = 16;

/// What this thread is executing, and what has happened to it so far.
///
/// Written for each execution, so it is what is cheap to write.
struct Here {
    under_way: Cell<bool>,
    marks: Cell<u8>,
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
    /// The execution of a source, after so many inputs that were not applicable.
    #[inline]
    pub(super) fn of(rng: &TestRng, rejected: u64) -> Self {
        Execution {
            selection: rng.selection(),
            inputs: rng.input_source(rejected),
        }
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
    marks: u8,
    execution: Option<Execution>,
    labels: Vec<Label>,
}

impl Outer {
    /// Gives the labels of the execution around back to it.
    #[inline]
    pub(super) fn restore(self) {
        if let Some(outer) = self.0 {
            label::put(outer.labels);
        }
    }
}

/// Begins an execution, or goes on with one that bears these marks.
#[inline]
pub(super) fn begin(execution: Execution, marks: u8) -> Outer {
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
        labels: label::take(),
    }))
}

/// Ends an execution and returns its marks.
#[inline]
pub(super) fn end(outer: &Outer) -> u8 {
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
    let mut execution = whole()?;
    let source = execution.inputs;
    execution.inputs.place += 1;
    HERE.with(|here| here.execution.set(Some(execution)));
    mark(DREW_INPUT);
    Some(source)
}

/// Says whether the execution under way bears this mark.
pub(super) fn is_marked(mark: u8) -> bool {
    HERE.with(|here| here.marks.get() & mark != 0)
}

/// Marks the execution under way.
pub(super) fn mark(mark: u8) {
    HERE.with(|here| here.marks.set(here.marks.get() | mark));
}
