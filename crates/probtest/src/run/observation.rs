//! What one execution did.

use std::fmt::Debug;

/// What one execution did, as far as a claim can care.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Observation {
    /// The assertion held.
    Passed,
    /// The assertion held and the execution showed the listed outcome with this
    /// number, counted from 0.
    Outcome(usize),
    /// The assertion held and the execution showed an outcome that is not listed.
    Unlisted,
    /// The assertion held and the execution returned this number.
    Number(Number),
    /// The execution declared itself not applicable.
    Rejected,
    /// The assertion was violated.
    Violated(Box<Violation>),
    /// The execution could not be carried out, for a reason outside the program
    /// under test. It proves nothing, so the test ends without a verdict.
    Broken(String),
}

/// A number that an execution returned. Equal means equal in every bit.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f64);

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Number {}

/// How an assertion was violated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violation {
    /// What happened, as the program or its assertion says it.
    pub message: String,
    /// The place in the source, where it is known.
    pub location: Option<String>,
    /// More to read: a backtrace, or what the program printed.
    pub details: Option<String>,
}

impl Violation {
    /// Describes a violation by one message.
    ///
    /// ```
    /// use probtest::run::Violation;
    /// assert_eq!(Violation::new("exit code 3").message, "exit code 3");
    /// ```
    pub fn new(message: impl Into<String>) -> Self {
        Violation {
            message: message.into(),
            ..Violation::default()
        }
    }
}

/// One counted execution: its number, and what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number of the execution, from 1.
    pub index: u64,
    /// How often the execution was rejected and drawn again before.
    pub rejected: u64,
    /// Whether the body took anything from its random source.
    pub drew: bool,
    /// What it did. [`Observation::Rejected`] means that every attempt was
    /// rejected, up to the limit.
    pub observation: Observation,
}

/// What a test body may return.
///
/// `()` passes unless the body panics; `bool` passes when true; `Result` passes
/// when `Ok`; a number is the listed outcome that was seen, from 0, and `None`
/// an outcome that is not listed.
///
/// ```
/// use probtest::run::{Conclusion, Observation};
///
/// assert_eq!(().conclude(), Observation::Passed);
/// assert_eq!(true.conclude(), Observation::Passed);
/// assert_eq!(2_usize.conclude(), Observation::Outcome(2));
/// assert!(matches!(Err::<(), _>("no").conclude(), Observation::Violated(_)));
/// ```
#[diagnostic::on_unimplemented(
    message = "a probtest body cannot return `{Self}`",
    label = "not something that passes or fails",
    note = "return (), bool, Result<(), E> with E: Debug, or the number of an outcome as usize or Option<usize>"
)]
pub trait Conclusion {
    /// Turns the returned value into an observation.
    fn conclude(self) -> Observation;
}

impl Conclusion for () {
    #[inline]
    fn conclude(self) -> Observation {
        Observation::Passed
    }
}

impl Conclusion for bool {
    #[inline]
    fn conclude(self) -> Observation {
        if self {
            Observation::Passed
        } else {
            violated("the body returned false")
        }
    }
}

impl<C: Conclusion, E: Debug> Conclusion for Result<C, E> {
    #[inline]
    fn conclude(self) -> Observation {
        match self {
            Ok(conclusion) => conclusion.conclude(),
            Err(error) => violated(&format!("the body returned Err: {error:?}")),
        }
    }
}

impl Conclusion for usize {
    #[inline]
    fn conclude(self) -> Observation {
        Observation::Outcome(self)
    }
}

impl Conclusion for Option<usize> {
    #[inline]
    fn conclude(self) -> Observation {
        self.map_or(Observation::Unlisted, Observation::Outcome)
    }
}

impl Conclusion for Observation {
    #[inline]
    fn conclude(self) -> Observation {
        self
    }
}

#[cold]
fn violated(message: &str) -> Observation {
    Observation::Violated(Box::new(Violation::new(message)))
}
