//! A claim, built part by part.

use std::marker::PhantomData;
use std::num::NonZeroU64;

use probtest_syntax::options::{
    DEFAULT_COMPARE_FALSE_ALARM, DEFAULT_CONFIDENCE, DEFAULT_EPSILON, DEFAULT_FALSE_ALARM,
    MOST_INPUTS, check_tolerate, conflict,
};

use super::{
    Chances, Claim, ClaimKind, Compare, Error, Fit, IntoProbability, Mean, Outcomes, Probability,
    RateToCatch, WantedMean, Worse,
};

/// The body asserts, or returns whether it passed, or which outcome occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violations;
/// The body returns a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers;
/// The body returns a label: anything that can be displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels;

type GivenTerm<T> = Option<Result<T, Error>>;

/// A claim that is being built. Nothing is checked until a test uses it or you call
/// [`Terms::claim`].
///
/// `R` is what the body returns: [`Violations`], [`Numbers`] or [`Labels`].
///
/// ```
/// let error = probtest::mean().between(0, 1).above(0.9).claim().unwrap_err();
/// assert_eq!(error.what(), "the test does not say margin");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "terms claim nothing until you give them to a test"]
pub struct Terms<R = Violations> {
    pub(crate) parts: ClaimParts,
    returns: PhantomData<fn() -> R>,
}

/// All parts that a claim can have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClaimParts {
    pub(crate) p: GivenTerm<Probability>,
    pub(crate) epsilon: GivenTerm<Probability>,
    pub(crate) tolerate: GivenTerm<Probability>,
    pub(crate) false_alarm: GivenTerm<Probability>,
    pub(crate) outcomes: GivenTerm<Outcomes>,
    pub(crate) inputs: GivenTerm<u64>,
    /// Any other kind of claim, with its parts.
    pub(crate) returned: Option<Subject>,
    pub(crate) between: Option<(f64, f64)>,
    pub(crate) wanted: Vec<WantedMean>,
    pub(crate) margin: Option<f64>,
    pub(crate) labels: Vec<(String, Result<Probability, Error>)>,
    pub(crate) distance: Option<f64>,
    pub(crate) worse: Option<Worse>,
    pub(crate) change: GivenTerm<f64>,
    pub(crate) width: GivenTerm<Probability>,
    pub(crate) confidence: GivenTerm<Probability>,
}

/// A claim about what executions return, about two versions, or about how precisely a rate is
/// known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Mean,
    Fit,
    /// The violations of two versions.
    Violations,
    /// The means of two versions.
    Means,
    Estimate,
}

/// Claims that a violation probability of `p` or more is caught.
pub fn detect(p: impl IntoProbability) -> Terms {
    Terms::of(ClaimParts::default()).p(p)
}

/// Claims that each of these outcomes is seen. The body returns the number of the outcome that
/// occurred, from 0.
///
/// ```
/// let claim = probtest::cover(["1/6"; 6]).claim()?;
/// assert_eq!(claim.outcomes().unwrap().len(), 6);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn cover<I>(outcomes: I) -> Terms
where
    I: IntoIterator,
    I::Item: IntoProbability,
{
    covering(Outcomes::new(outcomes))
}

pub(super) fn covering(outcomes: Result<Outcomes, Error>) -> Terms {
    Terms::of(ClaimParts { outcomes: Some(outcomes), ..ClaimParts::default() })
}

/// Claims that a violation rate of this or less passes. If you don't set `p`, the rate that must
/// fail, it is ten times as much.
///
/// ```
/// let claim = probtest::tolerate(0.001).claim()?;
/// assert_eq!(claim, probtest::Claim::tolerate(0.001, 0.01, 0.05, 1e-6)?);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn tolerate(rate: impl IntoProbability) -> Terms {
    Terms::of(ClaimParts { tolerate: Some(rate.into_probability()), ..ClaimParts::default() })
}

/// Starts a claim about the mean of a number that each execution returns. Set `between`, `margin`,
/// and one of `within`, `above` and `below`.
///
/// A program whose mean is within these bounds fails with probability at most `false_alarm`. One
/// whose mean is outside by `margin` or more passes with probability at most `epsilon`.
///
/// ```
/// let die = probtest::mean().between(1, 6).within(3.5, 3.5).margin(0.5);
/// assert_eq!(die.claim()?.kind(), "mean");
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn mean() -> Terms<Numbers> {
    Terms::about(Subject::Mean)
}

