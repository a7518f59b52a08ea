//! What one execution did.

use std::borrow::Cow;
use std::fmt::{Debug, Display};

use probtest_facts::json::{FromJson, ToJson, Value};
use probtest_facts::{json_object, json_variants};

use super::pair::Pair;
use crate::claim::{Labels, Numbers, Violations};
use crate::seed::RunSeed;

/// How many labels one execution may have; any more are dropped.
const MOST_LABELS: usize = 64;

/// What one execution did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Observation {
    /// The assertion held.
    Passed,
    /// The assertion held, and the listed outcome with this number occurred, counted from 0.
    Outcome(usize),
    /// The assertion held, and an outcome occurred that isn't listed.
    Unlisted,
    /// The assertion held and the execution returned this number.
    Number(Number),
    /// The assertion held and the execution returned this label.
    Label(Box<str>),
    /// An old and a new version ran on the same random numbers, and one of them violated or
    /// returned a number.
    Pair(Box<Pair>),
    /// The execution declared itself not applicable.
    Rejected,
    /// The assertion was violated.
    Violated(Box<Violation>),
    /// The body reported labels, in addition to what the execution did.
    Labelled(Box<(Observation, Vec<Label>)>),
    /// Something panicked without the body noticing, such as a task or a thread that it doesn't
    /// join, in addition to what the execution did.
    Panicked {
        /// The panic.
        panic: Box<Violation>,
        /// What the execution did otherwise.
        otherwise: Box<Observation>,
    },
    /// Its schedule had more threads or steps than were measured when the plan was made, in
    /// addition to what the execution did.
    Larger {
        /// How many threads it had.
        threads: u64,
        /// How many steps it had.
        steps: u64,
        /// What the execution did otherwise.
        otherwise: Box<Observation>,
    },
    /// The body reported a cost or recorded a value, in addition to what the execution did.
    Noted {
        /// What it cost.
        cost: Option<Number>,
        /// What it recorded, as a hash of all bits.
        recorded: Option<u64>,
        /// What the execution did otherwise.
        otherwise: Box<Observation>,
    },
    /// Infrastructure failed: a connection, a quota, a server that is too busy. That proves
    /// nothing, so the same attempt is retried after a while.
    Unavailable {
        /// What failed, in a word or two; failures are grouped by it.
        kind: String,
        /// The error message.
        message: String,
    },
    /// The execution couldn't run, for a reason outside the program under test. That proves
    /// nothing, so the test is inconclusive.
    Broken(String),
}

json_variants!(Observation {
    "passed" => Passed,
    "outcome" => Outcome(place),
    "unlisted" => Unlisted,
    "number" => Number(number),
    "label" => Label(label),
    "pair" => Pair(pair),
    "rejected" => Rejected,
    "violated" => Violated(violation),
    "labelled" => Labelled(labelled),
    "panicked" => Panicked { panic, otherwise },
    "larger" => Larger { threads, steps, otherwise },
    "noted" => Noted { cost, recorded, otherwise },
    "unavailable" => Unavailable { kind, message },
    "broken" => Broken(reason),
});

impl Observation {
    /// What the execution did, without anything it reported: labels, a cost, a recorded value.
    pub fn plain(&self) -> &Observation {
        match self {
            Observation::Labelled(labelled) => labelled.0.plain(),
            Observation::Noted { otherwise, .. } => otherwise.plain(),
            plain => plain,
        }
    }

    /// Changes what the execution did, and keeps everything it reported.
    #[doc(hidden)]
    pub fn map_plain(self, change: impl FnOnce(Observation) -> Observation) -> Self {
        match self {
            Observation::Labelled(labelled) => labelled.0.map_plain(change).with_labels(labelled.1),
            Observation::Noted { cost, recorded, otherwise } => Observation::Noted {
                cost,
                recorded,
                otherwise: Box::new(otherwise.map_plain(change)),
            },
            plain => change(plain),
        }
    }

    /// The same, and the labels.
    pub(crate) fn split(self) -> (Observation, Vec<Label>) {
        match self {
            Observation::Labelled(labelled) => *labelled,
            plain => (plain, Vec::new()),
        }
    }

    /// Adds labels, unless the execution was rejected: its labels don't count.
    #[doc(hidden)]
    pub fn with_labels(self, labels: Vec<Label>) -> Self {
        match self {
            Observation::Rejected | Observation::Broken(_) => self,
            _ if labels.is_empty() => self,
            _ => Observation::Labelled(Box::new((self, labels))),
        }
    }

