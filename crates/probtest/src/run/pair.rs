//! One execution of two versions on the same random numbers.

use std::convert::Infallible;
use std::marker::PhantomData;

use probtest_facts::{json_object, json_variants};

use super::observation::{Conclusion, Number, Observation, Violation};
use super::once;
use crate::claim::Pairs;
use crate::seed::TestRng;

/// What an old and a new version did on the same random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// What the old version did.
    pub old: VersionResult,
    /// What the new version did.
    pub new: VersionResult,
    /// Whether the new version ran first.
    pub new_first: bool,
}

/// What one version did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionResult {
    /// Its assertion held.
    Held,
    /// Its assertion was violated.
    Violated(Violation),
    /// It returned this number.
    Number(Number),
}

json_object!(Pair { old, new, new_first });

json_variants!(VersionResult {
    "held" => Held,
    "violated" => Violated(violation),
    "number" => Number(number),
});

impl VersionResult {
    /// The number that is compared: 1 for a violation.
    pub fn value(&self) -> f64 {
        match self {
            VersionResult::Held => 0.0,
            VersionResult::Violated(_) => 1.0,
            VersionResult::Number(Number(value)) => *value,
        }
    }

    /// Whether two versions did the same, whatever their messages.
    pub(crate) fn is_like(&self, other: &VersionResult) -> bool {
        self.value().to_bits() == other.value().to_bits()
    }
}

impl Pair {
    /// How the new version violated, if the old one didn't.
    pub fn only_new(&self) -> Option<&Violation> {
        match (&self.old, &self.new) {
            (VersionResult::Held, VersionResult::Violated(violation)) => Some(violation),
            _ => None,
        }
    }
}

/// Runs an old and a new version on the same random numbers, for a claim that compares them: see
/// [`fn@crate::compare`]. A coin toss decides which runs first. If one of the two is rejected, so
/// is the pair.
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
) -> PairConclusion<R> {
    let mut drew = false;
    let Ok(pair) = pair::<Infallible>(rng.coin(), |is_new| {
        drew |= rng.has_drawn();
        rng.rewind();
        Ok(match is_new {
            false => once(rng, &mut |rng| old(rng).conclude()),
            true => once(rng, &mut |rng| new(rng).conclude()),
        })
    });
    if drew && !rng.has_drawn() {
        // The execution has drawn, whichever version did.
        rng.draw_u64();
    }
    PairConclusion(pair, PhantomData)
}

/// The result of [`both`], which the body returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairConclusion<R>(Observation, PhantomData<R>);

impl<R> Conclusion<Pairs<R>> for PairConclusion<R> {
    fn conclude(self) -> Observation {
        self.0
    }
}

/// Runs both versions and combines their results; `version(true)` runs the new one.
///
/// The second one may depend on what the first left behind. A fair coin decides which runs first,
/// so leftovers don't make a version look worse than its copy. If the first one was rejected or
/// couldn't run, there is no pair, whatever the second does.
///
/// # Errors
/// Those of `version`.
#[doc(hidden)]
pub fn pair<E>(
    new_first: bool,
    mut version: impl FnMut(bool) -> Result<Observation, E>,
) -> Result<Observation, E> {
    let first = version(new_first)?;
    if let Observation::Rejected | Observation::Broken(_) | Observation::Unavailable { .. } =
        first.plain()
    {
        return Ok(named(first, new_first));
    }
    let second = version(!new_first)?;
    let (old, new) = if new_first { (second, first) } else { (first, second) };
    Ok(together(old, new, new_first))
}

/// Says which version couldn't run.
fn named(observation: Observation, is_new: bool) -> Observation {
    let which = ["old", "new"][usize::from(is_new)];
    observation.map_plain(|plain| match plain {
        Observation::Broken(message) => {
            Observation::Broken(format!("the {which} version: {message}"))
        }
        plain => plain,
    })
}

/// Labels are those of the new version; costs are added up.
fn together(old: Observation, new: Observation, new_first: bool) -> Observation {
    let together = |old, new| together(old, new, new_first);
    match (old, new) {
        (Observation::Labelled(old), new) => together(old.0, new),
        (old, Observation::Labelled(new)) => together(old, new.0).with_labels(new.1),
        (Observation::Panicked { panic, otherwise }, other) => {
            Observation::Panicked { panic, otherwise: Box::new(together(*otherwise, other)) }
        }
        (other, Observation::Panicked { panic, otherwise }) => {
            Observation::Panicked { panic, otherwise: Box::new(together(other, *otherwise)) }
        }
        (Observation::Noted { cost, otherwise, .. }, new) => noted(cost, together(*otherwise, new)),
        (old, Observation::Noted { cost, otherwise, .. }) => noted(cost, together(old, *otherwise)),
        (Observation::Rejected, _) | (_, Observation::Rejected) => Observation::Rejected,
        (one @ (Observation::Unavailable { .. } | Observation::Broken(_)), _) => named(one, false),
        (_, one @ (Observation::Unavailable { .. } | Observation::Broken(_))) => named(one, true),
        (old, new) => match (did(old, "old"), did(new, "new")) {
            (Ok(VersionResult::Held), Ok(VersionResult::Held)) => Observation::Passed,
            (Ok(mut old), Ok(mut new)) => {
                if old.is_like(&new) {
                    // If both versions fail alike, the message is enough.
                    for did in [&mut old, &mut new] {
                        if let VersionResult::Violated(violation) = did {
                            violation.details = None;
                        }
                    }
                }
                Observation::Pair(Box::new(Pair { old, new, new_first }))
            }
            (Err(unfit), _) | (_, Err(unfit)) => unfit,
        },
    }
}

fn did(observation: Observation, which: &str) -> Result<VersionResult, Observation> {
    match observation {
        Observation::Passed => Ok(VersionResult::Held),
        Observation::Violated(violation) => Ok(VersionResult::Violated(*violation)),
        Observation::Number(number) => Ok(VersionResult::Number(number)),
        _ => Err(Observation::Broken(format!(
            "the {which} version returned something that cannot be compared"
        ))),
    }
}

fn noted(cost: Option<Number>, pair: Observation) -> Observation {
    let (also, otherwise) = match pair {
        Observation::Noted { cost, otherwise, .. } => (cost, otherwise),
        plain => (None, Box::new(plain)),
    };
    let sum = cost.into_iter().chain(also).map(|Number(cost)| cost).sum();
    Observation::Noted { cost: cost.or(also).map(|_| Number(sum)), recorded: None, otherwise }
}