/// Starts a claim about how often each label is returned. Set `label`s and `distance`.
///
/// A program with exactly these probabilities fails with probability at most `false_alarm`; one
/// with a label that is off by `distance` or more passes with probability at most `epsilon`.
///
/// ```
/// let faces = (1..=6).map(|face| (face.to_string(), "1/6"));
/// let die = probtest::fit().labels(faces).distance(0.05).claim()?;
/// assert_eq!(die.position("6"), Some(5));
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn fit() -> Terms<Labels> {
    Terms::about(Subject::Fit)
}

/// Measures the violation rate, with an interval of at most this width. No rate fails such a test.
///
/// ```
/// let terms = probtest::estimate(0.1).confidence(0.99);
/// assert_eq!(terms.claim()?.kind(), "estimate");
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn estimate(width: impl IntoProbability) -> Terms {
    let mut terms = Terms::about(Subject::Estimate);
    terms.parts.width = Some(width.into_probability());
    terms
}

impl<R> Terms<R> {
    pub(crate) fn of(parts: ClaimParts) -> Self {
        Terms { parts, returns: PhantomData }
    }

    pub(super) fn about(returned: Subject) -> Self {
        Terms::of(ClaimParts { returned: Some(returned), ..ClaimParts::default() })
    }

    /// Sets the chance of passing a program that must fail; 0.05 by default.
    pub fn epsilon(mut self, epsilon: impl IntoProbability) -> Self {
        self.parts.epsilon = Some(epsilon.into_probability());
        self
    }

    /// Sets the chance of failing a program that must pass; 1e-6 by default, 0.01 if you compare
    /// versions.
    pub fn false_alarm(mut self, false_alarm: impl IntoProbability) -> Self {
        self.parts.false_alarm = Some(false_alarm.into_probability());
        self
    }

    /// Checks the parts and makes the claim.
    ///
    /// # Errors
    /// When a part is missing, out of range, or doesn't go with the others.
    pub fn claim(self) -> Result<Claim, Error> {
        self.parts.claim()
    }
}

impl Terms<Violations> {
    /// Sets the violation probability you must catch.
    pub fn p(mut self, p: impl IntoProbability) -> Self {
        self.parts.p = Some(p.into_probability());
        self
    }

    /// Catches `p` for each of this many inputs, which the body draws: every input gets the plan
    /// for `p` at `epsilon`.
    pub fn inputs(mut self, inputs: u64) -> Self {
        self.parts.inputs = Some(Ok(inputs));
        self
    }

    /// Sets the chance that the interval of an estimate contains the true rate; 0.95 by default.
    pub fn confidence(mut self, chance: impl IntoProbability) -> Self {
        self.parts.confidence = Some(chance.into_probability());
        self
    }
}

impl Terms<Numbers> {
    /// Sets the smallest and the largest number that an execution can return.
    pub fn between(mut self, low: impl Into<f64>, high: impl Into<f64>) -> Self {
        self.parts.between = Some((low.into(), high.into()));
        self
    }

    /// Requires a mean from `low` to `high`, which may be equal.
    pub fn within(self, low: impl Into<f64>, high: impl Into<f64>) -> Self {
        self.wants(WantedMean::Within(low.into(), high.into()))
    }

    /// Requires this mean or a higher one.
    pub fn above(self, low: impl Into<f64>) -> Self {
        self.wants(WantedMean::Above(low.into()))
    }

    /// Requires this mean or a lower one.
    pub fn below(self, high: impl Into<f64>) -> Self {
        self.wants(WantedMean::Below(high.into()))
    }

    fn wants(mut self, want: WantedMean) -> Self {
        self.parts.wanted.push(want);
        self
    }

    /// Sets how far outside its bounds a mean may be before the test must fail.
    pub fn margin(mut self, by: impl Into<f64>) -> Self {
        self.parts.margin = Some(by.into());
        self
    }
}

impl Terms<Labels> {
    /// Lists a label with its probability. If the probabilities sum to less than 1, the rest
    /// belongs to all other labels together.
    pub fn label(mut self, label: impl Into<String>, p: impl IntoProbability) -> Self {
        self.parts.labels.push((label.into(), p.into_probability()));
        self
    }

    /// Lists several labels with their probabilities.
    pub fn labels<L, P>(self, labels: impl IntoIterator<Item = (L, P)>) -> Self
    where
        L: Into<String>,
        P: IntoProbability,
    {
        let listed = labels.into_iter();
        listed.fold(self, |terms, (label, p)| terms.label(label, p))
    }

    /// Sets how far off the probability of a label may be before the test must fail.
    pub fn distance(mut self, by: impl Into<f64>) -> Self {
        self.parts.distance = Some(by.into());
        self
    }
}

impl From<&Claim> for Terms {
    fn from(claim: &Claim) -> Self {
        Terms::of(claim.parts())
    }
}

