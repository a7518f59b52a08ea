//! What a test says about its claim, part by part.

use std::marker::PhantomData;
use std::num::NonZeroU64;

use probtest_syntax::options::{
    DEFAULT_COMPARE_FALSE_ALARM, DEFAULT_CONFIDENCE, DEFAULT_EPSILON, DEFAULT_FALSE_ALARM,
    MOST_INPUTS, check_tolerate, conflict,
};

use super::{
    Chances, Claim, Compare, Compared, Error, Fit, IntoProbability, Kind, Mean, Outcomes,
    Probability, Rate, Wanted,
};

/// The body asserts, or returns whether it passed, or which outcome it has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violations;
/// The body returns a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers;
/// The body returns a label: anything that can be displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels;

pub(super) type Term<T> = Option<Result<T, Error>>;

/// What a test says about its claim. Nothing is checked before a test uses it, or
/// [`Terms::claim`] asks.
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
    pub(crate) parts: Parts,
    returns: PhantomData<fn() -> R>,
}

/// Everything that can be said about a claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    pub(crate) p: Term<Probability>,
    pub(crate) epsilon: Term<Probability>,
    pub(crate) tolerate: Term<Probability>,
    pub(crate) false_alarm: Term<Probability>,
    pub(crate) outcomes: Term<Outcomes>,
    pub(crate) inputs: Term<u64>,
    pub(crate) returned: Option<Subject>,
}

/// A claim on what executions return, or on how well a rate is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subject {
    Mean {
        between: Option<(f64, f64)>,
        wanted: Vec<Wanted>,
        margin: Option<f64>,
    },
    Fit {
        labels: Vec<(String, Result<Probability, Error>)>,
        distance: Option<f64>,
    },
    Compare {
        /// None where violations are compared.
        numbers: Option<Compared>,
        change: Term<f64>,
    },
    Estimate {
        width: Result<Probability, Error>,
        confidence: Term<Probability>,
    },
}

/// Claims that a violation probability of `p` or more is caught.
pub fn detect(p: impl IntoProbability) -> Terms {
    Terms::of(Parts::default()).p(p)
}

/// Claims that each of these outcomes is seen. The body returns the number of the outcome
/// it has shown, from 0.
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
    Terms::of(Parts { outcomes: Some(outcomes), ..Parts::default() })
}

/// Claims that a violation rate of this or less passes. `p`, the rate that must fail, is
/// ten times as much unless it is given.
///
/// ```
/// let claim = probtest::tolerate(0.001).claim()?;
/// assert_eq!(claim, probtest::Claim::tolerate(0.001, 0.01, 0.05, 1e-6)?);
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn tolerate(rate: impl IntoProbability) -> Terms {
    Terms::of(Parts { tolerate: Some(rate.into_probability()), ..Parts::default() })
}

/// Begins a claim on the mean of a number that each execution returns: give `between`,
/// `margin`, and one of `within`, `above` and `below`.
///
/// A program whose mean is as wanted fails with probability at most `false_alarm`. One
/// whose mean misses that by `margin` or more passes with probability at most `epsilon`.
///
/// ```
/// let die = probtest::mean().between(1, 6).within(3.5, 3.5).margin(0.5);
/// assert_eq!(die.claim()?.kind(), "mean");
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn mean() -> Terms<Numbers> {
    Terms::about(Subject::Mean { between: None, wanted: Vec::new(), margin: None })
}

/// Begins a claim on how often each label is returned: give `label`s and `distance`.
///
/// A program with exactly these probabilities fails with probability at most
/// `false_alarm`; one with a label that is off by `distance` or more passes with
/// probability at most `epsilon`.
///
/// ```
/// let faces = (1..=6).map(|face| (face.to_string(), "1/6"));
/// let die = probtest::fit().labels(faces).distance(0.05).claim()?;
/// assert_eq!(die.position("6"), Some(5));
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn fit() -> Terms<Labels> {
    Terms::about(Subject::Fit { labels: Vec::new(), distance: None })
}

