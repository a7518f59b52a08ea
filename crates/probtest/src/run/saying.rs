//! What a body can report about its execution: that it doesn't apply, that panics are expected, its
//! cost, what it recorded, its labels, or that its infrastructure failed.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::here::{self, REJECTED, SAID_SOMETHING};
use super::{Label, LabelValue, Number, Observation};

/// What the running execution has reported.
#[derive(Debug, Default)]
pub(super) struct Statements {
    cost: Option<f64>,
    recorded: Option<u64>,
    labels: Vec<Label>,
    /// The type of the infrastructure's error, and its message.
    unavailable: Option<(String, String)>,
    /// Why an input couldn't be made.
    undrawn: Option<String>,
}

thread_local! {
    static SAID: RefCell<Statements> = const {
        RefCell::new(Statements {
            cost: None,
            recorded: None,
            labels: Vec::new(),
            unavailable: None,
            undrawn: None,
        })
    };
}

/// Replaces what the running execution has reported, and returns it.
pub(super) fn replace(said: Statements) -> Statements {
    SAID.replace(said)
}

fn say(what: impl FnOnce(&mut Statements)) {
    if here::execution().is_none() {
        return;
    }
    SAID.with_borrow_mut(|said| {
        if !here::is_marked(SAID_SOMETHING) {
            *said = Statements::default();
        }
        what(said);
    });
    here::mark(SAID_SOMETHING);
}

impl Statements {
    /// Adds what an execution reported to what it did.
    pub(super) fn about(self, did: Observation) -> Observation {
        let did = match (self.undrawn, self.unavailable) {
            (Some(why), _) => Observation::Broken(why),
            (None, Some((kind, message))) => Observation::Unavailable { kind, message },
            (None, None) => did,
        };
        let did = did.with_labels(self.labels);
        if self.cost.is_none() && self.recorded.is_none() {
            return did;
        }
        Observation::Noted {
            cost: self.cost.map(Number),
            recorded: self.recorded,
            otherwise: Box::new(did),
        }
    }
}

/// The panic payload by which [`assume`] leaves the body.
pub(super) struct Rejection;

/// Rejects this execution unless the condition holds.
///
/// A rejected execution doesn't count and is retried, whatever the body does afterwards: catching
/// the panic doesn't take it back. If too many are rejected, the test fails and reports the counts,
/// so it never passes on less than its plan.
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
/// Outside the body of a test, when the condition doesn't hold. On a thread that the body started,
/// return the condition and call `assume` in the body instead.
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
    leave(REJECTED);
}

/// Leaves the body of a rejected execution.
pub(super) fn leave(marks: here::Marks) -> ! {
    here::mark(marks);
    // resume_unwind doesn't call the panic hook, so a rejection prints nothing.
    std::panic::resume_unwind(Box::new(Rejection));
}

/// Declares that panics are expected on threads and in tasks that this execution starts.
///
/// A panic that the body doesn't notice is a [doubt](crate::judge::Doubt::Panicked). probtest can't
/// tell one that you meant from one that got lost: both end a thread or a task, and the body
/// passes. So if your threads panic on purpose, or you test a program that survives such panics,
/// call this first. Assertions in the body still count.
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
/// Outside the body of a test, it does nothing.
pub fn expect_panics() {
    if here::execution().is_some() {
        here::mark(here::EXPECTED);
    }
}

/// Adds to what this execution costs, in any unit: money, tokens, seconds of a machine.
///
/// The report shows the cost of all executions together, and the test stops when they reach
/// `max_cost`. Call it on the thread that runs the body, as often as you like. Outside the body of
/// a test, it does nothing.
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

/// Records a result that should differ from execution to execution, such as the answer of a model
/// or a trajectory.
///
/// If executions record exactly the same values far too often for the claim, that is a
/// [doubt](crate::judge::Doubt::Repeated): the results come from a cache, or from a program that
/// isn't random. Don't record values that may well be equal, such as one of two labels. Outside the
/// body of a test, it does nothing.
pub fn record(what: impl Hash) {
    let mut hasher = DefaultHasher::new();
    say(|said| {
        said.recorded.hash(&mut hasher);
        what.hash(&mut hasher);
        said.recorded = Some(hasher.finish());
    });
}

/// Labels this execution for the report, with a number, a word or a boolean.
///
/// The report shows how often each value occurred and, for a violation, what was unusual about it.
/// If you label an execution twice under one name, the last value counts. A call takes some tens of
/// nanoseconds, and memory doesn't grow with the number of executions.
///
/// ```
/// use probtest::{Claim, Settings, label};
/// use rand::RngExt;
///
/// let claim = Claim::detect(0.05, 0.05)?;
/// let report = probtest::check(&claim, Settings::new("tower").seed(7), |rng| {
///     let height = (1..10).take_while(|_| rng.random::<bool>()).count();
///     label("height", height);
///     label("tall", height > 2).at_least(0.01);
/// })?;
/// assert!(report.passed());
/// assert!(report.to_string().contains("tall in "));
/// # Ok::<(), probtest::Error>(())
/// ```
///
/// Outside the body of a test, and on threads that the body started, it does nothing.
pub fn label(name: impl Into<Cow<'static, str>>, value: impl Into<LabelValue>) -> Labelled {
    let label = Label { name: name.into(), value: value.into(), at_least: None };
    say(|said| label.join(&mut said.labels));
    Labelled(())
}

/// The label that was just set.
#[derive(Debug)]
pub struct Labelled(());

impl Labelled {
    /// Requires that at least this share of the executions has the label, which must be a boolean.
    /// Otherwise the test hasn't reached the case it is about, and doesn't pass.
    ///
    /// If there are so few that chance would explain it with probability at most 1e-6, the test is
    /// inconclusive. If there are none at all, the test has a doubt.
    pub fn at_least(self, share: f64) {
        SAID.with_borrow_mut(|said| {
            if let Some(label) = said.labels.last_mut() {
                label.asks_for(Some(Number(share)));
            }
        });
    }
}

/// Unwraps the result of an operation that depends on infrastructure: a network, a quota, a server.
/// If it failed, this execution proves nothing: it ends here and is retried after a while, on the
/// same random numbers.
///
/// Such attempts are counted by the type of their error, and too many of them make the test
/// inconclusive. Use it only for errors that say nothing about the program under test.
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
/// Outside the body of a test, if the operation failed.
#[track_caller]
pub fn infrastructure<T, E: Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| unavailable(kind_of::<E>(), error.to_string()))
}

/// The name of a type, without its modules.
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
    say(|said| said.unavailable = Some((kind, message)));
    leave(REJECTED);
}

/// Notes that an input couldn't be made, and why. This holds even if the body catches the panic.
#[cfg(any(feature = "proptest", feature = "arbitrary"))]
pub(super) fn undrawn(why: &str) {
    say(|said| {
        said.undrawn.get_or_insert_with(|| why.to_owned());
    });
}