impl From<Claim> for Terms {
    fn from(claim: Claim) -> Self {
        Terms::of(claim.parts())
    }
}

impl Claim {
    /// The terms that make this claim again.
    pub(super) fn parts(&self) -> ClaimParts {
        let mut parts = ClaimParts {
            p: self.p().cloned().map(Ok),
            epsilon: self.epsilon().cloned().map(Ok),
            tolerate: self.tolerated().cloned().map(Ok),
            false_alarm: self.false_alarm().cloned().map(Ok),
            outcomes: self.outcomes().cloned().map(Ok),
            inputs: self.inputs().map(Ok),
            ..ClaimParts::default()
        };
        match &self.0 {
            ClaimKind::Mean { mean, .. } => {
                parts.returned = Some(Subject::Mean);
                parts.between = Some(mean.between);
                parts.wanted = vec![mean.wanted];
                parts.margin = Some(mean.margin);
            }
            ClaimKind::Fit { fit, .. } => {
                let labels = fit.labels().iter().cloned();
                parts.returned = Some(Subject::Fit);
                parts.labels = labels.map(|(label, p)| (label, Ok(p))).collect();
                parts.distance = Some(fit.distance());
            }
            ClaimKind::Compare { compare, .. } => {
                parts.returned = Some(Subject::Violations);
                parts.change = Some(Ok(compare.change));
                if let Some((between, worse)) = compare.numbers {
                    parts.returned = Some(Subject::Means);
                    (parts.between, parts.worse) = (Some(between), Some(worse));
                }
            }
            ClaimKind::Estimate { width, confidence } => {
                parts.returned = Some(Subject::Estimate);
                parts.width = Some(Probability::from_f64(*width));
                parts.confidence = Some(Probability::from_f64(*confidence));
            }
            ClaimKind::Detect { .. } | ClaimKind::Cover { .. } | ClaimKind::Tolerate { .. } => {}
        }
        parts
    }
}

impl ClaimParts {
    /// Fills in the run's settings that the test doesn't set: the chances, and what the claim is
    /// about only if the test leaves all of that open.
    pub(crate) fn or(mut self, run: &ClaimParts) -> ClaimParts {
        let is_about = self.p.is_some() || self.outcomes.is_some();
        if !(is_about || self.tolerate.is_some() || self.returned.is_some()) {
            self.p = run.p.clone();
            self.tolerate = run.tolerate.clone();
            self.outcomes = run.outcomes.clone();
        }
        self.epsilon = self.epsilon.or_else(|| run.epsilon.clone());
        if self.tolerate.is_some() || self.returned.is_some() {
            self.false_alarm = self.false_alarm.or_else(|| run.false_alarm.clone());
        }
        self
    }

    /// Makes the claim: the one place that knows the defaults and what goes together.
    pub(crate) fn claim(mut self) -> Result<Claim, Error> {
        let said = [
            ("claim", self.returned.is_some()),
            ("p", self.p.is_some()),
            ("tolerate", self.tolerate.is_some()),
            ("outcomes", self.outcomes.is_some()),
            ("inputs", self.inputs.is_some()),
            // A part of the claim, if there is one.
            ("false_alarm", self.false_alarm.is_some() && self.returned.is_none()),
        ];
        let said: Vec<&str> = said.iter().filter_map(|(name, is)| is.then_some(*name)).collect();
        if let Some((_, error)) = conflict(&said) {
            return Err(error);
        }
        let usual = match self.returned {
            Some(Subject::Violations | Subject::Means) => DEFAULT_COMPARE_FALSE_ALARM,
            _ => DEFAULT_FALSE_ALARM,
        };
        let p = self.p.take().transpose().map_err(|error| error.about("p"))?;
        let tolerate = self.tolerate.take().transpose().map_err(|error| error.about("tolerate"))?;
        let chances = Chances {
            epsilon: or_usual("epsilon", self.epsilon.take(), DEFAULT_EPSILON)?,
            false_alarm: or_usual("false_alarm", self.false_alarm.take(), usual)?,
        };
        if let Some(subject) = self.returned {
            return self.about(subject, chances).map(Claim);
        }
        Ok(Claim(match (tolerate, p, self.outcomes) {
            (Some(tolerate), p, _) => {
                let derived = p.is_none();
                let p = p.map_or_else(|| tolerate.enlarged("9"), Ok).map_err(|_| {
                    Error::new(
                        "p defaults to ten times tolerate, which is 1 or more here",
                        format!("tolerate = {tolerate}, no p"),
                        "give p, the rate to catch",
                    )
                })?;
                check_tolerate(&tolerate, &p)?;
                ClaimKind::Tolerate { tolerate, p: RateToCatch { p, derived }, chances }
            }
            (None, Some(p), _) => {
                let inputs = self.inputs.map(how_many).transpose()?;
                ClaimKind::Detect { p, epsilon: chances.epsilon, inputs }
            }
            (None, None, Some(outcomes)) => {
                ClaimKind::Cover { outcomes: outcomes?, epsilon: chances.epsilon }
            }
            (None, None, None) => {
                return Err(Error::new(
                    "the test does not say which violation probability to catch",
                    "neither p nor tolerate nor outcomes",
                    "give p, such as p = 0.01, or --p 0.01 on the command line; PROBTEST_P sets a default for all tests",
                ));
            }
        }))
    }

