//! Claims on what executions return: the mean of a number, how often each label is seen, and
//! whether a new version of a program is worse than an old one.

use std::marker::PhantomData;

use super::terms::{Numbers, Subject, Terms, Violations};
use super::{Error, IntoProbability, Probability};

/// The smallest and the largest number that an execution can return, the acceptable means, and how
/// far off a mean must be to fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mean {
    pub(crate) between: (f64, f64),
    pub(crate) wanted: WantedMean,
    pub(crate) margin: f64,
}

/// Which means are acceptable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WantedMean {
    /// From the first to the second.
    Within(f64, f64),
    /// This one or a higher one.
    Above(f64),
    /// This one or a lower one.
    Below(f64),
}

impl WantedMean {
    /// The lowest wanted mean, if there is one.
    pub(crate) fn low(self) -> Option<f64> {
        match self {
            WantedMean::Within(low, _) | WantedMean::Above(low) => Some(low),
            WantedMean::Below(_) => None,
        }
    }

    /// The highest wanted mean, if there is one.
    pub(crate) fn high(self) -> Option<f64> {
        match self {
            WantedMean::Within(_, high) | WantedMean::Below(high) => Some(high),
            WantedMean::Above(_) => None,
        }
    }

    pub(super) fn given(self) -> String {
        match self {
            WantedMean::Within(low, high) => format!("within = ({low}, {high})"),
            WantedMean::Above(low) => format!("above = {low}"),
            WantedMean::Below(high) => format!("below = {high}"),
        }
    }
}

impl Mean {
    /// Lets only a mean pass that some program can have and some other one can miss.
    pub(super) fn new(between: (f64, f64), wanted: WantedMean, margin: f64) -> Result<Self, Error> {
        let (low, high) = between_two(between)?;
        if let WantedMean::Within(from, to) = wanted
            && from > to
        {
            return Err(Error::new(
                "within does not go from low to high",
                format!("within = ({from}, {to})"),
                "write the lower one first",
            ));
        }
        let margin = positive("margin", margin)?;
        // How far a mean can miss each bound.
        let rooms = [
            wanted.low().map(|bound| (bound, bound - low)),
            wanted.high().map(|bound| (bound, high - bound)),
        ];
        for (bound, room) in rooms.into_iter().flatten() {
            if !(low < bound && bound < high) {
                finite("the wanted mean", bound)?;
                return Err(Error::new(
                    "the wanted mean is outside the range that an execution can return",
                    format!("{}, between = ({low}, {high})", wanted.given()),
                    format!(
                        "write a mean above {low} and below {high}, or assert on each execution"
                    ),
                ));
            }
            if margin >= room {
                return Err(Error::new(
                    "a mean that misses the claim by the margin would be outside the range that an execution can return",
                    format!("{}, margin = {margin}, between = ({low}, {high})", wanted.given()),
                    format!("lower the margin below {room}"),
                ));
            }
        }
        Ok(Mean { between: (low, high), wanted, margin })
    }

    /// Puts a number onto the scale from 0 to 1.
    pub(crate) fn scaled(&self, value: f64) -> f64 {
        let (low, high) = self.between;
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Puts a number of the scale from 0 to 1 back onto that of the claim.
    pub(crate) fn unscaled(&self, share: f64) -> f64 {
        let (low, high) = self.between;
        (low + share * (high - low)).clamp(low, high)
    }
}

/// Sums of floats that are as near to 1 as this are taken for 1.
const NEARLY: f64 = 1e-9;

/// Labels with their probabilities, and how far off one must be to fail. Where they sum
/// to less than 1, the rest belongs to all other labels together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    labels: Vec<(String, Probability)>,
    rest: f64,
    distance: f64,
}

impl Fit {
    /// Lets only labels pass that some program can show and some other one can miss.
    pub(super) fn new(labels: Vec<(String, Probability)>, distance: f64) -> Result<Self, Error> {
        let given = shown(&labels);
        for (place, (label, _)) in labels.iter().enumerate() {
            if labels[..place].iter().any(|(other, _)| other == label) {
                return Err(Error::new(
                    format!("the label {label:?} is listed twice"),
                    given,
                    "list each label once",
                ));
            }
        }
        let sum: f64 = labels.iter().map(|(_, p)| p.as_f64()).sum();
        if sum > 1.0 + NEARLY {
            return Err(Error::new(
                format!(
                    "the probabilities of the labels sum to {sum}, but those of one program sum to at most 1"
                ),
                given,
                "lower a probability or remove a label",
            ));
        }
        let rest = if sum >= 1.0 - NEARLY { 0.0 } else { 1.0 - sum };
        if labels.is_empty() {
            return Err(Error::new(
                "a fit needs at least one label",
                "no label",
                "list the labels with their probabilities",
            ));
        }
        if labels.len() == 1 && rest == 0.0 {
            return Err(Error::new(
                "a single label cannot have probability 1",
                given,
                "list every label with its probability, or leave room for others",
            ));
        }
        let distance = positive("distance", distance)?;
        let fit = Fit { labels, rest, distance };
        let most = |p: f64| p.max(1.0 - p);
        let room = fit.shares().map(most).fold(0.0, f64::max);
        if distance >= room {
            return Err(Error::new(
                "the distance is larger than any label can be off by",
                format!("distance = {distance}, {given}"),
                format!("lower the distance below {room}"),
            ));
        }
        Ok(fit)
    }