    /// Whether the execution violated, whatever else it reported.
    pub fn is_violated(&self) -> bool {
        matches!(self.plain(), Observation::Violated(_))
    }

    /// Whether the execution was rejected, whatever else it reported.
    pub fn is_rejected(&self) -> bool {
        matches!(self.plain(), Observation::Rejected)
    }
}

/// A number that an execution returned. Two are equal if all their bits are equal. It is also
/// serialized as its bits, because a decimal may be read back as a neighbouring float, and JSON has
/// none for infinity.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f64);

impl ToJson for Number {
    fn to_json(&self) -> Value {
        self.0.to_bits().to_json()
    }
}

impl FromJson for Number {
    fn from_json(value: Value) -> Option<Self> {
        u64::from_json(value).map(f64::from_bits).map(Number)
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Number {}

/// One label of one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its value.
    pub value: LabelValue,
    /// The smallest share of executions that must have it, if it is a boolean.
    pub at_least: Option<Number>,
}

/// The value of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelValue {
    /// A boolean.
    Flag(bool),
    /// A number.
    Number(Number),
    /// A word.
    Word(Cow<'static, str>),
}

json_object!(Label { name, value, at_least });

json_variants!(LabelValue {
    "flag" => Flag(flag),
    "number" => Number(number),
    "word" => Word(word),
});

impl From<bool> for LabelValue {
    fn from(flag: bool) -> Self {
        LabelValue::Flag(flag)
    }
}

impl From<&'static str> for LabelValue {
    fn from(word: &'static str) -> Self {
        LabelValue::Word(Cow::Borrowed(word))
    }
}

impl From<String> for LabelValue {
    fn from(word: String) -> Self {
        LabelValue::Word(Cow::Owned(word))
    }
}

impl Label {
    /// Joins the labels of an execution. The last value under a name counts, and so does the
    /// largest required share. If there are too many labels, the last one without a required share
    /// is dropped.
    #[doc(hidden)]
    pub fn join(mut self, labels: &mut Vec<Label>) {
        let same = labels.iter().position(|other| other.name == self.name);
        if let Some(same) = same {
            self.asks_for(labels.remove(same).at_least);
        } else if labels.len() >= MOST_LABELS {
            match labels.iter().rposition(|other| other.at_least.is_none()) {
                Some(place) => drop(labels.remove(place)),
                // All of them require a share: the judge refuses so many.
                None if labels.len() > MOST_LABELS => return,
                None => {}
            }
        }
        labels.push(self);
    }

    pub(super) fn asks_for(&mut self, share: Option<Number>) {
        // An invalid share stays: the judge refuses it.
        let rank = |Number(share): &Number| match share {
            share if *share > 0.0 && *share < 1.0 => *share,
            _ => f64::INFINITY,
        };
        let asked = self.at_least.into_iter().chain(share);
        self.at_least = asked.max_by(|one, other| rank(one).total_cmp(&rank(other)));
    }
}

/// How an assertion was violated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violation {
    /// What happened, in the words of the program or its assertion.
    pub message: String,
    /// The place in the source, if it is known.
    pub location: Option<String>,
    /// More to read: a backtrace, or what the program printed.
    pub details: Option<String>,
    /// What distinguishes it from another violation of the same test, if the place doesn't.
    pub kind: Option<String>,
}

json_object!(Violation { message, location, details, kind });

impl Violation {
    /// Makes a violation from a message.
    pub fn new(message: impl Into<String>) -> Self {
        Violation { message: message.into(), ..Violation::default() }
    }

    /// Whether another violation is the same one: it happened in the same place and has the same
    /// kind. If neither is known, messages are compared, ignoring numbers.
    pub(crate) fn is_like(&self, other: &Violation) -> bool {
        let words = |message: &str| message.replace(|c: char| c.is_ascii_digit(), "");
        self.location == other.location
            && self.kind == other.kind
            && (self.location.is_some()
                || self.kind.is_some()
                || words(&self.message) == words(&other.message))
    }
}

/// What one attempt at one execution did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The seed of the run that the execution belongs to.
    pub seed: RunSeed,
    /// The index of the execution, from 1.
    pub index: u64,
    /// How often the execution was rejected before this attempt.
    pub attempt: u64,
    /// Whether the body took anything from its random source.
    pub has_drawn: bool,
    /// What it did.
    pub observation: Observation,
}

