//! A claim on two versions of a program.

use std::marker::PhantomData;

use super::mean::{between_two, positive};
use super::terms::{Numbers, Subject, Term, Terms, Violations};
use super::{Error, IntoProbability};

/// The body executes an old and a new version, see [`crate::run::both`], each of which returns
/// what `R` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs<R = Violations>(PhantomData<R>);

/// Which of two numbers is the worse one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worse {
    /// The higher one, as of a time or an error.
    Higher,
    /// The lower one, as of a score or a return.
    Lower,
}

/// By how much a new version may be worse than the old one. What is compared is the mean of
/// the pairs' differences: of violations, which count 1, or of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Compare {
    /// The least and the largest number that an execution can return, and which are the worse
    /// ones; none where violations are compared.
    pub(crate) numbers: Option<((f64, f64), Worse)>,
    /// The change to catch.
    pub(crate) change: f64,
}

/// What is said about the numbers of two versions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Compared {
    pub(crate) between: Option<(f64, f64)>,
    pub(crate) worse: Option<Worse>,
}

/// Claims that a new version does not violate more often than an old one, by `p_change` or more.
/// Each execution is a pair: both versions on the same numbers, see [`crate::run::both`].
///
/// A version that violates as often as the old one, or less, is called worse with probability at
/// most `false_alarm`, which is 0.01 here. One that violates more often by `p_change` or more
/// passes with probability at most `epsilon`.
///
/// ```
/// let claim = probtest::compare(0.01).claim()?;
/// assert_eq!(claim.kind(), "compare");
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn compare(p_change: impl IntoProbability) -> Terms<Pairs> {
    let change = p_change.into_probability();
    Terms::about(Subject::Compare {
        numbers: None,
        change: Some(change.map(|change| change.as_f64()).map_err(|error| error.about("p_change"))),
    })
}

/// Begins the same claim on the mean of a number that both versions return: give `between`,
/// `worse` and `change`.
///
/// ```
/// use probtest::claim::Worse;
///
/// let terms = probtest::compare_means().between(0, 1).worse(Worse::Lower).change(0.05);
/// assert_eq!(terms.claim()?.kind(), "compare");
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn compare_means() -> Terms<Pairs<Numbers>> {
    Terms::about(Subject::Compare { numbers: Some(Compared::default()), change: None })
}

impl Terms<Pairs<Numbers>> {
    /// Sets the least and the largest number that an execution can return.
    pub fn between(self, low: impl Into<f64>, high: impl Into<f64>) -> Self {
        let between = Some((low.into(), high.into()));
        self.compared(|numbers| numbers.between = between)
    }

    /// Says which numbers are worse.
    pub fn worse(self, worse: Worse) -> Self {
        self.compared(|numbers| numbers.worse = Some(worse))
    }

    /// Sets by how much the mean may get worse before the test must catch it.
    pub fn change(mut self, by: impl Into<f64>) -> Self {
        if let Some(Subject::Compare { change, .. }) = &mut self.parts.returned {
            *change = Some(Ok(by.into()));
        }
        self
    }

    fn compared(mut self, set: impl FnOnce(&mut Compared)) -> Self {
        if let Some(Subject::Compare { numbers: Some(numbers), .. }) = &mut self.parts.returned {
            set(numbers);
        }
        self
    }
}

impl Compare {
    /// Reads what was said.
    pub(super) fn of(numbers: Option<Compared>, change: Term<f64>) -> Result<Compare, Error> {
        let lacks = |what: &str| {
            Error::new(
                format!("the comparison does not say {what}"),
                "the means of two versions",
                "a comparison of means needs between, worse and change",
            )
        };
        let numbers = match numbers {
            Some(Compared { between, worse }) => Some((
                between.ok_or_else(|| lacks("between"))?,
                worse.ok_or_else(|| lacks("which numbers are worse"))?,
            )),
            None => None,
        };
        Compare::new(numbers, change.ok_or_else(|| lacks("change"))??)
    }

    /// Lets only a change pass that a version can have.
    fn new(numbers: Option<((f64, f64), Worse)>, change: f64) -> Result<Compare, Error> {
        let change = positive("change", change)?;
        if let Some((between, _)) = numbers {
            between_two(between)?;
        }
        let compare = Compare { numbers, change };
        let width = compare.width();
        if change >= width {
            return Err(Error::new(
                "the change is larger than any version can be worse by",
                format!("change = {change}, the largest difference is {width}"),
                format!("lower the change below {width}"),
            ));
        }
        Ok(compare)
    }

    /// The largest difference between two executions.
    pub(crate) fn width(&self) -> f64 {
        self.numbers.map_or(1.0, |((low, high), _)| high - low)
    }

    /// By how much a new version can be worse, at most, than an old one with this mean.
    pub(crate) fn room(&self, old: f64) -> f64 {
        match self.numbers {
            None => 1.0 - old,
            Some(((_, high), Worse::Higher)) => high - old,
            Some(((low, _), Worse::Lower)) => old - low,
        }
    }

    /// By how much the new one of a pair is worse.
    pub(crate) fn worse_by(&self, old: f64, new: f64) -> f64 {
        match self.numbers {
            Some((_, Worse::Lower)) => old - new,
            _ => new - old,
        }
    }

    /// Puts a difference onto the scale from 0 to 1, where 1/2 is no difference.
    pub(crate) fn scaled(&self, worse_by: f64) -> f64 {
        (0.5 + worse_by / self.width() / 2.0).clamp(0.0, 1.0)
    }

    /// Puts a number of that scale back.
    pub(crate) fn unscaled(&self, share: f64) -> f64 {
        (2.0 * share - 1.0) * self.width()
    }
}
