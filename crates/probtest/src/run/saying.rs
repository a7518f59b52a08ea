//! What an execution says about itself: what it cost, what it came to, that its
//! infrastructure failed.

use std::cell::RefCell;
use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::assume::leave;
use super::here::{self, NOTED, REJECTED, UNAVAILABLE};
use super::{Number, Observation};

/// What the execution under way has said.
#[derive(Debug, Default)]
pub(super) struct Said {
    cost: Option<f64>,
    recorded: Option<u64>,
    unavailable: Option<(String, String)>,
    undrawn: Option<String>,
}

thread_local! {
    static SAID: RefCell<Said> = const {
        RefCell::new(Said { cost: None, recorded: None, unavailable: None, undrawn: None })
    };
}

#[cfg(feature = "tokio")]
/// Puts what another execution has said in the place of what this one has.
pub(super) fn swap(said: &mut Said) {
    SAID.with_borrow_mut(|here| std::mem::swap(here, said));
}

/// Adds to what this execution costs, in any unit: money, tokens, seconds of a machine.
///
/// What the executions cost together stands in the report, and `max_cost` ends the test
/// when that is used up. Call it on the thread that runs the body, as often as you like.
/// Outside the body of a test it does nothing.
///
/// ```
/// use probtest::{Claim, Settings};
///
/// let claim = Claim::detect(0.1, 0.05)?;
/// let report = probtest::check(&claim, Settings::new("dear"), |rng| {
///     probtest::cost(0.5);
///     assert!(rng.draw_u64() != 4);
/// })?;
/// assert_eq!(report.cost(), Some(14.5));
/// # Ok::<(), probtest::Error>(())
/// ```
///
/// # Panics
/// When the cost is negative or not finite.
#[track_caller]
pub fn cost(cost: f64) {
    assert!(
        cost.is_finite() && cost >= 0.0,
        "probtest::cost was given {cost}\n  help   give the cost of this execution: a number that is not negative"
    );
    say(|said| said.cost = Some(said.cost.unwrap_or(0.0) + cost));
}

/// Records what this execution came to, where that should differ from execution to execution:
/// the answer of a model, a trajectory.
///
/// Executions that record the same in all bits, far more often than the claim can stand, are a
/// [doubt](crate::judge::Doubt::Repeated): they come from a cache, or from a program that is not
/// random. What may well be the same, such as a label out of two, does not belong here.
/// Outside the body of a test it does nothing.
pub fn record(what: impl Hash) {
    let mut hasher = DefaultHasher::new();
    say(|said| {
        said.recorded.hash(&mut hasher);
        what.hash(&mut hasher);
        said.recorded = Some(hasher.finish());
    });
}

fn say(what: impl FnOnce(&mut Said)) {
    if here::execution().is_none() {
        return;
    }
    SAID.with_borrow_mut(|said| {
        if !here::is_marked(NOTED) {
            *said = Said::default();
        }
        what(said);
    });
    here::mark(NOTED);
}

/// Returns what an operation came to that depends on infrastructure: a network, a quota, a
/// server. Where it failed, this execution proves nothing: it ends here and is made again
/// after a while, on the same numbers.
///
/// Such attempts are counted by the type of their error, and too many of them end the test
/// without a verdict. Give it only errors that say nothing about the program under test.
///
/// ```
/// use probtest::{Claim, Settings};
/// use std::cell::Cell;
/// use std::time::Duration;
///
/// #[derive(Debug)]
/// struct TooManyRequests;
///
/// impl std::fmt::Display for TooManyRequests {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         f.write_str("429 Too Many Requests")
///     }
/// }
///
/// let calls = Cell::new(0);
/// let ask = || {
///     calls.set(calls.get() + 1);
///     if calls.get() % 10 == 0 { Err(TooManyRequests) } else { Ok("4") }
/// };
/// let claim = Claim::detect(0.1, 0.05)?;
/// let settings = Settings::new("model").backoff(Duration::ZERO);
/// let report = probtest::check_local(&claim, settings, |rng| {
///     rng.draw_u64();
///     assert_eq!(probtest::infrastructure(ask()), "4");
/// })?;
/// assert!(report.passed());
/// assert_eq!(report.unavailable(), [("TooManyRequests".to_owned(), 3)]);
/// # Ok::<(), probtest::Error>(())
/// ```
///
/// # Panics
/// Outside the body of a test, where the operation failed.
#[track_caller]
pub fn infrastructure<T, E: Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => unavailable(kind_of::<E>(), error.to_string()),
    }
}

/// The name of a type, without the modules it stands in.
fn kind_of<E>() -> String {
    let name = std::any::type_name::<E>();
    let plain = name.split('<').next().unwrap_or(name);
    plain.rsplit("::").next().unwrap_or(plain).to_owned()
}

#[cold]
#[track_caller]
fn unavailable(kind: String, message: String) -> ! {
    assert!(
        here::execution().is_some(),
        "probtest::infrastructure was called outside a test body: {message}\n  help   call it on the thread that runs the body"
    );
    SAID.with_borrow_mut(|said| said.unavailable = Some((kind, message)));
    leave(REJECTED | UNAVAILABLE);
}

/// Takes why the infrastructure failed.
#[cold]
pub(super) fn take_unavailable() -> Observation {
    let (kind, message) = SAID.with_borrow_mut(|said| said.unavailable.take()).unwrap_or_default();
    Observation::Unavailable { kind, message }
}

/// Says that an input could not be made, and why: also a body that catches what follows has
/// said it.
#[cfg(any(feature = "proptest", feature = "arbitrary"))]
pub(super) fn undrawn(why: &str) {
    SAID.with_borrow_mut(|said| {
        said.undrawn.get_or_insert_with(|| why.to_owned());
    });
    here::mark(here::UNDRAWN);
}

/// Takes why an input could not be made.
#[cold]
pub(super) fn take_undrawn() -> Observation {
    let why = SAID.with_borrow_mut(|said| said.undrawn.take());
    Observation::Broken(why.unwrap_or_default())
}

/// Adds what an execution has said to what it did.
#[cold]
pub(super) fn noted(observation: Observation) -> Observation {
    let said = SAID.take();
    Observation::Noted {
        cost: said.cost.map(Number),
        recorded: said.recorded,
        otherwise: Box::new(observation),
    }
}
