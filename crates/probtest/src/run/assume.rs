//! What an execution says about itself: that it is not applicable, that panics are expected.

use super::here;

/// The panic payload by which [`assume`] leaves the body.
pub(super) struct Rejection;

/// Rejects this execution unless the condition holds.
///
/// A rejected execution does not count and is drawn again, whatever the body does
/// afterwards: catching the unwinding does not take it back. When too many are
/// rejected the test fails with the counts, so that it never passes on less
/// than its plan.
///
/// ```
/// use probtest::{Probtest, assume};
/// use rand::RngExt;
///
/// Probtest::new("even numbers are divisible by two")
///     .p(0.1)
///     .epsilon(0.05)
///     .check(|rng| {
///         let n = rng.random_range(0..100);
///         assume(n % 2 == 0);
///         assert_eq!(n / 2 * 2, n);
///     });
/// ```
///
/// # Panics
/// Outside the body of a test, when the condition does not hold: on a thread
/// that the body started, return the condition and call `assume` in the body.
#[track_caller]
#[inline]
pub fn assume(condition: bool) {
    if !condition {
        reject();
    }
}

#[cold]
#[track_caller]
fn reject() {
    assert!(
        here::execution().is_some(),
        "probtest::assume was called outside a test body\n  help   call it on the thread that runs the body"
    );
    // A body that catches the unwinding, as a task of a runtime does, has rejected
    // all the same.
    leave(here::REJECTED);
}

/// Leaves the body of an execution that is rejected.
pub(super) fn leave(marks: here::Marks) -> ! {
    here::mark(marks);
    // resume_unwind does not call the panic hook: a rejection prints nothing.
    std::panic::resume_unwind(Box::new(Rejection));
}

/// Says that panics on threads and in tasks that this execution starts are part of the test.
///
/// A panic that the body does not see is a [doubt](crate::judge::Doubt::Panicked), and one that
/// it has asked for cannot be told from one that it has lost: both leave a thread or a task,
/// and the body passes. A body that lets threads panic on purpose, or tests a program that does
/// and goes on, calls this first. What it asserts afterwards counts as always.
///
/// ```
/// use probtest::{Probtest, expect_panics};
/// use rand::RngExt;
///
/// Probtest::new("a worker that dies is noticed").p(0.1).check(|rng| {
///     expect_panics();
///     let work: u8 = rng.random();
///     let worker = std::thread::spawn(move || panic!("cannot do {work}"));
///     assert!(worker.join().is_err());
/// });
/// ```
///
/// Outside the body of a test it does nothing.
pub fn expect_panics() {
    if here::execution().is_some() {
        here::mark(here::EXPECTED);
    }
}