    /// Makes a claim about what executions return, about two versions, or about how precisely a
    /// rate is known.
    fn about(self, subject: Subject, chances: Chances) -> Result<ClaimKind, Error> {
        let ClaimParts { between, wanted, margin, labels, distance, worse, change, .. } = self;
        match subject {
            Subject::Mean => {
                let lacks = |what: &str| {
                    let between = between.map(|(a, b)| format!("between = ({a}, {b})"));
                    let wants = wanted.iter().map(|wanted| wanted.given());
                    let margin = margin.map(|margin| format!("margin = {margin}"));
                    let said: Vec<String> =
                        between.into_iter().chain(wants).chain(margin).collect();
                    Error::new(
                        format!("the test does not say {what}"),
                        if said.is_empty() { "none of them".into() } else { said.join(", ") },
                        "a mean needs between, margin and one of within, above and below",
                    )
                };
                let between = between.ok_or_else(|| lacks("between"))?;
                let margin = margin.ok_or_else(|| lacks("margin"))?;
                let [wanted] = *wanted.as_slice() else {
                    return Err(lacks("exactly one of within, above and below"));
                };
                Ok(ClaimKind::Mean { mean: Mean::new(between, wanted, margin)?, chances })
            }
            Subject::Fit => {
                let Some(distance) = distance else {
                    return Err(Error::new(
                        "the test does not say the distance",
                        match labels.len() {
                            1 => "1 label".into(),
                            count => format!("{count} labels"),
                        },
                        "a fit needs labels and distance",
                    ));
                };
                let label = |(label, p): (String, Result<Probability, Error>)| {
                    Ok((label, p.map_err(|error| error.about("the probability of a label"))?))
                };
                let labels = labels.into_iter().map(label).collect::<Result<_, Error>>()?;
                Ok(ClaimKind::Fit { fit: Fit::new(labels, distance)?, chances })
            }
            Subject::Violations | Subject::Means => {
                let lacks = |what: &str| {
                    Error::new(
                        format!("the comparison does not say {what}"),
                        "the means of two versions",
                        "a comparison of means needs between, worse and change",
                    )
                };
                let numbers = match subject {
                    Subject::Means => Some((
                        between.ok_or_else(|| lacks("between"))?,
                        worse.ok_or_else(|| lacks("which numbers are worse"))?,
                    )),
                    _ => None,
                };
                let change = change.ok_or_else(|| lacks("change"))??;
                Ok(ClaimKind::Compare { compare: Compare::new(numbers, change)?, chances })
            }
            Subject::Estimate => {
                let share = |name: &'static str, given: GivenTerm<Probability>| {
                    let given = or_usual(name, given, DEFAULT_CONFIDENCE)?;
                    match given.as_f64() {
                        // So close to an end that a float cannot tell it from there.
                        end @ (0.0 | 1.0) => Err(Error::of(
                            name,
                            format!("is too close to {end}"),
                            given.to_string(),
                            "write a number such as 0.01 or 0.95",
                        )),
                        share => Ok(share),
                    }
                };
                let (width, confidence) =
                    (share("width", self.width)?, share("confidence", self.confidence)?);
                Ok(ClaimKind::Estimate { width, confidence })
            }
        }
    }
}

/// Checks the number of inputs.
fn how_many(inputs: Result<u64, Error>) -> Result<NonZeroU64, Error> {
    let inputs = inputs?;
    let some = NonZeroU64::new(inputs).filter(|_| inputs <= MOST_INPUTS);
    some.ok_or_else(|| {
        Error::new(
            format!("inputs is {inputs}, but a test draws 1 to {MOST_INPUTS} of them"),
            inputs.to_string(),
            "leave inputs out for a fresh input in each execution",
        )
    })
}

/// A chance of the claim, or its default.
fn or_usual(
    name: &'static str,
    given: GivenTerm<Probability>,
    usual: &str,
) -> Result<Probability, Error> {
    given.unwrap_or_else(|| Probability::parse(usual)).map_err(|error| error.about(name))
}
