//! The stages in a row, for claims on what the executions return.

use std::fmt::{Debug, Display};

use super::drive::Drive;
use super::{Error, Options};
use crate::claim::numeric::{FitClaim, FitTerms, MeanTerms, NumericClaim};
use crate::judge::numeric::{NumericJudge, NumericReason, NumericVerdict, Seen};
use crate::plan::numeric::NumericPlan;
use crate::report::{Note, NumericReport};
use crate::run::{Conclusion, Number, Observation, Work, parallel};
use crate::seed::{Replay, RunSeed, Stream, TestRng};

/// A number that a body may return under a claim on a mean.
///
/// `bool` counts as 0 and 1, `Result` is a violation when `Err`. Whole numbers above
/// 2^53 count as the nearest `f64`.
///
/// ```
/// use probtest::numeric::Measure;
/// use probtest::run::{Number, Observation};
///
/// assert_eq!(true.measure(), Observation::Number(Number(1.0)));
/// assert_eq!("four".len().measure(), Observation::Number(Number(4.0)));
/// assert!(matches!(Err::<f64, _>("no").measure(), Observation::Violated(_)));
/// ```
#[diagnostic::on_unimplemented(
    message = "a body under a claim on a mean cannot return `{Self}`",
    label = "not a number",
    note = "return a number, bool, or Result of these"
)]
pub trait Measure {
    /// Turns the returned value into an observation.
    fn measure(self) -> Observation;
}

macro_rules! measured {
    ($($kind:ty),*) => {
        $(impl Measure for $kind {
            fn measure(self) -> Observation {
                Observation::Number(Number(f64::from(self)))
            }
        })*
    };
}

measured!(f64, f32, bool, u8, u16, u32, i8, i16, i32);

macro_rules! rounded {
    ($($kind:ty),*) => {
        $(impl Measure for $kind {
            fn measure(self) -> Observation {
                // Above 2^53 the nearest `f64`: off by less than one part in 10^15.
                Observation::Number(Number(self as f64))
            }
        })*
    };
}

rounded!(u64, i64, usize, isize);

impl<M: Measure, E: Debug> Measure for Result<M, E> {
    fn measure(self) -> Observation {
        match self {
            Ok(value) => value.measure(),
            Err(error) => Err::<(), E>(error).conclude(),
        }
    }
}

/// Executes the body until the claim on the mean of its numbers is decided.
///
/// Prints nothing, reads no environment variable, and gives the same for any
/// number of threads. A panic of the body is a violation and ends the test.
///
/// # Errors
///
/// When the claim makes no sense or has no plan, or an option is out of range. That
/// the claim was missed is in the report, not an error.
///
/// ```
/// use probtest::Options;
/// use rand::RngExt;
///
/// let claim = probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.1);
/// let options = Options::new("uniform").seed(7);
/// let report = probtest::numeric::mean(claim, options, |rng| rng.random::<f64>())?;
/// assert!(report.passed());
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn mean<M: Measure>(
    claim: impl Into<MeanTerms>,
    options: Options<'_>,
    body: impl Fn(&mut TestRng) -> M + Sync,
) -> Result<NumericReport, Error> {
    let claim = claim.into().claim()?;
    carry_out(claim.into(), options, |rng: &mut TestRng| {
        body(rng).measure()
    })
}

/// Executes the body until the claim on its labels is decided.
///
/// # Errors
///
/// As [`mean`].
///
/// ```
/// use probtest::Options;
/// use rand::RngExt;
///
/// let claim = probtest::fit().label("heads", 0.5).label("tails", 0.5).distance(0.1);
/// let options = Options::new("coin").seed(7);
/// let report = probtest::numeric::fit(claim, options, |rng| {
///     if rng.random::<bool>() { "heads" } else { "tails" }
/// })?;
/// assert!(report.passed());
/// # Ok::<(), probtest::Error>(())
/// ```
pub fn fit<L: Display>(
    claim: impl Into<FitTerms>,
    options: Options<'_>,
    body: impl Fn(&mut TestRng) -> L + Sync,
) -> Result<NumericReport, Error> {
    let claim = claim.into().claim()?;
    carry_out(claim.clone().into(), options, |rng: &mut TestRng| {
        observe_label(&claim, &body(rng))
    })
}

/// Finds the label in its claim.
pub(crate) fn observe_label(claim: &FitClaim, label: &impl Display) -> Observation {
    let position = claim.position(&label.to_string());
    position.map_or(Observation::Unlisted, Observation::Outcome)
}

/// Executes the body until the claim on what it returns is decided.
pub(crate) fn carry_out(
    claim: NumericClaim,
    mut options: Options<'_>,
    body: impl Fn(&mut TestRng) -> Observation + Sync,
) -> Result<NumericReport, Error> {
    options.check_all_or_nothing()?;
    let plan = NumericPlan::new(claim)?;
    let judge = NumericJudge::new(&plan, options.limits);
    let seed = options.seed.unwrap_or_else(RunSeed::fresh);
    let work = Work {
        stream: Stream::new(seed, &options.test),
        indices: 1..=judge.max_executions(),
        stop_at_violation: true,
    };
    let jobs = options.jobs;
    let mut drive = Drive::new(judge, &mut options);
    parallel(&work, jobs, &body, &mut drive);
    drive.tell();
    let elapsed = drive.began.elapsed();
    let drew = drive.watch.drew();
    let (verdict, seen, counts) = drive.watch.conclude();
    let mut report = NumericReport {
        test: options.test,
        address: shown(&verdict, &seen).map(|index| Replay { seed, index }),
        plan,
        verdict,
        seen,
        counts,
        seed,
        replay: None,
        suite: options.suite,
        notes: Vec::new(),
        elapsed,
    };
    if options.own_randomness {
        report.notes.push(Note::OwnRandomness);
        report.address = None;
    } else if !drew && report.counts.executed > 1 {
        report.notes.push(Note::NeverDrew);
    }
    Ok(report)
}

/// Returns the execution to look at: the one that decided alone, or the most
/// extreme one in the direction of the miss.
pub fn shown(verdict: &NumericVerdict, seen: &Seen) -> Option<u64> {
    match (verdict, seen) {
        (NumericVerdict::Violated { index, .. } | NumericVerdict::Impossible { index, .. }, _)
        | (
            NumericVerdict::Inconclusive(
                NumericReason::Outside { index, .. } | NumericReason::Nothing { index },
            ),
            _,
        ) => Some(*index),
        (NumericVerdict::Missed(side), Seen::Numbers { extremes, .. }) => {
            extremes.map(|(least, largest)| match side.mirrored {
                true => least.index,
                false => largest.index,
            })
        }
        _ => None,
    }
}
