//! Labels: what a body says about its execution, for the report.

use std::borrow::Cow;
use std::cell::RefCell;

use serde::{Deserialize, Serialize};

use super::here;
use super::observation::Number;

/// How many labels one execution may have; more are not kept.
const MOST_LABELS: usize = 64;

thread_local! {
    static LABELS: RefCell<Vec<Label>> = const { RefCell::new(Vec::new()) };
}

/// One label of one execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its value.
    pub value: LabelValue,
    /// The share of executions that must have it, at least, where it is a boolean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<Number>,
}

/// The value of a label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelValue {
    /// A boolean.
    Flag(bool),
    /// A number.
    Number(Number),
    /// A word.
    Word(Cow<'static, str>),
}

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

macro_rules! numbers {
    ($($kind:ty),*) => {
        $(impl From<$kind> for LabelValue {
            fn from(number: $kind) -> Self {
                // Above 2^53 the nearest `f64`.
                LabelValue::Number(Number(number as f64))
            }
        })*
    };
}

numbers!(f64, f32, u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

/// Says something about this execution, for the report: a number, a word or a boolean.
///
/// A report has the shares of every label over the executions, and for a violation what was
/// unusual about it. Of several values under one name the last one counts. It takes some tens
/// of nanoseconds, and memory does not grow with the executions.
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
/// Outside the body of a test, and on threads that a body started, it does nothing.
pub fn label(name: impl Into<Cow<'static, str>>, value: impl Into<LabelValue>) -> Labelled {
    push(Label { name: name.into(), value: value.into(), at_least: None });
    Labelled(())
}

impl Label {
    /// Joins the labels of an execution. The last value under a name counts, the largest share
    /// that any of them asks for stays, and where there are too many the last one makes room that
    /// asks for none.
    #[doc(hidden)]
    pub fn join(mut self, labels: &mut Vec<Label>) {
        let same = labels.iter().position(|other| other.name == self.name);
        if let Some(same) = same {
            self.asks_for(labels.remove(same).at_least);
        } else if labels.len() >= MOST_LABELS {
            match labels.iter().rposition(|other| other.at_least.is_none()) {
                Some(place) => drop(labels.remove(place)),
                // All of them ask for a share: the judge refuses so many.
                None if labels.len() > MOST_LABELS => return,
                None => {}
            }
        }
        labels.push(self);
    }

    fn asks_for(&mut self, share: Option<Number>) {
        let is_share = |Number(share): Number| share > 0.0 && share < 1.0;
        // What is no share stays: the judge refuses it.
        let larger = |one: Number, other: Number| match is_share(one) {
            true if is_share(other) => Number(one.0.max(other.0)),
            true => other,
            false => one,
        };
        self.at_least = match (share, self.at_least) {
            (Some(one), Some(other)) => Some(larger(one, other)),
            (one, other) => one.or(other),
        };
    }
}

/// The label that was given last.
#[derive(Debug)]
pub struct Labelled(());

impl Labelled {
    /// Says that at least this share of the executions must have the label, which is a boolean:
    /// otherwise the test has not reached the case that it is about, and does not pass.
    ///
    /// Where so many executions would have shown more but for a chance of 1e-6, there is no
    /// verdict; where none has it, the test is in doubt.
    pub fn at_least(self, share: f64) {
        LABELS.with_borrow_mut(|labels| {
            if let Some(label) = labels.last_mut() {
                label.asks_for(Some(Number(share)));
            }
        });
    }
}

#[doc(hidden)]
pub fn push(label: Label) {
    if here::execution().is_none() {
        return;
    }
    LABELS.with_borrow_mut(|labels| label.join(labels));
    here::mark(here::LABELLED);
}

/// Gives labels back to the execution that is under way again.
#[cold]
pub(super) fn put(labels: Vec<Label>) {
    LABELS.set(labels);
}

/// Takes the labels of the execution that has ended.
pub(super) fn take() -> Vec<Label> {
    LABELS.take()
}