/// Asks for the violation rate, in an interval of at most this width. Such a test never
/// fails: it measures.
///
/// ```
/// let terms = probtest::estimate(0.1).confidence(0.99);
/// assert_eq!(terms.claim()?.kind(), "estimate");
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn estimate(width: impl IntoProbability) -> Terms {
    Terms::about(Subject::Estimate { width: width.into_probability(), confidence: None })
}

impl<R> Terms<R> {
    pub(crate) fn of(parts: Parts) -> Self {
        Terms { parts, returns: PhantomData }
    }

    pub(super) fn about(returned: Subject) -> Self {
        Terms::of(Parts { returned: Some(returned), ..Parts::default() })
    }

    /// Sets the chance of passing a program that must fail; 0.05 by default.
    pub fn epsilon(mut self, epsilon: impl IntoProbability) -> Self {
        self.parts.epsilon = Some(epsilon.into_probability());
        self
    }

    /// Sets the chance of failing a program that must pass; 1e-6 by default, 0.01 where
    /// versions are compared.
    pub fn false_alarm(mut self, false_alarm: impl IntoProbability) -> Self {
        self.parts.false_alarm = Some(false_alarm.into_probability());
        self
    }

    /// Checks the terms.
    ///
    /// # Errors
    /// When a part is missing, out of range, or does not go with the others.
    pub fn claim(self) -> Result<Claim, Error> {
        self.parts.claim()
    }
}

impl Terms<Violations> {
    /// Sets the violation probability that must be caught.
    pub fn p(mut self, p: impl IntoProbability) -> Self {
        self.parts.p = Some(p.into_probability());
        self
    }

    /// Asks that `p` is caught for each of this many inputs, which the body draws: every input
    /// gets the plan for `p` at `epsilon`.
    pub fn inputs(mut self, inputs: u64) -> Self {
        self.parts.inputs = Some(Ok(inputs));
        self
    }

    /// Sets the chance that the interval of an estimate holds the true rate; 0.95 by
    /// default.
    pub fn confidence(mut self, chance: impl IntoProbability) -> Self {
        if let Some(Subject::Estimate { confidence, .. }) = &mut self.parts.returned {
            *confidence = Some(chance.into_probability());
        }
        self
    }
}

impl Terms<Numbers> {
    /// Sets the least and the largest number that an execution can return.
    pub fn between(mut self, low: impl Into<f64>, high: impl Into<f64>) -> Self {
        if let Some(Subject::Mean { between, .. }) = &mut self.parts.returned {
            *between = Some((low.into(), high.into()));
        }
        self
    }

    /// Wants a mean from `low` to `high`, which may be equal.
    pub fn within(self, low: impl Into<f64>, high: impl Into<f64>) -> Self {
        self.wants(Wanted::Within(low.into(), high.into()))
    }

    /// Wants this mean or a higher one.
    pub fn above(self, low: impl Into<f64>) -> Self {
        self.wants(Wanted::Above(low.into()))
    }

    /// Wants this mean or a lower one.
    pub fn below(self, high: impl Into<f64>) -> Self {
        self.wants(Wanted::Below(high.into()))
    }

    fn wants(mut self, want: Wanted) -> Self {
        if let Some(Subject::Mean { wanted, .. }) = &mut self.parts.returned {
            wanted.push(want);
        }
        self
    }

    /// Sets by how much a mean may miss the claim before it must fail.
    pub fn margin(mut self, by: impl Into<f64>) -> Self {
        if let Some(Subject::Mean { margin, .. }) = &mut self.parts.returned {
            *margin = Some(by.into());
        }
        self
    }
}

