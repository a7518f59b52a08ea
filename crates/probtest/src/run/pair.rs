//! One execution of two versions on the same numbers.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::observation::{Conclusion, Number, Observation, Violation};
use super::once;
use crate::claim::Pairs;
use crate::seed::TestRng;

/// What an old and a new version did on the same numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// What the old version did.
    pub old: Did,
    /// What the new version did.
    pub new: Did,
}

/// What one version did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Did {
    /// Its assertion held.
    Held,
    /// Its assertion was violated.
    Violated(Violation),
    /// It returned this number.
    Number(Number),
}

impl Did {
    /// What is compared: a violation counts 1.
    pub fn value(&self) -> f64 {
        match self {
            Did::Held => 0.0,
            Did::Violated(_) => 1.0,
            Did::Number(Number(value)) => *value,
        }
    }

    /// Whether two versions did the same, whatever their words.
    pub(crate) fn is_like(&self, other: &Did) -> bool {
        self.value().to_bits() == other.value().to_bits()
    }

    /// Forgets all but the message: of versions that fail alike it is enough.
    fn in_short(&mut self) {
        if let Did::Violated(violation) = self {
            violation.details = None;
        }
    }
}

impl Pair {
    /// How the new version violated where the old one did not.
    pub fn only_new(&self) -> Option<&Violation> {
        match (&self.old, &self.new) {
            (Did::Held, Did::Violated(violation)) => Some(violation),
            _ => None,
        }
    }
}

/// Executes an old and a new version on the same random numbers, for a claim that compares them:
/// see [`fn@crate::compare`]. A pair is rejected where one of the two is.
///
/// ```
/// use probtest::{Settings, compare, run};
/// use rand::RngExt;
///
/// let report = probtest::check(compare(0.1), Settings::new("dice").seed(1), |rng| {
///     run::both(rng, |rng| rng.random_range(1..=6) < 6, |rng| rng.random_range(1..=6) < 5)
/// })?;
/// assert!(report.section().starts_with("probtest: worse"), "{report}");
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn both<R, A: Conclusion<R>, B: Conclusion<R>>(
    rng: &mut TestRng,
    mut old: impl FnMut(&mut TestRng) -> A,
    mut new: impl FnMut(&mut TestRng) -> B,
) -> Both<R> {
    let first = once(rng, &mut |rng| old(rng).conclude());
    let drew = rng.has_drawn();
    rng.rewind();
    let second = once(rng, &mut |rng| new(rng).conclude());
    if drew && !rng.has_drawn() {
        // The execution has drawn, whichever version it was.
        rng.draw_u64();
    }
    Both(pair(first, second), PhantomData)
}

/// What [`both`] returns, for the body to return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Both<R>(Observation, PhantomData<R>);

impl<R> Conclusion<Pairs<R>> for Both<R> {
    fn conclude(self) -> Observation {
        self.0
    }
}

/// Puts together what two versions did. Labels are those of the new one, costs those of both.
#[doc(hidden)]
pub fn pair(old: Observation, new: Observation) -> Observation {
    match (old, new) {
        (Observation::Labelled(old), new) => pair(old.0, new),
        (old, Observation::Labelled(new)) => pair(old, new.0).with_labels(new.1),
        (Observation::Panicked { panic, otherwise }, other) => Observation::Panicked {
            panic,
            otherwise: Box::new(pair(*otherwise, other)),
        },
        (other, Observation::Panicked { panic, otherwise }) => Observation::Panicked {
            panic,
            otherwise: Box::new(pair(other, *otherwise)),
        },
        (
            Observation::Noted {
                cost, otherwise, ..
            },
            new,
        ) => noted(cost, pair(*otherwise, new)),
        (
            old,
            Observation::Noted {
                cost, otherwise, ..
            },
        ) => noted(cost, pair(old, *otherwise)),
        (Observation::Rejected, _) | (_, Observation::Rejected) => Observation::Rejected,
        (
            one @ (Observation::Unavailable { .. } | Observation::Broken(_) | Observation::Pair(_)),
            _,
        )
        | (_, one @ (Observation::Unavailable { .. } | Observation::Broken(_))) => one,
        (old, new) => match (did(old, "old"), did(new, "new")) {
            (Ok(Did::Held), Ok(Did::Held)) => Observation::Passed,
            (Ok(Did::Violated(violation)), Ok(Did::Number(_))) => no_number("old", &violation),
            (Ok(Did::Number(_)), Ok(Did::Violated(violation))) => no_number("new", &violation),
            (Ok(mut old), Ok(mut new)) => {
                if old.is_like(&new) {
                    old.in_short();
                    new.in_short();
                }
                Observation::Pair(Box::new(Pair { old, new }))
            }
            (Err(unfit), _) | (_, Err(unfit)) => unfit,
        },
    }
}

fn did(observation: Observation, which: &str) -> Result<Did, Observation> {
    match observation {
        Observation::Passed => Ok(Did::Held),
        Observation::Violated(violation) => Ok(Did::Violated(*violation)),
        Observation::Number(number) => Ok(Did::Number(number)),
        _ => Err(Observation::Broken(format!(
            "the {which} version returned what is not compared"
        ))),
    }
}

fn no_number(which: &str, violation: &Violation) -> Observation {
    Observation::Broken(format!(
        "the {which} version returned no number: {}",
        violation.message
    ))
}

fn noted(cost: Option<Number>, pair: Observation) -> Observation {
    let (also, otherwise) = match pair {
        Observation::Noted {
            cost, otherwise, ..
        } => (cost, otherwise),
        plain => (None, Box::new(plain)),
    };
    let sum = cost.into_iter().chain(also).map(|Number(cost)| cost).sum();
    Observation::Noted {
        cost: cost.or(also).map(|_| Number(sum)),
        recorded: None,
        otherwise,
    }
}