json_object!(Record { seed, index, attempt, has_drawn, observation });

/// What a test body can return. It depends on the claim.
///
/// For [`Violations`]: `()` passes unless the body panics; `bool` passes if true; `Result` passes
/// if `Ok`; a `usize` is the listed outcome that occurred, from 0, and `None` an outcome that isn't
/// listed. For [`Numbers`]: a number, `bool` as 0 and 1, or a `Result` of these; whole numbers
/// above 2^53 count as the nearest `f64`. For [`Labels`]: anything that can be displayed.
///
/// ```
/// use probtest::claim::{Numbers, Violations};
/// use probtest::run::{Conclusion, Number, Observation};
///
/// assert_eq!(Conclusion::<Violations>::conclude(true), Observation::Passed);
/// assert_eq!(Conclusion::<Violations>::conclude(2_usize), Observation::Outcome(2));
/// assert_eq!(Conclusion::<Numbers>::conclude(true), Observation::Number(Number(1.0)));
/// ```
#[diagnostic::on_unimplemented(
    message = "a probtest body cannot return `{Self}` under this claim",
    label = "not what the claim is about",
    note = "return (), bool, Result<(), E> with E: Debug, or the number of an outcome as usize or Option<usize>",
    note = "for a claim on a mean, return a number, a bool, or a Result of these; for labels, anything that implements Display"
)]
pub trait Conclusion<R = Violations> {
    /// Whether this type can't report an outcome: then a claim that lists outcomes is refused
    /// before the first execution.
    const SILENT: bool = false;

    /// Turns the returned value into an observation.
    fn conclude(self) -> Observation;
}

impl Conclusion for () {
    const SILENT: bool = true;

    fn conclude(self) -> Observation {
        Observation::Passed
    }
}

impl Conclusion for bool {
    const SILENT: bool = true;

    fn conclude(self) -> Observation {
        if self { Observation::Passed } else { violated("the body returned false") }
    }
}

impl<C: Conclusion, E: Debug + 'static> Conclusion for Result<C, E> {
    const SILENT: bool = C::SILENT;

    fn conclude(self) -> Observation {
        match self {
            Ok(conclusion) => conclusion.conclude(),
            Err(error) => returned_err(&error),
        }
    }
}

impl Conclusion for usize {
    fn conclude(self) -> Observation {
        Observation::Outcome(self)
    }
}

impl Conclusion for Option<usize> {
    fn conclude(self) -> Observation {
        self.map_or(Observation::Unlisted, Observation::Outcome)
    }
}

impl<R> Conclusion<R> for Observation {
    fn conclude(self) -> Observation {
        self
    }
}

macro_rules! numbers {
    ($($kind:ty),*) => {
        $(impl From<$kind> for LabelValue {
            fn from(number: $kind) -> Self {
                // Above 2^53 the nearest `f64`.
                LabelValue::Number(Number(number as f64))
            }
        }

        impl Conclusion<Numbers> for $kind {
            fn conclude(self) -> Observation {
                // Above 2^53 the nearest `f64`: off by less than one part in 10^15.
                Observation::Number(Number(self as f64))
            }
        })*
    };
}

numbers!(f64, f32, u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

impl Conclusion<Numbers> for bool {
    fn conclude(self) -> Observation {
        Observation::Number(Number(f64::from(self)))
    }
}

impl<C: Conclusion<Numbers>, E: Debug + 'static> Conclusion<Numbers> for Result<C, E> {
    fn conclude(self) -> Observation {
        match self {
            Ok(number) => number.conclude(),
            Err(error) => returned_err(&error),
        }
    }
}

impl<T: Display> Conclusion<Labels> for T {
    fn conclude(self) -> Observation {
        Observation::Label(self.to_string().into())
    }
}

#[cold]
fn returned_err<E: Debug + 'static>(error: &E) -> Observation {
    #[cfg(feature = "proptest")]
    if let Some(error) = (error as &dyn std::any::Any).downcast_ref() {
        use proptest::test_runner::TestCaseError;
        return match error {
            TestCaseError::Reject(_) => {
                super::here::mark(super::here::REJECTED);
                Observation::Rejected
            }
            TestCaseError::Fail(why) => violated(why.message()),
        };
    }
    violated(&format!("the body returned Err: {error:?}"))
}

#[cold]
fn violated(message: &str) -> Observation {
    Observation::Violated(Box::new(Violation::new(message)))
}