impl Terms<Labels> {
    /// Lists a label with its probability. Where all of them sum to less than 1,
    /// the rest belongs to all other labels together.
    pub fn label(mut self, label: impl Into<String>, p: impl IntoProbability) -> Self {
        if let Some(Subject::Fit { labels, .. }) = &mut self.parts.returned {
            labels.push((label.into(), p.into_probability()));
        }
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

    /// Sets how far off the probability of a label may be before it must fail.
    pub fn distance(mut self, by: impl Into<f64>) -> Self {
        if let Some(Subject::Fit { distance, .. }) = &mut self.parts.returned {
            *distance = Some(by.into());
        }
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
    fn parts(&self) -> Parts {
        let mut parts = Parts {
            p: self.p().cloned().map(Ok),
            epsilon: self.epsilon().cloned().map(Ok),
            tolerate: self.tolerated().cloned().map(Ok),
            false_alarm: self.false_alarm().cloned().map(Ok),
            outcomes: self.outcomes().cloned().map(Ok),
            inputs: self.inputs().map(Ok),
            returned: None,
        };
        parts.returned = match &self.0 {
            Kind::Mean { mean, .. } => Some(Subject::Mean {
                between: Some(mean.between),
                wanted: vec![mean.wanted],
                margin: Some(mean.margin),
            }),
            Kind::Fit { fit, .. } => Some(Subject::Fit {
                labels: fit
                    .labels()
                    .iter()
                    .map(|(label, p)| (label.clone(), Ok(p.clone())))
                    .collect(),
                distance: Some(fit.distance()),
            }),
            Kind::Compare { compare, .. } => Some(Subject::Compare {
                numbers: compare.numbers.map(|(between, worse)| Compared {
                    between: Some(between),
                    worse: Some(worse),
                }),
                change: Some(Ok(compare.change)),
            }),
            Kind::Estimate { width, confidence } => Some(Subject::Estimate {
                width: Probability::from_f64(*width),
                confidence: Some(Probability::from_f64(*confidence)),
            }),
            Kind::Detect { .. } | Kind::Cover { .. } | Kind::Tolerate { .. } => None,
        };
        parts
    }
}

impl Parts {
    /// Whether it is said what the claim is about.
    fn has_subject(&self) -> bool {
        self.p.is_some()
            || self.outcomes.is_some()
            || self.tolerate.is_some()
            || self.returned.is_some()
    }

    /// Fills in what the run says for tests that do not say it: the chances, and what
    /// the claim is about only where the test leaves all of that open.
    pub(crate) fn or(mut self, run: &Parts) -> Parts {
        if !self.has_subject() {
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

    /// Makes the claim: the one place that knows what goes together and the defaults.
    pub(crate) fn claim(self) -> Result<Claim, Error> {
        let Parts { p, epsilon, tolerate, false_alarm, outcomes, inputs, returned } = self;
        let said = [
            ("claim", returned.is_some()),
            ("p", p.is_some()),
            ("tolerate", tolerate.is_some()),
            ("outcomes", outcomes.is_some()),
            ("inputs", inputs.is_some()),
            // A part of the claim, where there is one.
            ("false_alarm", false_alarm.is_some() && returned.is_none()),
        ];
        let said: Vec<&str> = said.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
        if let Some((_, error)) = conflict(&said) {
            return Err(error);
        }
        let epsilon = epsilon.unwrap_or_else(|| Probability::parse(DEFAULT_EPSILON));
        let usual = match &returned {
            Some(Subject::Compare { .. }) => DEFAULT_COMPARE_FALSE_ALARM,
            _ => DEFAULT_FALSE_ALARM,
        };
        let false_alarm = false_alarm.unwrap_or_else(|| Probability::parse(usual));
        let (p, tolerate) = (named("p", p)?, named("tolerate", tolerate)?);
        let chances = Chances {
            epsilon: epsilon.map_err(|error| error.about("epsilon"))?,
            false_alarm: false_alarm.map_err(|error| error.about("false_alarm"))?,
        };
        let epsilon = chances.epsilon.clone();
        let kind = match (returned, tolerate, p, outcomes) {
            (Some(returned), ..) => returned.kind(chances)?,
            (None, Some(tolerate), p, _) => tolerating(tolerate, p, chances)?,
            (None, None, Some(p), _) => {
                Kind::Detect { p, epsilon, inputs: inputs.map(how_many).transpose()? }
            }
            (None, None, None, Some(outcomes)) => Kind::Cover { outcomes: outcomes?, epsilon },
            (None, None, None, None) => {
                return Err(Error::new(
                    "the test does not say which violation probability to catch",
                    "neither p nor tolerate nor outcomes",
                    "give p, such as p = 0.01, or --p 0.01 on the command line; PROBTEST_P sets a default for all tests",
                ));
            }
        };
        Ok(Claim(kind))
    }
}

impl Subject {
    fn kind(self, chances: Chances) -> Result<Kind, Error> {
        match self {
            Subject::Mean { between, wanted, margin } => {
                let lacks = |what: &str| {
                    let between = between.map(|(a, b)| format!("between = ({a}, {b})"));
                    let wants = wanted.iter().map(|wanted| wanted.given());
                    let margin = margin.map(|margin| format!("margin = {margin}"));
                    let said: Vec<String> =
                        between.into_iter().chain(wants).chain(margin).collect();
                    Error::new(
                        format!("the test does not say {what}"),
                        match said.len() {
                            0 => "none of them".into(),
                            _ => said.join(", "),
                        },
                        "a mean needs between, margin and one of within, above and below",
                    )
                };
                let between = between.ok_or_else(|| lacks("between"))?;
                let margin = margin.ok_or_else(|| lacks("margin"))?;
                let [wanted] = *wanted.as_slice() else {
                    return Err(lacks("exactly one of within, above and below"));
                };
                let mean = Mean::new(between, wanted, margin)?;
                Ok(Kind::Mean { mean, chances })
            }
            Subject::Fit { labels, distance } => {
                let Some(distance) = distance else {
                    return Err(Error::new(
                        "the test does not say distance",
                        match labels.len() {
                            1 => "1 label".into(),
                            count => format!("{count} labels"),
                        },
                        "a fit needs labels and distance",
                    ));
                };
                let mut list = Vec::with_capacity(labels.len());
                for (label, p) in labels {
                    list.push((label, p.map_err(|e| e.about("the probability of a label"))?));
                }
                let fit = Fit::new(list, distance)?;
                Ok(Kind::Fit { fit, chances })
            }
            Subject::Compare { numbers, change } => {
                Ok(Kind::Compare { compare: Compare::of(numbers, change)?, chances })
            }
            Subject::Estimate { width, confidence } => {
                let share = |name: &'static str, given: Result<Probability, Error>| {
                    let given = given.map_err(|error| error.about(name))?;
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
                Ok(Kind::Estimate {
                    width: share("width", width)?,
                    confidence: share(
                        "confidence",
                        confidence.unwrap_or_else(|| Probability::parse(DEFAULT_CONFIDENCE)),
                    )?,
                })
            }
        }
    }
}

/// Makes a claim with a tolerated rate; `p` is ten times as much where it is not given.
fn tolerating(
    tolerate: Probability,
    p: Option<Probability>,
    chances: Chances,
) -> Result<Kind, Error> {
    let derived = p.is_none();
    let p = match p {
        Some(p) => p,
        None => tolerate.enlarged("9").map_err(|_| {
            Error::new(
                "p defaults to ten times tolerate, which is 1 or more here",
                format!("tolerate = {tolerate}, no p"),
                "give p, the rate to catch",
            )
        })?,
    };
    check_tolerate(&tolerate, &p)?;
    Ok(Kind::Tolerate { tolerate, p: Rate { p, derived }, chances })
}

/// Checks how many inputs there are to be.
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

/// Calls a probability by its name where it is none.
fn named(name: &'static str, given: Term<Probability>) -> Result<Option<Probability>, Error> {
    given.transpose().map_err(|error: Error| error.about(name))
}