    /// The labels with their probabilities, as they were listed.
    pub(crate) fn labels(&self) -> &[(String, Probability)] {
        &self.labels
    }

    /// The probability of all labels that are not listed.
    pub(crate) fn rest(&self) -> f64 {
        self.rest
    }

    /// How far off a label may be before the program must fail.
    pub(crate) fn distance(&self) -> f64 {
        self.distance
    }

    /// The probabilities of all labels, and of the rest if there is one.
    pub(crate) fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        let rest = (self.rest > 0.0).then_some(self.rest);
        self.labels.iter().map(|(_, p)| p.as_f64()).chain(rest)
    }
}

/// The first labels, for an error.
fn shown(labels: &[(String, Probability)]) -> String {
    let mut words: Vec<String> =
        labels.iter().take(6).map(|(label, p)| format!("{label}: {p}")).collect();
    if labels.len() > 6 {
        words.push("..".into());
    }
    words.join(", ")
}

/// The body runs an old and a new version, see [`crate::run::both`], and each of them returns what
/// `R` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs<R = Violations>(PhantomData<R>);

/// Which of two numbers is the worse one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worse {
    /// The higher one, such as a time or an error.
    Higher,
    /// The lower one, such as a score or a return.
    Lower,
}

/// By how much a new version may be worse than the old one. The claim compares the mean of the
/// pairs' differences: of violations, which count 1, or of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Compare {
    /// The smallest and the largest number that an execution can return, and which are the worse
    /// ones; none if violations are compared.
    pub(crate) numbers: Option<((f64, f64), Worse)>,
    /// The change to catch.
    pub(crate) change: f64,
}

/// Claims that a new version doesn't violate more often than an old one, by `p_change` or more.
/// Each execution is a pair: both versions run on the same random numbers, see
/// [`crate::run::both`].
///
/// A version that violates as often as the old one, or less often, is called worse with probability
/// at most `false_alarm`, which is 0.01 by default here. A version that violates more often by
/// `p_change` or more passes with probability at most `epsilon`.
///
/// ```
/// let claim = probtest::compare(0.01).claim()?;
/// assert_eq!(claim.kind(), "compare");
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn compare(p_change: impl IntoProbability) -> Terms<Pairs> {
    let change = p_change.into_probability().map_err(|error| error.about("p_change"));
    let mut terms = Terms::about(Subject::Violations);
    terms.parts.change = Some(change.map(|change| change.as_f64()));
    terms
}

/// Starts the same claim about the mean of a number that both versions return. Set `between`,
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
    Terms::about(Subject::Means)
}

impl Terms<Pairs<Numbers>> {
    /// Sets the smallest and the largest number that an execution can return.
    pub fn between(mut self, low: impl Into<f64>, high: impl Into<f64>) -> Self {
        self.parts.between = Some((low.into(), high.into()));
        self
    }

    /// Sets which numbers are worse.
    pub fn worse(mut self, worse: Worse) -> Self {
        self.parts.worse = Some(worse);
        self
    }

    /// Sets how much worse the mean may get before the test must catch it.
    pub fn change(mut self, by: impl Into<f64>) -> Self {
        self.parts.change = Some(Ok(by.into()));
        self
    }
}

impl Compare {
    /// Lets only a change pass that a version can have.
    pub(super) fn new(numbers: Option<((f64, f64), Worse)>, change: f64) -> Result<Compare, Error> {
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

/// Refuses bounds that don't enclose anything.
fn between_two(between: (f64, f64)) -> Result<(f64, f64), Error> {
    const BETWEEN: &str = "write the smallest and the largest number that an execution can return";
    let (low, high) = (finite("between", between.0)?, finite("between", between.1)?);
    if low >= high {
        return Err(Error::new(
            "between does not go from low to high",
            format!("between = ({low}, {high})"),
            BETWEEN,
        ));
    }
    if !(high - low).is_finite() {
        return Err(Error::new(
            "between is wider than a number can be",
            format!("between = ({low:e}, {high:e})"),
            BETWEEN,
        ));
    }
    Ok((low, high))
}

/// Refuses infinities and NaN.
fn finite(name: &'static str, value: f64) -> Result<f64, Error> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(Error::of(name, "is not a finite number", value.to_string(), "write a plain number"))
}

/// Refuses what leaves nothing between what passes and what fails.
fn positive(name: &'static str, value: f64) -> Result<f64, Error> {
    if finite(name, value)? > 0.0 {
        return Ok(value);
    }
    Err(Error::of(
        name,
        "is not above 0, so the same program would have to both pass and fail",
        format!("{name} = {value}"),
        "write how far off a program may be before it must fail",
    ))
}
